//! Any bytes as a GGUF file: an error, or a file whose every part can be read and written again.
#![no_main]

use lacuna_weights::{Gguf, Value, Writer};
use libfuzzer_sys::fuzz_target;

/// Values a tensor may have here: dims of an empty tensor may multiply to anything.
const MOST_VALUES: usize = 1 << 20;

fuzz_target!(|bytes: &[u8]| {
    let Ok(file) = Gguf::parse(bytes) else { return };
    let mut again = Writer::new();
    for (key, value) in file.keys() {
        if let Value::Array(array) = value {
            assert_eq!(array.iter().count(), array.len());
        }
        let _ = (file.u32(key), file.f32(key), file.str(key), file.strings(key).map(Iterator::count));
        again.set(key, value);
    }
    for tensor in file.tensors() {
        assert_eq!(file.tensor(tensor.name).unwrap(), tensor);
        if tensor.bytes.len() <= MOST_VALUES {
            let _ = tensor.dequantized();
        }
        if tensor.rows() > 0 {
            assert_eq!(tensor.row(0).unwrap().len() * tensor.rows(), tensor.bytes.len());
        }
        again.tensor(tensor.name, tensor.kind, &tensor.dims, tensor.bytes).unwrap();
    }
    let again = again.to_vec();
    let again = Gguf::parse(&again).expect("what was read can be written and read");
    assert!(again.tensors().map(|tensor| tensor.bytes).eq(file.tensors().map(|tensor| tensor.bytes)));
});
