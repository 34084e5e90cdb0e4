//! The encoder against ONNX Runtime's logits for the unmodified Rampart model (testdata/eval).

mod npz;

use std::path::{Path, PathBuf};

use lacuna_model::{Encoder, Scheme, Workspace};
use npz::Npz;
use weights::{Gguf, Writer};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn rampart() -> Vec<u8> {
    let path = root().join("models/rampart/rampart-q4_0.gguf");
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// How the logits of all texts compare with the peer's.
#[derive(Default)]
struct Agreement {
    texts: usize,
    tokens: usize,
    agree: usize,
    /// The largest gap between the peer's two best logits where labels differ.
    widest: f32,
    largest: f32,
}

impl Agreement {
    fn add(&mut self, ours: &[f32], theirs: &[f32], labels: usize) {
        assert_eq!(ours.len(), theirs.len());
        self.texts += 1;
        for (ours, theirs) in ours.chunks_exact(labels).zip(theirs.chunks_exact(labels)) {
            self.tokens += 1;
            for (a, b) in ours.iter().zip(theirs) {
                self.largest = self.largest.max((a - b).abs());
                assert!(a.is_finite());
            }
            let (best, second) = two_best(theirs);
            if two_best(ours).0 == best {
                self.agree += 1;
            } else {
                self.widest = self.widest.max(theirs[best] - theirs[second]);
            }
        }
    }

    fn check(&self, name: &str, share: f64, widest: f32, largest: f32) {
        let got = self.agree as f64 / self.tokens as f64;
        println!(
            "{name}: {} texts, labels {}/{} ({:.2} %), widest disagreement {:.3}, max |dlogit| {:.3}",
            self.texts,
            self.agree,
            self.tokens,
            100.0 * got,
            self.widest,
            self.largest
        );
        assert!(got >= share, "{name}: {got} of the labels agree, {share} must");
        assert!(self.widest < widest, "{name}: disagrees where the peer is {} sure", self.widest);
        assert!(self.largest <= largest, "{name}: |dlogit| {}", self.largest);
    }
}

fn two_best(row: &[f32]) -> (usize, usize) {
    let mut order: Vec<usize> = (0..row.len()).collect();
    order.sort_by(|a, b| row[*b].total_cmp(&row[*a]));
    (order[0], order[1])
}

/// All texts through the model against the arrays called `prefix_NN`.
fn compare(file: &[u8], scheme: Option<Scheme>, prefix: &str) -> Agreement {
    let data = Npz::open(&root().join("testdata/eval/ort_logits.npz"));
    let encoder = Encoder::from_gguf(&Gguf::parse(file).unwrap(), scheme).unwrap();
    let mut workspace = Workspace::new();
    let mut agreement = Agreement::default();
    for text in 0..40 {
        let ids = data.ids(&format!("ids_{text:02}")).expect("forty texts");
        if let Some(theirs) = data.f32s(&format!("{prefix}_{text:02}")) {
            let ours = encoder.forward(&ids, &mut workspace).unwrap();
            agreement.add(ours, &theirs, encoder.config().labels.len());
        }
    }
    agreement
}

/// The same model with other metadata.
fn attended(file: &[u8]) -> Vec<u8> {
    let file = Gguf::parse(file).unwrap();
    let mut writer = Writer::new();
    file.keys().for_each(|(key, value)| writer.set(key, value));
    writer.set("lacuna.padding", "attended");
    writer.set("lacuna.window", 256u32);
    for tensor in file.tensors() {
        writer.tensor(tensor.name, tensor.kind, &tensor.dims, tensor.bytes).unwrap();
    }
    writer.to_vec()
}

#[test]
fn q4_0_answers_as_onnx_runtime_does() {
    let agreement = compare(&rampart(), None, "logits");
    assert_eq!(agreement.texts, 40);
    agreement.check("q4_0", 0.998, 0.3, 0.4);
}

#[test]
fn int8_answers_as_onnx_runtime_does() {
    let agreement = compare(&rampart(), Some(Scheme::Int8), "logits");
    assert_eq!(agreement.texts, 40);
    agreement.check("int8", 0.993, f32::INFINITY, 1.8);
}

/// Masked padding changes nothing but rounding, so the unpadded pass stands for it.
#[test]
fn masked_padding_needs_no_padding() {
    let agreement = compare(&rampart(), None, "pad256_mask");
    assert_eq!(agreement.texts, 36);
    agreement.check("q4_0, masked padding", 0.998, 0.3, 0.4);
}

#[test]
fn attended_padding_is_part_of_the_model() {
    let file = attended(&rampart());
    let agreement = compare(&file, None, "pad256_nomask");
    assert_eq!(agreement.texts, 36);
    agreement.check("q4_0, attended padding", 0.998, 0.3, 0.4);
    // And it is not the unpadded model: the flag does something.
    let without = compare(&rampart(), None, "pad256_nomask");
    assert!(without.largest > 1.0, "padding left out changes logits by {}", without.largest);
}
