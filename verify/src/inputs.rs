//! All f32 values, or a sample of them with every edge.

use crate::random::{EDGES, Random};

/// Values handed out at once.
const CHUNK: usize = 4096;
/// Values of a quick run, apart from the edges.
const STRIDED: u64 = 1 << 22;
/// Odd, and `STRIDED` steps of it stay below 2^32.
const STRIDE: u64 = 1021;
/// Values of all sizes side by side, for code that looks at several together.
const MIXED: usize = 1 << 20;

/// Which inputs a part of a proof takes.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    pub quick: bool,
    pub part: u64,
    pub parts: u64,
}

impl Share {
    /// Hands out this part's inputs in chunks, ascending by their bits; `f` hears whether they count as inputs or
    /// repeat others in a mixed order.
    pub fn each(self, mut f: impl FnMut(&[f32], bool)) {
        let Share { quick, part, parts } = self;
        let (all, stride) = if quick { (STRIDED, STRIDE) } else { (1 << 32, 1) };
        let end = all * (part + 1) / parts;
        let mut at = all * part / parts;
        let mut chunk = Vec::with_capacity(CHUNK);
        while at < end {
            let next = end.min(at + CHUNK as u64);
            chunk.clear();
            chunk.extend((at..next).map(|i| f32::from_bits((i * stride) as u32)));
            f(&chunk, true);
            at = next;
        }
        if part == 0 {
            if quick {
                edges().chunks(CHUNK).for_each(|chunk| f(chunk, true));
            }
            let mut random = Random::new(0x5eed_1000);
            let mixed: Vec<f32> = (0..MIXED).map(|_| mixed(&mut random)).collect();
            mixed.chunks(CHUNK).for_each(|chunk| f(chunk, false));
        }
    }
}

/// Half of them of a middling size, where most of a function's pieces meet.
fn mixed(random: &mut Random) -> f32 {
    if random.next().is_multiple_of(2) { f32::from_bits(random.next()) } else { random.f32() }
}

/// Around every power of two, and around the ends of the pieces of exp and erf, where a variant could choose the
/// wrong one.
fn edges() -> Vec<f32> {
    let mut bits = Vec::new();
    for exponent in 0..256u32 {
        bits.extend((exponent << 23).wrapping_sub(8)..(exponent << 23).wrapping_add(8));
        bits.push(exponent << 23 | 0x7f_ffff);
    }
    let ends = [
        0x3180_0000u32,
        0x3f58_0000,
        0x3fa0_0000,
        0x4036_db6d,
        0x40c0_0000, // erff
        0x3900_0000,
        0x3eb1_7218,
        0x3f85_1592,
        0x4280_0000,
        0x42ae_ac50,
        0x42b1_7218,
        0x42cf_f1b5, // expf
    ];
    for end in ends {
        // erff is asked for x / sqrt(2), so look around both the end and its multiple.
        for end in [end, (f32::from_bits(end) * core::f32::consts::SQRT_2).to_bits()] {
            bits.extend(end - 600..end + 600);
        }
    }
    let signed = bits.iter().flat_map(|bits| [bits & 0x7fff_ffff, bits | 1 << 31]).map(f32::from_bits);
    EDGES.into_iter().chain(signed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(share: Share) -> u64 {
        let mut count = 0;
        share.each(|chunk, counts| count += if counts { chunk.len() as u64 } else { 0 });
        count
    }

    #[test]
    fn a_quick_run_takes_the_sample_and_the_edges() {
        assert_eq!(count(Share { quick: true, part: 0, parts: 1 }), STRIDED + edges().len() as u64);
        let parts: u64 = (0..3).map(|part| count(Share { quick: true, part, parts: 3 })).sum();
        assert_eq!(parts, STRIDED + edges().len() as u64);
    }

    #[test]
    fn parts_of_a_full_run_meet() {
        let mut bits = Vec::new();
        for part in [1000, 1001] {
            let share = Share { quick: false, part, parts: 1 << 16 };
            share.each(|chunk, _| bits.extend(chunk.iter().map(|x| x.to_bits())));
        }
        assert!(bits.windows(2).all(|pair| pair[1] == pair[0] + 1));
        assert_eq!((bits[0], bits.len()), (1000 << 16, 2 << 16));
    }
}
