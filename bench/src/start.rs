//! Where the first article began, kept to measure against: int8 rows multiplied by one dot an output, 16 bytes an
//! iteration, activations quantised again for every product, everything else scalar and over every row.

use model::Phases;
use weights::{Gguf, Tensor};

struct Linear {
    outputs: usize,
    columns: usize,
    quants: Vec<i8>,
    scales: Vec<f32>,
    bias: Vec<f32>,
}

struct Norm {
    weight: Vec<f32>,
    bias: Vec<f32>,
}

struct Layer {
    /// query, key, value, output, up, down.
    linears: [Linear; 6],
    norms: [Norm; 2],
}

/// The encoder as it was at the start.
pub struct Start {
    hidden: usize,
    heads: usize,
    epsilon: f32,
    words: Vec<f32>,
    positions: Vec<f32>,
    types: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
    classifier: Linear,
}

impl Start {
    pub fn new(file: &Gguf<'_>) -> Result<Start, String> {
        let whole = |key: &str| file.u32(key).map(|value| value as usize).map_err(|why| why.to_string());
        let layer = |index: usize| -> Result<Layer, String> {
            let name = |part: &str| format!("blk.{index}.{part}");
            Ok(Layer {
                linears: [
                    linear(file, &name("attn_q"))?,
                    linear(file, &name("attn_k"))?,
                    linear(file, &name("attn_v"))?,
                    linear(file, &name("attn_output"))?,
                    linear(file, &name("ffn_up"))?,
                    linear(file, &name("ffn_down"))?,
                ],
                norms: [norm(file, &name("attn_output_norm"))?, norm(file, &name("layer_output_norm"))?],
            })
        };
        Ok(Start {
            hidden: whole("bert.embedding_length")?,
            heads: whole("bert.attention.head_count")?,
            epsilon: file.f32("bert.attention.layer_norm_epsilon").map_err(|why| why.to_string())?,
            words: table(file, "token_embd.weight")?,
            positions: table(file, "position_embd.weight")?,
            types: table(file, "token_types.weight")?,
            norm: norm(file, "token_embd_norm")?,
            layers: (0..whole("bert.block_count")?).map(layer).collect::<Result<_, _>>()?,
            classifier: linear(file, "cls")?,
        })
    }

    /// Logits and where the time went.
    pub fn forward(&self, ids: &[u32], clock: &dyn Fn() -> f64) -> (Vec<f32>, Phases) {
        let mut phases = Phases::default();
        let mut last = clock();
        let mut book = |slot: &mut f64| {
            let now = clock();
            *slot += now - last;
            last = now;
        };
        let hidden = self.hidden;
        let mut x = vec![0.0; ids.len() * hidden];
        for (t, (row, id)) in x.chunks_exact_mut(hidden).zip(ids).enumerate() {
            for (i, out) in row.iter_mut().enumerate() {
                let word = self.words[*id as usize * hidden + i];
                *out = word + self.types[i] + self.positions[t * hidden + i];
            }
        }
        self.norm.apply(&mut x, self.epsilon);
        book(&mut phases.other);
        for layer in &self.layers {
            let [query, key, value, output, up, down] = &layer.linears;
            let (q, k, v) = (query.apply(&x), key.apply(&x), value.apply(&x));
            book(&mut phases.matmul);
            let context = attention(&q, &k, &v, hidden, self.heads);
            book(&mut phases.attention);
            let update = output.apply(&context);
            book(&mut phases.matmul);
            add(&mut x, &update);
            layer.norms[0].apply(&mut x, self.epsilon);
            book(&mut phases.other);
            let mut wide = up.apply(&x);
            book(&mut phases.matmul);
            for value in &mut wide {
                *value = 0.5 * *value * (1.0 + libm::erff(*value * std::f32::consts::FRAC_1_SQRT_2));
            }
            book(&mut phases.other);
            let update = down.apply(&wide);
            book(&mut phases.matmul);
            add(&mut x, &update);
            layer.norms[1].apply(&mut x, self.epsilon);
            book(&mut phases.other);
        }
        let logits = self.classifier.apply(&x);
        book(&mut phases.matmul);
        (logits, phases)
    }
}

impl Linear {
    fn apply(&self, x: &[f32]) -> Vec<f32> {
        let mut out = Vec::with_capacity(x.len() / self.columns * self.outputs);
        let mut quants = vec![0i8; self.columns];
        for x in x.chunks_exact(self.columns) {
            let scale = quantise(&mut quants, x);
            let rows = self.quants.chunks_exact(self.columns);
            for ((row, weight), bias) in rows.zip(&self.scales).zip(&self.bias) {
                out.push(dot(row, &quants) as f32 * scale * weight + bias);
            }
        }
        out
    }
}

impl Norm {
    fn apply(&self, x: &mut [f32], epsilon: f32) {
        let columns = self.weight.len();
        for x in x.chunks_exact_mut(columns) {
            let mean = x.iter().sum::<f32>() / columns as f32;
            let variance = x.iter().map(|x| (x - mean) * (x - mean)).sum::<f32>() / columns as f32;
            let inverse = 1.0 / libm::sqrtf(variance + epsilon);
            for ((x, weight), bias) in x.iter_mut().zip(&self.weight).zip(&self.bias) {
                *x = (*x - mean) * inverse * weight + bias;
            }
        }
    }
}

fn add(x: &mut [f32], y: &[f32]) {
    for (x, y) in x.iter_mut().zip(y) {
        *x += y;
    }
}

fn quantise(quants: &mut [i8], x: &[f32]) -> f32 {
    let largest = x.iter().fold(0.0f32, |largest, x| largest.max(x.abs()));
    let scale = largest / 127.0;
    let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
    for (quant, x) in quants.iter_mut().zip(x) {
        *quant = libm::roundf(x * inverse).clamp(-127.0, 127.0) as i8;
    }
    scale
}

/// One dot an output, 16 bytes an iteration.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
fn dot(a: &[i8], b: &[i8]) -> i32 {
    use core::arch::wasm32::*;
    let vector = |x: &[i8; 16]| {
        let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| x[at + i] as u8));
        u64x2(word(0), word(8))
    };
    let mut sum = i32x4_splat(0);
    for (a, b) in a.as_chunks::<16>().0.iter().zip(b.as_chunks::<16>().0) {
        let (a, b) = (vector(a), vector(b));
        sum = i32x4_add(sum, i32x4_dot_i16x8(i16x8_extend_low_i8x16(a), i16x8_extend_low_i8x16(b)));
        sum = i32x4_add(sum, i32x4_dot_i16x8(i16x8_extend_high_i8x16(a), i16x8_extend_high_i8x16(b)));
    }
    i32x4_extract_lane::<0>(sum)
        + i32x4_extract_lane::<1>(sum)
        + i32x4_extract_lane::<2>(sum)
        + i32x4_extract_lane::<3>(sum)
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
fn dot(a: &[i8], b: &[i8]) -> i32 {
    a.iter().zip(b).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum()
}

fn attention(q: &[f32], k: &[f32], v: &[f32], hidden: usize, heads: usize) -> Vec<f32> {
    let head = hidden / heads;
    let scale = 1.0 / libm::sqrtf(head as f32);
    let mut out = vec![0.0; q.len()];
    let keys = k.len() / hidden;
    let mut scores = vec![0.0; keys];
    for h in 0..heads {
        let columns = h * head..(h + 1) * head;
        for (q, out) in q.chunks_exact(hidden).zip(out.chunks_exact_mut(hidden)) {
            let mut largest = f32::NEG_INFINITY;
            for (score, k) in scores.iter_mut().zip(k.chunks_exact(hidden)) {
                *score = q[columns.clone()].iter().zip(&k[columns.clone()]).map(|(q, k)| q * k).sum::<f32>()
                    * scale;
                largest = largest.max(*score);
            }
            let mut total = 0.0;
            for score in &mut scores {
                *score = libm::expf(*score - largest);
                total += *score;
            }
            let out = &mut out[columns.clone()];
            for (score, v) in scores.iter().zip(v.chunks_exact(hidden)) {
                for (out, v) in out.iter_mut().zip(&v[columns.clone()]) {
                    *out += score / total * v;
                }
            }
        }
    }
    out
}

fn tensor<'a>(file: &Gguf<'a>, name: &str) -> Result<Tensor<'a>, String> {
    file.tensor(name).map_err(|why| why.to_string())
}

fn vector(file: &Gguf<'_>, name: &str) -> Result<Vec<f32>, String> {
    Ok(tensor(file, name)?.f32s().map_err(|why| why.to_string())?.into_owned())
}

fn norm(file: &Gguf<'_>, name: &str) -> Result<Norm, String> {
    Ok(Norm {
        weight: vector(file, &format!("{name}.weight"))?,
        bias: vector(file, &format!("{name}.bias"))?,
    })
}

fn linear(file: &Gguf<'_>, name: &str) -> Result<Linear, String> {
    let weights = tensor(file, &format!("{name}.weight"))?;
    let (columns, outputs) = (weights.dims[0], weights.dims[1]);
    let (quants, scales) = kernels::int8_rows_from_q4_0(outputs, columns, weights.bytes)
        .map_err(|why| format!("{name}: {why}"))?;
    Ok(Linear { outputs, columns, quants, scales, bias: vector(file, &format!("{name}.bias"))? })
}

fn table(file: &Gguf<'_>, name: &str) -> Result<Vec<f32>, String> {
    let tensor = tensor(file, name)?;
    if tensor.kind != weights::Kind::I8 {
        return vector(file, name);
    }
    let number = |key: String| file.f32(&key).map_err(|why| why.to_string());
    let (scale, zero) = (number(format!("lacuna.scale.{name}"))?, number(format!("lacuna.zero.{name}"))?);
    Ok(tensor.bytes.iter().map(|byte| (f32::from(*byte as i8) - zero) * scale).collect())
}
