//! Any bytes as a token table: an error, or a tokenizer that encodes and decodes any text. The first byte is the
//! length of a text, the text follows, then the table, whose length field is put right.
#![no_main]

use lacuna_tokens::{Encoding, Tokenizer, layout};
use libfuzzer_sys::fuzz_target;

const TEXT: &str =
    "Anna's [MASK]<s> 12 \u{2581}x ﬁ e\u{301}\u{323} 한국 日本 \u{1f469}\u{200d}\u{1f467}\0\n\t  end";

fuzz_target!(|bytes: &[u8]| {
    let Some((&length, rest)) = bytes.split_first() else { return };
    let (text, table) = rest.split_at(rest.len().min(length.into()));
    let mut table = table.to_vec();
    if let Some(field) = table.get_mut(layout::field::BYTES..layout::field::BYTES + 4) {
        field.copy_from_slice(&((bytes.len() - 1 - text.len()) as u32).to_le_bytes());
    }
    let Ok(tokenizer) = Tokenizer::from_table(&table) else { return };
    let mut encoding = Encoding::new();
    for text in [&String::from_utf8_lossy(text)[..], TEXT] {
        tokenizer.encode_with_specials(text, &mut encoding);
        assert_eq!(encoding.ids.len(), encoding.ranges.len());
        assert_eq!(encoding.ids.len(), encoding.special.len());
        assert!(encoding.ranges.iter().all(|range| range.1 as usize <= text.len()));
        let decoded = tokenizer.decode(&encoding.ids, false);
        let mut stream = tokenizer.stream().with_special();
        let mut streamed = String::new();
        encoding.ids.iter().for_each(|&id| streamed.push_str(stream.push(id)));
        streamed.push_str(stream.finish());
        assert_eq!(streamed, decoded);
        let _ = (tokenizer.normalize(text), tokenizer.id_of(text), tokenizer.score(3));
    }
});
