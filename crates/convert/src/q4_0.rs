//! GGML Q4_0 blocks from ONNX 4-bit blocks.

use half::f16;

use crate::Error;

/// Weights in a block, of both formats.
pub(crate) const BLOCK: usize = 32;
/// Bytes of a GGML Q4_0 block: an f16 scale and 16 bytes of quants.
const BLOCK_BYTES: usize = 18;
/// Bytes of quants in a block.
const QUANT_BYTES: usize = 16;

/// The GGML blocks of an ONNX matrix of `MatMulNBits` with block 32 and zero point 8.
///
/// The quants are the same numbers in another order: ONNX puts elements 2j and 2j + 1 into byte j,
/// GGML elements j and j + 16. The f32 scale, which may be negative, becomes f16, nearest, ties to even.
///
/// **Shape**: `quants` [blocks, 16], `scales` [blocks]; result [blocks, 18].
///
/// **Errors**: a scale that f16 does not hold: infinite, NaN, or rounding to infinity.
pub(crate) fn from_onnx(tensor: &str, quants: &[u8], scales: &[f32]) -> Result<Vec<u8>, Error> {
    let (blocks, _) = quants.as_chunks::<QUANT_BYTES>();
    let mut out = Vec::with_capacity(blocks.len() * BLOCK_BYTES);
    for (index, (block, &scale)) in blocks.iter().zip(scales).enumerate() {
        out.extend(scale_f16(tensor, index, scale)?.to_le_bytes());
        let element = |i: usize| block[i / 2] >> (4 * (i % 2)) & 15;
        out.extend((0..QUANT_BYTES).map(|j| element(j) | element(j + QUANT_BYTES) << 4));
    }
    Ok(out)
}

fn scale_f16(tensor: &str, block: usize, scale: f32) -> Result<f16, Error> {
    let half = f16::from_f32(scale);
    if !half.is_finite() {
        return Err(Error::tensor(
            tensor,
            format!("the scale of block {block} is {scale}: f16 does not hold it"),
        ));
    }
    Ok(half)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quants_change_places_and_scales_round_to_even() {
        // Elements 0..16 are their index, 16..32 are 31 - index.
        let element = |i: usize| if i < 16 { i as u8 } else { 31 - i as u8 };
        let quants: Vec<u8> = (0..16).map(|j| element(2 * j) | element(2 * j + 1) << 4).collect();
        // Half way between two f16: down to the even one.
        let out = from_onnx("w", &quants, &[-(1.0 + 1.0 / 2048.0)]).unwrap();
        assert_eq!(out[..2], f16::from_f32(-1.0).to_le_bytes());
        for j in 0..16 {
            assert_eq!((out[2 + j] & 15, out[2 + j] >> 4), (element(j), element(j + 16)));
        }
    }

    #[test]
    fn a_scale_beyond_f16_is_named() {
        let error = from_onnx("w", &[0; 32], &[1.0, 65520.0]).unwrap_err().to_string();
        assert_eq!(error, "tensor w: the scale of block 1 is 65520: f16 does not hold it");
        assert!(from_onnx("w", &[0; 16], &[f32::NAN]).is_err());
    }
}
