//! The labels of the API and what stands behind each.

/// One label: its name in JSON and in placeholders, what it covers, whether it is redacted by default.
#[derive(Debug, Clone, Copy)]
pub struct Label {
    /// The name, e.g. `GIVEN_NAME`.
    pub name: &'static str,
    /// What it covers, for help texts.
    pub covers: &'static str,
    /// Redacted unless an option says otherwise.
    pub default: bool,
}

const fn label(name: &'static str, covers: &'static str) -> Label {
    Label { name, covers, default: true }
}

/// Every label that an answer of the embedded model and the built-in rules can hold.
pub const LABELS: &[Label] = &[
    label("GIVEN_NAME", "first and middle names"),
    label("SURNAME", "family names with their particles"),
    label("EMAIL", "e-mail addresses"),
    label("PHONE", "telephone and fax numbers"),
    label("URL", "web addresses"),
    label("TAX_ID", "tax numbers: ITIN, EIN, VAT, national tax numbers"),
    label("BANK_ACCOUNT", "account numbers and IBAN"),
    label("ROUTING_NUMBER", "ABA routing numbers, sort codes, BIC"),
    label("GOVERNMENT_ID", "national identity and health insurance numbers"),
    label("PASSPORT", "passport numbers"),
    label("DRIVERS_LICENSE", "driving licence numbers"),
    label("BUILDING_NUMBER", "house numbers"),
    label("STREET_NAME", "streets and squares"),
    label("SECONDARY_ADDRESS", "flat, floor, unit, post box"),
    label("CITY", "towns and cities"),
    label("STATE", "states, provinces, counties"),
    label("ZIP_CODE", "postal codes"),
    label("IP_ADDRESS", "IPv4, IPv6 and MAC addresses"),
    label("CREDIT_CARD", "payment card numbers"),
    label("SSN", "US social security numbers"),
    label("SECRET", "keys, tokens, passwords"),
    Label { name: "DATE_OF_BIRTH", covers: "dates of birth", default: false },
];

/// Looks a label up by its name.
pub fn find(name: &str) -> Option<&'static Label> {
    LABELS.iter().find(|label| label.name == name)
}
