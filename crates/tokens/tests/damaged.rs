//! Damaged tables: an error or other tokens, never a panic and never a hang.

extern crate lacuna_tokens as tokens;

use tokens::layout::{self, field, section};
use tokens::{Encoding, TableError, Tokenizer};

const BERT: &[u8] = include_bytes!("../../../testdata/classifiers/bert/tokenizer.json");
const XLMR: &[u8] = include_bytes!("../../../testdata/classifiers/xlmr/tokenizer.json");
const SMOLLM2: &[u8] = include_bytes!("../../../testdata/tokenizers/smollm2/tokenizer.json");

const TEXT: &str = "Anna's <s>[MASK] number 12 \u{2581}x ﬁ e\u{301}\u{323}, 한국 日本 \u{1f468}\u{200d}\u{1f469}\0\n\t  end<|im_end|>";

/// A table of each kind of model, each with what the others lack.
fn tables() -> Vec<(&'static str, Vec<u8>)> {
    let build = |json: &[u8]| tokens_build::from_tokenizer_json(json).unwrap();
    let composing = String::from_utf8(SMOLLM2.to_vec()).unwrap();
    let composing = composing.replacen("\"normalizer\": null", "\"normalizer\": {\"type\": \"NFC\"}", 1);
    vec![
        ("wordpiece", build(BERT)),
        ("unigram", build(XLMR)),
        ("bpe", build(composing.as_bytes())),
        ("sentencepiece", sentencepiece()),
    ]
}

/// A small vocabulary as SentencePiece's GGUF files have it.
fn sentencepiece() -> Vec<u8> {
    let bytes: Vec<String> = (0..256).map(|byte| format!("<0x{byte:02X}>")).collect();
    let pieces = ["\u{2581}A", "nn", "Ann", "A", "n", "a", "\u{2581}", "Anna"];
    let mut vocabulary = tokens_build::GgufVocabulary {
        model: "llama",
        tokens: ["<unk>", "<s>", "</s>"]
            .into_iter()
            .chain(bytes.iter().map(|b| &b[..]))
            .chain(pieces)
            .collect(),
        bos: Some(1),
        eos: Some(2),
        unknown: Some(0),
        add_bos: true,
        add_space_prefix: true,
        ..Default::default()
    };
    vocabulary.token_types = vec![1; vocabulary.tokens.len()];
    vocabulary.token_types[..3].copy_from_slice(&[2, 3, 3]);
    vocabulary.token_types[3..259].fill(6);
    vocabulary.scores = (0..vocabulary.tokens.len()).map(|id| -(id as f32)).collect();
    tokens_build::from_gguf_vocabulary(&vocabulary).unwrap()
}

/// Puts a table that loads to work: every id and range must be usable, whatever the table says.
fn use_it(tokenizer: &Tokenizer<'_>, encoding: &mut Encoding) {
    for text in [TEXT, "", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]
    {
        tokenizer.encode_with_specials(text, encoding);
        assert_eq!(encoding.ids.len(), encoding.ranges.len());
        assert_eq!(encoding.ids.len(), encoding.special.len());
        assert!(encoding.ids.len() < 100_000, "{} tokens of {} bytes", encoding.ids.len(), text.len());
        let decoded = tokenizer.decode(&encoding.ids, false);
        assert!(decoded.len() < 1 << 28);
        let _ = (tokenizer.decode(&[0, 1, 7, u32::MAX], true), tokenizer.normalize(text));
    }
    let _ = (tokenizer.id_of("Anna"), tokenizer.score(3), tokenizer.is_special(1), tokenizer.token(260));
}

fn with_word(table: &[u8], at: usize, value: u32) -> Vec<u8> {
    let mut changed = table.to_vec();
    changed[at..at + 4].copy_from_slice(&value.to_le_bytes());
    changed
}

fn word(table: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(*table[at..].first_chunk().unwrap())
}

#[test]
fn whole_tables_load() {
    for (name, table) in tables() {
        let tokenizer = Tokenizer::from_table(&table).unwrap_or_else(|error| panic!("{name}: {error}"));
        use_it(&tokenizer, &mut Encoding::new());
    }
}

#[test]
fn every_truncation_is_an_error() {
    for (name, table) in tables() {
        for length in (0..table.len()).step_by(97) {
            let cut = &table[..length];
            assert!(Tokenizer::from_table(cut).is_err(), "{name}: {length} of {} bytes", table.len());
            // The same with a header that agrees with what is left.
            if length >= layout::HEADER_BYTES && length % (97 * 16) == 0 {
                let honest = with_word(cut, field::BYTES, length as u32);
                let error = Tokenizer::from_table(&honest).unwrap_err();
                assert!(
                    matches!(error, TableError::Section { .. } | TableError::Short { .. }),
                    "{name}: {length} bytes: {error}"
                );
            }
        }
        let longer = [&table[..], &[0]].concat();
        assert!(matches!(Tokenizer::from_table(&longer), Err(TableError::Length { .. })), "{name}");
    }
}

#[test]
fn every_header_word_and_directory_entry_changed() {
    let mut encoding = Encoding::new();
    let end = layout::HEADER_BYTES + section::COUNT * layout::DIRECTORY_ENTRY_BYTES;
    for (name, table) in tables() {
        let (mut refused, mut loaded) = (0, 0);
        for at in (0..end).step_by(4) {
            let old = word(&table, at);
            let values = [
                0,
                1,
                2,
                7,
                8,
                255,
                old ^ 1,
                old ^ 8,
                old << 8,
                old / 2,
                old.wrapping_add(64),
                0x7fff_ffff,
                !old,
                u32::MAX,
            ];
            for value in values.into_iter().filter(|&value| value != old) {
                let changed = with_word(&table, at, value);
                match Tokenizer::from_table(&changed) {
                    Ok(tokenizer) => {
                        loaded += 1;
                        use_it(&tokenizer, &mut encoding);
                    }
                    Err(error) => {
                        refused += 1;
                        assert!(error.to_string().starts_with("token table"), "{name}: {error}");
                    }
                }
                // What identifies the format is never taken on trust.
                let fixed = at < field::MODEL || at == field::SECTIONS;
                assert!(
                    !fixed || Tokenizer::from_table(&changed).is_err(),
                    "{name}: word {at} is {value:#x}"
                );
            }
        }
        assert!(refused > 200 && loaded > 0, "{name}: {refused} refused, {loaded} loaded");
    }
}

#[test]
fn a_sample_of_every_section_changed() {
    let mut encoding = Encoding::new();
    for (name, table) in tables() {
        for index in 0..section::COUNT {
            let entry = layout::HEADER_BYTES + index * layout::DIRECTORY_ENTRY_BYTES;
            let (offset, length) = (word(&table, entry) as usize, word(&table, entry + 4) as usize);
            let random = |seed: usize| (seed as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
            // The first bytes, where small sections say most, and places all over.
            let places = (0..length.min(48))
                .chain((0..48).map(|seed| random(seed + 48 * index) as usize % length.max(1)));
            for (turn, place) in places.filter(|&place| place < length).enumerate() {
                let mut changed = table.clone();
                let values: &[u8] =
                    if turn % 3 == 0 { &[0xff, 0xff, 0xff, 0xff] } else { &[0x00, 0x80, 0x01, 0x7f] };
                for (byte, value) in changed[offset + place..offset + length].iter_mut().zip(values) {
                    *byte ^= value;
                }
                if let Ok(tokenizer) = Tokenizer::from_table(&changed) {
                    use_it(&tokenizer, &mut encoding);
                }
            }
            // All of it: zeros, ones, noise.
            for pattern in 0..3 {
                let mut changed = table.clone();
                for (at, byte) in changed[offset..offset + length].iter_mut().enumerate() {
                    *byte = [0, 0xff, random(at) as u8][pattern];
                }
                if let Ok(tokenizer) = Tokenizer::from_table(&changed) {
                    use_it(&tokenizer, &mut encoding);
                }
            }
        }
        assert!(table.len() > 10_000, "{name}");
    }
}
