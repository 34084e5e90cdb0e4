//! Seeded data: the same on every machine.

use kernels::f16;

/// PCG's linear congruential step, its high bits.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    pub fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 32) as u32
    }

    /// Below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.next() as usize % end
    }

    /// Uniform in -1..1.
    pub fn unit(&mut self) -> f32 {
        (self.next() >> 8) as f32 / (1 << 23) as f32 - 1.0
    }

    /// Of either sign and any size from 2^-8 to 2^8, now and then zero.
    pub fn f32(&mut self) -> f32 {
        let exponent = self.next() % 17;
        let power = f32::from_bits((127 - 8 + exponent) << 23);
        if self.next().is_multiple_of(64) { 0.0 } else { self.unit() * power }
    }

    pub fn units(&mut self, count: usize, size: f32) -> Vec<f32> {
        (0..count).map(|_| self.unit() * size).collect()
    }

    pub fn f32s(&mut self, count: usize) -> Vec<f32> {
        (0..count).map(|_| self.f32()).collect()
    }

    /// GGML blocks of `quants` bytes after their f16 scale, every byte value among them.
    pub fn blocks(&mut self, count: usize, quants: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(count * (2 + quants));
        for _ in 0..count {
            bytes.extend(f16::encode(self.f32()).to_le_bytes());
            bytes.extend((0..quants).map(|_| self.next() as u8));
        }
        bytes
    }
}

/// Values where rounding, clamping, a maximum or a piece of a function could go wrong.
pub const EDGES: [f32; 30] = [
    0.0,
    -0.0,
    f32::from_bits(1),
    -1e-45,
    1e-40,
    f32::MIN_POSITIVE,
    1e-30,
    0.49999997,
    0.5,
    -0.5,
    0.50000006,
    1.1932427,
    1.4999999,
    1.5,
    -2.5,
    4.05,
    8.5,
    -63.9,
    64.1,
    126.49999,
    126.5,
    -126.5,
    127.0,
    -127.0,
    128.0,
    f32::MAX,
    f32::MIN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
];
