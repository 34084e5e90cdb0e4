//! `quantchk[q8_0]`, `quantchk[int8]`: every variant of a quantiser against its definition, on every value at scale
//! one and on rows of all scales; and the definition against f64 where the scale is a power of two.

use kernels::variant::Variant;
use kernels::{quantize_int8, quantize_q8_0};

use crate::inputs::Share;
use crate::part::{Part, bits};
use crate::random::{EDGES, Random};
use crate::variants::definition;

/// Random rows of a whole proof.
const ROWS: u64 = 20_000;
/// The largest quant: a row that holds it, and nothing larger, has scale one.
const LARGEST: f32 = 127.0;

/// What a quantiser writes: quants, and the bits of scales and offsets.
type Quantised = (Vec<i8>, Vec<u32>);

pub fn q8_0(share: Share) -> Part {
    let run = |run: quantize_q8_0::QuantizeQ8_0, x: &[f32]| {
        let blocks = x.len() / 32;
        let (mut quants, mut scales, mut offsets) = (vec![99; x.len()], vec![9.0; blocks], vec![9; blocks]);
        run(&mut quants, &mut scales, &mut offsets, x);
        (quants, scales.into_iter().map(bits).chain(offsets.into_iter().map(|o| o as u32)).collect())
    };
    Check { variants: quantize_q8_0::VARIANTS, run: &run, row: 32, step: 32, part: Part::new() }.all(share)
}

pub fn int8(share: Share) -> Part {
    let run = |run: quantize_int8::QuantizeInt8, x: &[f32]| {
        let mut quants = vec![99; x.len()];
        let scale = run(&mut quants, x);
        (quants, vec![bits(scale)])
    };
    Check { variants: quantize_int8::VARIANTS, run: &run, row: 64, step: 1, part: Part::new() }.all(share)
}

struct Check<'a, F: 'static> {
    variants: &'static [Variant<F>],
    run: &'a dyn Fn(F, &[f32]) -> Quantised,
    /// Values of a row at scale one.
    row: usize,
    /// Lengths of random rows are multiples of it.
    step: usize,
    part: Part,
}

impl<F: Copy> Check<'_, F> {
    fn all(mut self, share: Share) -> Part {
        let mut row = Vec::with_capacity(self.row);
        let inputs = self.row - 1;
        share.each(|x, counts| {
            for x in x.chunks(inputs) {
                self.at_scale_one(&mut row, x);
            }
            if counts {
                self.part.count("inputs", x.len() as u64);
            }
        });
        let mut random = Random::new(0x5eed_2000 + share.part);
        let rows = ROWS * (share.part + 1) / share.parts - ROWS * share.part / share.parts;
        for i in 0..rows {
            let (x, scale) = self.random_row(&mut random, i);
            self.compare(&x, scale);
        }
        self.part.count("rows", rows);
        self.part
    }

    /// Values beyond 127 cannot be quantised at scale one: a row without them, then one with everything.
    fn at_scale_one(&mut self, row: &mut Vec<f32>, x: &[f32]) {
        row.clear();
        row.extend(x.iter().map(|x| if x.abs() > LARGEST { 0.0 } else { *x }));
        row.resize(self.row - 1, 0.0);
        row.push(LARGEST);
        self.compare(row, Some(1.0));
        if x.iter().any(|x| x.abs() > LARGEST) {
            row[..x.len()].copy_from_slice(x);
            self.compare(row, None);
        }
    }

    /// Scales of 2^-20 to 2^20. Every second row has a power of two for its scale, given back, and ties among its
    /// values; others hold an edge, or nothing but zeros.
    fn random_row(&self, random: &mut Random, i: u64) -> (Vec<f32>, Option<f32>) {
        let length = self.step * (1 + random.below(200 / self.step));
        let power = f32::from_bits((127 - 20 + random.next() % 41) << 23);
        let mut x: Vec<f32> = (0..length).map(|_| random.unit() * LARGEST * power).collect();
        let at = random.below(length);
        match i % 4 {
            0 | 2 => {
                for x in &mut x {
                    *x = match random.below(3) {
                        0 => (random.below(254) as f32 - 126.5) * power,
                        1 => *x,
                        _ => f32::copysign(0.0, *x),
                    };
                }
                // Every block of Q8_0 has a scale of its own.
                for block in x.chunks_mut(if self.step == 1 { length } else { self.step }) {
                    block[at % block.len()] = LARGEST * power;
                }
                return (x, Some(power));
            }
            1 => x[at] = EDGES[random.below(EDGES.len())],
            _ if i % 100 == 3 => x.fill(if i % 200 == 3 { 0.0 } else { -0.0 }),
            _ => {}
        }
        (x, None)
    }

    /// `scale`: what the row's scale is known to be; f16 holds 2^-20..2^20 only in part, quants do not need it.
    fn compare(&mut self, x: &[f32], scale: Option<f32>) {
        let (definition, others) = definition(self.variants);
        let want = (self.run)(definition.run, x);
        for variant in others.iter().filter(|variant| variant.needs.met()) {
            let got = (self.run)(variant.run, x);
            self.part.compared("quantiser", variant.name);
            if got != want {
                self.part.differs(|| format!("{} of {x:?}: {got:?}, not {want:?}", variant.name));
            }
        }
        let hash = self.part.hash("definition");
        want.0.iter().for_each(|quant| hash.word(*quant as u32));
        want.1.iter().for_each(|word| hash.word(*word));
        let Some(scale) = scale else { return };
        for (x, quant) in x.iter().zip(&want.0) {
            let exact = f64::from(*x) / f64::from(scale);
            // Half away from zero; NaN is zero.
            let rounded = if x.is_nan() { 0.0 } else { libm::round(exact) };
            if rounded != f64::from(*quant) {
                self.part
                    .differs(|| format!("the definition rounds {x:e} / {scale:e} to {quant}, not {rounded}"));
            }
        }
    }
}
