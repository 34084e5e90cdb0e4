//! `model.safetensors` as named tensors.

use safetensors::{Dtype, SafeTensors};

use crate::{
    Error,
    checkpoint::{Checkpoint, Data, Stored},
};

const FILE: &str = "safetensors file";

/// Reads the float tensors of a safetensors file; others (position ids, counters) are no weights.
///
/// **Errors**: damage, as the `safetensors` crate finds it.
pub(crate) fn read(bytes: &[u8]) -> Result<Checkpoint, Error> {
    let file = SafeTensors::deserialize(bytes).map_err(|error| Error::format(FILE, error.to_string()))?;
    let mut checkpoint = Checkpoint::default();
    for (name, view) in file.iter() {
        let data = view.data();
        let values: Vec<f32> = match view.dtype() {
            Dtype::F32 => data.as_chunks().0.iter().map(|&word| f32::from_le_bytes(word)).collect(),
            Dtype::F16 => {
                data.as_chunks().0.iter().map(|&half| half::f16::from_le_bytes(half).to_f32()).collect()
            }
            Dtype::BF16 => {
                data.as_chunks().0.iter().map(|&half| half::bf16::from_le_bytes(half).to_f32()).collect()
            }
            _ => continue,
        };
        // The names TensorFlow gave a norm's parameters live on in old checkpoints.
        let name = match (name.strip_suffix(".gamma"), name.strip_suffix(".beta")) {
            (Some(norm), _) => format!("{norm}.weight"),
            (_, Some(norm)) => format!("{norm}.bias"),
            _ => name.to_string(),
        };
        checkpoint.0.insert(name, Stored { dims: view.shape().to_vec(), data: Data::F32(values) });
    }
    Ok(checkpoint)
}
