//! The reader: one pass over the directory, every claim checked against the bytes there are.

use std::borrow::Cow;

use crate::{Error, Kind, Value, ValueKind, limits, value};

/// A checked GGUF file over borrowed bytes.
#[derive(Debug, Clone)]
pub struct Gguf<'a> {
    version: u32,
    alignment: u64,
    data_offset: u64,
    keys: Vec<(&'a str, Value<'a>)>,
    tensors: Vec<Tensor<'a>>,
    /// Indices of `tensors`, sorted by name.
    by_name: Vec<u32>,
}

/// A tensor: its description and its bytes.
///
/// **Shape**: `dims` in GGML's order, fastest first and padded with 1: a matrix of 35 rows and 384
/// columns is `[384, 35, 1, 1]`. `bytes` holds exactly the whole blocks of all rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tensor<'a> {
    pub name: &'a str,
    pub kind: Kind,
    pub dims: [usize; 4],
    pub bytes: &'a [u8],
}

impl<'a> Gguf<'a> {
    /// Checks `bytes` and returns the directory over them.
    ///
    /// **Errors**: anything that is not a whole and consistent GGUF file of version 2 or 3; the message
    /// names key or tensor, offset and sizes.
    pub fn parse(bytes: &'a [u8]) -> Result<Gguf<'a>, Error> {
        let directory = directory(bytes)?;
        let tensors = tensors(bytes, bytes.len() as u64, &directory)?;
        Gguf::of(directory, tensors)
    }

    /// Checks the directory of a file of `size` bytes, as far as that is known, of which only the first ones have come.
    ///
    /// **Errors**: as [`Gguf::parse`]; [`Error::Truncated`] where more bytes are needed to read the directory.
    pub fn head(bytes: &'a [u8], size: Option<u64>) -> Result<Head<'a>, Error> {
        let directory = directory(bytes)?;
        let tensors = tensors(&[], size.unwrap_or(u64::MAX), &directory)?;
        let start = |offset: u64| directory.data_offset.saturating_add(offset);
        let places = directory.claims.iter().map(|claim| (start(claim.offset), claim.bytes)).collect();
        Ok(Head { file: Gguf::of(directory, tensors)?, places })
    }

    fn of(directory: Directory<'a>, tensors: Vec<Tensor<'a>>) -> Result<Gguf<'a>, Error> {
        let Directory { version, keys, alignment, claims, data_offset } = directory;
        check_overlap(&claims)?;
        let by_name = by_name(&tensors)?;
        Ok(Gguf { version, alignment, data_offset, keys, tensors, by_name })
    }

    /// Adds the tensors of another part of the same model.
    pub(crate) fn append(&mut self, part: Gguf<'a>) -> Result<(), Error> {
        self.tensors.extend(part.tensors);
        limit("tensor count", self.tensors.len() as u64, limits::MAX_TENSORS, limits::TENSORS_REASON)?;
        self.by_name = by_name(&self.tensors)?;
        Ok(())
    }

    /// The format's version, 2 or 3.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// Alignment of tensor data in the file, in bytes.
    pub fn alignment(&self) -> u64 {
        self.alignment
    }

    /// Where tensor data starts, in bytes from the start of the file.
    pub fn data_offset(&self) -> u64 {
        self.data_offset
    }

    /// The value of a metadata key.
    pub fn get(&self, key: &str) -> Option<Value<'a>> {
        self.keys.iter().find(|(name, _)| *name == key).map(|&(_, value)| value)
    }

    /// All metadata in file order.
    pub fn keys(&self) -> impl Iterator<Item = (&'a str, Value<'a>)> + '_ {
        self.keys.iter().copied()
    }

    /// All tensors in file order.
    pub fn tensors(&self) -> impl Iterator<Item = Tensor<'a>> + '_ {
        self.tensors.iter().copied()
    }

    /// The tensor of that name.
    ///
    /// **Errors**: names it when the file has none.
    pub fn tensor(&self, name: &str) -> Result<Tensor<'a>, Error> {
        self.by_name
            .binary_search_by(|&index| self.tensors[index as usize].name.cmp(name))
            .map(|at| self.tensors[self.by_name[at] as usize])
            .map_err(|_| Error::tensor(name, format!("not among the file's {} tensors", self.tensors.len())))
    }

    /// A metadata integer of any width that fits u32.
    ///
    /// **Errors**: absent, or another type, or too large; the message says which.
    pub fn u32(&self, key: &str) -> Result<u32, Error> {
        let value = self.need(key)?;
        let number = value.unsigned().ok_or_else(|| wrong(key, "u32", value))?;
        u32::try_from(number).map_err(|_| Error::key(key, format!("{number} is over {}", u32::MAX)))
    }

    /// A metadata float.
    ///
    /// **Errors**: absent or another type.
    pub fn f32(&self, key: &str) -> Result<f32, Error> {
        match self.need(key)? {
            Value::F32(value) => Ok(value),
            other => Err(wrong(key, "f32", other)),
        }
    }

    /// A metadata boolean.
    ///
    /// **Errors**: absent or another type.
    pub fn bool(&self, key: &str) -> Result<bool, Error> {
        match self.need(key)? {
            Value::Bool(value) => Ok(value),
            other => Err(wrong(key, "bool", other)),
        }
    }

    /// A metadata string.
    ///
    /// **Errors**: absent or another type.
    pub fn str(&self, key: &str) -> Result<&'a str, Error> {
        match self.need(key)? {
            Value::Str(value) => Ok(value),
            other => Err(wrong(key, "string", other)),
        }
    }

    /// The elements of a metadata array of strings.
    ///
    /// **Errors**: absent or another type.
    pub fn strings(&self, key: &str) -> Result<impl Iterator<Item = &'a str> + use<'a>, Error> {
        match self.need(key)? {
            Value::Array(array) if array.kind == ValueKind::Str => Ok(array
                .iter()
                .filter_map(|value| if let Value::Str(text) = value { Some(text) } else { None })),
            other => Err(wrong(key, "array of string", other)),
        }
    }

    fn need(&self, key: &str) -> Result<Value<'a>, Error> {
        self.get(key).ok_or_else(|| Error::key(key, format!("not among the file's {} keys", self.keys.len())))
    }
}

impl<'a> Tensor<'a> {
    /// Elements in a row: the fastest dimension.
    pub fn columns(&self) -> usize {
        self.dims[0]
    }

    /// Rows: all the other dimensions together.
    pub fn rows(&self) -> usize {
        self.dims[1] * self.dims[2] * self.dims[3]
    }

    /// The values of an F32 tensor, borrowed where the bytes are aligned for it, else copied.
    ///
    /// **Errors**: another type, naming it.
    pub fn f32s(&self) -> Result<Cow<'a, [f32]>, Error> {
        if self.kind != Kind::F32 {
            return Err(Error::tensor(self.name, format!("expected f32, found {}", self.kind.name())));
        }
        if cfg!(target_endian = "little")
            && let Ok(values) = bytemuck::try_cast_slice(self.bytes)
        {
            return Ok(Cow::Borrowed(values));
        }
        let (words, _) = self.bytes.as_chunks::<4>();
        Ok(Cow::Owned(words.iter().map(|word| f32::from_le_bytes(*word)).collect()))
    }
}

/// The directory of a file whose tensors are still to come.
#[derive(Debug, Clone)]
pub struct Head<'a> {
    file: Gguf<'a>,
    places: Vec<(u64, u64)>,
}

impl<'a> Head<'a> {
    /// The directory. Its tensors have a shape and no bytes.
    pub fn file(&self) -> &Gguf<'a> {
        &self.file
    }

    /// Of each tensor, in file order: its first byte in the file, and how many they are.
    pub fn places(&self) -> &[(u64, u64)] {
        &self.places
    }
}

/// What stands before the tensors.
struct Directory<'a> {
    version: u32,
    keys: Vec<(&'a str, Value<'a>)>,
    alignment: u64,
    claims: Vec<Claim<'a>>,
    data_offset: u64,
}

fn directory(bytes: &[u8]) -> Result<Directory<'_>, Error> {
    let mut cursor = Cursor::new(bytes);
    let magic = &bytes[..bytes.len().min(4)];
    if magic != b"GGUF" {
        return Err(Error::Magic { found: magic.to_vec() });
    }
    cursor.take(4, || "magic".into())?;
    let version = u32::from_le_bytes(cursor.array(|| "version".into())?);
    if !matches!(version, 2 | 3) {
        return Err(Error::Version { found: version });
    }
    let tensor_count = cursor.count(|| "tensor count".into())?;
    let key_count = cursor.count(|| "key count".into())?;
    limit("tensor count", tensor_count, limits::MAX_TENSORS, limits::TENSORS_REASON)?;
    limit("key count", key_count, limits::MAX_KEYS, "published models have fewer than a hundred")?;
    let keys = keys(&mut cursor, key_count)?;
    let alignment = alignment(&keys)?;
    let claims = claims(&mut cursor, tensor_count)?;
    let data_offset = (cursor.offset() as u64).next_multiple_of(alignment);
    Ok(Directory { version, keys, alignment, claims, data_offset })
}

/// What the directory claims of a tensor, before it is checked against the file.
struct Claim<'a> {
    name: &'a str,
    kind: Kind,
    dims: [usize; 4],
    /// From the start of the data.
    offset: u64,
    bytes: u64,
}

fn keys<'a>(cursor: &mut Cursor<'a>, count: u64) -> Result<Vec<(&'a str, Value<'a>)>, Error> {
    // A key takes at least its length and a type: a false count cannot make this allocation large.
    let mut keys = Vec::with_capacity(count.min(cursor.remaining() as u64 / 12) as usize);
    for index in 0..count {
        let what = || format!("key {index} of {count}");
        let key = cursor.string(limits::MAX_KEY_BYTES, "the format's own limit", what)?;
        let id = u32::from_le_bytes(cursor.array(|| format!("key {key}"))?);
        let kind = ValueKind::from_id(id)
            .ok_or_else(|| Error::key(key, format!("unknown value type {id}, known are 0 to 12")))?;
        keys.push((key, value::value(cursor, kind, key, 0)?));
    }
    let mut names: Vec<&str> = keys.iter().map(|&(key, _)| key).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(Error::key(pair[0], "is in the file twice")),
        None => Ok(keys),
    }
}

fn alignment(keys: &[(&str, Value<'_>)]) -> Result<u64, Error> {
    const KEY: &str = limits::ALIGNMENT_KEY;
    let Some(&(_, value)) = keys.iter().find(|(key, _)| *key == KEY) else {
        return Ok(limits::DEFAULT_ALIGNMENT);
    };
    let alignment = value.unsigned().ok_or_else(|| wrong(KEY, "u32", value))?;
    if !alignment.is_power_of_two() {
        return Err(Error::key(KEY, format!("{alignment} is not a power of two")));
    }
    limit(KEY, alignment, limits::MAX_ALIGNMENT, "a large page")?;
    Ok(alignment)
}

fn claims<'a>(cursor: &mut Cursor<'a>, count: u64) -> Result<Vec<Claim<'a>>, Error> {
    // A description takes at least 24 bytes.
    let mut claims = Vec::with_capacity(count.min(cursor.remaining() as u64 / 24) as usize);
    for index in 0..count {
        let what = || format!("tensor {index} of {count}");
        let name = cursor.string(limits::MAX_NAME_BYTES, "GGML holds names in 64 bytes", what)?;
        claims.push(claim(cursor, name)?);
    }
    Ok(claims)
}

fn claim<'a>(cursor: &mut Cursor<'a>, name: &'a str) -> Result<Claim<'a>, Error> {
    let what = || format!("tensor {name} (description)");
    let dimensions = u32::from_le_bytes(cursor.array(what)?);
    limit(
        &format!("tensor {name}: dimensions"),
        dimensions.into(),
        limits::MAX_DIMS.into(),
        "GGML has four",
    )?;
    let mut dims = [1usize; 4];
    for dim in dims.iter_mut().take(dimensions as usize) {
        let length = u64::from_le_bytes(cursor.array(what)?);
        *dim = usize::try_from(length)
            .map_err(|_| Error::tensor(name, format!("a dimension of {length} is beyond this machine")))?;
    }
    let id = u32::from_le_bytes(cursor.array(what)?);
    let kind = Kind::from_id(id).ok_or_else(|| Error::tensor(name, format!("unknown GGML type {id}")))?;
    let offset = u64::from_le_bytes(cursor.array(what)?);
    let bytes = bytes_of(kind, dims).map_err(|problem| Error::tensor(name, problem))?;
    Ok(Claim { name, kind, dims, offset, bytes })
}

/// Bytes of a tensor of that type and shape, or why there is none.
pub(crate) fn bytes_of(kind: Kind, dims: [usize; 4]) -> Result<u64, String> {
    let block = kind.block_size();
    if !dims[0].is_multiple_of(block) {
        return Err(format!("rows of {} columns in {}: not a multiple of {block}", dims[0], kind.name()));
    }
    // Rows and elements fit a usize, so that nobody who multiplies them has to ask again.
    let rows = dims[1..].iter().try_fold(1usize, |product, &dim| product.checked_mul(dim));
    rows.filter(|rows| rows.checked_mul(dims[0]).is_some())
        .and_then(|rows| (rows as u64).checked_mul((dims[0] / block) as u64))
        .and_then(|blocks| blocks.checked_mul(kind.block_bytes() as u64))
        .filter(|&bytes| bytes <= i64::MAX as u64)
        .ok_or_else(|| format!("{} in {} is more than any file holds", shape(dims), kind.name()))
}

/// `384 x 35`: the shape without trailing ones, as messages show it.
pub(crate) fn shape(dims: [usize; 4]) -> String {
    let used = dims.iter().rposition(|&dim| dim != 1).map_or(1, |last| last + 1);
    dims[..used].iter().map(usize::to_string).collect::<Vec<_>>().join(" x ")
}

/// The tensors of a file of `size` bytes, each with what `bytes` holds of it.
fn tensors<'a>(bytes: &'a [u8], size: u64, directory: &Directory<'a>) -> Result<Vec<Tensor<'a>>, Error> {
    let &Directory { data_offset, alignment, .. } = directory;
    let has = size.saturating_sub(data_offset);
    directory
        .claims
        .iter()
        .map(|claim| {
            let &Claim { name, kind, dims, offset, bytes: needs } = claim;
            if !offset.is_multiple_of(alignment) {
                let problem = format!("offset {offset} is not a multiple of the alignment {alignment}");
                return Err(Error::tensor(name, problem));
            }
            if offset > has || needs > has - offset {
                let problem = format!(
                    "{} in {} needs {needs} bytes at offset {}, file has {}",
                    shape(dims),
                    kind.name(),
                    data_offset.saturating_add(offset),
                    has.saturating_sub(offset),
                );
                return Err(Error::tensor(name, problem));
            }
            // Within the file, or an empty tensor at the end of one whose last padding is missing.
            let start = (data_offset + offset) as usize;
            let bytes = bytes.get(start..start + needs as usize).unwrap_or(&[]);
            Ok(Tensor { name, kind, dims, bytes })
        })
        .collect()
}

fn check_overlap(claims: &[Claim<'_>]) -> Result<(), Error> {
    let mut order: Vec<&Claim<'_>> = claims.iter().filter(|claim| claim.bytes > 0).collect();
    order.sort_unstable_by_key(|claim| claim.offset);
    for pair in order.windows(2) {
        let end = pair[0].offset + pair[0].bytes;
        if end > pair[1].offset {
            let problem = format!(
                "its data offset {} lies inside tensor {}, which ends at {end}: {} bytes overlap",
                pair[1].offset,
                pair[0].name,
                end.min(pair[1].offset + pair[1].bytes) - pair[1].offset,
            );
            return Err(Error::tensor(pair[1].name, problem));
        }
    }
    Ok(())
}

fn by_name(tensors: &[Tensor<'_>]) -> Result<Vec<u32>, Error> {
    // MAX_TENSORS fits u32.
    let mut order: Vec<u32> = (0..tensors.len() as u32).collect();
    order.sort_unstable_by_key(|&index| tensors[index as usize].name);
    let same = |pair: &&[u32]| tensors[pair[0] as usize].name == tensors[pair[1] as usize].name;
    match order.windows(2).find(same) {
        Some(pair) => Err(Error::tensor(tensors[pair[0] as usize].name, "is in the file twice")),
        None => Ok(order),
    }
}

fn limit(what: &str, found: u64, limit: u64, reason: &'static str) -> Result<(), Error> {
    if found > limit { Err(Error::Limit { what: what.into(), found, limit, reason }) } else { Ok(()) }
}

fn wrong(key: &str, expected: &str, found: Value<'_>) -> Error {
    let found = match found {
        Value::Array(array) => format!("array of {} {}", array.len, array.kind.name()),
        Value::Str(text) => format!("string of {} bytes", text.len()),
        other => format!("{} {}", other.kind().name(), number(other)),
    };
    Error::key(key, format!("expected {expected}, found {found}"))
}

fn number(value: Value<'_>) -> String {
    match value {
        Value::U8(value) => value.to_string(),
        Value::I8(value) => value.to_string(),
        Value::U16(value) => value.to_string(),
        Value::I16(value) => value.to_string(),
        Value::U32(value) => value.to_string(),
        Value::I32(value) => value.to_string(),
        Value::U64(value) => value.to_string(),
        Value::I64(value) => value.to_string(),
        Value::F32(value) => value.to_string(),
        Value::F64(value) => value.to_string(),
        Value::Bool(value) => value.to_string(),
        Value::Str(_) | Value::Array(_) => String::new(),
    }
}

/// A place in the bytes; every step is checked against what is left.
#[derive(Clone)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor { bytes, offset: 0 }
    }

    pub(crate) fn offset(&self) -> usize {
        self.offset
    }

    pub(crate) fn remaining(&self) -> usize {
        self.bytes.len() - self.offset
    }

    pub(crate) fn since(&self, start: usize) -> &'a [u8] {
        &self.bytes[start..self.offset]
    }

    pub(crate) fn take(&mut self, needs: usize, what: impl Fn() -> String) -> Result<&'a [u8], Error> {
        let rest = &self.bytes[self.offset..];
        let Some(taken) = rest.get(..needs) else {
            return Err(self.short(needs as u64, what));
        };
        self.offset += needs;
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self, what: impl Fn() -> String) -> Result<[u8; N], Error> {
        let Some(&taken) = self.bytes[self.offset..].first_chunk::<N>() else {
            return Err(self.short(N as u64, what));
        };
        self.offset += N;
        Ok(taken)
    }

    /// A count or length.
    pub(crate) fn count(&mut self, what: impl Fn() -> String) -> Result<u64, Error> {
        Ok(u64::from_le_bytes(self.array(what)?))
    }

    pub(crate) fn string(
        &mut self,
        most: u64,
        reason: &'static str,
        what: impl Fn() -> String,
    ) -> Result<&'a str, Error> {
        let length = self.count(&what)?;
        if length > most {
            return Err(Error::Limit { what: what(), found: length, limit: most, reason });
        }
        let Some(needs) = usize::try_from(length).ok().filter(|&needs| needs <= self.remaining()) else {
            return Err(self.short(length, what));
        };
        let start = self.offset;
        let bytes = self.take(needs, &what)?;
        std::str::from_utf8(bytes).map_err(|error| Error::Key {
            key: what(),
            problem: format!("a string is not UTF-8 at offset {}", start + error.valid_up_to()),
        })
    }

    fn short(&self, needs: u64, what: impl Fn() -> String) -> Error {
        Error::Truncated { what: what(), offset: self.offset as u64, needs, has: self.remaining() as u64 }
    }
}
