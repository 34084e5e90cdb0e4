//! From text to logits with models converted here: ids equal the `tokenizers` package's, logits near ONNX
//! Runtime's, and the same bits in every build.

#[path = "../examples/classifiers.rs"]
#[allow(dead_code)]
mod classifiers;

use classifiers::{Case, Model, STYLES};
use lacuna_convert::Scheme;

/// How far logits may be from ONNX Runtime's f32. The weights are exact in q4_0 (see
/// `tools/make_tiny_classifiers.py`), so this is the rounding of activations to 8 bits through two layers;
/// logits spread over about 5. int8 rounds the weights to 8 bits once more.
const BOUNDS: [(Scheme, f32); 2] = [(Scheme::Q4_0, 0.06), (Scheme::Int8, 0.08)];

#[test]
fn ids_are_those_of_the_reference() {
    for style in &STYLES {
        let model = Model::new(style, Scheme::Q4_0);
        for case in model.cases() {
            assert_eq!(model.ids(&case.text), case.ids, "{}: {:?}", style.name, case.text);
        }
    }
}

#[test]
fn logits_are_near_the_reference() {
    for style in &STYLES {
        for (scheme, bound) in BOUNDS {
            let model = Model::new(style, scheme);
            let (mut most, mut labels, mut tokens) = (0f32, 0, 0);
            for Case { ids, logits, .. } in model.cases() {
                let ours = model.logits(&ids);
                assert_eq!(ours.len(), logits.iter().map(Vec::len).sum::<usize>());
                for (ours, theirs) in ours.chunks(logits[0].len()).zip(&logits) {
                    most = ours.iter().zip(theirs).fold(most, |most, (a, b)| most.max((a - b).abs()));
                    labels += usize::from(best(ours) == best(theirs));
                    tokens += 1;
                }
            }
            let name = style.name;
            println!("{name} {}: max |dlogit| {most}, labels {labels}/{tokens}", scheme.name());
            assert!(most <= bound, "{name} {}: max |dlogit| {most}, bound {bound}", scheme.name());
            assert!(most > 0.0, "8-bit activations cannot be exact");
            assert!(labels * 100 >= tokens * 95, "{labels} of {tokens} labels agree");
        }
    }
}

#[test]
fn logits_are_the_committed_bits() {
    let committed = include_str!("../../../testdata/classifiers/digests.txt");
    assert_eq!(classifiers::report(), committed);
}

fn best(row: &[f32]) -> usize {
    (0..row.len()).fold(0, |best, at| if row[at] > row[best] { at } else { best })
}
