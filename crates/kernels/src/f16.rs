//! IEEE 754 half precision, as GGML stores scales.

/// The exact f32 value of a half: subnormals, infinities and zeros included; every NaN becomes 0x7fc00000.
///
/// ```
/// assert_eq!(lacuna_kernels::f16::decode(0x3c00), 1.0);
/// assert_eq!(lacuna_kernels::f16::decode(0x0001), f32::from_bits(103 << 23));
/// ```
#[inline]
pub const fn decode(half: u16) -> f32 {
    let sign = (half as u32 & 0x8000) << 16;
    let exponent = half as u32 >> 10 & 0x1f;
    let fraction = half as u32 & 0x3ff;
    let bits = match exponent {
        0 => {
            // A subnormal is fraction * 2^-24: exact in f32.
            let magnitude = fraction as f32 * f32::from_bits(103 << 23);
            magnitude.to_bits() | sign
        }
        31 if fraction != 0 => 0x7fc0_0000,
        31 => 0x7f80_0000 | sign,
        _ => sign | (exponent + 112) << 23 | fraction << 13,
    };
    f32::from_bits(bits)
}

/// [`decode`] of several halves, without a branch: for vectors.
///
/// The single one keeps its branches: without them LLVM makes vectors of the definitions that call it, and what is
/// measured as scalar no longer is.
#[inline(always)]
pub fn decode_all<const N: usize>(halves: [u16; N]) -> [f32; N] {
    const INFINITY: u32 = 0x7c00 << 13;
    halves.map(|half| {
        let sign = (half as u32 & 0x8000) << 16;
        let magnitude = (half as u32 & 0x7fff) << 13;
        // Fraction and exponent in place are 2^-112 times the value, subnormals included: exact in f32.
        let finite = (f32::from_bits(magnitude) * f32::from_bits((112 + 127) << 23)).to_bits();
        let bits = if magnitude < INFINITY { finite } else { 0x7f80_0000 };
        f32::from_bits(if magnitude > INFINITY { 0x7fc0_0000 } else { sign | bits })
    })
}

/// The nearest half, ties to even; overflow becomes infinity, every NaN 0x7e00.
///
/// ```
/// assert_eq!(lacuna_kernels::f16::encode(1.0), 0x3c00);
/// assert_eq!(lacuna_kernels::f16::encode(65520.0), 0x7c00);
/// ```
#[inline]
pub const fn encode(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let magnitude = bits & 0x7fff_ffff;
    if magnitude > 0x7f80_0000 {
        return 0x7e00;
    }
    // 65520 is half-way between the largest half and what would be the next one.
    if magnitude >= 0x477f_f000 {
        return sign | 0x7c00;
    }
    // 2^-14 is the smallest normal half.
    if magnitude < 0x3880_0000 {
        // Adding 0.5 leaves units of 2^-24 in the lowest bits, rounded to even by the addition itself.
        let sum = f32::from_bits(magnitude) + 0.5;
        return sign | (sum.to_bits() - 0x3f00_0000) as u16;
    }
    let rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
    sign | ((rounded - (112 << 23)) >> 13) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value by the book, in f64: (-1)^s * 2^(e-15) * (1 + f/1024).
    fn by_the_book(half: u16) -> f64 {
        let sign = if half & 0x8000 != 0 { -1.0 } else { 1.0 };
        let exponent = (half >> 10 & 31) as i32;
        let fraction = (half & 1023) as f64 / 1024.0;
        match exponent {
            0 => sign * fraction * libm::ldexp(1.0, -14),
            31 if fraction == 0.0 => sign * f64::INFINITY,
            31 => f64::NAN,
            _ => sign * (1.0 + fraction) * libm::ldexp(1.0, exponent - 15),
        }
    }

    #[test]
    fn decode_is_exact_for_all_halves() {
        for half in 0..=u16::MAX {
            let (got, want) = (decode(half), by_the_book(half));
            assert_eq!(decode_all([half])[0].to_bits(), got.to_bits(), "{half:#06x}");
            if want.is_nan() {
                assert_eq!(got.to_bits(), 0x7fc0_0000, "{half:#06x}");
            } else {
                assert_eq!((got as f64).to_bits(), want.to_bits(), "{half:#06x}");
            }
        }
    }

    #[test]
    fn encode_inverts_decode() {
        for half in 0..=u16::MAX {
            let want = if half & 0x7fff > 0x7c00 { 0x7e00 } else { half };
            assert_eq!(encode(decode(half)), want, "{half:#06x}");
        }
    }

    #[test]
    fn encode_rounds_to_nearest_even_around_every_midpoint() {
        for half in 0..0x7c00u16 {
            let low = decode(half) as f64;
            // Past the largest finite half, rounding behaves as if 65536 came next.
            let high = if half == 0x7bff { 65536.0 } else { decode(half + 1) as f64 };
            let middle = ((low + high) / 2.0) as f32;
            assert_eq!(middle as f64, (low + high) / 2.0, "midpoints are f32 values");
            let even = if half & 1 == 0 { half } else { half + 1 };
            for (value, want) in [(middle.next_down(), half), (middle, even), (middle.next_up(), half + 1)] {
                assert_eq!(encode(value), want, "{value:e}");
                assert_eq!(encode(-value), want | 0x8000, "-{value:e}");
            }
        }
        assert_eq!(encode(f32::INFINITY), 0x7c00);
        assert_eq!(encode(f32::MAX), 0x7c00);
        assert_eq!(encode(f32::from_bits(1)), 0);
        assert_eq!(encode(-0.0), 0x8000);
        assert_eq!(encode(f32::from_bits(0xffc0_1234)), 0x7e00);
    }
}
