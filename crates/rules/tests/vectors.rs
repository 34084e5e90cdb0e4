//! The recogniser vectors of `testdata/eval`: a valid value is found exactly and with its label, an invalid one not.

use lacuna_rules::find;
use serde_json::Value;

/// Candidates below are hints: shape and word agree, the check digit does not.
const BELIEVED: f32 = 0.5;

/// Recognisers whose vectors have no label of their own where a value is invalid.
const LABELS: [(&str, &str); 12] = [
    ("aba_routing", "ROUTING_NUMBER"),
    ("au_", "TAX_ID"),
    ("credit_card", "CREDIT_CARD"),
    ("de_tax", "TAX_ID"),
    ("it_vat", "TAX_ID"),
    ("iban", "BANK_ACCOUNT"),
    ("ip", "IP_ADDRESS"),
    ("mac", "IP_ADDRESS"),
    ("url", "URL"),
    ("us_ssn", "SSN"),
    ("uk_postcode", "ZIP_CODE"),
    ("ph_tin", "TAX_ID"),
];

fn label(recogniser: &str) -> &'static str {
    let by_kind = [
        ("passport", "PASSPORT"),
        ("driver", "DRIVERS_LICENSE"),
        ("driving", "DRIVERS_LICENSE"),
        ("phone", "PHONE"),
        ("mobile", "PHONE"),
    ];
    let by_name = LABELS.iter().find(|(name, _)| recogniser.starts_with(name));
    by_name
        .or_else(|| by_kind.iter().find(|(k, _)| recogniser.contains(k)))
        .map_or("GOVERNMENT_ID", |(_, label)| label)
}

#[test]
fn vectors_dev() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/eval/vectors_dev.jsonl");
    let lines = std::fs::read_to_string(path).expect("testdata/eval/vectors_dev.jsonl");
    let (mut right, mut all, mut without_context) = (0, 0, 0);
    for line in lines.lines() {
        let vector: Value = serde_json::from_str(line).expect("a line of JSON");
        let recogniser = vector["presidio_recognizer"].as_str().expect("a recogniser");
        // Nothing but digits and no word: account and licence numbers of the United States need one.
        if matches!(recogniser, "us_bank" | "us_driver_license") && vector["expect_none"] == false {
            without_context += 1;
            continue;
        }
        let text = vector["text"].as_str().expect("a text");
        let mut found = Vec::new();
        find(text, &mut found);
        found.retain(|f| f.confidence >= BELIEVED);
        let points = |bytes: usize| text[..bytes].chars().count() as u64;
        let ok = if vector["expect_none"] == true {
            found.iter().all(|f| f.label != label(recogniser))
        } else {
            let spans = vector["spans"].as_array().expect("spans");
            let gold: Vec<_> = spans
                .iter()
                .map(|s| {
                    (
                        s["start"].as_u64().unwrap_or(0),
                        s["end"].as_u64().unwrap_or(0),
                        s["label"].as_str().unwrap_or(""),
                    )
                })
                .collect();
            let ours: Vec<_> = found
                .iter()
                .filter(|f| gold.iter().any(|g| g.2 == f.label))
                .map(|f| (points(f.start), points(f.end), f.label))
                .collect();
            ours == gold
        };
        all += 1;
        right += usize::from(ok);
        if !ok {
            println!("{recogniser}: {text:?} gave {found:?}");
        }
    }
    println!("{right} of {all} right, {without_context} need a context word and have none");
    assert!(all > 400 && right * 100 >= all * 98, "{right} of {all}");
}
