use super::*;
use crate::arbitrate::trial::{found, pairs, read};

fn repaired<'t>(text: &'t str, values: &[(&str, &str)]) -> Vec<(&'t str, String)> {
    let mut findings = found(text, values);
    repair(text, &mut findings);
    read(text, findings)
}

#[test]
fn initials_go_with_the_given_name() {
    assert_eq!(
        repaired("Vanessa P. Hertzog", &[("Vanessa P", GIVEN), ("Hertzog", SURNAME)]),
        pairs(&[("Vanessa P.", GIVEN), ("Hertzog", SURNAME)])
    );
    assert_eq!(
        repaired("Ask Stefanía K. Oddgeirsdóttir.", &[("Stefanía", GIVEN), ("K", SURNAME)]),
        pairs(&[("Stefanía K.", GIVEN), ("Oddgeirsdóttir", SURNAME)])
    );
    assert_eq!(repaired("I saw Anna B. and left", &[("Anna", GIVEN)]), pairs(&[("Anna", GIVEN)]));
}

#[test]
fn particles_belong_to_the_family_name() {
    let text = "Ludo van der Heijden and Daan de Wilde";
    assert_eq!(
        repaired(text, &[("Ludo", GIVEN), ("Heijden", SURNAME), ("Daan", GIVEN)]),
        pairs(&[("Ludo", GIVEN), ("van der Heijden", SURNAME), ("Daan", GIVEN), ("de Wilde", SURNAME)])
    );
    assert_eq!(
        repaired(text, &[("Ludo van der Heijden", SURNAME)]),
        pairs(&[("Ludo", GIVEN), ("van der Heijden", SURNAME)])
    );
    assert_eq!(
        repaired("Dr. Ludo van der Heijden, Maeve", &[("Ludo van der Heijden", SURNAME), ("Maeve", GIVEN)]),
        pairs(&[("Ludo", GIVEN), ("van der Heijden", SURNAME), ("Maeve", GIVEN)])
    );
    assert_eq!(
        repaired("Omar al-Masri", &[("Omar", GIVEN), ("Masri", SURNAME)]),
        pairs(&[("Omar", GIVEN), ("al-Masri", SURNAME)])
    );
    assert_eq!(repaired("Maria de la empresa", &[("Maria", GIVEN)]), pairs(&[("Maria", GIVEN)]));
    assert_eq!(repaired("the town of Heijden", &[("Heijden", SURNAME)]), pairs(&[("Heijden", SURNAME)]));
}

#[test]
fn whole_names_are_parted() {
    assert_eq!(
        repaired("LEAH RILEY,", &[("LEAH RILEY", GIVEN)]),
        pairs(&[("LEAH", GIVEN), ("RILEY", SURNAME)])
    );
    assert_eq!(
        repaired("Anna Maria Lopez", &[("Anna Maria", GIVEN), ("Lopez", SURNAME)]),
        pairs(&[("Anna Maria", GIVEN), ("Lopez", SURNAME)])
    );
    assert_eq!(repaired("Vorname: Hans Peter", &[("Hans Peter", GIVEN)]), pairs(&[("Hans Peter", GIVEN)]));
    assert_eq!(repaired("first name: Hans Peter", &[("Hans Peter", GIVEN)]), pairs(&[("Hans Peter", GIVEN)]));
}

#[test]
fn a_title_announces_a_family_name() {
    assert_eq!(repaired("Estimado señor Giménez: su pedido", &[]), pairs(&[("Giménez", SURNAME)]));
    assert_eq!(repaired("Dear Mr. Clemente,", &[("Clemente", GIVEN)]), pairs(&[("Clemente", SURNAME)]));
    assert_eq!(
        repaired("Mr. Carl Clemente,", &[("Carl", GIVEN), ("Clemente", SURNAME)]),
        pairs(&[("Carl", GIVEN), ("Clemente", SURNAME)])
    );
    assert_eq!(repaired("Mevrouw van Dijk", &[]), pairs(&[("van Dijk", SURNAME)]));
    assert!(repaired("Herr Professor, Mr President, Dr. med.", &[]).is_empty());
    assert!(repaired("the ms and the sr value", &[]).is_empty());
}

#[test]
fn words_come_off_names() {
    assert_eq!(repaired("lol Clive said", &[("lol Clive", GIVEN)]), pairs(&[("Clive", GIVEN)]));
    assert_eq!(
        repaired("Hans Steuer", &[("Hans Steuer", GIVEN)]),
        pairs(&[("Hans", GIVEN), ("Steuer", SURNAME)])
    );
}

#[test]
fn hyphens_and_trailing_particles() {
    assert_eq!(
        repaired("Signed Hargreaves-Ellington", &[("Hargreaves", SURNAME), ("Ellington", GIVEN)]),
        pairs(&[("Hargreaves-Ellington", SURNAME)])
    );
    assert_eq!(repaired("Mr Saint-Just", &[("Just", SURNAME)]), pairs(&[("Saint-Just", SURNAME)]));
    assert_eq!(repaired("pre-Ana, Ana-based", &[("Ana", GIVEN)]), pairs(&[("Ana", GIVEN)]));
    assert_eq!(
        repaired("Siobhán Ní Dhomhnaill", &[("Siobhán Ní", GIVEN), ("Dhomhnaill", SURNAME)]),
        pairs(&[("Siobhán", GIVEN), ("Ní Dhomhnaill", SURNAME)])
    );
}

#[test]
fn two_family_names_are_given_and_family_name() {
    let text = "my aunt is Nyambura N'Dungu";
    assert_eq!(
        repaired(text, &[("Nyambura", SURNAME), ("N'Dungu", SURNAME)]),
        pairs(&[("Nyambura", GIVEN), ("N'Dungu", SURNAME)])
    );
    let text = "Ana Torres Lagares";
    assert_eq!(
        repaired(text, &[("Ana", GIVEN), ("Torres", SURNAME), ("Lagares", SURNAME)]),
        pairs(&[("Ana", GIVEN), ("Torres", SURNAME), ("Lagares", SURNAME)])
    );
}

#[test]
fn initials_in_place_of_a_given_name() {
    assert_eq!(
        repaired("Signed: J. R. Hargreaves", &[("Hargreaves", SURNAME)]),
        pairs(&[("J. R.", GIVEN), ("Hargreaves", SURNAME)])
    );
    assert_eq!(repaired("vitamins: b Hargreaves", &[("Hargreaves", SURNAME)]).len(), 1);
}

#[test]
fn a_town_behind_a_noble_particle_is_a_name() {
    assert_eq!(
        repaired("Katharina von Stetten", &[("Katharina", GIVEN), ("Stetten", "CITY")]),
        pairs(&[("Katharina", GIVEN), ("von Stetten", SURNAME)])
    );
    assert_eq!(
        repaired("Katharina aus Stetten", &[("Katharina", GIVEN), ("Stetten", "CITY")]),
        pairs(&[("Katharina", GIVEN), ("Stetten", "CITY")])
    );
}

#[test]
fn a_third_name_is_the_family_s() {
    assert_eq!(
        repaired("Minh Tran Bao's", &[("Minh", GIVEN), ("Tran", SURNAME), ("Bao", GIVEN)]),
        pairs(&[("Minh", GIVEN), ("Tran Bao", SURNAME)])
    );
}

#[test]
fn a_comma_turns_the_order() {
    assert_eq!(
        repaired("Matthews, Douglas. DOB", &[("Matthews", GIVEN), ("Douglas", SURNAME)]),
        pairs(&[("Matthews", SURNAME), ("Douglas", GIVEN)])
    );
}

#[test]
fn words_of_prose_come_off_names_and_towns() {
    assert_eq!(repaired("Met Krystal in May", &[("Met Krystal", GIVEN)]), pairs(&[("Krystal", GIVEN)]));
    assert_eq!(
        repaired("La Zecchini abita qui", &[("Zecchini abita", SURNAME)]),
        pairs(&[("Zecchini", SURNAME)])
    );
    assert_eq!(repaired("a Lugo en mayo", &[("Lugo en mayo", "CITY")]), pairs(&[("Lugo", "CITY")]));
    assert_eq!(
        repaired("met van Mispelen", &[("van Mispelen", SURNAME)]),
        pairs(&[("van Mispelen", SURNAME)])
    );
}

#[test]
fn a_family_name_behind_a_given_one() {
    assert_eq!(
        repaired("Gisteren heb ik Bastiaan Vegt gesproken", &[("Bastiaan", GIVEN)]),
        pairs(&[("Bastiaan", GIVEN), ("Vegt", SURNAME)])
    );
    assert_eq!(
        repaired("Radosław Suszko, Monika", &[("Radosław", SURNAME)]),
        pairs(&[("Radosław", GIVEN), ("Suszko", SURNAME)])
    );
    for text in
        ["Bastiaan Yesterday", "Bastiaan Wins Prize", "Bastiaan vegt", "Bastiaan, Vegt", "Bastiaan GmbH"]
    {
        assert_eq!(repaired(text, &[("Bastiaan", GIVEN)]), pairs(&[("Bastiaan", GIVEN)]), "{text}");
    }
    assert_eq!(repaired("Mr Bastiaan Vegt", &[("Bastiaan", SURNAME)]).len(), 2);
    assert_eq!(repaired("Herr Bastiaan Vegt", &[("Bastiaan", SURNAME)]).len(), 1);
}

#[test]
fn a_common_given_name_alone_is_no_family_s() {
    assert_eq!(repaired("nana Ruth is here", &[("Ruth", SURNAME)]), pairs(&[("Ruth", GIVEN)]));
    assert_eq!(
        repaired("Mats Eklund", &[("Mats", "CITY"), ("Eklund", SURNAME)]),
        pairs(&[("Mats", GIVEN), ("Eklund", SURNAME)])
    );
    assert_eq!(repaired("Herr Ruth is here", &[("Ruth", SURNAME)]), pairs(&[("Ruth", SURNAME)]));
}
