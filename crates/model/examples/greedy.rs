//! Greedy ids and rates of a decoder: `greedy FILE COUNT ID...`.
use std::time::Instant;

use lacuna_model::decoder::{Decoder, Run, Workspace};
use weights::Gguf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, count, ids @ ..] = &arguments[..] else {
        return Err("usage: greedy FILE COUNT ID...".into());
    };
    let start = Instant::now();
    let bytes = std::fs::read(file)?;
    let decoder = Decoder::from_gguf(&Gguf::parse(&bytes)?)?;
    eprintln!("loaded in {:.0} ms", start.elapsed().as_secs_f64() * 1e3);
    let mut ids: Vec<u32> = ids.iter().map(|id| id.parse()).collect::<Result<_, _>>()?;
    let (mut cache, mut workspace) = (decoder.cache(), Workspace::new());
    let prompt = ids.len();
    let start = Instant::now();
    let (mut prefilled, mut made) = (0.0, Vec::new());
    for _ in 0..count.parse()? {
        let logits =
            decoder.forward(&mut [Run { cache: &mut cache, ids: &ids, every: false }], &mut workspace)?;
        let mut best = 0;
        for (id, logit) in logits.iter().enumerate() {
            if *logit > logits[best] {
                best = id;
            }
        }
        if made.is_empty() {
            prefilled = start.elapsed().as_secs_f64();
        }
        made.push(best);
        ids = vec![best as u32];
    }
    let decoded = start.elapsed().as_secs_f64() - prefilled;
    println!("{made:?}");
    eprintln!(
        "prompt {prompt}: {:.1} tokens/s; decode: {:.1} tokens/s",
        prompt as f64 / prefilled,
        (made.len() - 1) as f64 / decoded
    );
    Ok(())
}
