//! The rules by name: what the documentation's table and the tests are held against.

use crate::secrets::PREFIXES;
use crate::tables::{Policy, RECOGNISERS};

/// One rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Name, as [`crate::Found::rule`] has it.
    pub rule: &'static str,
    /// Label of its values.
    pub label: &'static str,
    /// Kind of that label.
    pub subtype: Option<&'static str>,
    /// The check a value must pass.
    pub check: Option<&'static str>,
    /// Where a value is believed without a context word.
    pub alone: &'static str,
}

const ANYWHERE: &str = "anywhere";
const NEVER: &str = "never: needs its word";

/// All rules: those with code of their own, keys by their prefix, then the shapes in their order.
///
/// ```
/// assert!(lacuna_rules::rules().iter().any(|r| r.rule == "uk_nhs" && r.check == Some("nhs")));
/// ```
pub fn rules() -> Vec<Rule> {
    let own = |rule, label, subtype, check, alone| Rule { rule, label, subtype, check, alone };
    let mut all = vec![
        own("email", "EMAIL", None, Some("form, IDN and EAI"), ANYWHERE),
        own("url", "URL", None, Some("known scheme, a host with a top-level domain"), ANYWHERE),
        own("url_www", "URL", None, Some("www. and two labels"), ANYWHERE),
        own("url_bare", "URL", None, Some("top-level domain of a list"), ANYWHERE),
        own("ipv4", "IP_ADDRESS", Some("IPV4"), Some("parsed; no version in front"), ANYWHERE),
        own("ipv6", "IP_ADDRESS", Some("IPV6"), Some("parsed; no time, no path of code"), ANYWHERE),
        own("mac", "IP_ADDRESS", Some("MAC"), Some("three notations"), ANYWHERE),
        own("iban", "BANK_ACCOUNT", Some("IBAN"), Some("country, length, mod 97"), ANYWHERE),
        own(
            "phone",
            "PHONE",
            None,
            Some("E.164 code and length, or national grouping"),
            "international or typical grouping",
        ),
        own("date_of_birth", "DATE_OF_BIRTH", None, Some("calendar"), NEVER),
        own("jwt", "SECRET", Some("JWT"), Some("two or three parts"), ANYWHERE),
        own("private_key", "SECRET", Some("PRIVATE_KEY"), Some("armour"), ANYWHERE),
        own("secret_word", "SECRET", Some("PASSWORD"), Some("mixed characters"), NEVER),
    ];
    for (_, _, rule) in PREFIXES {
        if all.iter().all(|r| r.rule != rule) {
            all.push(own(rule, "SECRET", Some("API_KEY"), Some("prefix and length"), ANYWHERE));
        }
    }
    all.extend(RECOGNISERS.iter().map(|r| Rule {
        rule: r.rule,
        label: r.label,
        subtype: r.subtype,
        check: r.check.map(|(_, name)| name),
        alone: alone(&r.policy),
    }));
    all
}

fn alone(policy: &Policy) -> &'static str {
    match policy {
        Policy { strong: true, .. } => ANYWHERE,
        Policy { upper: true, whole: true, .. } => "in capitals, or as the whole text",
        Policy { upper: true, .. } => "in capitals",
        Policy { punctuated: true, whole: true, .. } => "with separators, or as the whole text",
        Policy { punctuated: true, .. } => "with separators",
        Policy { whole: true, .. } => "as the whole text",
        _ => NEVER,
    }
}
