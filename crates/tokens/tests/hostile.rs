//! Tokenizer files that somebody made to do harm, or made badly: each is refused with an error that says what is
//! wrong, or works as it does in the tokenizers crate.

extern crate lacuna_tokens as tokens;

mod reference;

use reference::files::{Verdict, added, bert, gpt2, sentencepiece, unigram, verdict};
use serde_json::{Value, json};
use tokens::{Encoding, Tokenizer};

/// Generated texts beside the fixed ones.
const TEXTS: usize = 200;

fn set(mut file: Value, changes: &[(&str, Value)]) -> Value {
    for (path, value) in changes {
        let (parent, name) = path.rsplit_once('/').unwrap();
        match file.pointer_mut(parent).unwrap() {
            Value::Object(map) => drop(map.insert(name.into(), value.clone())),
            Value::Array(list) if name == "-" => list.push(value.clone()),
            Value::Array(list) => list[name.parse::<usize>().unwrap()] = value.clone(),
            other => panic!("{path}: {other}"),
        }
    }
    file
}

fn token(content: &str, id: u32, flags: [bool; 5]) -> Value {
    json!({"id": id, "content": content, "single_word": flags[0], "lstrip": flags[1], "rstrip": flags[2],
        "normalized": flags[3], "special": flags[4]})
}

const PLAIN: [bool; 5] = [false; 5];
const NORMALIZED: [bool; 5] = [false, false, false, true, false];

fn small_unigram(pieces: Value, byte_fallback: bool) -> Value {
    let mut file = unigram(Value::Null);
    file["added_tokens"] = added(&[]);
    file["post_processor"] = Value::Null;
    file["model"] = json!({"type": "Unigram", "unk_id": 0, "vocab": pieces, "byte_fallback": byte_fallback});
    file
}

fn small_wordpiece(vocabulary: Value) -> Value {
    let mut file = bert();
    file["added_tokens"] = added(&[]);
    file["post_processor"] = Value::Null;
    file["model"]["vocab"] = vocabulary;
    file
}

/// The file gives the same as the reference, text by text.
#[track_caller]
fn same(file: Value) {
    let found = verdict(&file, TEXTS);
    assert!(matches!(found, Verdict::Same), "{found:?}");
}

/// The file is refused with an error that starts like this.
#[track_caller]
fn refused(file: Value, message: &str) {
    match verdict(&file, TEXTS) {
        Verdict::Refused(found) | Verdict::BothRefuse(found) => {
            let found = found.strip_prefix("tokenizer field ").unwrap_or(&found);
            assert!(found.starts_with(message), "{found}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn wordpiece_vocabularies() {
    refused(small_wordpiece(json!({})), "model.unk_token: \"[UNK]\" is not in the vocabulary");
    refused(
        small_wordpiece(json!({"[UNK]": 0, "a": 1, "b": 1})),
        "model.vocab: \"a\" and \"b\" both have id 1",
    );
    refused(
        small_wordpiece(json!({"[UNK]": 0, "a": 4_000_000_000u32})),
        "tokenizer: 4000000000 as an id, a table holds 4194303",
    );
    refused(small_wordpiece(json!({"[UNK]": 0, "a": -1})), "model.vocab.a: the number -1 instead of an id");
    same(small_wordpiece(json!({"[UNK]": 0, "a": (1 << 22) - 1})));
    same(small_wordpiece(json!({"[UNK]": 0})));
    same(small_wordpiece(json!({"[UNK]": 0, "": 1, "a": 2, "##": 3, "##a": 4})));
    let gaps = small_wordpiece(json!({"[UNK]": 0, "a": 7, "##b": 3, "anna": 9, "house": 11}));
    same(gaps.clone());
    same(set(gaps.clone(), &[("/added_tokens", json!([token("a", 7, PLAIN), token("new", 5, PLAIN)]))]));
    // An id that the vocabulary has already.
    let gaps = small_wordpiece(json!({"[UNK]": 0, "a": 7, "##b": 4}));
    same(set(gaps, &[("/added_tokens", json!([token("new", 3, PLAIN), token("hello", 4, PLAIN)]))]));
}

#[test]
fn wordpiece_parts() {
    for prefix in ["", "a", "\u{2581}", "####", "é"] {
        let prefix = json!(prefix);
        same(set(
            bert(),
            &[("/model/continuing_subword_prefix", prefix.clone()), ("/decoder/prefix", prefix)],
        ));
    }
    for most in [0u64, 1, 2, 100_000, u64::from(u32::MAX) + 5] {
        same(set(bert(), &[("/model/max_input_chars_per_word", json!(most))]));
    }
    for (lower, strip, clean, chinese) in [
        (false, json!(null), true, true),
        (false, json!(true), true, false),
        (true, json!(false), false, true),
        (true, json!(true), false, false),
    ] {
        let normalizer = json!({"type": "BertNormalizer", "clean_text": clean, "handle_chinese_chars": chinese,
            "strip_accents": strip, "lowercase": lower});
        same(set(bert(), &[("/normalizer", normalizer)]));
    }
    let metaspace = json!({"type": "Metaspace", "replacement": "\u{2581}", "prepend_scheme": "always"});
    let bytes = json!({"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true});
    let processing = json!({"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]});
    let cls = "/post_processor/special_tokens/[CLS]/";
    for (path, value) in [
        ("/normalizer", json!(null)),
        ("/pre_tokenizer", json!(null)),
        ("/pre_tokenizer", metaspace),
        ("/decoder/cleanup", json!(false)),
        ("/decoder", json!(null)),
        ("/post_processor", processing),
    ] {
        same(set(bert(), &[(path, value)]));
    }
    refused(
        set(bert(), &[("/decoder", bytes)]),
        "decoder: ByteLevel without the pre-tokenizer ByteLevel is not",
    );
    let joined = set(gpt2(), &[("/decoder", json!(null))]);
    refused(joined, "decoder: another decoder behind the pre-tokenizer ByteLevel is not supported");
    let ids = (&format!("{cls}ids")[..], json!([2, 2, 1]));
    same(set(bert(), &[ids, (&format!("{cls}tokens"), json!(["[CLS]", "[CLS]", "[UNK]"]))]));
}

#[test]
fn unigram_scores() {
    let space = "\u{2581}";
    for pieces in [
        json!([
            ["<unk>", 0],
            ["a", -1],
            ["b", -1],
            ["ab", -2],
            ["aa", -2],
            ["ba", -2],
            ["aba", -3],
            [space, -1]
        ]),
        json!([["<unk>", 0], ["a", 0], ["b", 0], ["ab", 0], [space, 0]]),
        json!([["<unk>", 5], ["a", 3.5], ["b", 1e10], ["ab", 2], [space, 1]]),
        json!([
            ["<unk>", 0],
            ["a", -1e308],
            ["b", -1e308],
            ["ab", -1e308],
            ["aaaa", -4.9e-324],
            [space, -1e308]
        ]),
        json!([["<unk>", 0], ["a", -1], ["a", -5], ["b", -2], [space, -3]]),
        json!([["<unk>", 0], ["a", -1], ["<unk>", -5], [space, -3]]),
        json!([["<unk>", 0], ["", -1], ["a", -5], [space, -3]]),
        json!([["<unk>", 0]]),
        json!([["a", 0], ["b", -2], [space, -3]]),
    ] {
        same(small_unigram(pieces.clone(), false));
        same(small_unigram(pieces, true));
    }
    refused(small_unigram(json!([]), false), "model.unk_id: 0 in a vocabulary of 0");
    for pair in [json!(["a", null]), json!(["a", -1, 4]), json!(["a"]), json!([1, "a"]), json!({"a": 1})] {
        refused(
            small_unigram(json!([["<unk>", 0], pair]), false),
            "model.vocab[1]: not a pair of token and score",
        );
    }
    // JSON has no NaN, and no number that is none.
    let file = small_unigram(json!([["<unk>", 0], ["a", -1.25]]), false).to_string();
    for score in ["NaN", "-Infinity", "1e999", "-", "0x1"] {
        let error = tokens_build::from_tokenizer_json(file.replace("-1.25", score).as_bytes()).unwrap_err();
        assert!(error.to_string().starts_with("tokenizer file: not JSON: "), "{score}: {error}");
    }
}

#[test]
fn unigram_bytes() {
    let mut pieces =
        vec![json!(["<unk>", 0]), json!(["a", -1.0]), json!(["ab", -1.5]), json!(["\u{2581}", -2])];
    pieces.extend((0..256).map(|byte| json!([format!("<0x{byte:02X}>"), -9])));
    same(small_unigram(json!(pieces), true));
    pieces.pop();
    refused(
        small_unigram(json!(pieces), true),
        "model.byte_fallback: the vocabulary has 255 of 256 <0xNN> tokens",
    );
}

#[test]
fn metaspaces() {
    for (scheme, split) in
        [("always", true), ("always", false), ("first", true), ("first", false), ("never", true)]
    {
        let part =
            json!({"type": "Metaspace", "replacement": "\u{2581}", "prepend_scheme": scheme, "split": split});
        let added = [token("hello", 500, PLAIN), token("Anna", 501, NORMALIZED)];
        let added = added.map(|token| ("/added_tokens/-", token));
        let alone = [("/pre_tokenizer", part.clone()), ("/decoder", part.clone())];
        same(set(set(unigram(json!(null)), &alone), &added));
        let both = json!({"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, part]});
        same(set(unigram(json!(null)), &[("/pre_tokenizer", both)]));
    }
    let words = json!({"type": "Metaspace", "replacement": "ab", "prepend_scheme": "first"});
    refused(
        set(unigram(json!(null)), &[("/pre_tokenizer", words)]),
        "pre_tokenizer.replacement: \"ab\" is not one",
    );
    let torn = json!({"type": "Metaspace", "replacement": "\u{2581}", "add_prefix_space": false});
    refused(
        set(unigram(json!(null)), &[("/decoder", torn)]),
        "decoder.add_prefix_space: false, and prepend_scheme is",
    );
}

#[test]
fn precompiled_maps() {
    let with = |map: &str| unigram(json!({"type": "Precompiled", "precompiled_charsmap": map}));
    let place = "normalizer.precompiled_charsmap: ";
    for (map, message) in [
        ("", "0 bytes, the length alone needs 4"),
        ("AAAA", "3 bytes, the length alone needs 4"),
        ("AAAAAA==", "double array of 0 bytes in a map of 4 bytes"),
        ("/////wAAAAA=", "double array of 4294967295 bytes in a map of 8 bytes"),
        ("BAAAAAAAAAD/", "strings are not UTF-8: invalid utf-8 sequence of 1 bytes from index 0"),
        ("not base64!", "Invalid symbol 32, offset 3."),
    ] {
        refused(with(map), &format!("{place}{message}"));
    }
    // Maps that point beyond themselves: the reference panics over a text, here nothing is mapped.
    for map in ["BAAAAAAAAAA=", "BAAAAP////8=", "CAAAAAABAAAAAQAAYQ=="] {
        assert!(matches!(verdict(&with(map), TEXTS), Verdict::ReferencePanics), "{map}");
    }
}

#[test]
fn added_tokens() {
    let size = gpt2()["model"]["vocab"].as_object().unwrap().len() as u32;
    let overlapping = [
        token("abc", size, PLAIN),
        token("bc", size + 1, PLAIN),
        token(" ", size + 2, [false, true, true, false, false]),
        token("a b", size + 3, PLAIN),
        token("hello world", size + 4, NORMALIZED),
        token("world", size + 5, [true, false, false, false, false]),
        token("\n", size + 6, [false, false, true, false, true]),
    ];
    same(set(gpt2(), &overlapping.map(|token| ("/added_tokens/-", token))));
    let twice = json!([
        token("zz", size, PLAIN),
        token("zz", size, [true; 5]),
        token("yy", size + 1, NORMALIZED),
        token("yy", size + 1, PLAIN)
    ]);
    same(set(gpt2(), &[("/added_tokens", twice)]));
    same(set(gpt2(), &[("/added_tokens/-", token("", 9, PLAIN))]));
    let swapped = [("/added_tokens/0/id", json!(264)), ("/added_tokens/1/id", json!(263))];
    refused(set(gpt2(), &swapped), "added_tokens[0].id: \"<s>\" has id 264, the vocabulary gives it 263");
    let cased =
        json!([token("ANNA", 92, NORMALIZED), token("Grüße", 93, NORMALIZED), token("  x ", 94, NORMALIZED)]);
    same(set(bert(), &[("/added_tokens", cased)]));
}

/// White space that one token takes is not there for the next, however many are in a row.
#[test]
fn added_tokens_that_take_space() {
    let size = gpt2()["model"]["vocab"].as_object().unwrap().len() as u32;
    for left in [false, true] {
        for right in [false, true] {
            let space = token(" ", size, [false, left, right, false, false]);
            let mark = token("!", 0, [false, right, left, false, false]);
            let file = set(gpt2(), &[("/added_tokens/-", space), ("/added_tokens/-", mark)]);
            // Where the reference cuts a text backwards it panics.
            let found = verdict(&file, TEXTS);
            assert!(matches!(found, Verdict::Same | Verdict::ReferencePanics), "{left} {right}: {found:?}");
        }
    }
}

/// The reference finds such a token everywhere until memory ends; here it is nowhere.
#[test]
fn an_added_token_that_normalizes_to_nothing() {
    let file = set(bert(), &[("/added_tokens", json!([token("\u{301}", 92, NORMALIZED)]))]).to_string();
    let table = tokens_build::from_tokenizer_json(file.as_bytes()).unwrap();
    let (plain, mut encoding) =
        (tokens_build::from_tokenizer_json(bert().to_string().as_bytes()).unwrap(), Encoding::new());
    Tokenizer::from_table(&plain).unwrap().encode("anna e\u{301} house", &mut encoding);
    let wanted = encoding.ids.clone();
    Tokenizer::from_table(&table).unwrap().encode("anna e\u{301} house", &mut encoding);
    assert_eq!(encoding.ids, wanted);
}

#[test]
fn byte_level_models() {
    for (lines, message) in [
        (["zq q"], "model.merges[7]: \"zq\" is not in the vocabulary"),
        (["z q"], "model.merges[7]: \"zq\" is not in the vocabulary"),
        (["a b c"], "model.merges[7]: \"a b c\" is not two tokens"),
        ([" "], "model.merges[7]: \"\" is not in the vocabulary"),
        (["ab"], "model.merges[7]: \"ab\" is not two tokens"),
    ] {
        refused(set(gpt2(), &[("/model/merges/-", json!(lines[0]))]), message);
    }
    refused(
        set(gpt2(), &[("/model/merges/-", json!(["a", "b"]))]),
        "model.merges[7]: [\"a\",\"b\"] is not two tokens",
    );
    same(set(gpt2(), &[("/model/merges/-", json!("a b")), ("/model/merges/-", json!("l l"))]));
    same(set(gpt2(), &[("/model/merges/0", json!("#version: 0.2"))]));
    same(set(gpt2(), &[("/model/merges/3", json!("#version x"))]));
    // Files before 2021.
    same(set(gpt2(), &[("/model/unk_token", json!(""))]));
    let nothing =
        [("/added_tokens", json!([])), ("/post_processor", json!(null)), ("/model/vocab", json!({}))];
    same(set(set(gpt2(), &nothing), &[("/model/merges", json!([]))]));
    let mut short = gpt2();
    short["model"]["vocab"].as_object_mut().unwrap().remove("z");
    same(short.clone());
    refused(set(short, &[("/model/unk_token", json!(""))]), "model.unk_token: \"\" is not in the vocabulary");
    let strange =
        [("/model/vocab/a b", json!(266)), ("/model/vocab/日本", json!(267)), ("/model/vocab/", json!(268))];
    same(set(gpt2(), &strange));
    let whole = [("/model/ignore_merges", json!(true)), ("/model/vocab/world", json!(266))];
    same(set(set(gpt2(), &whole), &[("/model/vocab/Ġabc", json!(267))]));
}

#[test]
fn sentencepiece_models() {
    for (fallback, fuse) in [(true, true), (true, false), (false, true), (false, false)] {
        let changes = [("/model/byte_fallback", json!(fallback)), ("/model/fuse_unk", json!(fuse))];
        same(set(sentencepiece(), &changes));
        // The first character of a text is a byte's, and a space.
        same(set(set(sentencepiece(), &changes), &[("/normalizer", json!(null))]));
    }
    same(set(sentencepiece(), &[("/model/unk_token", json!(null))]));
    let metaspace =
        json!({"type": "Metaspace", "replacement": "\u{2581}", "prepend_scheme": "first", "split": false});
    same(set(sentencepiece(), &[("/normalizer", json!(null)), ("/pre_tokenizer", metaspace)]));
}

#[test]
fn normalizers() {
    let replace =
        |pattern: Value, content: &str| json!({"type": "Replace", "pattern": pattern, "content": content});
    let strip = |left: bool, right: bool| json!({"type": "Strip", "strip_left": left, "strip_right": right});
    let prepend = |text: &str| json!({"type": "Prepend", "prepend": text});
    let (lowercase, nfc) = (json!({"type": "Lowercase"}), json!({"type": "NFC"}));
    for parts in [
        json!([lowercase, strip(true, true)]),
        json!([strip(true, true), prepend("ab")]),
        json!([replace(json!({"String": "a"}), "")]),
        json!([replace(json!({"String": "ab"}), "abab"), replace(json!({"String": "aba"}), "x")]),
        json!([replace(json!({"Regex": " +"}), "\u{2581}")]),
        json!([replace(json!({"Regex": "a{3,}"}), "")]),
        json!([nfc, lowercase, prepend("\u{2581}")]),
        json!([lowercase, nfc]),
        json!([prepend(" "), strip(true, false)]),
        json!([]),
    ] {
        let normalizer = json!({"type": "Sequence", "normalizers": parts});
        same(unigram(normalizer.clone()));
        let added = ("/added_tokens/-", token("AB a", 266, NORMALIZED));
        same(set(gpt2(), &[("/normalizer", normalizer), added]));
    }
    let sequence = |parts: Value| unigram(json!({"type": "Sequence", "normalizers": parts}));
    let bert = &bert()["normalizer"];
    refused(
        sequence(json!([{"type": "Sequence", "normalizers": []}])),
        "normalizer.normalizers[0]: a nested Sequence",
    );
    refused(
        sequence(json!([bert, bert])),
        "normalizer.normalizers[1]: a second character map is not supported",
    );
    refused(
        sequence(json!([replace(json!({"String": ""}), "x")])),
        "normalizer.normalizers[0].pattern.String: empty",
    );
    refused(sequence(json!([prepend("")])), "normalizer.normalizers[0].prepend: empty");
}

/// Files before 2021 do not say what their model is.
#[test]
fn a_model_without_a_type() {
    for mut file in [bert(), gpt2(), unigram(json!(null))] {
        file["model"].as_object_mut().unwrap().remove("type");
        same(file);
    }
    let words = json!({"vocab": {"[UNK]": 0}, "unk_token": "[UNK]"});
    refused(
        set(bert(), &[("/model", words)]),
        "model.type: WordLevel is not supported; supported: WordPiece, Unigram",
    );
}

#[test]
fn no_file_at_all() {
    let deep = [&b"["[..]; 100_000].concat();
    let deeper = [&br#"{"model":"#[..]; 100_000].concat();
    for (file, message) in [
        (&b""[..], "tokenizer file: not JSON: EOF while parsing"),
        (b"[]", "tokenizer field (root): an array instead of an object"),
        (b"null", "tokenizer field (root): null instead of an object"),
        (b"{}", "tokenizer field model: missing"),
        (br#"{"model": []}"#, "tokenizer field model: an array instead of an object"),
        (br#"{"version": "2.0"}"#, "tokenizer field version: \"2.0\" is not supported"),
        (br#"{"model": {"type": "WordPiece"}}"#, "tokenizer field model.vocab: missing"),
        (b"{\"a\": \"\xff\"}", "tokenizer file: not JSON: invalid unicode"),
        (&deep, "tokenizer file: not JSON: recursion limit exceeded"),
        (&deeper, "tokenizer file: not JSON: recursion limit exceeded"),
    ] {
        let error = tokens_build::from_tokenizer_json(file).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
        assert!(tokenizers::Tokenizer::from_bytes(file).is_err(), "{message}");
    }
}
