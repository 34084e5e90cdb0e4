//! The same models in f64, written to be read: no pages, no cache, no blocks, one position after another.

use super::*;

struct Reference<'a> {
    file: Gguf<'a>,
    config: Config,
}

type Rows = Vec<Vec<f64>>;

impl Reference<'_> {
    fn vector(&self, name: &str) -> Option<Vec<f64>> {
        let tensor = self.file.tensor(name).ok()?;
        Some(tensor.dequantized().unwrap().iter().map(|value| f64::from(*value)).collect())
    }

    fn rows(&self, name: &str) -> Rows {
        let columns = self.file.tensor(name).unwrap().columns();
        self.vector(name).unwrap().chunks(columns).map(<[f64]>::to_vec).collect()
    }

    fn product(&self, name: &str, x: &[f64]) -> Vec<f64> {
        let mut out: Vec<f64> = self.rows(&format!("{name}.weight")).iter().map(|row| dot(row, x)).collect();
        if let Some(bias) = self.vector(&format!("{name}.bias")) {
            out.iter_mut().zip(bias).for_each(|(out, bias)| *out += bias);
        }
        out
    }

    fn norm(&self, name: &str, x: &[f64]) -> Vec<f64> {
        let Some(weight) = self.vector(name) else { return x.to_vec() };
        x.chunks(weight.len())
            .flat_map(|x| {
                let scale = 1.0 / (dot(x, x) / x.len() as f64 + f64::from(self.config.epsilon)).sqrt();
                x.iter().zip(&weight).map(move |(x, w)| x * scale * w).collect::<Vec<_>>()
            })
            .collect()
    }

    fn turned(&self, x: &[f64], position: usize, windowed: bool) -> Vec<f64> {
        let rope = &self.config.rope;
        let half = rope.dimensions / 2;
        let base = f64::from(if windowed { rope.window_base } else { rope.base });
        let factors = self.vector("rope_freqs.weight").filter(|_| !windowed);
        let mut x = x.to_vec();
        for head in x.chunks_mut(self.config.head) {
            for i in 0..half {
                let mut frequency = libm::pow(base, -2.0 * i as f64 / rope.dimensions as f64);
                frequency /= factors.as_ref().map_or(1.0, |factors| factors[i]);
                let mut magnitude = 1.0;
                match rope.scaling {
                    Scaling::Linear { factor } if !windowed => frequency /= f64::from(factor),
                    Scaling::Yarn { factor, original, .. } if !windowed => {
                        let turns = |turns: f64| {
                            rope.dimensions as f64
                                * libm::log(original as f64 / (turns * 2.0 * core::f64::consts::PI))
                                / (2.0 * libm::log(base))
                        };
                        let (low, high) = (turns(32.0).floor().max(0.0), turns(1.0).ceil());
                        let slow = ((i as f64 - low) / (high - low).max(0.001)).clamp(0.0, 1.0);
                        let factor = f64::from(factor);
                        frequency = frequency * (1.0 - slow) + frequency / factor * slow;
                        magnitude = 1.0 + 0.1 * libm::log(factor);
                    }
                    _ => {}
                }
                let angle = position as f64 * frequency;
                let (sin, cos) = (libm::sin(angle) * magnitude, libm::cos(angle) * magnitude);
                let (a, b) = match rope.pairs {
                    kernels::rope::Pairs::Adjacent => (2 * i, 2 * i + 1),
                    kernels::rope::Pairs::Halves => (i, i + half),
                };
                (head[a], head[b]) = (head[a] * cos - head[b] * sin, head[a] * sin + head[b] * cos);
            }
        }
        x
    }

    /// Logits after every id.
    fn logits(&self, ids: &[u32]) -> Rows {
        let config = &self.config;
        let (head, group) = (config.head, config.heads / config.key_value_heads);
        let embedding = self.rows("token_embd.weight");
        let scale = if config.architecture == "gemma3" { (config.hidden as f64).sqrt() } else { 1.0 };
        let mut hidden: Rows = ids
            .iter()
            .map(|id| embedding[*id as usize].iter().map(|value| value * scale).collect())
            .collect();
        for layer in 0..config.layers {
            let name = |what: &str| format!("blk.{layer}.{what}");
            let window = if config.architecture == "gemma3" && (layer + 1) % 6 != 0 { 6 } else { usize::MAX };
            let windowed = window != usize::MAX;
            let (mut keys, mut values): (Rows, Rows) = (Vec::new(), Vec::new());
            for (t, hidden) in hidden.iter_mut().enumerate() {
                let x = self.norm(&name("attn_norm.weight"), hidden);
                let query = self.norm(&name("attn_q_norm.weight"), &self.product(&name("attn_q"), &x));
                let key = self.norm(&name("attn_k_norm.weight"), &self.product(&name("attn_k"), &x));
                let query = self.turned(&query, t, windowed);
                keys.push(self.turned(&key, t, windowed));
                values.push(self.product(&name("attn_v"), &x));
                let mut attended = Vec::new();
                for (h, query) in query.chunks(head).enumerate() {
                    let at = h / group * head..(h / group + 1) * head;
                    let seen = (t + 1).saturating_sub(window)..t + 1;
                    let weights: Vec<f64> = seen
                        .clone()
                        .map(|j| libm::exp(dot(query, &keys[j][at.clone()]) / (head as f64).sqrt()))
                        .collect();
                    let sum: f64 = weights.iter().sum();
                    attended.extend(at.map(|d| {
                        seen.clone().zip(&weights).map(|(j, w)| values[j][d] * w).sum::<f64>() / sum
                    }));
                }
                let out = self.product(&name("attn_output"), &attended);
                add(hidden, &self.norm(&name("post_attention_norm.weight"), &out));
                let x = self.norm(&name("ffn_norm.weight"), hidden);
                let gate = self.product(&name("ffn_gate"), &x);
                let up = self.product(&name("ffn_up"), &x);
                let gated: Vec<f64> =
                    gate.iter().zip(up).map(|(gate, up)| activation(config.gate, *gate) * up).collect();
                let out = self.product(&name("ffn_down"), &gated);
                add(hidden, &self.norm(&name("post_ffw_norm.weight"), &out));
            }
        }
        let output = if self.file.tensor("output.weight").is_ok() { "output" } else { "token_embd" };
        hidden
            .iter()
            .map(|hidden| {
                let logits = self.product(output, &self.norm("output_norm.weight", hidden));
                let cap = self.config.logit_cap.map(f64::from);
                logits.iter().map(|x| cap.map_or(*x, |cap| cap * libm::tanh(x / cap))).collect()
            })
            .collect()
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(hidden: &mut [f64], more: &[f64]) {
    hidden.iter_mut().zip(more).for_each(|(hidden, more)| *hidden += more);
}

fn activation(gate: Gate, x: f64) -> f64 {
    match gate {
        Gate::Silu => x / (1.0 + libm::exp(-x)),
        Gate::Gelu => {
            let inner = (2.0 / core::f64::consts::PI).sqrt() * (x + 0.044715 * x * x * x);
            0.5 * x * (1.0 + libm::tanh(inner))
        }
    }
}

#[test]
fn logits_are_near_f64() {
    for (name, bound) in [
        ("llama", 1e-4),
        ("llama-linear", 1e-4),
        ("qwen2-yarn", 1e-4),
        ("qwen3", 1e-4),
        ("gemma3", 1e-4),
        // Activations of all but the matrices of floats are rounded to eight bits.
        ("llama-types", 0.8),
    ] {
        let tiny = tiny(name);
        let file = Gguf::parse(&tiny.bytes).unwrap();
        let config = Config::from_gguf(&file).unwrap();
        let ours = every(&Decoder::from_gguf(&file).unwrap(), &tiny.ids);
        let exact = Reference { file, config }.logits(&tiny.ids).concat();
        let exact: Vec<f32> = exact.into_iter().map(|value| value as f32).collect();
        let difference = largest_difference(&ours, &exact);
        println!("{name}: {difference:e}");
        assert!(difference < bound, "{name}: logits differ from f64 by up to {difference}");
    }
}
