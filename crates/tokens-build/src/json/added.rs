//! Added tokens.

use super::kind;
use crate::error::{Error, field};
use crate::vocabulary::{Added, Vocabulary};
use serde_json::Value;
use std::collections::HashMap;
use tokens::layout::added;

/// Reads `added_tokens`.
///
/// **Source**: `AddedVocabulary::add_tokens`: a token the vocabulary has keeps its id, others are numbered from the
/// vocabulary's size on, whatever id the file gives them. Here a file that disagrees is refused.
pub(super) fn read(list: &Value, vocabulary: &Vocabulary) -> Result<Vec<Added>, Error> {
    let list = match list {
        Value::Null => return Ok(Vec::new()),
        Value::Array(list) => list,
        other => return Err(field("added_tokens", format!("{} instead of an array", kind(other)))),
    };
    let mut next = vocabulary.len() as u32;
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let mut tokens: Vec<Added> = Vec::new();
    for (index, entry) in list.iter().enumerate() {
        let path = format!("added_tokens[{index}]");
        let Some(content) = entry["content"].as_str() else {
            return Err(field(
                format!("{path}.content"),
                format!("{} instead of text", kind(&entry["content"])),
            ));
        };
        if content.is_empty() {
            continue;
        }
        let before = seen.get(content).copied();
        let id =
            before.map(|index| tokens[index].id).or_else(|| vocabulary.id(content)).unwrap_or_else(|| {
                next += 1;
                next - 1
            });
        if entry["id"].as_u64().is_some_and(|given| given != u64::from(id)) {
            let problem = format!("{content:?} has id {}, the vocabulary gives it {id}", entry["id"]);
            return Err(field(format!("{path}.id"), problem));
        }
        let set = |name: &str, default: bool, bit: u32| {
            if entry[name].as_bool().unwrap_or(default) { bit } else { 0 }
        };
        let special = set("special", false, added::SPECIAL);
        let token = Added {
            id,
            content: content.into(),
            flags: special
                | set("single_word", false, added::SINGLE_WORD)
                | set("lstrip", false, added::LSTRIP)
                | set("rstrip", false, added::RSTRIP)
                | set("normalized", special == 0, added::NORMALIZED),
        };
        match before {
            Some(index) => tokens[index] = token,
            None => {
                seen.insert(content, tokens.len());
                tokens.push(token);
            }
        }
    }
    Ok(tokens)
}
