//! What needs a word beside it, in eight languages: telephone numbers, passports, driving licences, bank accounts and
//! dates of birth.

use lacuna_rules::find;

fn believed(text: &str) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    find(text, &mut found);
    found
        .iter()
        .filter(|f| f.confidence >= 0.5)
        .map(|f| (f.label, text[f.start..f.end].to_string()))
        .collect()
}

#[track_caller]
fn all(label: &str, rows: &[(&str, &str)]) {
    let wrong: Vec<_> = rows
        .iter()
        .map(|(text, value)| (text, value, believed(text)))
        .filter(|(_, value, found)| !(found.len() == 1 && found[0].0 == label && found[0].1 == **value))
        .collect();
    assert!(wrong.is_empty(), "{label}: {wrong:#?}");
}

#[test]
fn phones_of_eleven_countries() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in include_str!("phones.txt").lines().filter(|l| !l.starts_with("//")) {
        let (country, numbers) = line.split_once(" | ").expect("country | numbers");
        for number in numbers.split(" | ").flat_map(|n| n.split(" ; ")) {
            for text in [format!("Hallo, {number}!"), format!("{number}\n"), format!("x ({number}), y")] {
                count += 1;
                let found = believed(&text);
                if !(found.len() == 1 && found[0].0 == "PHONE" && found[0].1 == number) {
                    wrong.push((country, text, found));
                }
            }
        }
    }
    assert!(wrong.is_empty() && count > 250, "{} of {count}: {wrong:#?}", wrong.len());
}

#[test]
fn passports() {
    all(
        "PASSPORT",
        &[
            ("Passport number: 925076473.", "925076473"),
            ("my passport no. is KM9081726", "KM9081726"),
            ("Reisepass Nr. C01X00T47", "C01X00T47"),
            ("Reisepassnummer: CZ6311T03, gültig bis Mai", "CZ6311T03"),
            ("Numéro de passeport : 12AB34567", "12AB34567"),
            ("Pasaporte AAA123456", "AAA123456"),
            ("número de pasaporte: XDB654321", "XDB654321"),
            ("Passaporto n. YA1234567", "YA1234567"),
            ("Número do passaporte: CB123456", "CB123456"),
            ("Paspoortnummer: NPR12AB34", "NPR12AB34"),
            ("Numer paszportu: EH0123456", "EH0123456"),
            ("paszport nr AA3654321", "AA3654321"),
        ],
    );
}

#[test]
fn driving_licences() {
    all(
        "DRIVERS_LICENSE",
        &[
            ("Driver's license: D1234567", "D1234567"),
            ("driving licence no. MORGA657054SM9IJ", "MORGA657054SM9IJ"),
            ("DL number S530-4209-8761", "S530-4209-8761"),
            ("Führerschein-Nr.: B072RRE2I55", "B072RRE2I55"),
            ("Führerscheinnummer J01099K4711", "J01099K4711"),
            ("Permis de conduire n° 13AA00002", "13AA00002"),
            ("numéro de permis : 880692310285", "880692310285"),
            ("Permiso de conducir: 9876543X1", "9876543X1"),
            ("carnet de conducir 77889910K", "77889910K"),
            ("Patente di guida: RM1234567X", "RM1234567X"),
            ("numero patente U1H00F4KSV", "U1H00F4KSV"),
            ("Carta de condução: L-1234567", "L-1234567"),
            ("CNH: 04512345678", "04512345678"),
            ("Rijbewijsnummer: 5123456789", "5123456789"),
            ("Prawo jazdy nr 00123/12/1465", "00123/12/1465"),
            ("numer prawa jazdy: 0012312146", "0012312146"),
        ],
    );
}

#[test]
fn bank_accounts() {
    all(
        "BANK_ACCOUNT",
        &[
            ("Account number: 60575059", "60575059"),
            ("my bank account 4830021177 please", "4830021177"),
            ("Kontonummer: 532013000", "532013000"),
            ("Konto-Nr. 0532013000", "0532013000"),
            ("Numéro de compte : 0500013026", "0500013026"),
            ("Número de cuenta: 0528696230", "0528696230"),
            ("cuenta bancaria 2493694444", "2493694444"),
            ("Numero di conto: 000012345678", "000012345678"),
            ("conto corrente 123456", "123456"),
            ("Número da conta: 12345678901", "12345678901"),
            ("Rekeningnummer: 417164300", "417164300"),
            ("Numer konta: 12 3456 7890", "12 3456 7890"),
            ("nr rachunku 61 1090 1014 0000 0712 1981 2874", "61 1090 1014 0000 0712 1981 2874"),
        ],
    );
}

#[test]
fn dates_of_birth() {
    all(
        "DATE_OF_BIRTH",
        &[
            ("Date of birth: 03/27/1990.", "03/27/1990"),
            ("She was born on 27 March 1990 in Leeds", "27 March 1990"),
            ("DOB 1990-03-27", "1990-03-27"),
            ("Geburtsdatum: 27.03.1990", "27.03.1990"),
            ("geboren am 27. März 1990", "27. März 1990"),
            ("geb. 27.3.90", "27.3.90"),
            ("Date de naissance : 27/03/1990", "27/03/1990"),
            ("né le 1er mars 1990", "1er mars 1990"),
            ("née le 27 mars 1990", "27 mars 1990"),
            ("Fecha de nacimiento: 27/03/1990", "27/03/1990"),
            ("nacida el 27 de marzo de 1990", "27 de marzo de 1990"),
            ("Data di nascita: 27/03/1990", "27/03/1990"),
            ("nato a Roma il 27 marzo 1990", "27 marzo 1990"),
            ("Data de nascimento: 27/03/1990", "27/03/1990"),
            ("nascido em 27 de março de 1990", "27 de março de 1990"),
            ("Geboortedatum: 27-03-1990", "27-03-1990"),
            ("geboren op 27 maart 1990", "27 maart 1990"),
            ("Data urodzenia: 27.03.1990", "27.03.1990"),
            ("ur. 27 marca 1990 r.", "27 marca 1990"),
            ("urodzona 27 marca 1990", "27 marca 1990"),
        ],
    );
}

/// A number whose check fails is nobody else's, either, where its own name stands right before it.
#[test]
fn names_of_one_country_s_numbers_speak_for_that_number_alone() {
    for text in [
        "SVNR: 2784160193",
        "Steuer-ID: 94830926851",
        "isikukood 39811265569",
        "numéro de sécurité sociale : 2 86 03 13 701 238 15",
        "TC kimlik no: 65468422982",
        "IČO: 41529503",
        "NISS: 11074802627",
        "organisationsnummer: 5562640405",
        "National Insurance number: QQ123456C",
        "Krankenversichertennummer: N697163095",
        "PESEL: 44051401459",
        "partita IVA: IT89181838881",
    ] {
        assert!(believed(text).is_empty(), "{text}: {:?}", believed(text));
    }
    all("TAX_ID", &[("NIP: PL4098208986", "PL4098208986"), ("vergi kimlik no: 4647411443", "4647411443")]);
    all(
        "GOVERNMENT_ID",
        &[("Personalausweisnummer: L3TL67WXJ", "L3TL67WXJ"), ("TCKN 10000000146", "10000000146")],
    );
    all("DRIVERS_LICENSE", &[("Carta de condução: P-987654 3", "P-987654 3")]);
}
