//! What a caller may ask for.

use std::collections::BTreeMap;

use crate::{Error, labels};

/// Which layers look at the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// Rules and model.
    #[default]
    Full,
    /// Rules alone: no names, no addresses.
    Rules,
}

/// How a value that was found once is looked for in the rest of the text, and which values share a placeholder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Consistency {
    /// Every further occurrence spelled the same.
    #[default]
    Exact,
    /// Every further occurrence, in upper or lower case.
    IgnoreCase,
    /// Only what was found where it stands.
    Off,
}

/// Whether the answer holds the way back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MapMode {
    /// No map: the redaction cannot be undone from the answer.
    #[default]
    None,
    /// Placeholder to value, in the clear.
    Plain,
}

/// The confidence below which a finding is left alone.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Threshold {
    /// For every label; `None` is the built-in value per label.
    pub all: Option<f32>,
    /// For single labels, over `all`.
    pub by_label: BTreeMap<String, f32>,
}

impl Threshold {
    /// The threshold of a label, or `None` for the built-in one.
    pub fn of(&self, label: &str) -> Option<f32> {
        self.by_label.get(label).copied().or(self.all)
    }
}

/// Options of one redaction; `Options::default()` redacts everything that is on by default.
///
/// ```
/// let options = lacuna::Options { keep: vec!["CITY".into(), "STATE".into()], ..Default::default() };
/// options.check().unwrap();
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Options {
    /// Only these labels; `None` is every label that is on by default.
    pub labels: Option<Vec<String>>,
    /// Labels to leave in the text.
    pub keep: Vec<String>,
    /// Confidence below which findings are left alone.
    pub threshold: Threshold,
    /// Which layers run.
    pub mode: Mode,
    /// Further occurrences of a found value.
    pub consistency: Consistency,
    /// Whether the answer holds the way back.
    pub map: MapMode,
    /// Each item says which rule, check, model label and context word found it.
    pub explain: bool,
}

impl Options {
    /// Checks names and ranges.
    ///
    /// # Errors
    /// [`Error::Option`] names the first option that is out of range or holds an unknown label.
    pub fn check(&self) -> Result<(), Error> {
        for (field, names) in [("labels", self.labels.as_deref().unwrap_or(&[])), ("keep", &self.keep)] {
            for name in names {
                known(field, name)?;
            }
        }
        if let Some(value) = self.threshold.all {
            in_range("threshold", value)?;
        }
        for (name, &value) in &self.threshold.by_label {
            known("threshold", name)?;
            in_range(&format!("threshold.{name}"), value)?;
        }
        Ok(())
    }

    /// Whether items of this label are redacted. Labels of a model of one's own are on by default.
    pub fn wants(&self, label: &str) -> bool {
        let asked = match &self.labels {
            Some(names) => names.iter().any(|name| name == label),
            None => labels::find(label).is_none_or(|label| label.default),
        };
        asked && !self.keep.iter().any(|name| name == label)
    }
}

fn known(field: &str, name: &str) -> Result<(), Error> {
    if labels::find(name).is_some() {
        return Ok(());
    }
    let names: Vec<_> = labels::LABELS.iter().map(|label| label.name).collect();
    Err(Error::Option {
        field: field.into(),
        message: format!("unknown label {name:?}; known are {}", names.join(", ")),
    })
}

fn in_range(field: &str, value: f32) -> Result<(), Error> {
    if (0.0..=1.0).contains(&value) {
        return Ok(());
    }
    Err(Error::Option { field: field.into(), message: format!("must be from 0 to 1, is {value}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_labels_and_ranges_are_named() {
        let wrong = Options { keep: vec!["TOWN".into()], ..Default::default() };
        assert!(wrong.check().unwrap_err().to_string().starts_with("keep: unknown label \"TOWN\""));
        for bad in [-0.1, 1.5, f32::NAN] {
            let mut wrong = Options::default();
            wrong.threshold.by_label.insert("EMAIL".into(), bad);
            assert!(wrong.check().unwrap_err().to_string().starts_with("threshold.EMAIL: must be"), "{bad}");
        }
    }

    #[test]
    fn dates_of_birth_are_asked_for_by_name() {
        assert!(!Options::default().wants("DATE_OF_BIRTH"));
        assert!(Options::default().wants("CITY"));
        let asked = Options { labels: Some(vec!["DATE_OF_BIRTH".into()]), ..Default::default() };
        assert!(asked.wants("DATE_OF_BIRTH") && !asked.wants("CITY"));
        let kept = Options { keep: vec!["CITY".into()], ..Default::default() };
        assert!(!kept.wants("CITY"));
    }
}
