//! Loading a table allocates nothing, and a used `Encoding` takes the next text without allocating.

extern crate lacuna_tokens as tokens;

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;
use std::hint::black_box;
use tokens::{Encoding, Tokenizer};

#[global_allocator]
static GLOBAL: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Allocations while `act` runs. This file has one test, so no other thread counts in.
fn allocations(act: impl FnOnce()) -> usize {
    let region = Region::new(GLOBAL);
    act();
    let change = region.change();
    change.allocations + change.reallocations
}

#[test]
fn loading_allocates_nothing() {
    let files: [&[u8]; 3] = [
        include_bytes!("../../../testdata/tokenizers/rampart/tokenizer.json"),
        include_bytes!("../../../testdata/eval/unigram31k/tokenizer.json"),
        include_bytes!("../../../testdata/tokenizers/smollm2/tokenizer.json"),
    ];
    assert!(allocations(|| drop(black_box(vec![1u8]))) > 0, "the counter counts");
    for file in files {
        let table = tokens_build::from_tokenizer_json(file).unwrap();
        let load = || Tokenizer::from_table(black_box(&table)).map(|tokenizer| tokenizer.vocabulary());
        assert_eq!(allocations(|| assert!(black_box(load()).unwrap() > 10_000)), 0);

        let tokenizer = Tokenizer::from_table(&table).unwrap();
        let mut encoding = Encoding::new();
        let text =
            "Write to Anna Lima, 12 Rue de la Gare: anna.lima@example.org. 東京 Москва naïve \u{1f600}";
        let first = allocations(|| tokenizer.encode_with_specials(text, &mut encoding));
        // Buffers change places, so each has to grow once.
        (0..3).for_each(|_| tokenizer.encode_with_specials(text, &mut encoding));
        let again = allocations(|| tokenizer.encode_with_specials(text, &mut encoding));
        assert!(first > 0 && encoding.len() > 20);
        assert_eq!(again, 0, "buffers are reused");
    }
}
