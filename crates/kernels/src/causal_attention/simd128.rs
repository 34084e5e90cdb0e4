//! SIMD128: a page's 32 positions, or 32 values of a head, are eight vectors.
//!
//! Both kernels fold 32 lanes, each a chain of products: of a head's values 32 apart, or of positions 32 apart. Rows lie
//! in the order in which the fold joins neighbours ([`super::slot`]), and what waits for its other half waits in memory
//! between steps of straight-line code. In a loop that keeps sums in registers each back-edge is a check of the epoch,
//! for whose sake all are written to the stack and read back. Stores are volatile, or LLVM and Cranelift would bring all
//! loads to the front and spill those.

use core::arch::wasm32::*;
use core::mem::MaybeUninit;
use core::ops::Range;
use core::ptr::from_mut;

use super::{PAGE, scalar};
use crate::dot_f32::LANES;
use crate::exp_lanes::{exp_near_4, near};
use crate::matmul_q4_0::groups::{each, load, store};

const VECTORS: usize = PAGE / 4;

/// Lanes that a call folds.
const BLOCK: usize = 8;

/// The lanes of a block after its first, in the order of their rows.
const WITHIN: [usize; BLOCK] = [0, 16, 8, 24, 4, 20, 12, 28];

/// Products of the longest step: their factors and one vector of each are eight registers.
const STEP: usize = 4;

type Sums = [v128; VECTORS];

/// A product of each lane: 32 factors by lane, and 32 rows by [`super::slot`].
#[derive(Clone, Copy)]
struct Link {
    factors: *const f32,
    rows: *const f32,
}

pub fn scores(out: &mut [f32; PAGE], query: &[f32], keys: &[f32]) {
    if !query.len().is_multiple_of(LANES) || query.is_empty() {
        return scalar::scores(out, query, keys);
    }
    assert!(keys.len() >= query.len() * PAGE);
    let link = |chain: usize| {
        // SAFETY: chains end with the query, and there is a row of keys for each of its values.
        unsafe {
            let factors = query.as_ptr().add(chain * LANES);
            Link { factors, rows: keys.as_ptr().add(chain * LANES * PAGE) }
        }
    };
    // SAFETY: each link has 32 factors and 32 rows of a page's length.
    unsafe { fold(out, query.len() / LANES, PAGE, link) }
}

pub fn values(
    out: &mut [f32],
    weights: &[[f32; PAGE]],
    stride: usize,
    values: &[&[f32]],
    visible: Range<usize>,
    finite: bool,
) {
    let head = out.len();
    // Hidden weights are zero and add nothing to a sum, unless they meet what is not finite.
    let all = finite || visible == (0..values.len() * PAGE);
    if !head.is_multiple_of(PAGE) || !all {
        return scalar::values(out, weights, stride, values, visible, finite);
    }
    assert!(weights.len() > (values.len() - 1) * stride);
    assert!(values.iter().all(|page| page.len() >= PAGE * head));
    let (chunks, _) = out.as_chunks_mut::<PAGE>();
    for (chunk, out) in chunks.iter_mut().enumerate() {
        let link = |page: usize| {
            // SAFETY: there are weights and values for all pages, and chunks end with the head.
            unsafe {
                let factors = weights.get_unchecked(page * stride).as_ptr();
                Link { factors, rows: values.get_unchecked(page).as_ptr().add(chunk * PAGE) }
            }
        };
        // SAFETY: each link has 32 factors and 32 rows of the head's length, of which 32 values from the chunk on count.
        unsafe { fold(out, values.len(), head, link) }
    }
}

pub fn exponentials(x: &mut [f32; PAGE]) {
    if !near(x) {
        return scalar::exponentials(x);
    }
    let lanes = core::array::from_fn(|v| exp_near_4(read(x, v)));
    write(x, &lanes);
}

/// Where sums wait.
struct Waiting {
    /// `levels[l]` holds 2^l steps of a block.
    levels: [Sums; 3],
    blocks: [Sums; LANES / BLOCK],
    /// Lanes whose chains are longer than a step, by slot.
    begun: [Sums; LANES],
}

/// Writes the fold of 32 lanes, each the sum of `chain` products, the first of them `link(0)`.
///
/// # Safety
/// All links below `chain` have 32 factors and, `stride` apart, 32 rows of 32 values.
#[inline(always)]
unsafe fn fold(out: &mut [f32; PAGE], chain: usize, stride: usize, link: impl Fn(usize) -> Link) {
    let mut waiting = MaybeUninit::<Waiting>::uninit();
    let w = waiting.as_mut_ptr();
    // All but the last one to four products come first.
    let last = (chain - 1) / STEP * STEP;
    let links = |from: usize, count: usize| -> [Link; STEP] {
        core::array::from_fn(|i| link(from + if i < count { i } else { 0 }))
    };
    // SAFETY: the caller's; `lengthen` writes what `block` reads when something has begun, and a block's result is
    // written before it is read.
    unsafe {
        for from in (0..last).step_by(STEP) {
            let links = links(from, STEP);
            for i in 0..LANES / BLOCK {
                if from == 0 {
                    lengthen::<false>(w, i, &links, stride)
                } else {
                    lengthen::<true>(w, i, &links, stride)
                }
            }
        }
        let links = links(last, chain - last);
        for i in 0..LANES / BLOCK {
            match (chain - last, last > 0) {
                (1, false) => block::<1, false>(w, i, &links, stride),
                (2, false) => block::<2, false>(w, i, &links, stride),
                (3, false) => block::<3, false>(w, i, &links, stride),
                (_, false) => block::<4, false>(w, i, &links, stride),
                (1, true) => block::<1, true>(w, i, &links, stride),
                (2, true) => block::<2, true>(w, i, &links, stride),
                (3, true) => block::<3, true>(w, i, &links, stride),
                (_, true) => block::<4, true>(w, i, &links, stride),
            }
        }
        let blocks = &(*w).blocks;
        // Chains do not start from zero here: what is -0 for that alone becomes +0.
        let zero = f32x4_splat(0.0);
        let sums = core::array::from_fn(|v| {
            let [a, b, c, d] = core::array::from_fn(|i| load(&blocks[i][v]));
            f32x4_add(f32x4_add(f32x4_add(a, b), f32x4_add(c, d)), zero)
        });
        write(out, &sums);
    }
}

/// Folds the eight lanes of block `i`, chains of `CHAIN` products, which may have `BEGUN`, into `blocks[i]`.
///
/// # Safety
/// As [`fold`]; what has begun is written.
#[inline(never)]
unsafe fn block<const CHAIN: usize, const BEGUN: bool>(
    w: *mut Waiting,
    i: usize,
    links: &[Link; STEP],
    stride: usize,
) {
    let b = &Block { w, i, links, stride };
    // SAFETY: the caller's; levels are written before they are read.
    unsafe {
        match CHAIN {
            1 => {
                b.step::<CHAIN, BEGUN, 4, 0, false>(0);
                b.step::<CHAIN, BEGUN, 4, 1, true>(4);
            }
            2 => {
                b.step::<CHAIN, BEGUN, 2, 0, false>(0);
                b.step::<CHAIN, BEGUN, 2, 1, false>(2);
                b.step::<CHAIN, BEGUN, 2, 0, false>(4);
                b.step::<CHAIN, BEGUN, 2, 2, true>(6);
            }
            _ => {
                b.step::<CHAIN, BEGUN, 1, 0, false>(0);
                b.step::<CHAIN, BEGUN, 1, 1, false>(1);
                b.step::<CHAIN, BEGUN, 1, 0, false>(2);
                b.step::<CHAIN, BEGUN, 1, 2, false>(3);
                b.step::<CHAIN, BEGUN, 1, 0, false>(4);
                b.step::<CHAIN, BEGUN, 1, 1, false>(5);
                b.step::<CHAIN, BEGUN, 1, 0, false>(6);
                b.step::<CHAIN, BEGUN, 1, 3, true>(7);
            }
        }
    }
}

/// Eight lanes on their way.
struct Block<'l> {
    w: *mut Waiting,
    i: usize,
    links: &'l [Link; STEP],
    stride: usize,
}

impl Block<'_> {
    /// The factor of row `k` of the block in link `chain`, in all lanes, and that row.
    #[inline(always)]
    unsafe fn product(&self, chain: usize, k: usize) -> (v128, *const f32) {
        // SAFETY: a link has 32 of both. Read one by one: two at once, just written one by one, would have to wait.
        unsafe {
            let link = &raw const self.links[chain];
            let (factors, rows) =
                ((&raw const (*link).factors).read_volatile(), (&raw const (*link).rows).read_volatile());
            let factor = v128_load32_splat(factors.add(self.i + WITHIN[k]).cast());
            (factor, rows.add((self.i * BLOCK + k) * self.stride))
        }
    }

    /// Adds the sums of `LEAVES` lanes from row `k` on, joins them with `JOINS` levels and leaves them in the next, or in
    /// the block's place when this is the `END`.
    #[inline(always)]
    unsafe fn step<
        const CHAIN: usize,
        const BEGUN: bool,
        const LEAVES: usize,
        const JOINS: usize,
        const END: bool,
    >(
        &self,
        k: usize,
    ) {
        // SAFETY: the caller's.
        unsafe {
            let products: [[_; CHAIN]; LEAVES] =
                core::array::from_fn(|leaf| core::array::from_fn(|chain| self.product(chain, k + leaf)));
            let to = if END { &mut (*self.w).blocks[self.i] } else { &mut (*self.w).levels[JOINS] };
            let to = from_mut(to);
            each::<VECTORS>(|v| {
                let product = |leaf: usize, chain: usize| {
                    let (factor, row) = products[leaf][chain];
                    f32x4_mul(factor, v128_load(row.add(4 * v).cast()))
                };
                let lane = |leaf: usize| {
                    let first = product(leaf, 0);
                    let begun = || load(&(*self.w).begun[self.i * BLOCK + k + leaf][v]);
                    let first = if BEGUN { f32x4_add(begun(), first) } else { first };
                    (1..CHAIN).fold(first, |sum, chain| f32x4_add(sum, product(leaf, chain)))
                };
                let sum = match LEAVES {
                    1 => lane(0),
                    2 => f32x4_add(lane(0), lane(1)),
                    _ => f32x4_add(f32x4_add(lane(0), lane(1)), f32x4_add(lane(2), lane(3))),
                };
                let join = |sum, level: usize| f32x4_add(load(&(*self.w).levels[level][v]), sum);
                store(&mut (*to)[v], (0..JOINS).fold(sum, join));
            });
        }
    }
}

/// Starts the chains of block `i` with four products each, or adds them to what has `BEGUN`.
///
/// # Safety
/// As [`block`].
#[inline(never)]
unsafe fn lengthen<const BEGUN: bool>(w: *mut Waiting, i: usize, links: &[Link; STEP], stride: usize) {
    let b = &Block { w, i, links, stride };
    each::<BLOCK>(|k| {
        // SAFETY: the caller's.
        unsafe {
            let products: [_; STEP] = core::array::from_fn(|chain| b.product(chain, k));
            let sums = &raw mut (*w).begun[i * BLOCK + k];
            each::<VECTORS>(|v| {
                let product = |chain: usize| {
                    let (factor, row) = products[chain];
                    f32x4_mul(factor, v128_load(row.add(4 * v).cast()))
                };
                let first = if BEGUN { f32x4_add(load(&(*sums)[v]), product(0)) } else { product(0) };
                let sum = (1..STEP).fold(first, |sum, chain| f32x4_add(sum, product(chain)));
                store(&mut (*sums)[v], sum);
            });
        }
    });
}

/// Vector `v` of a row.
#[inline(always)]
fn read(row: &[f32; PAGE], v: usize) -> v128 {
    let four: &[f32; 4] = row[4 * v..].first_chunk().expect("a vector of the row");
    // SAFETY: the reference covers the 16 bytes; Wasm loads need no alignment.
    unsafe { v128_load(four.as_ptr().cast()) }
}

#[inline(always)]
fn write(row: &mut [f32; PAGE], vectors: &Sums) {
    for (v, vector) in vectors.iter().enumerate() {
        let four: &mut [f32; 4] = row[4 * v..].first_chunk_mut().expect("a vector of the row");
        // SAFETY: the reference covers the 16 bytes; Wasm stores need no alignment.
        unsafe { v128_store(four.as_mut_ptr().cast(), *vector) };
    }
}
