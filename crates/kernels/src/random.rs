//! Seeded data and digests for the tests of this crate.

/// PCG's linear congruential step, its high bits.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// Prints the seed, so that a failure can be repeated.
    pub fn printed(seed: u64) -> Self {
        std::println!("seed {seed:#x}");
        Random(seed)
    }

    pub fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 32) as u32
    }

    /// Uniform in -1..1.
    pub fn unit(&mut self) -> f32 {
        (self.next() >> 8) as f32 / (1 << 23) as f32 - 1.0
    }

    /// Of either sign and any size from 2^-8 to 2^8, now and then zero.
    pub fn f32(&mut self) -> f32 {
        let exponent = (self.next() % 17) as i32 - 8;
        if self.next().is_multiple_of(64) { 0.0 } else { self.unit() * libm::scalbnf(1.0, exponent) }
    }
}

/// FNV-1a over the bits, NaNs as one.
pub fn digest(values: &[f32]) -> u64 {
    let mut hash = 0xcbf29ce484222325;
    for value in values {
        let bits = if value.is_nan() { 0x7fc00000 } else { value.to_bits() };
        for byte in bits.to_le_bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x100000001b3);
        }
    }
    hash
}
