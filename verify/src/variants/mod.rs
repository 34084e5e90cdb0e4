//! `variants[…]`: every variant of every kernel against its definition, over lengths, alignments, edge values and
//! random data. The definitions' own results are digested, kernel by kernel, so that builds can be compared.

mod attention;
mod floats;
mod grouped;
mod products;
mod quantisers;

use kernels::variant::{Needs, Variant};

use crate::part::{Part, bits};

/// The definition, which ends every list, and the rows before it.
///
/// # Panics
/// When a list does not end with a row that needs nothing.
pub fn definition<F>(variants: &'static [Variant<F>]) -> (&'static Variant<F>, &'static [Variant<F>]) {
    let (definition, others) = variants.split_last().expect("a list of variants");
    assert!(definition.needs == Needs::Nothing, "{} is not a definition", definition.name);
    (definition, others)
}

/// Rounds of random data; full runs have more seeds.
pub fn check(quick: bool) -> Part {
    let mut part = Part::new();
    for seed in 0..if quick { 1 } else { 8 } {
        let mut comparison = Comparison { part: &mut part, seed };
        products::check(&mut comparison);
        grouped::check(&mut comparison);
        attention::check(&mut comparison);
        floats::check(&mut comparison);
        quantisers::check(&mut comparison);
    }
    part
}

/// Compares and counts.
struct Comparison<'p> {
    part: &'p mut Part,
    seed: u64,
}

impl Comparison<'_> {
    /// Runs every variant that this build and machine have; `run` returns all bits a variant writes.
    fn each<F: Copy>(
        &mut self,
        kernel: &str,
        variants: &'static [Variant<F>],
        case: &dyn Fn() -> String,
        mut run: impl FnMut(F) -> Vec<u32>,
    ) {
        let (definition, others) = definition(variants);
        let want = run(definition.run);
        self.digest(kernel, &want);
        for variant in others.iter().filter(|variant| variant.needs.met()) {
            let got = run(variant.run);
            self.part.compared(kernel, variant.name);
            self.part.count("comparisons", 1);
            if got != want {
                let at = got.iter().zip(&want).position(|(got, want)| got != want);
                let seed = self.seed;
                self.part.differs(|| match at {
                    Some(at) => format!(
                        "{kernel} {}: {:#010x}, not {:#010x}, at {at} of {} (seed {seed})",
                        variant.name,
                        got[at],
                        want[at],
                        case()
                    ),
                    None => format!(
                        "{kernel} {}: {} values, not {}, of {}",
                        variant.name,
                        got.len(),
                        want.len(),
                        case()
                    ),
                });
            }
        }
    }

    /// For kernels that have a definition alone.
    fn digest(&mut self, kernel: &str, want: &[u32]) {
        let hash = self.part.hash(kernel);
        want.iter().for_each(|word| hash.word(*word));
    }
}

/// The bits of floats, NaNs as one.
fn words(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| bits(*value)).collect()
}
