//! The definition.

pub fn exp(x: &mut [f32]) {
    for x in x {
        *x = libm::expf(*x);
    }
}
