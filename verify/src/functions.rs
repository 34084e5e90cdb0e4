//! `geluchk`, `expchk`: every variant of a function of one value against its definition, and the definition against
//! f64.

use kernels::variant::Variant;

use crate::inputs::Share;
use crate::part::{Part, bits};
use crate::variants::definition;

/// Larger errors of a definition fail the proof.
const GELU_BOUND: f64 = 1.5e-7;
const EXP_BOUND: f64 = 1.0;

type InPlace = fn(&mut [f32]);

/// GELU. Errors are shares of |x|: where the result vanishes beside x, so does what it is added to.
pub fn gelu(share: Share, oracle: bool) -> Part {
    let error = |x: f32, y: f32| {
        let x = f64::from(x);
        let exact = 0.5 * x * libm::erfc(-x * core::f64::consts::FRAC_1_SQRT_2);
        // Minus infinity is a product with zero: not a number, and no activation.
        if x.is_infinite() {
            0.0
        } else {
            (f64::from(y) - exact).abs() / x.abs().max(f64::from(f32::MIN_POSITIVE))
        }
    };
    check(kernels::gelu::VARIANTS, share, oracle.then_some((&error, "of |x|", GELU_BOUND)))
}

/// The exponential. Errors are in units of the result's last place.
pub fn exp(share: Share, oracle: bool) -> Part {
    let error = |x: f32, y: f32| {
        let exact = libm::exp(f64::from(x));
        let largest = f64::from(f32::MAX);
        if exact > largest {
            // Infinity from half a unit above the largest on.
            return if y.is_infinite() || y == f32::MAX && exact < largest * (1.0 + 1e-7) {
                0.0
            } else {
                f64::INFINITY
            };
        }
        (f64::from(y) - exact).abs() / unit(exact)
    };
    let mut part = check(kernels::exp::VARIANTS, share, oracle.then_some((&error, "ulp", EXP_BOUND)));
    weights(&mut part, share);
    part
}

/// The weights of attention, which are integers made of exponentials, for every input that is not above zero.
fn weights(part: &mut Part, share: Share) {
    let (definition, others) = definition(kernels::attention::WEIGHTS);
    let (mut inputs, mut want, mut got) = (Vec::new(), Vec::new(), Vec::new());
    share.each(|x, counts| {
        inputs.clear();
        inputs.extend(x.iter().filter(|x| x.is_nan() || **x <= 0.0));
        want.resize(inputs.len(), 0);
        got.resize(inputs.len(), 0);
        (definition.run)(&mut want, &inputs);
        for variant in others.iter().filter(|variant| variant.needs.met()) {
            (variant.run)(&mut got, &inputs);
            if counts {
                part.compared("attention weight", variant.name);
            }
            for ((got, want), x) in got.iter().zip(&want).zip(&inputs) {
                if got != want {
                    part.differs(|| format!("the weight of {x:e} by {}: {got}, not {want}", variant.name));
                }
            }
        }
    });
}

/// The distance of neighbouring f32 around `x`.
fn unit(x: f64) -> f64 {
    let exponent = ((x.to_bits() >> 52) as i64 - 1023).max(-126);
    f64::from_bits(((exponent - 23 + 1023) as u64) << 52)
}

type Oracle<'a> = (&'a dyn Fn(f32, f32) -> f64, &'static str, f64);

fn check(variants: &'static [Variant<InPlace>], share: Share, oracle: Option<Oracle<'_>>) -> Part {
    let mut part = Part::new();
    let (definition, others) = definition(variants);
    let (mut want, mut got) = (Vec::new(), Vec::new());
    let (mut worst, mut worst_at) = (0.0, 0.0f32);
    share.each(|x, counts| {
        want.clear();
        want.extend_from_slice(x);
        (definition.run)(&mut want);
        for variant in others.iter().filter(|variant| variant.needs.met()) {
            got.clear();
            got.extend_from_slice(x);
            (variant.run)(&mut got);
            if counts {
                part.compared("function", variant.name);
            }
            for ((got, want), x) in got.iter().zip(&want).zip(x) {
                if bits(*got) != bits(*want) {
                    part.differs(|| {
                        format!("{} of {x:e} ({:#010x}): {got:e}, not {want:e}", variant.name, x.to_bits())
                    });
                }
            }
        }
        if !counts {
            return;
        }
        part.count("inputs", x.len() as u64);
        let hash = part.hash("definition");
        want.iter().for_each(|y| hash.word(bits(*y)));
        let Some((error, _, _)) = oracle else { return };
        for (x, y) in x.iter().zip(&want) {
            if x.is_nan() != y.is_nan() && x.is_finite() {
                (worst, worst_at) = (f64::INFINITY, *x);
            } else if !x.is_nan() {
                let error = error(*x, *y);
                if error > worst {
                    (worst, worst_at) = (error, *x);
                }
            }
        }
    });
    if let Some((_, unit, bound)) = oracle {
        part.worst(unit, worst, || format!("x = {worst_at:e}"));
        if worst > bound {
            part.differs(|| {
                format!("the definition is {worst:e} {unit} from f64 at {worst_at:e}; {bound:e} is allowed")
            });
        }
    }
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_the_last_place() {
        assert_eq!(unit(1.0), f64::from(f32::EPSILON));
        assert_eq!(unit(1.5), f64::from(f32::EPSILON));
        assert_eq!(unit(1e-42), f64::from(f32::from_bits(1)));
    }
}
