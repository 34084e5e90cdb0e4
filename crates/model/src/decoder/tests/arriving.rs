//! Models that come in pieces are the files that `packed` writes, byte for byte.

use std::borrow::Cow;

use super::*;

const TABLE: (&str, &[u8]) = ("lacuna.tokenizer", b"a table of a size that is no multiple");
const WITHOUT: [&str; 1] = ["tokenizer.ggml.tokens"];

fn whole(bytes: &[u8]) -> Vec<u8> {
    let mut writer = packed(&Gguf::parse(bytes).unwrap(), std::env::consts::ARCH, &WITHOUT).unwrap();
    writer.tensor(TABLE.0, weights::Kind::I8, &[TABLE.1.len()], Cow::Borrowed(TABLE.1)).unwrap();
    writer.to_vec()
}

fn begun(bytes: &[u8]) -> Arriving {
    let table = Some((TABLE.0, TABLE.1.to_vec()));
    Plan::new(&Gguf::head(bytes, None).unwrap(), &WITHOUT, table).unwrap().begin().unwrap()
}

#[test]
fn pieces_of_any_size_make_the_packed_file() {
    for name in NAMES {
        let bytes = tiny(name).bytes;
        let want = whole(&bytes);
        for (skip, piece) in [(0, 1), (24, 7), (100, 4096), (0, usize::MAX)] {
            let mut arriving = begun(&bytes);
            arriving.skip(skip);
            let rest = &bytes[skip as usize..];
            rest.chunks(piece.min(rest.len())).for_each(|piece| arriving.take(piece));
            assert_eq!(arriving.at(), bytes.len() as u64);
            let image = arriving.finish().unwrap();
            assert!(image.bytes() == want, "{name} in pieces of {piece}");
            assert_eq!(image.bytes().as_ptr() as usize % 64, 0);
        }
    }
}

/// A directory may name its tensors in any order, and leave gaps between them.
#[test]
fn tensors_may_lie_in_another_order() {
    let mut writer = weights::Writer::new();
    for (name, value) in [("a", 1u8), ("b", 2), ("c", 3)] {
        writer.tensor(name, weights::Kind::I8, &[40], vec![value; 40]).unwrap();
    }
    let mut bytes = writer.to_vec();
    // The offsets of the first and of the last: 0 and 128.
    let offsets: Vec<usize> = (0..bytes.len() - 9)
        .filter(|at| bytes[*at..].starts_with(&weights::Kind::I8.id().to_le_bytes()))
        .collect();
    let (first, last) = (offsets[0] + 4, offsets[2] + 4);
    assert_eq!((bytes[first], bytes[last]), (0, 128));
    (bytes[first], bytes[last]) = (128, 0);
    let want = Gguf::parse(&bytes).unwrap();
    assert_eq!(want.tensor("a").unwrap().bytes, [3; 40]);
    let mut arriving = Plan::new(&Gguf::head(&bytes, None).unwrap(), &[], None).unwrap().begin().unwrap();
    bytes.chunks(11).for_each(|piece| arriving.take(piece));
    let image = arriving.finish().unwrap();
    let got = Gguf::parse(image.bytes()).unwrap();
    for tensor in want.tensors() {
        assert_eq!(got.tensor(tensor.name).unwrap().bytes, tensor.bytes, "{}", tensor.name);
    }
}

#[test]
fn what_is_cut_short_says_where() {
    let bytes = tiny("llama").bytes;
    let file = Gguf::parse(&bytes).unwrap();
    let last = file.tensors().max_by_key(|tensor| tensor.bytes.as_ptr() as usize).unwrap();
    let start = last.bytes.as_ptr() as usize - bytes.as_ptr() as usize;
    let mut arriving = begun(&bytes);
    arriving.take(&bytes[..start + 10]);
    let needs = last.bytes.len();
    assert_eq!(
        arriving.finish().unwrap_err().to_string(),
        format!("tensor {}: at offset {start} it needs {needs} bytes, file has 10", last.name)
    );
    let head = &bytes[..file.data_offset() as usize];
    let told = Gguf::head(head, Some(start as u64)).unwrap_err().to_string();
    assert!(told.starts_with("tensor ") && told.ends_with("file has 0"), "{told}");
    assert!(matches!(Gguf::head(&head[..head.len() / 2], None), Err(weights::Error::Truncated { .. })));
}

fn planned(head: &[u8]) -> Result<Arriving, Error> {
    Plan::new(&Gguf::head(head, None).unwrap(), &[], None)?.begin()
}

/// A false claim of a size is refused before memory is asked for.
#[test]
fn no_memory_is_an_error() {
    let mut writer = weights::Writer::new();
    writer.tensor_to_come("huge", weights::Kind::Q8_0, &[1 << 40, 1 << 20]).unwrap();
    let head = writer.layout().head;
    let error = planned(&head).unwrap_err();
    assert!(matches!(error, Error::Memory { bytes } if bytes > 1 << 60), "{error}");
    let mut writer = weights::Writer::new();
    writer.tensor_to_come("large", weights::Kind::I8, &[1 << 55]).unwrap();
    let head = writer.layout().head;
    let error = planned(&head).unwrap_err();
    assert!(error.to_string().starts_with("no memory for the model's 36028797018964"), "{error}");
}
