//! Any bytes as a tokenizer.json or as a GGUF file with a vocabulary, by the first byte: an error, or a table that
//! loads, encodes and decodes.
#![no_main]

use lacuna_tokens::{Encoding, Tokenizer};
use libfuzzer_sys::fuzz_target;

const TEXT: &str =
    "Anna's [MASK]<s> 12 \u{2581}x ﬁ e\u{301}\u{323} 한국 日本 \u{1f469}\u{200d}\u{1f467}\0\n\t  end";

fuzz_target!(|bytes: &[u8]| {
    let Some((&kind, bytes)) = bytes.split_first() else { return };
    let table = if kind == b'G' {
        let Ok(file) = lacuna_weights::Gguf::parse(bytes) else { return };
        lacuna::complete::table(&file).map_err(|error| error.to_string())
    } else {
        lacuna_tokens_build::from_tokenizer_json(bytes).map_err(|error| error.to_string())
    };
    let Ok(table) = table else { return };
    let tokenizer = Tokenizer::from_table(&table).expect("what was written can be read");
    let mut encoding = Encoding::new();
    tokenizer.encode_with_specials(TEXT, &mut encoding);
    assert!(encoding.ranges.iter().all(|range| range.0 <= range.1 && range.1 as usize <= TEXT.len()));
    assert!(
        encoding
            .ids
            .iter()
            .zip(&encoding.special)
            .all(|(&id, &special)| special || tokenizer.token(id).is_some())
    );
    let _ = tokenizer.decode(&encoding.ids, false);
});
