//! Damaged files: every error names what, where and by how much, and nothing panics.

use lacuna_weights::{Error, Gguf, Kind, Value, Writer};

/// Every kind of metadata, two tensors, small enough to damage at every byte.
fn sample() -> Vec<u8> {
    let mut writer = Writer::new();
    writer.set("general.architecture", "bert");
    writer.set("a.u8", 7u8);
    writer.set("a.i8", -7i8);
    writer.set("a.u16", 700u16);
    writer.set("a.i16", -700i16);
    writer.set("a.u32", 70_000u32);
    writer.set("a.i32", -70_000i32);
    writer.set("a.u64", 7u64 << 40);
    writer.set("a.i64", -(7i64 << 40));
    writer.set("a.f32", 0.1f32);
    writer.set("a.f64", 0.1f64);
    writer.set("a.bool", true);
    writer.set("a.words", &["one", "", "drei é"][..]);
    writer.set("a.floats", &[1.0f32, -0.0, f32::INFINITY][..]);
    writer.set("a.flags", &[true, false][..]);
    let bias: Vec<u8> = [1.5f32, -2.5, 3.5].iter().flat_map(|value| value.to_le_bytes()).collect();
    writer.tensor("cls.bias", Kind::F32, &[3], bias).unwrap();
    writer.tensor("cls.weight", Kind::Q4_0, &[64, 3], (0..108).collect::<Vec<u8>>()).unwrap();
    writer.to_vec()
}

#[test]
fn what_is_written_is_read() {
    let bytes = sample();
    let file = Gguf::parse(&bytes).unwrap();
    assert_eq!((file.version(), file.alignment(), file.data_offset() % 32), (3, 32, 0));
    assert_eq!(file.str("general.architecture"), Ok("bert"));
    assert_eq!(file.get("a.i8"), Some(Value::I8(-7)));
    assert_eq!(file.get("a.i64"), Some(Value::I64(-(7 << 40))));
    assert_eq!(file.u32("a.u8"), Ok(7));
    assert_eq!(file.u32("a.u32"), Ok(70_000));
    assert_eq!(file.f32("a.f32"), Ok(0.1));
    assert_eq!(file.bool("a.bool"), Ok(true));
    assert_eq!(file.strings("a.words").unwrap().collect::<Vec<_>>(), ["one", "", "drei é"]);
    let Some(Value::Array(floats)) = file.get("a.floats") else { panic!("an array") };
    assert_eq!(floats.len(), 3);
    assert_eq!(floats.iter().nth(2), Some(Value::F32(f32::INFINITY)));
    let weight = file.tensor("cls.weight").unwrap();
    assert_eq!((weight.kind, weight.rows(), weight.columns(), weight.bytes.len()), (Kind::Q4_0, 3, 64, 108));
    assert_eq!(*file.tensor("cls.bias").unwrap().f32s().unwrap(), [1.5, -2.5, 3.5]);
    let mut again = Writer::new();
    for (key, value) in file.keys() {
        again.set(key, value);
    }
    for tensor in file.tensors() {
        let used = tensor.dims.iter().rposition(|&dim| dim != 1).map_or(1, |last| last + 1);
        again.tensor(tensor.name, tensor.kind, &tensor.dims[..used], tensor.bytes).unwrap();
    }
    assert_eq!(again.to_vec(), bytes);
}

#[test]
fn what_is_asked_for_wrongly_says_what_is_there() {
    let bytes = sample();
    let file = Gguf::parse(&bytes).unwrap();
    let said = |error: Error| error.to_string();
    assert_eq!(said(file.u32("a.f32").unwrap_err()), "key a.f32: expected u32, found f32 0.1");
    assert_eq!(said(file.u32("a.u64").unwrap_err()), "key a.u64: 7696581394432 is over 4294967295");
    assert_eq!(said(file.u32("a.i8").unwrap_err()), "key a.i8: expected u32, found i8 -7");
    assert_eq!(said(file.f32("b").unwrap_err()), "key b: not among the file's 15 keys");
    assert_eq!(
        said(file.str("a.words").unwrap_err()),
        "key a.words: expected string, found array of 3 string"
    );
    assert_eq!(said(file.tensor("x").unwrap_err()), "tensor x: not among the file's 2 tensors");
    let weight = file.tensor("cls.weight").unwrap();
    assert_eq!(said(weight.f32s().unwrap_err()), "tensor cls.weight: expected f32, found q4_0");
}

#[test]
fn every_truncation_is_an_error() {
    let bytes = sample();
    // The padding after the last tensor may be missing: some writers leave it out.
    let end = Gguf::parse(&bytes).unwrap().data_offset() as usize + 32 + 108;
    for length in 0..end {
        Gguf::parse(&bytes[..length]).expect_err("a file cut short");
    }
    assert!(Gguf::parse(&bytes[..end]).is_ok());
    let error = Gguf::parse(&bytes[..end - 8]).unwrap_err().to_string();
    let at = end - 108;
    let wanted = format!("tensor cls.weight: 64 x 3 in q4_0 needs 108 bytes at offset {at}, file has 100");
    assert_eq!(error, wanted);
    assert_eq!(
        Gguf::parse(&bytes[..6]).unwrap_err().to_string(),
        "version: at offset 4 it needs 4 bytes, file has 2"
    );
}

/// The bytes of `sample` with `new` written at `at`, parsed: the message.
fn damaged(at: usize, new: &[u8]) -> String {
    let mut bytes = sample();
    bytes[at..at + new.len()].copy_from_slice(new);
    Gguf::parse(&bytes).expect_err("damage").to_string()
}

fn find(needle: &str) -> usize {
    sample().windows(needle.len()).position(|window| window == needle.as_bytes()).unwrap()
}

#[test]
fn each_false_claim_is_named() {
    assert_eq!(damaged(0, b"GGML"), "not a GGUF file: it starts with \"GGML\", not \"GGUF\"");
    assert_eq!(damaged(4, &[1, 0, 0, 0]), "GGUF version 1: versions 2 and 3 are read");
    assert!(damaged(4, &[0, 0, 0, 3]).contains("version 3 in big-endian order"));
    let huge = u64::MAX.to_le_bytes();
    assert!(damaged(8, &huge).starts_with("tensor count: 18446744073709551615 is over the limit of 65536"));
    assert!(damaged(16, &huge).starts_with("key count: 18446744073709551615 is over the limit of 65536"));
    assert!(damaged(24, &huge).starts_with("key 0 of 15: 18446744073709551615 is over the limit of 65535"));
    let words = find("a.words") + 7;
    assert_eq!(damaged(words, &[99]), "key a.words: unknown value type 99, known are 0 to 12");
    assert_eq!(damaged(words + 4, &[99]), "key a.words: array of unknown value type 99, known are 0 to 12");
    assert!(
        damaged(words + 8, &huge).starts_with("key a.words: array of 18446744073709551615 string: at offset")
    );
    assert!(damaged(find("drei"), &[0xff]).contains("a string is not UTF-8 at offset"));
    let flag = find("a.bool") + 6 + 4;
    assert_eq!(damaged(flag, &[2]), format!("key a.bool: a bool is 0 or 1, found 2 at offset {flag}"));
    assert_eq!(damaged(find("a.i8"), b"a.u8"), "key a.u8: is in the file twice");

    let weight = find("cls.weight") + 10;
    assert!(damaged(weight, &[5]).starts_with("tensor cls.weight: dimensions: 5 is over the limit of 4"));
    assert_eq!(
        damaged(weight + 4, &[63]),
        "tensor cls.weight: rows of 63 columns in q4_0: not a multiple of 32"
    );
    assert!(damaged(weight + 12, &huge).contains("tensor cls.weight: 64 x 18446744073709551615 in q4_0"));
    assert_eq!(damaged(weight + 20, &[4]), "tensor cls.weight: unknown GGML type 4");
    assert_eq!(
        damaged(weight + 24, &[33]),
        "tensor cls.weight: offset 33 is not a multiple of the alignment 32"
    );
    assert!(damaged(weight + 24, &huge[..7]).contains("is not a multiple of the alignment 32"));
    assert!(damaged(weight + 24, &[0xe0, 255, 255, 255, 255, 255, 255, 255]).contains("file has 0"));
    let overlap = "its data offset 0 lies inside tensor cls.bias, which ends at 12: 12 bytes overlap";
    assert_eq!(damaged(weight + 24, &[0]), format!("tensor cls.weight: {overlap}"));
}

#[test]
fn an_alignment_is_a_power_of_two_within_reason() {
    for (alignment, problem) in
        [(0u32, "0 is not a power"), (48, "48 is not a power"), (1 << 22, "over the limit")]
    {
        let mut writer = Writer::new();
        writer.set("general.alignment", alignment);
        assert!(Gguf::parse(&writer.to_vec()).unwrap_err().to_string().contains(problem));
        assert!(writer.align(alignment).is_err());
    }
    let mut writer = Writer::new();
    writer.align(64).unwrap();
    writer.tensor("a", Kind::I8, &[1], vec![1]).unwrap();
    writer.tensor("b", Kind::I8, &[1], vec![2]).unwrap();
    let bytes = writer.to_vec();
    let file = Gguf::parse(&bytes).unwrap();
    assert_eq!((file.data_offset() % 64, bytes[file.data_offset() as usize + 64]), (0, 2));
}

#[test]
fn the_writer_refuses_what_the_reader_would() {
    let mut writer = Writer::new();
    let long = "n".repeat(256);
    let said = |result: Result<(), Error>| result.unwrap_err().to_string();
    assert_eq!(
        said(writer.tensor("w", Kind::Q8_0, &[64, 2], vec![0; 135])),
        "tensor w: 64 x 2 in q8_0 needs 136 bytes, given 135"
    );
    assert!(said(writer.tensor(&long, Kind::I8, &[1], vec![0])).contains("a name of 256 bytes, at most 255"));
    assert!(said(writer.tensor("w", Kind::I8, &[1; 5], vec![0])).contains("5 dimensions, at most 4"));
    writer.tensor("w", Kind::I8, &[1], vec![0]).unwrap();
    assert_eq!(said(writer.tensor("w", Kind::I8, &[1], vec![0])), "tensor w: was written before");
}

#[test]
fn an_empty_tensor_may_be_the_last_thing() {
    let mut writer = Writer::new();
    writer.tensor("none", Kind::F32, &[0, 3], vec![]).unwrap();
    let bytes = writer.to_vec();
    let head = bytes.iter().rposition(|&byte| byte != 0).unwrap();
    // As long as the directory needs, without the padding before the data.
    let end = 24 + 8 + 4 + 4 + 2 * 8 + 4 + 8;
    assert!(head < end && end % 32 != 0);
    let file = Gguf::parse(&bytes[..end]).unwrap();
    assert_eq!((file.tensor("none").unwrap().rows(), file.tensor("none").unwrap().bytes.len()), (3, 0));
    let mut overflow = bytes.clone();
    overflow[24 + 8 + 4 + 4 + 8..][..8].copy_from_slice(&(1u64 << 63).to_le_bytes());
    let one = Gguf::parse(&overflow).map(|file| file.tensor("none").unwrap().rows());
    assert_eq!(one, Ok(1 << 63), "no columns, so no element");
}

/// Seeded damage at random places: the result is a value or an error, and everything handed out can
/// be walked. The same walk runs under the fuzzer.
#[test]
fn random_damage_never_panics() {
    let clean = sample();
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut parsed = 0u32;
    for _ in 0..200_000 {
        let mut bytes = clean.clone();
        for _ in 0..1 + random() % 4 {
            let at = random() as usize % bytes.len();
            bytes[at] = match random() % 4 {
                0 => bytes[at] ^ (1 << (random() % 8)),
                1 => 0xff,
                2 => 0,
                _ => random() as u8,
            };
        }
        if random() % 8 == 0 {
            bytes.truncate(random() as usize % bytes.len());
        }
        if let Ok(file) = Gguf::parse(&bytes) {
            parsed += 1;
            walk(&file);
        }
    }
    assert!(parsed > 1000, "damage in data and names parses: {parsed}");
}

fn walk(file: &Gguf<'_>) {
    for (key, value) in file.keys() {
        assert_eq!(file.get(key).map(|value| value.kind()), Some(value.kind()));
        if let Value::Array(array) = value {
            assert_eq!(array.iter().count(), array.len());
        }
    }
    for tensor in file.tensors() {
        let blocks = tensor.columns() / tensor.kind.block_size() * tensor.rows();
        assert_eq!(tensor.bytes.len(), blocks * tensor.kind.block_bytes());
        assert_eq!(file.tensor(tensor.name).unwrap().name, tensor.name);
        let _ = tensor.f32s();
    }
}
