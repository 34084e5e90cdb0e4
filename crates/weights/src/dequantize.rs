//! GGML's blocks back to f32, operation by operation as GGML's reference functions do it.
//!
//! **Source**: `dequantize_row_*` in ggml's `ggml-quants.c`, which the `gguf` Python package repeats; the
//! fixtures under `testdata/gguf` come from the latter.

use std::borrow::Cow;

use half::bf16;
use kernels::f16;

use crate::{Error, Kind, Tensor};

/// Whether [`dequantize`] knows the type.
pub fn is_dequantizable(kind: Kind) -> bool {
    block_function(kind).is_some()
}

/// Writes the values of whole blocks of `kind` to `out`.
///
/// **Shape**: `bytes` [blocks, `kind.block_bytes()`], `out` [blocks * `kind.block_size()`].
///
/// **Order**: each value is computed on its own, no sum: `(q - 8) * d` for Q4_0, `q * d + m` for Q4_1
/// (two roundings, no FMA), `(d * scale) * q - (dmin * min)` for Q4_K and Q5_K, `(d * scale) * q` for Q6_K.
///
/// **Errors**: a type that has no values (or none we know), or lengths that are not whole blocks.
///
/// ```
/// use lacuna_weights::{Kind, dequantize};
///
/// // Scale 0.5 and all quants 9, that is 1 after the zero point.
/// let mut block = vec![0x00, 0x38];
/// block.extend([0x99; 16]);
/// let mut out = [0.0; 32];
/// dequantize(Kind::Q4_0, &block, &mut out)?;
/// assert_eq!(out, [0.5; 32]);
/// # Ok::<(), lacuna_weights::Error>(())
/// ```
pub fn dequantize(kind: Kind, bytes: &[u8], out: &mut [f32]) -> Result<(), Error> {
    let Some(block) = block_function(kind) else {
        return Err(Error::Kind { kind, problem: "has no values that are read here".into() });
    };
    let (size, block_bytes) = (kind.block_size(), kind.block_bytes());
    let blocks = out.len() / size;
    if !out.len().is_multiple_of(size) || bytes.len() != blocks * block_bytes {
        let problem = format!(
            "{} values are {blocks} blocks of {size} and need {} bytes, given {}",
            out.len(),
            blocks * block_bytes,
            bytes.len()
        );
        return Err(Error::Kind { kind, problem });
    }
    for (out, bytes) in out.chunks_exact_mut(size).zip(bytes.chunks_exact(block_bytes)) {
        block(bytes, out);
    }
    Ok(())
}

impl<'a> Tensor<'a> {
    /// The bytes of one row.
    ///
    /// **Errors**: a row beyond the last.
    pub fn row(&self, row: usize) -> Result<&'a [u8], Error> {
        let bytes = self.columns() / self.kind.block_size() * self.kind.block_bytes();
        let rows = self.rows();
        if row >= rows {
            return Err(Error::tensor(self.name, format!("row {row} of {rows}")));
        }
        Ok(&self.bytes[row * bytes..][..bytes])
    }

    /// Its values as f32 whatever the type, borrowed where they lie as such.
    ///
    /// **Errors**: a type without values, see [`dequantize`].
    pub fn dequantized(&self) -> Result<Cow<'a, [f32]>, Error> {
        if self.kind == Kind::F32 {
            return self.f32s();
        }
        let mut out = vec![0.0; if is_dequantizable(self.kind) { self.rows() * self.columns() } else { 0 }];
        dequantize(self.kind, self.bytes, &mut out).map_err(|error| match error {
            Error::Kind { kind, problem } => Error::tensor(self.name, format!("{} {problem}", kind.name())),
            other => other,
        })?;
        Ok(Cow::Owned(out))
    }
}

/// Turns the bytes of one block into its values.
type BlockFunction = fn(&[u8], &mut [f32]);

fn block_function(kind: Kind) -> Option<BlockFunction> {
    Some(match kind {
        Kind::F32 => |bytes, out| out[0] = f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
        Kind::F16 => |bytes, out| out[0] = half_at(bytes, 0),
        Kind::BF16 => |bytes, out| out[0] = bf16::from_le_bytes([bytes[0], bytes[1]]).to_f32(),
        Kind::Q4_0 => q4_0,
        Kind::Q4_1 => q4_1,
        Kind::Q5_0 => q5_0,
        Kind::Q5_1 => q5_1,
        Kind::Q8_0 => q8_0,
        Kind::Q4_K => q4_k,
        Kind::Q5_K => q5_k,
        Kind::Q6_K => q6_k,
        _ => return None,
    })
}

fn half_at(bytes: &[u8], at: usize) -> f32 {
    f16::decode(u16::from_le_bytes([bytes[at], bytes[at + 1]]))
}

/// Element `i` of 32 four-bit quants: byte j holds elements j (low) and j + 16 (high).
fn nibble(quants: &[u8], i: usize) -> u8 {
    if i < 16 { quants[i] & 15 } else { quants[i - 16] >> 4 }
}

/// Element `i` of 32 five-bit quants: a nibble and bit i of the four bytes before.
fn five_bits(high: &[u8], quants: &[u8], i: usize) -> u8 {
    nibble(quants, i) | (high[i / 8] >> (i % 8) & 1) << 4
}

fn q4_0(bytes: &[u8], out: &mut [f32]) {
    let d = half_at(bytes, 0);
    for (i, out) in out.iter_mut().enumerate() {
        *out = f32::from(nibble(&bytes[2..], i) as i8 - 8) * d;
    }
}

fn q4_1(bytes: &[u8], out: &mut [f32]) {
    let (d, m) = (half_at(bytes, 0), half_at(bytes, 2));
    for (i, out) in out.iter_mut().enumerate() {
        *out = f32::from(nibble(&bytes[4..], i)) * d + m;
    }
}

fn q5_0(bytes: &[u8], out: &mut [f32]) {
    let d = half_at(bytes, 0);
    for (i, out) in out.iter_mut().enumerate() {
        *out = f32::from(five_bits(&bytes[2..6], &bytes[6..], i) as i8 - 16) * d;
    }
}

fn q5_1(bytes: &[u8], out: &mut [f32]) {
    let (d, m) = (half_at(bytes, 0), half_at(bytes, 2));
    for (i, out) in out.iter_mut().enumerate() {
        *out = f32::from(five_bits(&bytes[4..8], &bytes[8..], i)) * d + m;
    }
}

fn q8_0(bytes: &[u8], out: &mut [f32]) {
    let d = half_at(bytes, 0);
    for (out, &quant) in out.iter_mut().zip(&bytes[2..]) {
        *out = f32::from(quant as i8) * d;
    }
}

/// Scale and minimum of sub-block `j` of a K block: 6 bits each, 8 of each in 12 bytes.
pub(crate) fn scale_and_min(scales: &[u8], j: usize) -> (u8, u8) {
    if j < 4 {
        (scales[j] & 63, scales[j + 4] & 63)
    } else {
        let scale = scales[j + 4] & 15 | scales[j - 4] >> 6 << 4;
        let min = scales[j + 4] >> 4 | scales[j] >> 6 << 4;
        (scale, min)
    }
}

fn q4_k(bytes: &[u8], out: &mut [f32]) {
    let (d, dmin, scales, quants) = (half_at(bytes, 0), half_at(bytes, 2), &bytes[4..16], &bytes[16..]);
    for (j, out) in out.chunks_exact_mut(32).enumerate() {
        let (scale, min) = scale_and_min(scales, j);
        let (scale, min) = (d * f32::from(scale), dmin * f32::from(min));
        for (out, &quant) in out.iter_mut().zip(&quants[j / 2 * 32..]) {
            *out = scale * f32::from(quant >> (4 * (j % 2)) & 15) - min;
        }
    }
}

fn q5_k(bytes: &[u8], out: &mut [f32]) {
    let (d, dmin, scales) = (half_at(bytes, 0), half_at(bytes, 2), &bytes[4..16]);
    let (high, quants) = (&bytes[16..48], &bytes[48..]);
    for (j, out) in out.chunks_exact_mut(32).enumerate() {
        let (scale, min) = scale_and_min(scales, j);
        let (scale, min) = (d * f32::from(scale), dmin * f32::from(min));
        for ((out, &quant), &high) in out.iter_mut().zip(&quants[j / 2 * 32..]).zip(high) {
            let quant = quant >> (4 * (j % 2)) & 15 | (high >> j & 1) << 4;
            *out = scale * f32::from(quant) - min;
        }
    }
}

fn q6_k(bytes: &[u8], out: &mut [f32]) {
    let (low, high, scales, d) = (&bytes[..128], &bytes[128..192], &bytes[192..208], half_at(bytes, 208));
    for (i, out) in out.iter_mut().enumerate() {
        // Two halves of 128; in each, 32 bytes hold four groups of 32.
        let (half, group, l) = (i / 128, i % 128 / 32, i % 32);
        let four = low[half * 64 + group % 2 * 32 + l] >> (4 * (group / 2)) & 15;
        let two = high[half * 32 + l] >> (2 * group) & 3;
        let quant = (four | two << 4) as i8 - 32;
        *out = d * f32::from(scales[i / 16] as i8) * f32::from(quant);
    }
}
