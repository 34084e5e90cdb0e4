//! f32 to GGML's blocks with GGML's reference rounding, and whole files to another type.
//!
//! **Source**: `quantize_row_*_ref` in ggml's `ggml-quants.c` as the `gguf` Python package defines it; the
//! two differ in Q4_0 and Q5_0 alone, where the C result depends on whether the compiler contracts
//! `x * id + 8.5` and the package settles it with a product in f64. So do we.

use half::{bf16, f16};

use crate::{Error, Gguf, Kind, Writer};

/// Weights in the blocks of every type [`quantize`] writes.
const BLOCK: usize = 32;

/// The blocks of `kind` for `values`: F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q5_0 or Q5_1.
///
/// **Shape**: `values` [blocks * `kind.block_size()`]; result [blocks, `kind.block_bytes()`].
///
/// **Order**: the scale of a block comes from its extremes; each quant is rounded on its own: Q8_0 half
/// away from zero, the others by adding a half and cutting off.
///
/// **Errors**: another type, values that are not whole blocks, and for blocks with a scale a value that is
/// not finite or a scale beyond f16.
///
/// ```
/// use lacuna_weights::{Kind, dequantize, quantize};
///
/// let values: Vec<f32> = (0..32).map(|i| i as f32 - 16.0).collect();
/// let blocks = quantize(Kind::Q8_0, &values)?;
/// let mut back = vec![0.0; 32];
/// dequantize(Kind::Q8_0, &blocks, &mut back)?;
/// assert!(values.iter().zip(&back).all(|(a, b)| (a - b).abs() <= 16.0 / 127.0));
/// # Ok::<(), lacuna_weights::Error>(())
/// ```
pub fn quantize(kind: Kind, values: &[f32]) -> Result<Vec<u8>, Error> {
    let block: fn(&[f32; BLOCK], &mut Vec<u8>) = match kind {
        Kind::F32 => return Ok(values.iter().flat_map(|value| value.to_le_bytes()).collect()),
        Kind::F16 => {
            return Ok(values.iter().flat_map(|&value| f16::from_f32(value).to_le_bytes()).collect());
        }
        Kind::BF16 => {
            return Ok(values.iter().flat_map(|&value| bf16::from_f32(value).to_le_bytes()).collect());
        }
        Kind::Q8_0 => q8_0,
        Kind::Q4_0 => q4_0,
        Kind::Q4_1 => q4_1,
        Kind::Q5_0 => q5_0,
        Kind::Q5_1 => q5_1,
        _ => return Err(Error::Kind { kind, problem: "is not written here".into() }),
    };
    let (blocks, rest) = values.as_chunks::<BLOCK>();
    if !rest.is_empty() {
        let problem = format!("{} values are not whole blocks of {BLOCK}", values.len());
        return Err(Error::Kind { kind, problem });
    }
    let mut out = Vec::with_capacity(blocks.len() * kind.block_bytes());
    for (index, values) in blocks.iter().enumerate() {
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            let problem = format!("value {} is {}: no scale holds it", index * BLOCK + at, values[at]);
            return Err(Error::Kind { kind, problem });
        }
        let start = out.len();
        block(values, &mut out);
        let scale = f16::from_le_bytes([out[start], out[start + 1]]);
        // The second f16 is the minimum of the types that have one.
        let minimum = f16::from_le_bytes([out[start + 2], out[start + 3]]);
        let has_minimum = matches!(kind, Kind::Q4_1 | Kind::Q5_1);
        if !scale.is_finite() || has_minimum && !minimum.is_finite() {
            return Err(Error::Kind { kind, problem: format!("the scale of block {index} is beyond f16") });
        }
    }
    Ok(out)
}

/// `1 / d`, or 0 for 0.
fn inverse(d: f32) -> f32 {
    if d == 0.0 { 0.0 } else { 1.0 / d }
}

fn q8_0(values: &[f32; BLOCK], out: &mut Vec<u8>) {
    let d = values.iter().fold(0.0f32, |most, value| most.max(value.abs())) / 127.0;
    let id = inverse(d);
    out.extend(f16::from_f32(d).to_le_bytes());
    out.extend(values.map(|value| (value * id).round() as i8 as u8));
}

/// The first value of the largest magnitude, with its sign.
fn extreme(values: &[f32; BLOCK]) -> f32 {
    values.iter().fold(0.0f32, |most, &value| if value.abs() > most.abs() { value } else { most })
}

fn q4_0(values: &[f32; BLOCK], out: &mut Vec<u8>) {
    let d = extreme(values) / -8.0;
    out.extend(f16::from_f32(d).to_le_bytes());
    nibbles(&symmetric(values, d, 8.5, 15), out);
}

fn q5_0(values: &[f32; BLOCK], out: &mut Vec<u8>) {
    let d = extreme(values) / -16.0;
    out.extend(f16::from_f32(d).to_le_bytes());
    five_bits(&symmetric(values, d, 16.5, 31), out);
}

fn symmetric(values: &[f32; BLOCK], d: f32, half: f64, most: u8) -> [u8; BLOCK] {
    let id = f64::from(inverse(d));
    values.map(|value| ((f64::from(value) * id + half) as f32 as u8).min(most))
}

fn q4_1(values: &[f32; BLOCK], out: &mut Vec<u8>) {
    nibbles(&with_minimum(values, 15, out), out);
}

fn q5_1(values: &[f32; BLOCK], out: &mut Vec<u8>) {
    five_bits(&with_minimum(values, 31, out), out);
}

/// Writes scale and minimum, returns the quants 0..=most.
fn with_minimum(values: &[f32; BLOCK], most: u8, out: &mut Vec<u8>) -> [u8; BLOCK] {
    let least = values.iter().copied().fold(f32::INFINITY, f32::min);
    let greatest = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let d = (greatest - least) / f32::from(most);
    let id = inverse(d);
    out.extend(f16::from_f32(d).to_le_bytes());
    out.extend(f16::from_f32(least).to_le_bytes());
    values.map(|value| ((value - least) * id + 0.5) as u8).map(|quant| quant.min(most))
}

fn nibbles(quants: &[u8; BLOCK], out: &mut Vec<u8>) {
    out.extend((0..16).map(|j| quants[j] & 15 | quants[j + 16] << 4));
}

fn five_bits(quants: &[u8; BLOCK], out: &mut Vec<u8>) {
    let high = quants.iter().enumerate().fold(0u32, |bits, (i, quant)| bits | u32::from(quant >> 4 & 1) << i);
    out.extend(high.to_le_bytes());
    nibbles(quants, out);
}

/// The same file with its matrices in `kind`: F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q5_0 or Q5_1.
///
/// Every tensor of at least two dimensions and a type that has values is converted by way of f32; vectors
/// (norms and biases) and integers stay as they are, and so does a matrix whose rows are not whole blocks
/// of `kind`. Metadata is kept; `general.file_type` and `general.quantization_version` follow the type.
///
/// **Errors**: as [`quantize`], naming the tensor; a matrix of a type that is not read here.
pub fn quantize_file<'a>(file: &Gguf<'a>, kind: Kind) -> Result<Writer<'a>, Error> {
    let mut writer = Writer::new();
    for (key, value) in file.keys().filter(|(key, _)| !key.starts_with("split.")) {
        writer.set(key, value);
    }
    if let Some(number) = file_type(kind) {
        writer.set("general.file_type", number);
    }
    if kind.block_size() > 1 {
        writer.set("general.quantization_version", 2u32);
    }
    for tensor in file.tensors() {
        let last = tensor.dims.iter().rposition(|&dim| dim != 1).map_or(1, |last| last + 1);
        let dims = &tensor.dims[..last];
        let keep = tensor.rows() == 1
            || tensor.kind == kind
            || matches!(tensor.kind, Kind::I8 | Kind::I16 | Kind::I32 | Kind::I64 | Kind::F64)
            || !tensor.columns().is_multiple_of(kind.block_size());
        if keep {
            writer.tensor(tensor.name, tensor.kind, dims, tensor.bytes)?;
            continue;
        }
        let blocks = quantize(kind, &tensor.dequantized()?).map_err(|error| match error {
            Error::Kind { kind, problem } => Error::tensor(tensor.name, format!("{} {problem}", kind.name())),
            other => other,
        })?;
        writer.tensor(tensor.name, kind, dims, blocks)?;
    }
    Ok(writer)
}

/// llama.cpp's number for a file that is mostly of one type.
fn file_type(kind: Kind) -> Option<u32> {
    Some(match kind {
        Kind::F32 => 0,
        Kind::F16 => 1,
        Kind::Q4_0 => 2,
        Kind::Q4_1 => 3,
        Kind::Q8_0 => 7,
        Kind::Q5_0 => 8,
        Kind::Q5_1 => 9,
        Kind::BF16 => 32,
        _ => return None,
    })
}
