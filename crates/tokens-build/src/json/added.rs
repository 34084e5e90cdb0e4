//! Added tokens.

use super::part::Part;
use crate::error::{Error, field};
use crate::vocabulary::{Added, Vocabulary};
use std::collections::HashMap;
use tokens::layout::added;

/// Reads `added_tokens`.
///
/// **Source**: `AddedVocabulary::add_tokens`: a token the vocabulary has keeps its id, others are numbered from the
/// vocabulary's size on, whatever id the file gives them. Here a file that disagrees is refused.
pub(super) fn read(file: &Part<'_>, vocabulary: &Vocabulary) -> Result<Vec<Added>, Error> {
    if !file.has("added_tokens") {
        return Ok(Vec::new());
    }
    let mut next = vocabulary.len() as u32;
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let mut tokens: Vec<Added> = Vec::new();
    for entry in file.parts("added_tokens")? {
        let (content, given) = (entry.text("content")?, entry.id("id")?);
        let set = |name: &str, bit: u32| Ok(if entry.boolean(name)? { bit } else { 0 });
        let flags = set("single_word", added::SINGLE_WORD)?
            | set("lstrip", added::LSTRIP)?
            | set("rstrip", added::RSTRIP)?
            | set("normalized", added::NORMALIZED)?
            | set("special", added::SPECIAL)?;
        if content.is_empty() {
            continue;
        }
        let before = seen.get(content).copied();
        let id =
            before.map(|index| tokens[index].id).or_else(|| vocabulary.id(content)).unwrap_or_else(|| {
                next += 1;
                next - 1
            });
        if given != id {
            let problem = format!("{content:?} has id {given}, the vocabulary gives it {id}");
            return Err(field(entry.at("id"), problem));
        }
        let token = Added { id, content: content.into(), flags };
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
