//! Times the encoder's pass by phases: `forward MODEL.gguf [TOKENS...]`, one JSON line a length.

use std::time::Instant;

use lacuna_model::{Encoder, Workspace};
use weights::Gguf;

fn main() {
    let mut args = std::env::args().skip(1);
    let path = args.next().expect("a model file");
    let lengths: Vec<usize> = args.map(|arg| arg.parse().expect("a number of tokens")).collect();
    let bytes = std::fs::read(&path).expect("the model file can be read");
    let file = Gguf::parse(&bytes).expect("a GGUF file");
    for (name, scheme) in [("q4_0", None), ("int8", Some(lacuna_model::Scheme::Int8))] {
        let encoder = Encoder::from_gguf(&file, scheme).expect("an encoder");
        let begin = Instant::now();
        let clock = || begin.elapsed().as_secs_f64() * 1e3;
        let mut workspace = Workspace::new();
        for tokens in if lengths.is_empty() { &[24, 256][..] } else { &lengths } {
            let ids: Vec<u32> = (0..*tokens as u32).map(|i| 1000 + i * 37 % 15000).collect();
            let mut runs = Vec::new();
            let start = clock();
            while runs.len() < 50 && (runs.len() < 5 || clock() - start < 4000.0) {
                let at = clock();
                let (_, phases) = encoder.forward_timed(&ids, &mut workspace, &clock).expect("a pass");
                runs.push((clock() - at, phases));
            }
            runs.sort_by(|a, b| a.0.total_cmp(&b.0));
            let (least, phases) = runs[0];
            println!(
                "{{\"scheme\":\"{name}\",\"tokens\":{tokens},\"min_ms\":{least:.2},\"median_ms\":{:.2},\"matmul\":{:.2},\"attention\":{:.2},\"other\":{:.2},\"runs\":{}}}",
                runs[runs.len() / 2].0,
                phases.matmul,
                phases.attention,
                phases.other,
                runs.len()
            );
        }
    }
}
