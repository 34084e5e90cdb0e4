use super::*;
use crate::arbitrate::trial;

fn completed<'t>(text: &'t str, values: &[(&str, &str)]) -> Vec<(&'t str, String)> {
    let mut findings = trial::found(text, values);
    streets(text, &mut findings);
    flats(text, &mut findings);
    trial::read(text, crate::arbitrate::arbitrate(text, findings))
}

fn has_flat(text: &str, values: &[(&str, &str)], flat: &str) {
    let got = completed(text, values);
    assert!(got.contains(&(flat, "SECONDARY_ADDRESS".to_string())), "{flat} in {text}: {got:?}");
}

#[test]
fn flats_beside_a_street() {
    has_flat("488 Joshua Mission\nApt: Apt. 618\nCity", &[("Joshua Mission", "STREET_NAME")], "Apt. 618");
    has_flat("Flat 5B, 778 Lee Drive", &[("5B", "BUILDING_NUMBER"), ("Lee Drive", "STREET_NAME")], "Flat 5B");
    has_flat(
        "flat 9b, 9 duffy lodge",
        &[("9b, 9", "BUILDING_NUMBER"), ("duffy lodge", "STREET_NAME")],
        "flat 9b",
    );
    has_flat("Llorens 72, Piso 9, 11348", &[("72", "BUILDING_NUMBER")], "Piso 9");
    has_flat("Largo Moura 6, 8º Esq., 6807", &[("Largo Moura", "STREET_NAME")], "8º Esq.");
    has_flat("Mármol 50, 1º R, 12956 Huelva", &[("50, 1º R", "BUILDING_NUMBER"), ("Huelva", "CITY")], "1º R");
    has_flat("Seestr. 5, 2. OG, 10115 Berlin", &[("Berlin", "CITY")], "2. OG");
    has_flat("9 rue Moreno, 3e étage, Paris", &[("rue Moreno", "STREET_NAME")], "3e étage");
    has_flat("C/ Ontiveros, 19, 4 D.", &[], "4 D");
    has_flat("Calle Abenarabí, 3, 4, Der.", &[], "4, Der");
    has_flat("PO Box 12, Oslo", &[("Oslo", "CITY")], "Box 12");
}

#[test]
fn boxes_and_what_only_looks_like_one() {
    has_flat("Postfach 10 22 33, 50674 Köln", &[("50674", "ZIP_CODE")], "Postfach 10 22 33");
    has_flat("ul. Piotrkowska 104, m. 7, Łódź", &[("Łódź", "CITY")], "m. 7");
    let got = completed("Lyon: BP 120/80, Top 5 % and Unit 4-9", &[("Lyon", "CITY")]);
    assert_eq!(got.len(), 1, "{got:?}");
}

#[test]
fn flats_far_from_any_address_are_none() {
    assert!(completed("UNITS 4-9 and Unit 5B of the course, Room 12.", &[]).is_empty());
    assert!(completed("On the 2nd floor and the 3º B.", &[]).is_empty());
}

#[test]
fn the_house_beside_a_flat_stays_covered() {
    let got =
        completed("flat 9b, 9 duffy lodge", &[("9b, 9", "BUILDING_NUMBER"), ("duffy lodge", "STREET_NAME")]);
    assert!(got.contains(&("9", "BUILDING_NUMBER".to_string())), "{got:?}");
}

#[test]
fn streets_by_their_form() {
    let street = |text: &'static str| -> Vec<&str> {
        completed(text, &[]).into_iter().map(|(value, _)| value).collect()
    };
    assert_eq!(street("Domicilio: C/ Parrales, 6."), ["C/ Parrales", "6"]);
    assert_eq!(street("an Geiselstr. 8/4, 27428"), ["Geiselstr.", "8/4"]);
    assert_eq!(street("in der Jiri-Jopich-Allee 5"), ["Jiri-Jopich-Allee", "5"]);
    assert_eq!(street("adres: ul. Jana Pawła II 84/43,"), ["ul. Jana Pawła II", "84/43"]);
    assert_eq!(street("au 12 bis rue de la Paix à"), ["12 bis", "rue de la Paix"]);
    assert_eq!(street("at 21615 S Michigan Ave, Boston"), ["21615", "S Michigan Ave"]);
    assert_eq!(street("Address: 6 Mill Hill Lane, Kingston"), ["6", "Mill Hill Lane"]);
    assert_eq!(street("abito in Via Roma 12 a Torino"), ["Via Roma", "12"]);
    assert!(street("Sent via Slack 3 times, on the Umweg 5, 12 Angry Men").is_empty());
    assert!(street("weg 5.3 and Heimweg 2, 3.15 rue").is_empty());
}

#[test]
fn streets_of_the_model_get_their_kind_and_point() {
    let got = completed("adres: ul. Asnyka, 71-336", &[("Asnyka", "STREET_NAME")]);
    assert_eq!(got[0].0, "ul. Asnyka");
    let got = completed("senden an Krokerstr. 940", &[("Krokerstr", "STREET_NAME")]);
    assert_eq!(got[0].0, "Krokerstr.");
    let got = completed("I live in Elm St. Come by", &[("Elm St", "STREET_NAME")]);
    assert_eq!(got[0].0, "Elm St");
}

#[test]
fn towns_behind_codes() {
    let with_town = |text: &'static str, values: &[(&str, &str)]| {
        let mut findings = trial::found(text, values);
        towns(text, &mut findings);
        trial::read(text, findings)
    };
    let street = ("Rileyboulevard", "STREET_NAME");
    let code = ("6391 EE", "ZIP_CODE");
    assert_eq!(
        with_town("Rileyboulevard 87, 6391 EE Sleen. E-mail", &[street, code]),
        trial::pairs(&[street, code, ("Sleen", "CITY")])
    );
    assert_eq!(
        with_town("ul. Rynek 43a\n48-091 Nowy Sącz", &[("48-091", "ZIP_CODE")]),
        trial::pairs(&[("48-091", "ZIP_CODE"), ("Nowy Sącz", "CITY")])
    );
    assert_eq!(
        with_town("Rileyboulevard 87, 6391 EE Please call", &[street, code]),
        trial::pairs(&[street, code])
    );
    assert_eq!(with_town("code 48091 Zambrów", &[("48091", "ZIP_CODE")]).len(), 1, "no street near");
    assert_eq!(with_town("12 Zambrów", &[("12", "ZIP_CODE")]).len(), 1, "too short a code");
}

#[test]
fn rooms_are_flats_in_addresses_only() {
    let text = "La reunión es a las 06:36 en la sala 3.";
    assert_eq!(completed(text, &[("36", "BUILDING_NUMBER")]).len(), 1);
    has_flat("Rua Moura 6, sala 3", &[], "sala 3");
}
