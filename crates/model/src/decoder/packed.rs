//! Files whose matrices are packed ahead of time: `lacuna bundle` writes them, the decoder reads them in place.

use kernels::{Layout, PanelsQ8_0};
use weights::{Gguf, Kind, Tensor, Value, Writer};

use super::Error;

/// Alignment of tensor data: a cache line.
const ALIGNMENT: u32 = 64;

/// Metadata key of the layout.
const LAYOUT: &str = "lacuna.layout";

/// What a packed tensor was: `lacuna.packed.NAME` is `[type, rows, columns]`.
pub(super) fn key(name: &str) -> String {
    format!("lacuna.packed.{name}")
}

/// The name of the order that products on `target_arch` read.
fn layout(target_arch: &str) -> String {
    format!("{} {}", Layout::of(target_arch).id(), PanelsQ8_0::LAYOUT)
}

/// The same model with its matrices in the order that products on `target_arch` read. `without` names metadata to
/// leave out.
///
/// **Errors**: a matrix that is not whole blocks; a file that is packed already for another target.
pub fn packed<'a>(file: &Gguf<'a>, target_arch: &str, without: &[&str]) -> Result<Writer<'a>, Error> {
    let mut writer = prepared(file, target_arch, without)?;
    for tensor in file.tensors() {
        let (rows, columns) = (tensor.rows(), tensor.columns());
        let problem = |problem: String| Error::matrix(&tensor, problem);
        let bytes = match tensor.kind {
            Kind::Q4_0 => kernels::packed::pack_q4_0(Layout::of(target_arch), rows, columns, tensor.bytes)
                .map_err(|error| problem(error.to_string()))?,
            Kind::Q8_0 => PanelsQ8_0::pack(rows, columns, tensor.bytes)
                .map_err(|error| problem(error.to_string()))?
                .into_bytes(),
            kind => {
                writer.tensor(tensor.name, kind, dims(&tensor), tensor.bytes)?;
                continue;
            }
        };
        writer.set(&key(tensor.name), &[tensor.kind.id(), rows as u32, columns as u32][..]);
        writer.tensor(tensor.name, Kind::I8, &[bytes.len()], bytes)?;
    }
    Ok(writer)
}

/// A file with the metadata of a packed one, and no tensor yet.
///
/// **Errors**: a file that is packed already for another target.
pub(super) fn prepared<'a>(
    file: &Gguf<'a>,
    target_arch: &str,
    without: &[&str],
) -> Result<Writer<'a>, Error> {
    let mut writer = Writer::new();
    writer.align(ALIGNMENT)?;
    for (name, value) in
        file.keys().filter(|(name, _)| !without.contains(name) && *name != "general.alignment")
    {
        writer.set(name, value);
    }
    let layout = layout(target_arch);
    if let Ok(found) = file.str(LAYOUT)
        && found != layout
    {
        return Err(Error::setting(LAYOUT, format!("{found}: already packed, and not in {layout}")));
    }
    writer.set(LAYOUT, layout.as_str());
    Ok(writer)
}

/// The dimensions of a tensor without trailing ones.
pub(super) fn dims<'t>(tensor: &'t Tensor<'_>) -> &'t [usize] {
    let last = tensor.dims.iter().rposition(|dim| *dim != 1).map_or(1, |last| last + 1);
    &tensor.dims[..last]
}

/// What a tensor of a packed file was.
pub(super) struct Packing {
    pub kind: Kind,
    pub rows: usize,
    pub columns: usize,
}

/// How `tensor` is packed, if it is.
///
/// **Errors**: packed for another target, or a description that makes no sense.
pub(super) fn packing(file: &Gguf<'_>, tensor: &Tensor<'_>) -> Result<Option<Packing>, Error> {
    let key = key(tensor.name);
    let Some(value) = file.get(&key) else { return Ok(None) };
    let here = layout(std::env::consts::ARCH);
    let found = file.str(LAYOUT)?;
    if found != here {
        return Err(Error::setting(
            LAYOUT,
            format!("{found}: this build reads {here}; bundle the model again"),
        ));
    }
    let numbers: Vec<u64> = match value {
        Value::Array(array) => array.iter().filter_map(|value| value.unsigned()).collect(),
        _ => Vec::new(),
    };
    let (&[kind, rows, columns], Kind::I8) = (&numbers[..], tensor.kind) else {
        return Err(Error::setting(&key, "not [type, rows, columns] of an i8 tensor"));
    };
    let kind = match Kind::from_id(kind as u32) {
        Some(kind @ (Kind::Q4_0 | Kind::Q8_0)) => kind,
        _ => return Err(Error::setting(&key, format!("type {kind} is never packed"))),
    };
    Ok(Some(Packing { kind, rows: rows as usize, columns: columns as usize }))
}

/// Rows of a tensor, packed or not.
pub(super) fn rows(file: &Gguf<'_>, name: &str) -> Result<usize, Error> {
    let tensor = file.tensor(name)?;
    Ok(packing(file, &tensor)?.map_or(tensor.rows(), |packing| packing.rows))
}
