//! The list of proofs: what runs where, and how parts become one line.

use super::builds::Build::{self, Native, Plain, Qemu, Relaxed, V8Plain, V8Relaxed};

/// How the results of several builds become one line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Merge {
    /// All builds did the same work; the line tells it once, and the differences of all.
    Same,
    /// What the builds compared is added up; the first build is only a reference for the others' digests, unless it is
    /// alone.
    Sum,
}

/// One line of `cargo xtask verify`.
#[derive(Debug)]
pub struct Proof {
    pub name: &'static str,
    /// What `lacuna-verify` calls it.
    pub program: &'static str,
    /// Native first: digests of other builds are compared with its digests.
    pub builds: &'static [Build],
    /// What is compared, in the order of the line. A count of zero is a failure.
    pub counts: &'static [&'static str],
    pub merge: Merge,
    /// Parts of a quick and of a full run.
    pub parts: (u64, u64),
    /// Builds that must have compared a variant of this name: a build without its vectors proves nothing.
    pub variants: &'static [(Build, &'static str)],
    /// Left out of quick runs unless it is named.
    pub slow: bool,
    /// The definition is compared with f64, natively.
    pub oracle: bool,
    /// Times are taken in full runs: nothing else runs meanwhile.
    pub timed: bool,
}

const ALL: &[Build] = &[Native, Plain, Relaxed];

const PROOF: Proof = Proof {
    name: "",
    program: "",
    builds: ALL,
    counts: &["inputs"],
    merge: Merge::Same,
    parts: (1, 8),
    variants: &[],
    slow: false,
    oracle: false,
    timed: false,
};

const fn eval(name: &'static str) -> Proof {
    Proof { name, program: name, counts: &["texts", "tokens"], parts: (1, 1), timed: true, ..PROOF }
}

const fn digest(name: &'static str) -> Proof {
    Proof { name, program: name, counts: &["texts", "tokens", "by definition"], parts: (2, 8), ..PROOF }
}

const fn function(name: &'static str) -> Proof {
    Proof { name, program: name, oracle: true, ..PROOF }
}

const fn quantiser(name: &'static str) -> Proof {
    let variants = &[(Plain, "simd128"), (Relaxed, "simd128")];
    Proof { name, program: name, counts: &["inputs", "rows"], variants, ..PROOF }
}

const fn tokenizer(name: &'static str) -> Proof {
    Proof { name, program: name, builds: &[Plain], counts: &["texts", "tokens"], parts: (2, 8), ..PROOF }
}

const fn variants(name: &'static str, builds: &'static [Build]) -> Proof {
    let needed = &[
        (Plain, "simd128"),
        (Relaxed, "relaxed"),
        (V8Plain, "simd128"),
        (V8Relaxed, "relaxed"),
        (Qemu, "dotprod"),
    ];
    let counts = &["comparisons"];
    Proof {
        name,
        program: "variants",
        builds,
        counts,
        merge: Merge::Sum,
        parts: (1, 1),
        variants: needed,
        ..PROOF
    }
}

pub const PROOFS: &[Proof] = &[
    eval("eval[q4_0]"),
    eval("eval[int8]"),
    Proof { timed: false, ..eval("eval[decoder]") },
    digest("digest[q4_0]"),
    digest("digest[int8]"),
    variants("variants[native]", &[Native]),
    variants("variants[wasmtime]", ALL),
    Proof { slow: true, ..variants("variants[v8]", &[Native, V8Plain, V8Relaxed]) },
    Proof { slow: true, ..variants("variants[qemu-aarch64]", &[Native, Qemu]) },
    Proof {
        name: "invariance",
        program: "invariance",
        builds: &[Native, Plain],
        counts: &["comparisons"],
        merge: Merge::Sum,
        parts: (1, 1),
        ..PROOF
    },
    Proof {
        name: "invariance[decoder]",
        program: "invariance[decoder]",
        counts: &["comparisons"],
        merge: Merge::Sum,
        parts: (1, 1),
        ..PROOF
    },
    function("geluchk"),
    function("expchk"),
    quantiser("quantchk[q8_0]"),
    quantiser("quantchk[int8]"),
    tokenizer("tokcheck[wordpiece]"),
    tokenizer("tokcheck[unigram]"),
    tokenizer("tokcheck[bpe]"),
];
