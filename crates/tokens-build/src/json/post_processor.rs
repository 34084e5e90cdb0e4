//! The post-processor: ids around a text, and ranges without spaces.

use super::part::{Part, id, not};
use crate::error::{Error, field};
use crate::writer::Writer;
use std::collections::HashMap;
use tokens::layout::{flag, section};

const POST_PROCESSORS: &str =
    "null, TemplateProcessing, BertProcessing, RobertaProcessing, ByteLevel, Sequence";

/// Ids around a text.
#[derive(Default)]
struct Template {
    before: Vec<u32>,
    after: Vec<u32>,
}

/// Reads `post_processor`.
pub(super) fn read(part: Option<Part<'_>>, writer: &mut Writer, flags: &mut u32) -> Result<(), Error> {
    let mut template = Template::default();
    if let Some(part) = part {
        let parts = match part.text("type")? {
            "Sequence" => part.parts("processors")?,
            _ => vec![part],
        };
        parts.iter().try_for_each(|part| process(part, &mut template, flags))?;
    }
    let counts = [template.before.len() as u32, template.after.len() as u32];
    writer.words(section::TEMPLATE, counts.into_iter().chain(template.before).chain(template.after));
    Ok(())
}

fn process(part: &Part<'_>, template: &mut Template, flags: &mut u32) -> Result<(), Error> {
    match part.text("type")? {
        "TemplateProcessing" => single_template(part, template),
        name @ ("BertProcessing" | "RobertaProcessing") => {
            template.before.insert(0, id_of_pair(part, "cls")?);
            template.after.push(id_of_pair(part, "sep")?);
            if name == "RobertaProcessing" { trim(part, flags) } else { Ok(()) }
        }
        "ByteLevel" => {
            part.boolean_or("use_regex", true)?;
            trim(part, flags)
        }
        other => Err(unsupported(part, other)),
    }
}

fn trim(part: &Part<'_>, flags: &mut u32) -> Result<(), Error> {
    let keeps_first = part.boolean("add_prefix_space")?;
    if part.boolean("trim_offsets")? {
        *flags |= flag::TRIM_OFFSETS | if keeps_first { flag::TRIM_KEEPS_FIRST } else { 0 };
    }
    Ok(())
}

fn unsupported(part: &Part<'_>, found: &str) -> Error {
    Error::Unsupported { field: part.path().into(), found: found.into(), supported: POST_PROCESSORS }
}

/// `["[CLS]", 2]`.
fn id_of_pair(part: &Part<'_>, name: &str) -> Result<u32, Error> {
    match part.list(name)? {
        [token, found] if token.is_string() => id(found).ok_or_else(|| not(&part.at(name), found, "an id")),
        _ => Err(field(part.at(name), "not a pair of token and id")),
    }
}

/// A piece of a template.
enum Piece<'v> {
    /// The first text, or the second of a pair.
    Text(&'v str),
    Token(&'v str),
}

impl<'v> Piece<'v> {
    fn read(part: &Part<'v>) -> Result<Self, Error> {
        if part.has("Sequence") {
            let sequence = part.part("Sequence")?;
            sequence.id("type_id")?;
            match sequence.text("id")? {
                which @ ("A" | "B") => Ok(Piece::Text(which)),
                other => Err(field(sequence.at("id"), format!("{other:?} instead of A or B"))),
            }
        } else {
            let token = part.part("SpecialToken")?;
            token.id("type_id")?;
            Ok(Piece::Token(token.text("id")?))
        }
    }

    fn list(part: &Part<'v>, name: &str) -> Result<Vec<Self>, Error> {
        part.parts(name)?.iter().map(Piece::read).collect()
    }
}

fn single_template(part: &Part<'_>, template: &mut Template) -> Result<(), Error> {
    let special = part.part("special_tokens")?;
    let mut ids = HashMap::new();
    for (name, entry) in special.all()? {
        entry.text("id")?;
        entry.texts("tokens")?;
        ids.insert(name, entry.ids("ids")?);
    }
    Piece::list(part, "pair")?;
    let mut seen = false;
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for piece in Piece::list(part, "single")? {
        match piece {
            Piece::Text("A") if !seen => seen = true,
            Piece::Text("A") => return Err(unsupported(part, "a template with the text twice")),
            Piece::Text(_) => return Err(unsupported(part, "a template with a second text")),
            Piece::Token(name) => {
                let side = if seen { &mut after } else { &mut before };
                side.extend(ids.get(name).ok_or_else(|| field(special.at(name), "missing"))?);
            }
        }
    }
    if !seen {
        return Err(field(part.at("single"), "no Sequence"));
    }
    before.append(&mut template.before);
    template.before = before;
    template.after.append(&mut after);
    Ok(())
}
