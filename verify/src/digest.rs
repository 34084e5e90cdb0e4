//! `digest[q4_0]`, `digest[int8]`: the logits of the forty evaluation texts, through the library as users call it,
//! against committed digests; and the scalar definitions against the same.

use std::fmt::Write as _;

use lacuna::Redactor;
use model::Scheme;
use sha2::{Digest, Sha256};

use crate::encoder::{Root, defined};
use crate::part::{Part, bits};

/// Texts of the evaluation data.
const TEXTS: usize = 40;
/// Longer texts are cut, as they were for ONNX Runtime.
const CUT: usize = 512;
/// Tokens of texts that the definitions read in a quick run and in Wasm: they take a hundred times as long.
const SHORT: usize = 40;

/// Checks part `part.0` of `part.1` of the texts. `all` runs the definitions on every text, not on short ones alone.
pub fn check(root: &Root, scheme: Scheme, all: bool, part: (usize, usize)) -> Result<Part, String> {
    let redactor = redactor(scheme)?;
    let path = root.baseline(&file_name(scheme));
    let blessed = String::from_utf8(crate::encoder::read(&path)?).map_err(|why| why.to_string())?;
    let blessed: Vec<&str> = blessed.lines().collect();
    let texts = texts(root)?;
    if texts.len() != TEXTS || blessed.len() != TEXTS {
        return Err(format!(
            "{} texts and {} digests in {}, not {TEXTS} of each",
            texts.len(),
            blessed.len(),
            path.display()
        ));
    }
    let mut result = Part::new();
    for ((id, text), blessed) in
        texts.iter().zip(&blessed).enumerate().filter(|(i, _)| i % part.1 == part.0).map(|(_, both)| both)
    {
        let (line, tokens) = line(&redactor, id, text)?;
        result.count("texts", 1);
        result.count("tokens", tokens as u64);
        if line != *blessed {
            result.differs(|| format!("{line}, blessed is {blessed}"));
        }
        if all || tokens <= SHORT {
            let (line, _) = defined(|| self::line(&redactor, id, text))?;
            result.count("by definition", 1);
            if line != *blessed {
                result.differs(|| format!("by definition {line}, blessed is {blessed}"));
            }
        }
    }
    Ok(result)
}

/// The digests as the scalar definitions make them.
pub fn bless(root: &Root, scheme: Scheme) -> Result<(String, Vec<u8>), String> {
    let redactor = redactor(scheme)?;
    let mut file = String::new();
    for (id, text) in texts(root)? {
        file += &defined(|| line(&redactor, &id, &text))?.0;
        file.push('\n');
    }
    Ok((file_name(scheme), file.into_bytes()))
}

fn redactor(scheme: Scheme) -> Result<Redactor<'static>, String> {
    Redactor::embedded_timed(Some(scheme), &|| 0.0).map_err(|why| why.to_string())
}

fn file_name(scheme: Scheme) -> String {
    format!("digest-{}.txt", scheme.name())
}

/// `ID TOKENS SHA-256` of the logits as little-endian f32, NaN as 0x7fc00000; and the number of tokens.
fn line(redactor: &Redactor<'_>, id: &str, text: &str) -> Result<(String, usize), String> {
    let logits = redactor.logits(text, Some(CUT)).map_err(|why| format!("{id}: {why}"))?;
    let mut hash = Sha256::new();
    for logit in &logits.values {
        hash.update(bits(*logit).to_le_bytes());
    }
    let mut line = format!("{id} {} ", logits.ids.len());
    for byte in hash.finalize() {
        write!(line, "{byte:02x}").expect("strings take everything");
    }
    Ok((line, logits.ids.len()))
}

fn texts(root: &Root) -> Result<Vec<(String, String)>, String> {
    let bytes = root.read("testdata/eval/ort_texts.json")?;
    let items: Vec<serde_json::Value> =
        serde_json::from_slice(&bytes).map_err(|why| format!("ort_texts.json: {why}"))?;
    items
        .iter()
        .map(|item| match (item["id"].as_str(), item["text"].as_str()) {
            (Some(id), Some(text)) => Ok((id.into(), text.into())),
            _ => Err(format!("ort_texts.json: no id or text in {item}")),
        })
        .collect()
}
