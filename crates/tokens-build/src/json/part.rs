//! Values of the file with the place they lie at, so that each error says where and what is wrong.

use crate::error::{Error, field};
use serde_json::Value;

/// An object of the file.
#[derive(Clone, Debug)]
pub(super) struct Part<'v> {
    value: &'v Value,
    path: String,
}

impl<'v> Part<'v> {
    /// The whole file.
    pub(super) fn root(value: &'v Value) -> Result<Self, Error> {
        if value.is_object() {
            Ok(Self { value, path: String::new() })
        } else {
            Err(not("(root)", value, "an object"))
        }
    }

    fn new(value: &'v Value, path: String) -> Result<Self, Error> {
        if value.is_object() { Ok(Self { value, path }) } else { Err(not(&path, value, "an object")) }
    }

    /// Where the part lies.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Where its field `name` lies.
    pub(super) fn at(&self, name: &str) -> String {
        if self.path.is_empty() { name.into() } else { format!("{}.{name}", self.path) }
    }

    /// A field of `wanted` type as `read` has it; nothing if it is absent.
    fn present<T>(
        &self,
        name: &str,
        wanted: &str,
        read: impl Fn(&'v Value) -> Option<T>,
    ) -> Result<Option<T>, Error> {
        let Some(value) = self.value.get(name) else { return Ok(None) };
        read(value).map(Some).ok_or_else(|| not(&self.at(name), value, wanted))
    }

    /// The same; nothing if it is null, too.
    fn optional<T>(
        &self,
        name: &str,
        wanted: &str,
        read: impl Fn(&'v Value) -> Option<T>,
    ) -> Result<Option<T>, Error> {
        if self.value.get(name).is_some_and(Value::is_null) {
            Ok(None)
        } else {
            self.present(name, wanted, read)
        }
    }

    /// The same; an error if it is absent.
    fn required<T>(
        &self,
        name: &str,
        wanted: &str,
        read: impl Fn(&'v Value) -> Option<T>,
    ) -> Result<T, Error> {
        self.present(name, wanted, read)?.ok_or_else(|| field(self.at(name), "missing"))
    }

    /// Whether there is a field of that name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.value.get(name).is_some()
    }

    /// The field as it is.
    pub(super) fn value(&self, name: &str) -> Result<&'v Value, Error> {
        self.required(name, "a value", Some)
    }

    /// The beginning of the part's text, for errors about parts that are not supported.
    pub(super) fn shown(&self) -> String {
        const MOST: usize = 200;
        let text = self.value.to_string();
        match text.char_indices().nth(MOST) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    }

    pub(super) fn text(&self, name: &str) -> Result<&'v str, Error> {
        self.required(name, "text", Value::as_str)
    }

    pub(super) fn optional_text(&self, name: &str) -> Result<Option<&'v str>, Error> {
        self.optional(name, "text", Value::as_str)
    }

    pub(super) fn text_or(&self, name: &str, default: &'v str) -> Result<&'v str, Error> {
        Ok(self.present(name, "text", Value::as_str)?.unwrap_or(default))
    }

    pub(super) fn boolean(&self, name: &str) -> Result<bool, Error> {
        self.required(name, "a boolean", Value::as_bool)
    }

    pub(super) fn optional_boolean(&self, name: &str) -> Result<Option<bool>, Error> {
        self.optional(name, "a boolean", Value::as_bool)
    }

    pub(super) fn boolean_or(&self, name: &str, default: bool) -> Result<bool, Error> {
        Ok(self.present(name, "a boolean", Value::as_bool)?.unwrap_or(default))
    }

    pub(super) fn optional_number(&self, name: &str) -> Result<Option<f64>, Error> {
        self.optional(name, "a number", Value::as_f64)
    }

    pub(super) fn whole(&self, name: &str) -> Result<u64, Error> {
        self.required(name, "a whole number", Value::as_u64)
    }

    pub(super) fn optional_whole(&self, name: &str) -> Result<Option<u64>, Error> {
        self.optional(name, "a whole number", Value::as_u64)
    }

    pub(super) fn id(&self, name: &str) -> Result<u32, Error> {
        self.required(name, "an id", id)
    }

    pub(super) fn list(&self, name: &str) -> Result<&'v [Value], Error> {
        self.required(name, "an array", |value| value.as_array().map(Vec::as_slice))
    }

    pub(super) fn map(&self, name: &str) -> Result<&'v serde_json::Map<String, Value>, Error> {
        self.required(name, "an object", Value::as_object)
    }

    pub(super) fn ids(&self, name: &str) -> Result<Vec<u32>, Error> {
        let list = self.list(name)?.iter();
        list.map(|value| id(value).ok_or_else(|| not(&self.at(name), value, "an id"))).collect()
    }

    pub(super) fn texts(&self, name: &str) -> Result<Vec<&'v str>, Error> {
        let list = self.list(name)?.iter();
        list.map(|value| value.as_str().ok_or_else(|| not(&self.at(name), value, "text"))).collect()
    }

    /// All of its fields, each an object.
    pub(super) fn all(&self) -> Result<Vec<(&'v str, Part<'v>)>, Error> {
        let fields = self.value.as_object().into_iter().flatten();
        fields.map(|(name, value)| Ok((&name[..], Part::new(value, self.at(name))?))).collect()
    }

    /// The objects of a list.
    pub(super) fn parts(&self, name: &str) -> Result<Vec<Part<'v>>, Error> {
        let path = self.at(name);
        let list = self.list(name)?.iter().enumerate();
        list.map(|(index, value)| Part::new(value, format!("{path}[{index}]"))).collect()
    }

    pub(super) fn part(&self, name: &str) -> Result<Part<'v>, Error> {
        Part::new(self.value(name)?, self.at(name))
    }

    /// A part that need not be there, or may be null.
    pub(super) fn optional_part(&self, name: &str) -> Result<Option<Part<'v>>, Error> {
        match self.value.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => Part::new(value, self.at(name)).map(Some),
        }
    }
}

/// A value as an id.
pub(super) fn id(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|id| u32::try_from(id).ok())
}

/// The error of a value of another type than `wanted`.
pub(super) fn not(path: &str, value: &Value, wanted: &str) -> Error {
    let found = match value {
        Value::Null => "null".into(),
        Value::Bool(_) => "a boolean".into(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(_) => "text".into(),
        Value::Array(_) => "an array".into(),
        Value::Object(_) => String::from("an object"),
    };
    field(path, format!("{found} instead of {wanted}"))
}
