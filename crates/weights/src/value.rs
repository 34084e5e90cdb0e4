//! Metadata values: read in place, checked once.

use crate::{Error, limits, read::Cursor};

/// A metadata value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<'a> {
    U8(u8),
    I8(i8),
    U16(u16),
    I16(i16),
    U32(u32),
    I32(i32),
    F32(f32),
    Bool(bool),
    Str(&'a str),
    Array(Array<'a>),
    U64(u64),
    I64(i64),
    F64(f64),
}

/// The type of a metadata value, with GGUF's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum ValueKind {
    U8 = 0,
    I8 = 1,
    U16 = 2,
    I16 = 3,
    U32 = 4,
    I32 = 5,
    F32 = 6,
    Bool = 7,
    Str = 8,
    Array = 9,
    U64 = 10,
    I64 = 11,
    F64 = 12,
}

/// An array of values of one kind, read where it lies. Every element was checked by `parse`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Array<'a> {
    pub(crate) kind: ValueKind,
    pub(crate) len: usize,
    pub(crate) bytes: &'a [u8],
}

impl<'a> Array<'a> {
    /// The kind of every element.
    pub fn kind(&self) -> ValueKind {
        self.kind
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no element.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The elements in order.
    pub fn iter(&self) -> impl Iterator<Item = Value<'a>> + use<'a> {
        let (kind, mut cursor) = (self.kind, Cursor::new(self.bytes));
        (0..self.len).map_while(move |_| value(&mut cursor, kind, "", 0).ok())
    }
}

impl ValueKind {
    /// The kind with GGUF's number `id`.
    pub fn from_id(id: u32) -> Option<ValueKind> {
        use ValueKind::*;
        [U8, I8, U16, I16, U32, I32, F32, Bool, Str, Array, U64, I64, F64].get(id as usize).copied()
    }

    /// Its name in messages: `u32`, `string`, …
    pub fn name(self) -> &'static str {
        const NAMES: [&str; 13] =
            ["u8", "i8", "u16", "i16", "u32", "i32", "f32", "bool", "string", "array", "u64", "i64", "f64"];
        NAMES[self as usize]
    }

    /// The least an element takes, which bounds an array's length before it is walked.
    fn least_bytes(self) -> u64 {
        match self {
            ValueKind::U8 | ValueKind::I8 | ValueKind::Bool => 1,
            ValueKind::U16 | ValueKind::I16 => 2,
            ValueKind::U32 | ValueKind::I32 | ValueKind::F32 => 4,
            ValueKind::Str | ValueKind::U64 | ValueKind::I64 | ValueKind::F64 => 8,
            ValueKind::Array => 12,
        }
    }

    /// Whether every element takes `least_bytes` and any bits are a value of the kind.
    fn is_plain(self) -> bool {
        !matches!(self, ValueKind::Str | ValueKind::Array | ValueKind::Bool)
    }
}

impl Value<'_> {
    /// Its kind.
    pub fn kind(&self) -> ValueKind {
        match self {
            Value::U8(_) => ValueKind::U8,
            Value::I8(_) => ValueKind::I8,
            Value::U16(_) => ValueKind::U16,
            Value::I16(_) => ValueKind::I16,
            Value::U32(_) => ValueKind::U32,
            Value::I32(_) => ValueKind::I32,
            Value::F32(_) => ValueKind::F32,
            Value::Bool(_) => ValueKind::Bool,
            Value::Str(_) => ValueKind::Str,
            Value::Array(_) => ValueKind::Array,
            Value::U64(_) => ValueKind::U64,
            Value::I64(_) => ValueKind::I64,
            Value::F64(_) => ValueKind::F64,
        }
    }

    /// An integer of any width, when it is not negative: writers differ in the width they choose.
    pub fn unsigned(&self) -> Option<u64> {
        match *self {
            Value::U8(value) => Some(value.into()),
            Value::U16(value) => Some(value.into()),
            Value::U32(value) => Some(value.into()),
            Value::U64(value) => Some(value),
            Value::I8(value) => value.try_into().ok(),
            Value::I16(value) => value.try_into().ok(),
            Value::I32(value) => value.try_into().ok(),
            Value::I64(value) => value.try_into().ok(),
            _ => None,
        }
    }
}

/// Reads one value of `kind`; `key` is for messages, `depth` counts the arrays around it.
pub(crate) fn value<'a>(
    cursor: &mut Cursor<'a>,
    kind: ValueKind,
    key: &str,
    depth: u32,
) -> Result<Value<'a>, Error> {
    let what = || format!("key {key} ({})", kind.name());
    Ok(match kind {
        ValueKind::U8 => Value::U8(u8::from_le_bytes(cursor.array(what)?)),
        ValueKind::I8 => Value::I8(i8::from_le_bytes(cursor.array(what)?)),
        ValueKind::U16 => Value::U16(u16::from_le_bytes(cursor.array(what)?)),
        ValueKind::I16 => Value::I16(i16::from_le_bytes(cursor.array(what)?)),
        ValueKind::U32 => Value::U32(u32::from_le_bytes(cursor.array(what)?)),
        ValueKind::I32 => Value::I32(i32::from_le_bytes(cursor.array(what)?)),
        ValueKind::F32 => Value::F32(f32::from_le_bytes(cursor.array(what)?)),
        ValueKind::U64 => Value::U64(u64::from_le_bytes(cursor.array(what)?)),
        ValueKind::I64 => Value::I64(i64::from_le_bytes(cursor.array(what)?)),
        ValueKind::F64 => Value::F64(f64::from_le_bytes(cursor.array(what)?)),
        ValueKind::Bool => match cursor.array::<1>(what)?[0] {
            0 => Value::Bool(false),
            1 => Value::Bool(true),
            other => {
                let problem = format!("a bool is 0 or 1, found {other} at offset {}", cursor.offset() - 1);
                return Err(Error::key(key, problem));
            }
        },
        ValueKind::Str => Value::Str(cursor.string(u64::MAX, "", what)?),
        ValueKind::Array => Value::Array(array(cursor, key, depth)?),
    })
}

fn array<'a>(cursor: &mut Cursor<'a>, key: &str, depth: u32) -> Result<Array<'a>, Error> {
    if depth >= limits::MAX_DEPTH {
        return Err(Error::Limit {
            what: format!("key {key}: arrays inside arrays"),
            found: u64::from(depth) + 1,
            limit: limits::MAX_DEPTH.into(),
            reason: "no published key nests at all",
        });
    }
    let what = || format!("key {key} (array)");
    let id = u32::from_le_bytes(cursor.array(what)?);
    let kind = ValueKind::from_id(id)
        .ok_or_else(|| Error::key(key, format!("array of unknown value type {id}, known are 0 to 12")))?;
    let count = cursor.count(what)?;
    let start = cursor.offset();
    let least = count.saturating_mul(kind.least_bytes());
    if least > cursor.remaining() as u64 {
        return Err(Error::Truncated {
            what: format!("key {key}: array of {count} {}", kind.name()),
            offset: start as u64,
            needs: least,
            has: cursor.remaining() as u64,
        });
    }
    // `least` is within the file, so the count fits a usize.
    let len = count as usize;
    if kind.is_plain() {
        cursor.take(least as usize, what)?;
    } else {
        for _ in 0..len {
            value(cursor, kind, key, depth + 1)?;
        }
    }
    Ok(Array { kind, len, bytes: cursor.since(start) })
}
