//! GELU in vectors.
//!
//! libm's `erff` has five pieces, the outer ones three times as long as the first. Values of one text lie in all of
//! them, so that of vectors computed with every piece that one of their lanes needs most lanes would be thrown away, and
//! the branches could not be foretold. So values beyond a piece are first moved next to each other, into lists; each
//! piece is computed for vectors full of its own values, without a branch, and moved back. Each value is computed by
//! libm's operations of its piece whatever lies beside it.
//!
//! Two pieces need no code: below 2^-28 erf vanishes beside the one it is added to, and from 6 on it is 1 - 2^-120,
//! which is 1. The constants are libm's.

use core::f32::consts::FRAC_1_SQRT_2;

use crate::exp::vectors::{exp_close, exp_reduced};
use crate::lanes::{Lanes, MOST, polynomial};

/// Values that are sorted together: few enough for the stack and the first cache.
const SPAN: usize = 32 * MOST;

#[inline(always)]
pub fn gelu<L: Lanes>(x: &mut [f32]) {
    let mut lists = [List::new(), List::new()];
    let (chunks, rest) = x.as_chunks_mut::<MOST>();
    for chunks in chunks.chunks_mut(SPAN / MOST) {
        span::<L>(chunks, &mut lists);
    }
    if !rest.is_empty() {
        let mut whole = [0.0; MOST];
        whole[..rest.len()].copy_from_slice(rest);
        span::<L>(core::slice::from_mut(&mut whole), &mut lists);
        rest.copy_from_slice(&whole[..rest.len()]);
    }
}

#[inline(always)]
fn span<L: Lanes>(x: &mut [[f32; MOST]], [beyond, outer]: &mut [List; 2]) {
    (beyond.count, outer.count) = (0, 0);
    for x in x.iter() {
        gather_beyond::<L>(beyond, x);
    }
    for sizes in beyond.sixteens() {
        gather_outer::<L>(outer, sizes);
    }
    for sizes in outer.sixteens() {
        replace_outer::<L>(sizes);
    }
    let mut at = 0;
    for sizes in beyond.sixteens() {
        at = replace_beyond::<L>(sizes, outer, at);
    }
    let mut at = 0;
    for x in x {
        at = replace::<L>(x, beyond, at);
    }
}

/// Magnitudes beyond a piece in the order they came; later `erf` of each, in its place.
struct List {
    values: [f32; SPAN + MOST],
    count: usize,
}

impl List {
    fn new() -> List {
        List { values: [0.0; SPAN + MOST], count: 0 }
    }

    #[inline(always)]
    fn push<L: Lanes>(&mut self, values: L, wanted: L::Mask) {
        let bits = L::bitmask(wanted);
        values.compress(bits).store(&mut self.values[self.count..][..L::COUNT]);
        self.count += bits.count_ones() as usize;
    }

    /// The values from `at` on in the lanes that were wanted; `at` moves past them.
    #[inline(always)]
    fn take<L: Lanes>(&self, at: &mut usize, wanted: L::Mask) -> L {
        let bits = L::bitmask(wanted);
        let values = L::load(&self.values[*at..][..L::COUNT]).expand(bits);
        *at += bits.count_ones() as usize;
        values
    }

    /// All of it by sixteens, the last filled up with ones, whose results nobody takes.
    #[inline(always)]
    fn sixteens(&mut self) -> &mut [[f32; MOST]] {
        self.values[self.count..][..MOST].fill(1.0);
        self.values[..self.count.next_multiple_of(MOST)].as_chunks_mut().0
    }
}

/// `$body` for the first lane of each vector of sixteen values, in straight-line code: in a loop Cranelift keeps the
/// constants of a piece on the stack and writes them back at each iteration. That is why, in Wasm, each of the
/// functions on sixteen values is a call of its own, too.
macro_rules! each_vector {
    ($lanes:ident, $at:ident, $body:block) => {
        let $at = 0;
        $body
        if $lanes::COUNT <= 4 {
            let $at = 4;
            $body
        }
        if $lanes::COUNT <= 8 {
            let $at = 8;
            $body
        }
        if $lanes::COUNT <= 4 {
            let $at = 12;
            $body
        }
    };
}

#[cfg_attr(target_arch = "wasm32", inline(never))]
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
fn gather_beyond<L: Lanes>(beyond: &mut List, x: &[f32; MOST]) {
    each_vector!(L, at, {
        let size = L::load(&x[at..at + L::COUNT]).mul(L::splat(FRAC_1_SQRT_2)).abs();
        // NaN is in no piece; it is left to the factor beside erf.
        beyond.push(size, L::splat(INNER).less_or_equal(size));
    });
}

#[cfg_attr(target_arch = "wasm32", inline(never))]
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
fn gather_outer<L: Lanes>(outer: &mut List, sizes: &[f32; MOST]) {
    each_vector!(L, at, {
        let size = L::load(&sizes[at..at + L::COUNT]);
        outer.push(size, L::splat(NEXT).less_or_equal(size));
    });
}

/// `erf` of sizes from 1.25 on. The last piece is a two-hundredth of a text's values and asked for apart.
#[cfg_attr(target_arch = "wasm32", inline(never))]
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
fn replace_outer<L: Lanes>(sizes: &mut [f32; MOST]) {
    each_vector!(L, at, {
        let size = L::load(&sizes[at..at + L::COUNT]);
        let mut erf = near(size);
        if L::any(L::splat(MIDDLE).less_or_equal(size)) {
            erf = L::select(size.less(L::splat(MIDDLE)), erf, far(size));
        }
        erf.store(&mut sizes[at..at + L::COUNT]);
    });
}

/// `erf` of sizes from 0.84375 on, those from 1.25 on taken from `outer`.
#[cfg_attr(target_arch = "wasm32", inline(never))]
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
fn replace_beyond<L: Lanes>(sizes: &mut [f32; MOST], outer: &List, mut taken: usize) -> usize {
    each_vector!(L, at, {
        let size = L::load(&sizes[at..at + L::COUNT]);
        let wanted = L::splat(NEXT).less_or_equal(size);
        let erf = L::select(wanted, outer.take(&mut taken, wanted), next(size));
        erf.store(&mut sizes[at..at + L::COUNT]);
    });
    taken
}

/// GELU of all values, `erf` of those from 0.84375 on taken from `beyond`.
#[cfg_attr(target_arch = "wasm32", inline(never))]
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
fn replace<L: Lanes>(x: &mut [f32; MOST], beyond: &List, mut taken: usize) -> usize {
    each_vector!(L, at, {
        let value = L::load(&x[at..at + L::COUNT]);
        let scaled = value.mul(L::splat(FRAC_1_SQRT_2));
        let wanted = L::splat(INNER).less_or_equal(scaled.abs());
        let sign = L::int_and(scaled.bits(), L::int(i32::MIN));
        let erf = L::from_bits(L::int_or(beyond.take::<L>(&mut taken, wanted).bits(), sign));
        let erf = L::select(wanted, erf, inner(scaled));
        let result = L::splat(0.5).mul(value).mul(L::splat(1.0).add(erf));
        result.store(&mut x[at..at + L::COUNT]);
    });
    taken
}

/// Where the pieces meet.
const INNER: f32 = f32::from_bits(0x3f58_0000);
const NEXT: f32 = f32::from_bits(0x3fa0_0000);
const MIDDLE: f32 = f32::from_bits(0x4036_db6d);
const FAR: f32 = f32::from_bits(0x40c0_0000);

/// Below 0.84375, signed.
#[inline(always)]
fn inner<L: Lanes>(x: L) -> L {
    let z = x.mul(x);
    let r = polynomial(z, PP);
    let s = polynomial(z, QQ);
    x.add(x.mul(r.div(s)))
}

/// Below 1.25.
#[inline(always)]
fn next<L: Lanes>(size: L) -> L {
    let s = size.sub(L::splat(1.0));
    let quotient = polynomial(s, PA).div(polynomial(s, QA));
    let erfc = L::splat(1.0 - 8.4506291151e-01).sub(quotient);
    L::splat(1.0).sub(erfc)
}

/// From 1.25 to 1 / 0.35.
#[inline(always)]
fn near<L: Lanes>(size: L) -> L {
    let s = L::splat(1.0).div(size.mul(size));
    outer(size, polynomial(s, RA).div(polynomial(s, SA)))
}

/// From 1 / 0.35 on.
#[cfg_attr(target_arch = "wasm32", inline(never))]
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
fn far<L: Lanes>(size: L) -> L {
    let s = L::splat(1.0).div(size.mul(size));
    let erf = outer(size, polynomial(s, RB).div(polynomial(s, SB)));
    L::select(size.less(L::splat(FAR)), erf, L::splat(1.0))
}

#[inline(always)]
fn outer<L: Lanes>(size: L, quotient: L) -> L {
    let z = L::from_bits(L::int_and(size.bits(), L::int(!0x1fff)));
    let square = L::from_bits(L::int_xor(z.bits(), L::int(i32::MIN))).mul(z);
    let rest = z.sub(size).mul(z.add(size)).add(quotient);
    // The first exponent lies in -36.6..-2, the second in -0.3..-0.02.
    let erfc = exp_reduced(square.sub(L::splat(0.5625))).mul(exp_close(rest)).div(size);
    L::splat(1.0).sub(erfc)
}

const PP: [f32; 5] =
    [1.2837916613e-01, -3.2504209876e-01, -2.8481749818e-02, -5.7702702470e-03, -2.3763017452e-05];
const QQ: [f32; 6] =
    [1.0, 3.9791721106e-01, 6.5022252500e-02, 5.0813062117e-03, 1.3249473704e-04, -3.9602282413e-06];
const PA: [f32; 7] = [
    -2.3621185683e-03,
    4.1485610604e-01,
    -3.7220788002e-01,
    3.1834661961e-01,
    -1.1089469492e-01,
    3.5478305072e-02,
    -2.1663755178e-03,
];
const QA: [f32; 7] = [
    1.0,
    1.0642088205e-01,
    5.4039794207e-01,
    7.1828655899e-02,
    1.2617121637e-01,
    1.3637083583e-02,
    1.1984500103e-02,
];
const RA: [f32; 8] = [
    -9.8649440333e-03,
    -6.9385856390e-01,
    -1.0558626175e+01,
    -6.2375331879e+01,
    -1.6239666748e+02,
    -1.8460508728e+02,
    -8.1287437439e+01,
    -9.8143291473e+00,
];
const SA: [f32; 9] = [
    1.0,
    1.9651271820e+01,
    1.3765776062e+02,
    4.3456588745e+02,
    6.4538726807e+02,
    4.2900814819e+02,
    1.0863500214e+02,
    6.5702495575e+00,
    -6.0424413532e-02,
];
const RB: [f32; 7] = [
    -9.8649431020e-03,
    -7.9928326607e-01,
    -1.7757955551e+01,
    -1.6063638306e+02,
    -6.3756646729e+02,
    -1.0250950928e+03,
    -4.8351919556e+02,
];
const SB: [f32; 8] = [
    1.0,
    3.0338060379e+01,
    3.2579251099e+02,
    1.5367296143e+03,
    3.1998581543e+03,
    2.5530502930e+03,
    4.7452853394e+02,
    -2.2440952301e+01,
];
