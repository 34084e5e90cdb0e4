use super::*;
use crate::arbitrate::trial;

fn finding(text: &str, value: &str, label: &str, confidence: f32) -> Finding {
    Finding { confidence, ..trial::found(text, &[(value, label)]).remove(0) }
}

/// Which of some findings stay.
fn kept<'t>(text: &'t str, values: &[(&str, &str)]) -> Vec<&'t str> {
    let mut findings: Vec<Finding> =
        values.iter().map(|(value, label)| finding(text, value, label, 0.85)).collect();
    retain(text, &mut findings);
    findings.into_iter().map(|finding| &text[finding.range]).collect()
}

fn stays(text: &str, value: &str, label: &str) {
    assert_eq!(kept(text, &[(value, label)]), [value], "{label} in {text}");
}

fn goes(text: &str, value: &str, label: &str) {
    assert!(kept(text, &[(value, label)]).is_empty(), "{label} {value} in {text}");
}

#[test]
fn identifiers_of_machines_are_nobody_s() {
    goes("Request b17e7e06-f226-4a61-b7f2-7c4a9490d59e timed out", "b17e7e06-f226", "DRIVERS_LICENSE");
    goes("commit 373dcbf9873b2d72", "373dcbf9873b2d72", "DRIVERS_LICENSE");
    goes("Error 0x55112c9f: access", "0x55112c9f", "DRIVERS_LICENSE");
    goes("digest sha512-9hQ2LICx7+Rt4ZbW0v", "sha512-9hQ2LICx7", "DRIVERS_LICENSE");
    goes("pod billing-web-58c7d9f64b-q7rtz", "58c7d9f64b", "DRIVERS_LICENSE");
    goes("Upgrade from v8.8.23 to", "v8.8.23", "BUILDING_NUMBER");
    stays("license D1234562", "D1234562", "DRIVERS_LICENSE");
    stays("Personalausweis L01X00T471", "L01X00T471", "GOVERNMENT_ID");
    stays("passport C01X00T47", "C01X00T47", "PASSPORT");
}

#[test]
fn a_postal_code_wants_an_address_or_to_be_alone() {
    goes("The job took 94103 steps", "94103", "ZIP_CODE");
    goes("GPU memory 390 MiB / 24564 MiB", "24564", "ZIP_CODE");
    let port = "at 10.0.0.1:8080, uuid 123e4567";
    assert!(kept(port, &[("8080", "ZIP_CODE"), ("uuid", "CITY")]).is_empty());
    goes("[2001:db8::1]:8443, host web-1", "8443", "ZIP_CODE");
    assert_eq!(kept("PLZ:10115 Berlin", &[("10115", "ZIP_CODE"), ("Berlin", "CITY")]).len(), 2);
    stays("postcode 94103", "94103", "ZIP_CODE");
    let mut alone = vec![finding("94103\n", "94103", "ZIP_CODE", 0.95)];
    retain("94103\n", &mut alone);
    assert_eq!(alone.len(), 1);
    let text = "Berlin 10115 for ever";
    assert_eq!(kept(text, &[("Berlin", "CITY"), ("10115", "ZIP_CODE")]), ["Berlin", "10115"]);
    // On either side, and not beyond its reach.
    let far = "Berlin, of which a great deal more could be said here, and 10115 as well, far from there, of the town Köln";
    assert_eq!(kept(far, &[("Berlin", "CITY"), ("10115", "ZIP_CODE")]), ["Berlin"]);
    assert_eq!(kept(far, &[("10115", "ZIP_CODE"), ("Köln", "CITY")]).len(), 2);
}

#[test]
fn a_number_is_called_a_person_s_or_very_sure() {
    let text = "Merge branch 'login' into develop (a4e78f8)";
    let mut findings = vec![finding(text, "a4e78f8", "DRIVERS_LICENSE", 0.96)];
    retain(text, &mut findings);
    assert!(findings.is_empty());
    let mut findings = vec![finding(text, "a4e78f8", "DRIVERS_LICENSE", 0.97)];
    retain(text, &mut findings);
    assert_eq!(findings.len(), 1);
    stays("passport of the guest: a4e78f8", "a4e78f8", "DRIVERS_LICENSE");
}

#[test]
fn numbers_of_things_are_nobody_s() {
    goes("Order ORD-7123900 shipped", "ORD-7123900", "DRIVERS_LICENSE");
    goes("Zone serial 2026110402, epoch", "2026110402", "DRIVERS_LICENSE");
    goes("Requisition RQ5540918 uses", "RQ5540918", "PASSPORT");
    stays("Order for account 55409182", "55409182", "BANK_ACCOUNT");
    stays("my account is 55409182", "55409182", "BANK_ACCOUNT");
}

#[test]
fn measures_moments_and_amounts_are_no_addresses() {
    goes("timed out after 30000 ms.", "30000 ms", "ZIP_CODE");
    goes("Preheat the oven to 220 °C", "220", "BUILDING_NUMBER");
    goes("una masa de 25 × 20 cm", "25", "BUILDING_NUMBER");
    goes("moved to 2022-01-18.", "2022-01-18", "BUILDING_NUMBER");
    goes("Please pay 7263.16 by Friday", "7263", "BUILDING_NUMBER");
    goes("#define MAX_TOKENS 512", "512", "BUILDING_NUMBER");
    goes("fever of 38.2 C today", "2 C", "BUILDING_NUMBER");
    goes("TA 14/8 ce matin", "8", "BUILDING_NUMBER");
    goes("see issue #4821 and", "4821", "BUILDING_NUMBER");
    goes("Rechnung Nr. 2026-00471 vom", "00471", "ZIP_CODE");
    goes("Bauteil 4711-B ist", "4711", "ZIP_CODE");
    goes("in zaal 3", "zaal", "STREET_NAME");
    let text = "order: to 12/4 High Street";
    assert_eq!(kept(text, &[("12/4", "BUILDING_NUMBER"), ("High Street", "STREET_NAME")]).len(), 2);
    goes("docker run -p 8080:80 nginx", "8080", "ZIP_CODE");
    assert_eq!(kept("12 High Street", &[("12", "BUILDING_NUMBER"), ("High Street", "STREET_NAME")]).len(), 2);
    assert_eq!(
        kept("15 s michigan ave", &[("15", "BUILDING_NUMBER"), ("s michigan ave", "STREET_NAME")]).len(),
        2
    );
    stays("she lives at number 844 now", "844", "BUILDING_NUMBER");
    stays("PLZ 10115", "10115", "ZIP_CODE");
}

#[test]
fn what_lacks_the_sign_of_its_kind() {
    goes("mail me or call", "or", "EMAIL");
    stays("mail ana at example dot org", "ana at example dot org", "EMAIL");
    goes("GET phone=ok HTTP/1.1", "HTTP/1.1", "URL");
    stays("see example.org/a", "example.org/a", "URL");
    goes("GP to review", "GP", "ZIP_CODE");
    goes("pay 82", "82", "DRIVERS_LICENSE");
    goes("stage pT2N0M0 today", "pT2N0M0", "DRIVERS_LICENSE");
    let hardly = |text: &str, value: &str| {
        let mut findings = vec![finding(text, value, "PHONE", 0.2)];
        retain(text, &mut findings);
        findings.len()
    };
    assert_eq!(hardly("il mio numero è 347 123 4567", "347 123 4567"), 1);
    assert_eq!(hardly("about 3471234567 stars", "3471234567"), 0);
    goes("call 12", "12", "PHONE");
    stays("call 555 0199", "555 0199", "PHONE");
}

#[test]
fn refused_social_security_numbers() {
    goes("reserved and fake: 912-40-7781,", "912-40-7781", "TAX_ID");
    stays("SSN 912-40-7781", "912-40-7781", "TAX_ID");
}

#[test]
fn keys_are_no_values() {
    goes("login user=amy ip=10.0.0.1", "ip", "SURNAME");
    goes("{\"event\":\"kyc\"}", "event", "SURNAME");
    goes("{\"a\":1,\"ok\":true}", "true", "SURNAME");
    goes("Steuer-ID: 17 315 998 809", "Steuer", "SURNAME");
    goes("Carta d'identità n.: CX8172", "Carta d", "SURNAME");
    stays("Nicole: Remember me, Mary?", "Nicole", "GIVEN_NAME");
    stays("user=amy", "amy", "GIVEN_NAME");
    goes("const c = { apiKey: 1 }", "apiKey", "GIVEN_NAME");
    stays("ask McDonald", "McDonald", "SURNAME");
}

#[test]
fn a_small_letter_alone_is_no_name() {
    goes("Ana Lima\r\n\tana@example.org — é\n", "é", "GIVEN_NAME");
    goes("name: x", "x", "SURNAME");
    stays("ask 王 today", "王", "SURNAME");
    let initials = |text, values: &[(&str, &str)]| assert_eq!(kept(text, values).len(), 2, "{text}");
    initials("this is jane d. speaking", &[("jane", "GIVEN_NAME"), ("d", "SURNAME")]);
    initials("this is j. doe speaking", &[("j", "GIVEN_NAME"), ("doe", "SURNAME")]);
}

#[test]
fn salutations_are_no_names() {
    goes("Sehr geehrte Frau Schulz", "Sehr geehrte", "GIVEN_NAME");
    goes("lol Suzanne said", "lol", "GIVEN_NAME");
    stays("Dear Suzanne", "Suzanne", "GIVEN_NAME");
}

#[test]
fn small_words_amid_capitals() {
    goes("The patient had pain. Examination of abdomen normal.", "abdomen", "GIVEN_NAME");
    goes("Access violation while reading location.", "reading", "CITY");
    stays("hey it's megan, can you call? the number is dead", "megan", "GIVEN_NAME");
    stays("Hello, my name is megan.", "megan", "GIVEN_NAME");
    stays("Name: megan", "megan", "GIVEN_NAME");
    let text = "Is that Mauro renallo?";
    assert_eq!(kept(text, &[("Mauro", "GIVEN_NAME"), ("renallo", "SURNAME")]).len(), 2);
}

#[test]
fn words_of_prose_are_no_names() {
    goes("Ieri Cipriano ha incontrato", "Ieri", "GIVEN_NAME");
    goes("Segfault at 0x7ffd", "Segfault", "SURNAME");
    goes("Wczoraj dzwonił", "Wczoraj", "SURNAME");
    goes("fout op regel 983: onverwacht", "regel", "STREET_NAME");
    goes("Het kantoor is maandag gesloten.", "maandag", "CITY");
    goes("Errore alla riga 154: blocco inatteso.", "blocco", "CITY");
    stays("Herr Oktober kommt", "Oktober", "SURNAME");
    goes("Oktober kommt", "Oktober", "SURNAME");
    stays("Oregon: OR", "OR", "STATE");
    let text = "Hans Montag kommt";
    assert_eq!(kept(text, &[("Hans", "GIVEN_NAME"), ("Montag", "SURNAME")]).len(), 2);
    stays("Ort: hagen", "hagen", "CITY");
}

#[test]
fn counted_things_are_no_houses() {
    let street = |text: &'static str, values: &[(&str, &str)]| kept(text, values).len();
    assert_eq!(street("nach 508 Sekunden ab", &[("508", "BUILDING_NUMBER"), ("Sekunden", "STREET_NAME")]), 0);
    assert_eq!(street("FALLÓ TRAS 696 SEGUNDOS", &[("TRAS", "STREET_NAME"), ("696", "BUILDING_NUMBER")]), 0);
    assert_eq!(street("at 12 Miles Road", &[("12", "BUILDING_NUMBER"), ("Miles Road", "STREET_NAME")]), 2);
    goes("PO 589-707, SKU 12", "589-707", "ZIP_CODE");
    goes("lot L648A, qty 733", "qty 733", "SECONDARY_ADDRESS");
    stays("my zip code 90210", "90210", "ZIP_CODE");
    let text = "in Jamieburgh, AZ 92936";
    assert_eq!(kept(text, &[("Jamieburgh", "CITY"), ("AZ", "STATE"), ("92936", "ZIP_CODE")]).len(), 3);
    goes("clone git@github.com:org/repo", "git@github.com", "EMAIL");
}

#[test]
fn what_says_nothing_must_be_sure() {
    let at = |text: &str, value: &str, label: &str, confidence: f32| {
        let mut findings = vec![finding(text, value, label, confidence)];
        retain(text, &mut findings);
        findings.len()
    };
    assert_eq!(at("Serwer uruchomił się", "Serwer", "GIVEN_NAME", 0.64), 0);
    assert_eq!(at("Serwer uruchomił się", "Serwer", "GIVEN_NAME", 0.65), 1);
    let mut both = trial::found("Alba and Bruno", &[("Alba", "GIVEN_NAME"), ("Bruno", "GIVEN_NAME")]);
    both[0].confidence = 0.5;
    retain("Alba and Bruno", &mut both);
    assert_eq!(both.len(), 2, "a name near speaks for it");
    assert_eq!(at("Then Serwer came", "Serwer", "GIVEN_NAME", 0.4), 1, "its capital speaks for it");
    assert_eq!(at("im süden bleibt es trocken", "trocken", "CITY", 0.49), 0);
    assert_eq!(at("im süden bleibt es trocken", "trocken", "CITY", 0.5), 1);
    assert_eq!(at("i am serwer", "serwer", "GIVEN_NAME", 0.4), 1, "announced");
    assert_eq!(at("Es sind 180 Tiegel da", "Tiegel", "CITY", 0.85), 0);
    assert_eq!(at("Es sind 180 Tiegel da", "Tiegel", "CITY", 0.95), 1);
}

#[test]
fn streets_have_a_form_or_company() {
    let street = |text: &str, value: &str, confidence: f32| {
        let mut findings = vec![finding(text, value, "STREET_NAME", confidence)];
        retain(text, &mut findings);
        findings.len()
    };
    assert_eq!(street("The 12 Treffer are", "Treffer", 0.7), 0);
    assert_eq!(street("The 12 Treffer are", "Treffer", 0.75), 1);
    assert_eq!(street("at Treffer Road now", "Treffer Road", 0.5), 1);
    assert_eq!(street("he lives on Treffer now", "Treffer", 0.5), 1);
    assert_eq!(street("\"line1\": \"Treffer\"", "Treffer", 0.5), 1);
    let text = "Treffer, 6391 EE Sleen";
    let mut findings =
        trial::found(text, &[("Treffer", "STREET_NAME"), ("6391 EE", "ZIP_CODE"), ("Sleen", "CITY")]);
    findings[0].confidence = 0.4;
    retain(text, &mut findings);
    assert_eq!(findings.len(), 3);
    goes("ships kernel 6.8; Debian 12", "kernel 6.8; Debian 12", "STREET_NAME");
    goes("at character 15 of it", "character 15", "SECONDARY_ADDRESS");
    stays("ask at Flat 15", "Flat 15", "SECONDARY_ADDRESS");
    goes("BETRAG 585,02 EUR", "02 EUR", "ZIP_CODE");
}

#[test]
fn results_firms_and_papers_are_nobody_s() {
    let none = |text: &'static str, values: &[(&str, &str)]| assert!(kept(text, values).is_empty(), "{text}");
    goes("see doi:10.1038/s41586-020-2649-2", "020-2649-2", "TAX_ID");
    goes("kernel: [ 1042.337190] usb", "1042.337190", "TAX_ID");
    goes("Order no. 7741-22908-3 shipped", "7741-22908-3", "TAX_ID");
    goes("total += range(len(rows))", "len", "GIVEN_NAME");
    goes("Parcel 00340434161094042557 left", "00340434161094042557", "PHONE");
    none("Arsenal beat Chelsea 3-1 again", &[("3-1", "BUILDING_NUMBER")]);
    none("the Miele Triflex on carpet", &[("Miele", "GIVEN_NAME"), ("Triflex", "SURNAME")]);
    none("Johnson & Johnson recalled it", &[("Johnson", "SURNAME"), ("Johnson", "GIVEN_NAME")]);
    let text = "Schenkstraße 9-4, Köln";
    assert_eq!(kept(text, &[("Schenkstraße", "STREET_NAME"), ("9-4", "BUILDING_NUMBER")]).len(), 2);
    let text = "with Anna & Bruno today";
    assert_eq!(kept(text, &[("Anna", "GIVEN_NAME"), ("Bruno", "GIVEN_NAME")]).len(), 2);
}
