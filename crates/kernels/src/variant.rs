//! The registry pattern: one list of variants a kernel, read by dispatch, tests, proofs and benches.

use core::sync::atomic::{AtomicU32, Ordering};

/// What a variant needs of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Needs {
    /// Nothing: the definition.
    Nothing = 0,
    /// WebAssembly SIMD128.
    Simd128 = 1,
    /// WebAssembly relaxed SIMD.
    Relaxed = 2,
    /// x86-64 AVX2 and F16C.
    Avx2 = 3,
    /// x86-64 AVX2 with AVX-VNNI.
    AvxVnni = 4,
    /// x86-64 AVX-512 F, BW, VL and VNNI.
    Avx512Vnni = 5,
    /// Arm NEON.
    Neon = 6,
    /// Arm NEON with the dot product extension.
    DotProd = 7,
}

impl Needs {
    /// Every value, in the order of the bits of [`restrict`].
    pub const ALL: [Needs; 8] = [
        Needs::Nothing,
        Needs::Simd128,
        Needs::Relaxed,
        Needs::Avx2,
        Needs::AvxVnni,
        Needs::Avx512Vnni,
        Needs::Neon,
        Needs::DotProd,
    ];

    /// Whether this machine (natively) or this build (in Wasm) has it.
    #[inline]
    pub fn met(self) -> bool {
        match self {
            Needs::Nothing => true,
            Needs::Simd128 => cfg!(all(target_arch = "wasm32", target_feature = "simd128")),
            Needs::Relaxed => cfg!(all(target_arch = "wasm32", target_feature = "relaxed-simd")),
            Needs::Avx2 => avx2(),
            Needs::AvxVnni => avx2() && avx_vnni(),
            Needs::Avx512Vnni => avx2() && avx512_vnni(),
            Needs::Neon => cfg!(target_arch = "aarch64"),
            Needs::DotProd => dot_product(),
        }
    }
}

/// One way to compute a kernel.
#[derive(Debug)]
pub struct Variant<F: 'static> {
    /// The name tests and benches print: `scalar`, `simd128`, `relaxed`, `avx2`, `avx512vnni`, `neon`, …
    pub name: &'static str,
    /// What must be met before `run` may be called.
    pub needs: Needs,
    /// The function. It is safe to call when `needs` is met, and only then: rows are called through [`pick`] and
    /// [`runnable`], which check.
    pub run: F,
}

/// Bits of [`Needs`] that dispatch may use.
static ALLOWED: AtomicU32 = AtomicU32::new(u32::MAX);

/// Narrows dispatch in this whole process to variants whose needs are in `allowed` (the definition always is).
///
/// Every variant returns the same bits, so this changes speed alone; a race with a running product is harmless.
pub fn restrict(allowed: &[Needs]) {
    let mask = allowed.iter().fold(1, |mask, needs| mask | 1 << *needs as u32);
    ALLOWED.store(mask, Ordering::Relaxed);
}

/// Undoes [`restrict`].
pub fn unrestrict() {
    ALLOWED.store(u32::MAX, Ordering::Relaxed);
}

/// The first row of `variants` that this machine can run and [`restrict`] allows.
///
/// # Panics
/// When the list does not end with a row that needs nothing: every list does.
#[inline]
pub fn pick<F>(variants: &'static [Variant<F>]) -> &'static Variant<F> {
    let allowed = ALLOWED.load(Ordering::Relaxed);
    variants
        .iter()
        .find(|variant| allowed & (1 << variant.needs as u32) != 0 && variant.needs.met())
        .expect("the definition ends every list")
}

/// Every row this machine can run, best first, whatever [`restrict`] says.
pub fn runnable<F>(variants: &'static [Variant<F>]) -> impl Iterator<Item = &'static Variant<F>> {
    variants.iter().filter(|variant| variant.needs.met())
}

#[inline]
fn avx2() -> bool {
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    return std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("f16c");
    #[cfg(not(all(target_arch = "x86_64", feature = "std")))]
    cfg!(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "f16c"))
}

#[inline]
fn avx_vnni() -> bool {
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    return std::arch::is_x86_feature_detected!("avxvnni");
    #[cfg(not(all(target_arch = "x86_64", feature = "std")))]
    cfg!(all(target_arch = "x86_64", target_feature = "avxvnni"))
}

#[inline]
fn avx512_vnni() -> bool {
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    return std::arch::is_x86_feature_detected!("avx512f")
        && std::arch::is_x86_feature_detected!("avx512bw")
        && std::arch::is_x86_feature_detected!("avx512vl")
        && std::arch::is_x86_feature_detected!("avx512vnni");
    #[cfg(not(all(target_arch = "x86_64", feature = "std")))]
    cfg!(all(
        target_arch = "x86_64",
        target_feature = "avx512bw",
        target_feature = "avx512vl",
        target_feature = "avx512vnni"
    ))
}

#[inline]
fn dot_product() -> bool {
    #[cfg(all(target_arch = "aarch64", feature = "std"))]
    return std::arch::is_aarch64_feature_detected!("dotprod");
    #[cfg(not(all(target_arch = "aarch64", feature = "std")))]
    cfg!(all(target_arch = "aarch64", target_feature = "dotprod"))
}
