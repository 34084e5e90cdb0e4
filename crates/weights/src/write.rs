//! The writer: the same input gives the same bytes, always.

use std::ops::Range;
use std::{borrow::Cow, io};

use crate::{Error, Kind, Value, ValueKind, limits, read};

/// A GGUF file in the making: metadata and tensors in the order they were given, version 3.
#[derive(Debug, Clone)]
pub struct Writer<'a> {
    alignment: u64,
    keys: Vec<(String, Vec<u8>)>,
    tensors: Vec<Pending<'a>>,
}

#[derive(Debug, Clone)]
struct Pending<'a> {
    name: String,
    kind: Kind,
    dims: Vec<usize>,
    size: u64,
    /// None: they are written by the caller, where [`Writer::layout`] says.
    bytes: Option<Cow<'a, [u8]>>,
}

/// Where everything of a file lies.
#[derive(Debug, Clone, PartialEq)]
pub struct FileLayout {
    /// What stands before the tensors, padding included.
    pub head: Vec<u8>,
    /// The bytes of each tensor, in the order they were given.
    pub tensors: Vec<Range<u64>>,
    /// Bytes of the file.
    pub size: u64,
}

/// A metadata value that can be written: numbers, bool, strings, arrays of them, and any [`Value`].
pub trait Encode {
    /// The kind that precedes it in the file.
    fn kind(&self) -> ValueKind;
    /// Appends its bytes, without the kind.
    fn encode(&self, out: &mut Vec<u8>);
}

impl Default for Writer<'_> {
    fn default() -> Self {
        Writer::new()
    }
}

impl<'a> Writer<'a> {
    /// An empty file with the format's default alignment of 32 bytes.
    pub fn new() -> Writer<'a> {
        Writer { alignment: limits::DEFAULT_ALIGNMENT, keys: Vec::new(), tensors: Vec::new() }
    }

    /// Aligns tensor data to `alignment` bytes and says so in the metadata.
    ///
    /// **Errors**: not a power of two, or above [`crate::MAX_ALIGNMENT`].
    pub fn align(&mut self, alignment: u32) -> Result<(), Error> {
        if !alignment.is_power_of_two() || u64::from(alignment) > limits::MAX_ALIGNMENT {
            let problem = format!("{alignment} is not a power of two up to {}", limits::MAX_ALIGNMENT);
            return Err(Error::key(limits::ALIGNMENT_KEY, problem));
        }
        self.set(limits::ALIGNMENT_KEY, alignment);
        Ok(())
    }

    /// Sets a metadata key; an earlier value of the same key is replaced where it stands.
    pub fn set(&mut self, key: &str, value: impl Encode) {
        let mut bytes = (value.kind() as u32).to_le_bytes().to_vec();
        value.encode(&mut bytes);
        // The layout follows the metadata, however the key came to be set.
        if key == limits::ALIGNMENT_KEY
            && let Some(&word) = bytes[4..].first_chunk()
            && value.kind() == ValueKind::U32
            && u32::from_le_bytes(word).is_power_of_two()
        {
            self.alignment = u32::from_le_bytes(word).into();
        }
        match self.keys.iter_mut().find(|(name, _)| name == key) {
            Some((_, old)) => *old = bytes,
            None => self.keys.push((key.into(), bytes)),
        }
    }

    /// Adds a tensor. `dims` are in GGML's order, columns first.
    ///
    /// **Errors**: a name in use or too long, more than four dimensions, rows that are not whole blocks,
    /// or another number of bytes than type and shape need.
    pub fn tensor(
        &mut self,
        name: &str,
        kind: Kind,
        dims: &[usize],
        bytes: impl Into<Cow<'a, [u8]>>,
    ) -> Result<(), Error> {
        let bytes = bytes.into();
        let needs = self.check(name, kind, dims)?;
        if needs != bytes.len() as u64 {
            let shape = shape(dims);
            let problem = format!("{shape} in {} needs {needs} bytes, given {}", kind.name(), bytes.len());
            return Err(Error::tensor(name, problem));
        }
        let bytes = Some(bytes);
        self.tensors.push(Pending { name: name.into(), kind, dims: dims.to_vec(), size: needs, bytes });
        Ok(())
    }

    /// Adds a tensor whose bytes the caller writes himself, where [`Writer::layout`] says; [`Writer::write`] fails.
    ///
    /// **Errors**: as [`Writer::tensor`].
    pub fn tensor_to_come(&mut self, name: &str, kind: Kind, dims: &[usize]) -> Result<(), Error> {
        let size = self.check(name, kind, dims)?;
        self.tensors.push(Pending { name: name.into(), kind, dims: dims.to_vec(), size, bytes: None });
        Ok(())
    }

    /// Bytes that a tensor needs.
    fn check(&self, name: &str, kind: Kind, dims: &[usize]) -> Result<u64, Error> {
        let refuse = |problem: String| Err(Error::tensor(name, problem));
        if name.len() as u64 > limits::MAX_NAME_BYTES {
            return refuse(format!("a name of {} bytes, at most {}", name.len(), limits::MAX_NAME_BYTES));
        }
        if self.tensors.iter().any(|tensor| tensor.name == name) {
            return refuse("was written before".into());
        }
        if dims.len() > limits::MAX_DIMS as usize {
            return refuse(format!("{} dimensions, at most {}", dims.len(), limits::MAX_DIMS));
        }
        read::bytes_of(kind, four(dims)).map_err(|problem| Error::tensor(name, problem))
    }

    /// Where everything lies in the file that [`Writer::write`] writes.
    pub fn layout(&self) -> FileLayout {
        let mut head = self.head();
        head.resize(head.len().next_multiple_of(self.alignment as usize), 0);
        let mut size = head.len() as u64;
        let tensors = self.tensors.iter().map(|tensor| {
            let place = size..size + tensor.size;
            size = place.end.next_multiple_of(self.alignment);
            place
        });
        FileLayout { tensors: tensors.collect(), head, size }
    }

    /// Writes the file.
    ///
    /// **Errors**: those of `out`; `InvalidInput` where a tensor was added without its bytes.
    pub fn write(&self, out: &mut impl io::Write) -> io::Result<()> {
        let head = self.head();
        out.write_all(&head)?;
        let mut at = head.len() as u64;
        for Pending { name, bytes, .. } in &self.tensors {
            let Some(bytes) = bytes else {
                let problem = format!("tensor {name} was added without its bytes");
                return Err(io::Error::new(io::ErrorKind::InvalidInput, problem));
            };
            at += self.pad(out, at)?;
            out.write_all(bytes)?;
            at += bytes.len() as u64;
        }
        // Readers of the C library expect the last tensor padded, too.
        self.pad(out, at)?;
        Ok(())
    }

    /// The file as bytes.
    ///
    /// **Panics**: when a tensor was added without its bytes.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write(&mut out).expect("a vector takes every byte");
        out
    }

    fn pad(&self, out: &mut impl io::Write, at: u64) -> io::Result<u64> {
        let padding = at.next_multiple_of(self.alignment) - at;
        io::copy(&mut io::Read::take(io::repeat(0), padding), out)
    }

    /// Everything before the data.
    fn head(&self) -> Vec<u8> {
        let mut head = b"GGUF".to_vec();
        head.extend(3u32.to_le_bytes());
        head.extend((self.tensors.len() as u64).to_le_bytes());
        head.extend((self.keys.len() as u64).to_le_bytes());
        for (key, value) in &self.keys {
            key.as_str().encode(&mut head);
            head.extend(value);
        }
        let mut offset = 0u64;
        for Pending { name, kind, dims, size, .. } in &self.tensors {
            name.as_str().encode(&mut head);
            head.extend((dims.len() as u32).to_le_bytes());
            for &dim in dims {
                head.extend((dim as u64).to_le_bytes());
            }
            head.extend(kind.id().to_le_bytes());
            head.extend(offset.to_le_bytes());
            offset = (offset + size).next_multiple_of(self.alignment);
        }
        head
    }
}

/// Dimensions with the ones that GGML adds.
fn four(dims: &[usize]) -> [usize; 4] {
    std::array::from_fn(|at| dims.get(at).copied().unwrap_or(1))
}

fn shape(dims: &[usize]) -> String {
    read::shape(four(dims))
}

macro_rules! encode_numbers {
    ($($kind:ident $type:ty),*) => {$(
        impl Encode for $type {
            fn kind(&self) -> ValueKind {
                ValueKind::$kind
            }
            fn encode(&self, out: &mut Vec<u8>) {
                out.extend(self.to_le_bytes());
            }
        }
    )*};
}
encode_numbers!(U8 u8, I8 i8, U16 u16, I16 i16, U32 u32, I32 i32, U64 u64, I64 i64, F32 f32, F64 f64);

impl Encode for bool {
    fn kind(&self) -> ValueKind {
        ValueKind::Bool
    }
    fn encode(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }
}

impl Encode for &str {
    fn kind(&self) -> ValueKind {
        ValueKind::Str
    }
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend((self.len() as u64).to_le_bytes());
        out.extend(self.as_bytes());
    }
}

impl Encode for String {
    fn kind(&self) -> ValueKind {
        ValueKind::Str
    }
    fn encode(&self, out: &mut Vec<u8>) {
        self.as_str().encode(out);
    }
}

/// An empty slice is written as an array of strings of length 0: the kind of nothing is not known.
impl<T: Encode> Encode for &[T] {
    fn kind(&self) -> ValueKind {
        ValueKind::Array
    }
    fn encode(&self, out: &mut Vec<u8>) {
        let kind = self.first().map_or(ValueKind::Str, Encode::kind);
        out.extend((kind as u32).to_le_bytes());
        out.extend((self.len() as u64).to_le_bytes());
        for value in *self {
            value.encode(out);
        }
    }
}

impl Encode for Value<'_> {
    fn kind(&self) -> ValueKind {
        Value::kind(self)
    }
    fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Value::U8(value) => value.encode(out),
            Value::I8(value) => value.encode(out),
            Value::U16(value) => value.encode(out),
            Value::I16(value) => value.encode(out),
            Value::U32(value) => value.encode(out),
            Value::I32(value) => value.encode(out),
            Value::U64(value) => value.encode(out),
            Value::I64(value) => value.encode(out),
            Value::F32(value) => value.encode(out),
            Value::F64(value) => value.encode(out),
            Value::Bool(value) => value.encode(out),
            Value::Str(value) => value.encode(out),
            Value::Array(array) => {
                out.extend((array.kind as u32).to_le_bytes());
                out.extend((array.len as u64).to_le_bytes());
                out.extend(array.bytes);
            }
        }
    }
}
