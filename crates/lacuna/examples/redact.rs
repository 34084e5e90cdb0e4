//! Builds a redactor once, redacts several texts, and puts the values of one back.

use lacuna::{Options, Redactor, RestoreMode, restore};

fn main() -> Result<(), lacuna::Error> {
    let redactor = Redactor::embedded()?;
    let options = Options { keep: vec!["CITY".into()], ..Options::default() };
    for text in [
        "Hello, this is Maeve O'Malley from Lisbon, call me on +44 20 7946 0123.",
        "Bonjour, je m'appelle Zoë Lefèvre, mon IBAN est FR14 2004 1010 0505 0001 3M02 606.",
        "Nothing personal here.",
    ] {
        let answer = redactor.redact(text, &options)?;
        println!("{}", answer.text);
        for item in &answer.items {
            println!("  {} {} {:.2}", item.placeholder, item.label, item.confidence);
        }
        assert_eq!(restore(&answer.text, &answer.map, RestoreMode::Strict).text, text);
    }
    Ok(())
}
