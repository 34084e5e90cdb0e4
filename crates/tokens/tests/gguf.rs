//! Vocabularies of GGUF files beside the tokenizers crate and beside SentencePiece's rule written out.

extern crate lacuna_tokens as tokens;

mod reference;

use reference::{check, dev_texts, pair::Pair, read, texts};
use serde_json::{Value, json};
use tokens_build::GgufVocabulary;

fn smollm2() -> Value {
    serde_json::from_slice(&read("tokenizers/smollm2/tokenizer.json")).unwrap()
}

fn some_texts() -> impl Iterator<Item = String> {
    dev_texts().into_iter().chain(texts::FIXED.map(String::from)).chain((0..3_000).map(texts::text))
}

/// SmolLM2's vocabulary as its GGUF file has it.
fn smollm2_vocabulary(file: &Value) -> GgufVocabulary<'_> {
    let vocab = file["model"]["vocab"].as_object().unwrap();
    let mut tokens = vec![""; vocab.len()];
    vocab.iter().for_each(|(token, id)| tokens[id.as_u64().unwrap() as usize] = token);
    let mut token_types = vec![1; tokens.len()];
    for added in file["added_tokens"].as_array().unwrap() {
        token_types[added["id"].as_u64().unwrap() as usize] = 3;
    }
    let merges =
        file["model"]["merges"].as_array().unwrap().iter().map(|merge| merge.as_str().unwrap()).collect();
    GgufVocabulary {
        model: "gpt2",
        pre: "smollm",
        tokens,
        token_types,
        merges,
        bos: Some(1),
        eos: Some(2),
        ..GgufVocabulary::default()
    }
}

#[test]
fn smollm2_as_its_tokenizer_file() {
    let file = smollm2();
    let table = tokens_build::from_gguf_vocabulary(&smollm2_vocabulary(&file)).unwrap();
    let reference = tokenizers::Tokenizer::from_bytes(file.to_string()).unwrap();
    check(&Pair { reference, table }, some_texts());
}

#[test]
fn beginning_and_end_where_the_file_asks() {
    let file = smollm2();
    let vocabulary = GgufVocabulary { add_bos: true, add_eos: true, ..smollm2_vocabulary(&file) };
    let table = tokens_build::from_gguf_vocabulary(&vocabulary).unwrap();
    let tokenizer = tokens::Tokenizer::from_table(&table).unwrap();
    let mut encoding = tokens::Encoding::new();
    tokenizer.encode_with_specials("a", &mut encoding);
    assert_eq!((encoding.ids.first(), encoding.ids.last()), (Some(&1), Some(&2)));
    assert_eq!(encoding.special, [true, false, true]);
}

/// A SentencePiece vocabulary: control tokens, bytes, then pieces of the dev texts with falling scores.
struct Pieces {
    tokens: Vec<String>,
    types: Vec<i32>,
    scores: Vec<f32>,
}

fn pieces(distinct: bool) -> Pieces {
    let mut tokens: Vec<String> = ["<unk>", "<s>", "</s>"].map(String::from).to_vec();
    let mut types = vec![2, 3, 3];
    tokens.extend((0..256).map(|byte| format!("<0x{byte:02X}>")));
    types.resize(tokens.len(), 6);
    let mut counts = std::collections::BTreeMap::<String, usize>::new();
    for text in dev_texts() {
        for word in text.split(' ') {
            let word: Vec<char> = format!("\u{2581}{word}").chars().collect();
            for start in 0..word.len() {
                for end in start + 1..=word.len().min(start + 6) {
                    *counts.entry(word[start..end].iter().collect()).or_default() += 1;
                }
            }
        }
    }
    let mut frequent: Vec<(usize, String)> =
        counts.into_iter().map(|(piece, count)| (count, piece)).collect();
    frequent.sort_by(|a, b| (b.0, &a.1).cmp(&(a.0, &b.1)));
    frequent.truncate(6_000);
    // As a trainer leaves them: longer pieces first, then the characters.
    let (long, single): (Vec<_>, Vec<_>) =
        frequent.into_iter().partition(|(_, piece)| piece.chars().count() > 1);
    let mut scores = vec![0.0; tokens.len()];
    for (index, (count, piece)) in long.into_iter().chain(single).enumerate() {
        tokens.push(piece);
        scores.push(if distinct { -(index as f32) } else { count as f32 });
    }
    types.resize(tokens.len(), 1);
    Pieces { tokens, types, scores }
}

impl Pieces {
    fn vocabulary(&self) -> GgufVocabulary<'_> {
        GgufVocabulary {
            model: "llama",
            tokens: self.tokens.iter().map(|token| &token[..]).collect(),
            token_types: self.types.clone(),
            scores: self.scores.clone(),
            bos: Some(1),
            eos: Some(2),
            unknown: Some(0),
            add_bos: true,
            add_space_prefix: true,
            ..GgufVocabulary::default()
        }
    }

    /// Joins the neighbours whose text has the highest score, the leftmost of equals, as long as there are any.
    fn slowly(&self, text: &str) -> Vec<u32> {
        let ids: std::collections::HashMap<&str, u32> =
            self.tokens.iter().enumerate().map(|(id, token)| (&token[..], id as u32)).collect();
        let text = format!("\u{2581}{}", text.replace(' ', "\u{2581}"));
        let mut symbols: Vec<String> = text.chars().map(String::from).collect();
        loop {
            let mut best: Option<(f32, usize)> = None;
            for index in 1..symbols.len() {
                let joined = [&symbols[index - 1][..], &symbols[index]].concat();
                let known = |symbol: &str| ids.contains_key(symbol);
                if !known(&symbols[index - 1]) || !known(&symbols[index]) {
                    continue;
                }
                if let Some(&id) = ids.get(&joined[..])
                    && best.is_none_or(|(score, _)| self.scores[id as usize] > score)
                {
                    best = Some((self.scores[id as usize], index));
                }
            }
            let Some((_, index)) = best else { break };
            let right = symbols.remove(index);
            symbols[index - 1].push_str(&right);
        }
        let bytes = |symbol: &str| symbol.bytes().map(|byte| u32::from(byte) + 3).collect::<Vec<u32>>();
        symbols
            .iter()
            .flat_map(|symbol| ids.get(&symbol[..]).map_or_else(|| bytes(symbol), |&id| vec![id]))
            .collect()
    }
}

#[test]
fn sentencepiece_by_its_rule() {
    for distinct in [true, false] {
        let pieces = pieces(distinct);
        let table = tokens_build::from_gguf_vocabulary(&pieces.vocabulary()).unwrap();
        let tokenizer = tokens::Tokenizer::from_table(&table).unwrap();
        let mut encoding = tokens::Encoding::new();
        let plain = |text: &String| !text.contains("<") && !text.is_empty();
        for text in some_texts().filter(plain).filter(|text| text.len() < 400) {
            tokenizer.encode(&text, &mut encoding);
            assert_eq!(encoding.ids, pieces.slowly(&text), "{text:?}");
        }
    }
}

/// The tokenizers crate has the same vocabulary as BPE with byte fallback, where merges are a list.
#[test]
fn sentencepiece_as_the_reference() {
    let pieces = pieces(true);
    let mut order: Vec<usize> = (259..pieces.tokens.len()).collect();
    order.sort_by(|&a, &b| pieces.scores[b].total_cmp(&pieces.scores[a]));
    let known: std::collections::HashSet<&str> = pieces.tokens.iter().map(|token| &token[..]).collect();
    let mut merges = Vec::new();
    for id in order {
        let token = &pieces.tokens[id];
        for (cut, _) in token.char_indices().skip(1) {
            let (left, right) = token.split_at(cut);
            if known.contains(left) && known.contains(right) {
                merges.push(json!([left, right]));
            }
        }
    }
    let vocab: serde_json::Map<String, Value> =
        pieces.tokens.iter().enumerate().map(|(id, token)| (token.clone(), json!(id))).collect();
    let added = |id: usize| {
        json!({"id": id, "content": pieces.tokens[id], "single_word": false, "lstrip": false,
        "rstrip": false, "normalized": false, "special": true})
    };
    let decoders = json!([{"type": "Replace", "pattern": {"String": "\u{2581}"}, "content": " "}, {"type": "ByteFallback"},
        {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]);
    let bos = json!({"SpecialToken": {"id": "<s>", "type_id": 0}});
    let file = json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [added(1), added(2)],
        "normalizer": {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "\u{2581}"},
            {"type": "Replace", "pattern": {"String": " "}, "content": "\u{2581}"}]},
        "pre_tokenizer": null,
        "post_processor": {"type": "TemplateProcessing", "single": [bos, {"Sequence": {"id": "A", "type_id": 0}}],
            "pair": [bos, {"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}}},
        "decoder": {"type": "Sequence", "decoders": decoders},
        "model": {"type": "BPE", "dropout": null, "unk_token": "<unk>", "continuing_subword_prefix": null,
            "end_of_word_suffix": null, "fuse_unk": true, "byte_fallback": true, "ignore_merges": false,
            "vocab": vocab, "merges": merges},
    })
    .to_string();
    let from_json = reference::pair(file.as_bytes());
    check(&from_json, some_texts());
    let table = tokens_build::from_gguf_vocabulary(&pieces.vocabulary()).unwrap();
    check(&Pair { reference: tokenizers::Tokenizer::from_bytes(&file).unwrap(), table }, some_texts());
}

#[test]
fn errors_name_the_key_and_the_numbers() {
    let file = smollm2();
    let good = smollm2_vocabulary(&file);
    let message = |vocabulary: GgufVocabulary<'_>| {
        tokens_build::from_gguf_vocabulary(&vocabulary).unwrap_err().to_string()
    };
    let types = GgufVocabulary { token_types: vec![1; 7], ..good.clone() };
    assert_eq!(message(types), "tokenizer field tokenizer.ggml.token_type: 7 entries for 49152 tokens");
    let merges = GgufVocabulary { merges: vec!["h zzzz"], ..good.clone() };
    assert_eq!(
        message(merges),
        "tokenizer field tokenizer.ggml.merges[0]: \"zzzz\" is not in the vocabulary"
    );
    let bos = GgufVocabulary { bos: Some(70_000), add_bos: true, ..good.clone() };
    assert_eq!(message(bos), "tokenizer field tokenizer.ggml.bos_token_id: 70000 in a vocabulary of 49152");
    let pre = GgufVocabulary { pre: "dolphin", ..good.clone() };
    assert!(
        message(pre).starts_with(
            "tokenizer field tokenizer.ggml.pre: \"dolphin\" is not supported; supported: gpt-2"
        )
    );
    let scores = GgufVocabulary { model: "llama", ..good };
    assert!(message(scores).contains("tokenizer.ggml.scores: missing"));
}
