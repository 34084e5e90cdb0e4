use super::*;
use crate::arbitrate::trial::{found, pairs, read};

fn applied<'t>(text: &'t str, values: &[(&str, &str)]) -> Vec<(&'t str, String)> {
    let mut findings = found(text, values);
    apply(text, &mut findings);
    read(text, findings)
}

#[test]
fn the_lists_are_sorted() {
    let lists = KINDS.iter().map(|(_, words)| *words).chain([NOTHING]);
    for list in lists {
        for pair in list.windows(2) {
            assert!(pair[0] < pair[1], "{} before {}", pair[0], pair[1]);
        }
    }
}

#[test]
fn fields_tell_given_from_family_name() {
    let text = "Name: Segebahn\nVorname: Pius\nApellidos: Fernández Ibarra";
    assert_eq!(
        applied(text, &[("Pius", "SURNAME"), ("Fernández", "GIVEN_NAME"), ("Ibarra", "SURNAME")]),
        pairs(&[("Segebahn", "SURNAME"), ("Pius", "GIVEN_NAME"), ("Fernández Ibarra", "SURNAME")])
    );
    let text = "{\"firstName\": \"Tadeusz\", \"lastName\":\"Wierzbicki\", \"city\":\"Łódź\"}";
    assert_eq!(
        applied(text, &[]),
        pairs(&[("Tadeusz", "GIVEN_NAME"), ("Wierzbicki", "SURNAME"), ("Łódź", "CITY")])
    );
    assert!(applied("first name: null\nlast_name=undefined\nCity: 42", &[]).is_empty());
}

#[test]
fn states_and_codes_of_addresses() {
    assert_eq!(
        applied("City: Boston\nState: IN\nZIP: 68643", &[]),
        pairs(&[("Boston", "CITY"), ("IN", "STATE"), ("68643", "ZIP_CODE")])
    );
    assert!(applied("State: OK", &[]).is_empty(), "a state of a machine");
    assert_eq!(
        applied("Name: Ana Lima; DL: 82724663; State: SD", &[("Ana", "GIVEN_NAME"), ("Lima", "SURNAME")]),
        pairs(&[("Ana", "GIVEN_NAME"), ("Lima", "SURNAME"), ("SD", "STATE")])
    );
    assert!(applied("Name: Ana Lima\nState: on", &[]).iter().all(|(_, label)| label != "STATE"));
}

#[test]
fn streets_and_receivers() {
    assert_eq!(
        applied("{\"strasse\":\"Gero-Schmidt-Ring\",\"plz\":\"12024\"}", &[("Gero-Schmidt-Ring", "SURNAME")]),
        pairs(&[("Gero-Schmidt-Ring", "STREET_NAME"), ("12024", "ZIP_CODE")])
    );
    assert_eq!(
        applied("Faktura dla: Jędrzej Lampa, NIP", &[]),
        pairs(&[("Jędrzej", "GIVEN_NAME"), ("Lampa", "SURNAME")])
    );
}

#[test]
fn whole_names_where_nothing_was_found() {
    assert_eq!(
        applied("| Name | 우진 서 |\n| Org | Aperture |", &[]),
        pairs(&[("우진", "GIVEN_NAME"), ("서", "SURNAME")])
    );
    assert_eq!(
        applied("Patient: Ngozi Adichie", &[]),
        pairs(&[("Ngozi", "GIVEN_NAME"), ("Adichie", "SURNAME")])
    );
    assert!(applied("Customer: Acme Corp, name: nginx, name: Web Services", &[]).is_empty());
}

#[test]
fn fields_of_machines_hold_nobody() {
    assert!(applied("{\"event\":\"kyc\"}", &[("kyc", "SURNAME")]).is_empty());
    assert!(applied("user=x action=delete", &[("delete", "GIVEN_NAME")]).is_empty());
    let text = "action: call Ana";
    assert!(applied("level=Ana", &[("Ana", "GIVEN_NAME")]).is_empty());
    assert!(applied(text, &[("Ana", "GIVEN_NAME")]).is_empty(), "a field is a field");
    assert_eq!(applied("user=Ana", &[("Ana", "GIVEN_NAME")]).len(), 1);
}

#[test]
fn columns_of_tables() {
    assert_eq!(
        applied("id,first,last,phone\n1,Kwame,Boateng,+233\n2,Akosua,Mensah,+233\n", &[]),
        pairs(&[
            ("Kwame", "GIVEN_NAME"),
            ("Boateng", "SURNAME"),
            ("Akosua", "GIVEN_NAME"),
            ("Mensah", "SURNAME")
        ])
    );
    assert!(applied("first, we left, then we ate\nsecond, we slept, and last, we woke", &[]).is_empty());
}

#[test]
fn two_keys_in_one() {
    let text = "Name, Vorname: Segebahn, Pius\nOrt: Aalen";
    assert_eq!(
        applied(text, &[]),
        pairs(&[("Segebahn", "SURNAME"), ("Pius", "GIVEN_NAME"), ("Aalen", "CITY")])
    );
    assert!(applied("If so, first name: see below, then go", &[]).len() < 2);
}
