//! The ten texts. All people and numbers in them are invented.

/// A text, and whether the model attends to padding up to a window after it.
pub struct Text {
    pub text: &'static str,
    pub attended: bool,
}

const fn plain(text: &'static str) -> Text {
    Text { text, attended: false }
}

/// Tokens of the window of texts with attended padding.
pub const WINDOW: u32 = 64;
/// Tokens that all texts have together, at least: no text may quietly become empty.
pub const LEAST_TOKENS: usize = 345;

pub const TEXTS: [Text; 10] = [
    plain(
        "Dear Ms Okonkwo-Reyes, my name is Tobias Lindqvist and I am writing on behalf of Priya Venkataraman.",
    ),
    plain(
        "Ship to: Maren Solheim, Apt 14B, 2207 Juniper Hollow Road, Springfield, IL 62704. \
         Call (217) 555-0148 or +1 217 555 0163 before noon.",
    ),
    plain(
        "Card 4111 1111 1111 1111 (exp 09/29) was declined; please try 5500-0000-0000-0004 or 340000000000009 instead.",
    ),
    plain(
        "Überweisung an Jürgen Weißenböck, IBAN DE89 3704 0044 0532 0130 00, BIC COBADEFFXXX, Betrag 1.250,00 €.",
    ),
    plain(
        "sshd[4211]: Failed password for invalid user kwame from 203.0.113.77 port 52144; peer 2001:db8:85a3::8a2e:370:7334, mac 00:1B:44:11:3A:B7",
    ),
    plain(
        "Bonjour, je m'appelle Hélène Lefèvre-Güçlü, j'habite au 12 bis rue de l'Église à Besançon et mon numéro est le 06 12 34 56 78.",
    ),
    plain(
        "Frau Dr. Annegret Müller-Lüdenscheidt wohnt in der Goethestraße 9, 80336 München; Steuer-ID 86 095 742 719.",
    ),
    plain(
        "omg 😂😂 text me @ noor.haddad+spam@example.co.uk 📧 or 📱 0161 496 0777!! — Noor 👩🏽‍💻 (pw: hunter2, SSN 078-05-1120)",
    ),
    plain(
        "Minutes of the tenants' meeting: Gwendolyn Achterberg opened the session at half past six and thanked everyone \
         for coming despite the rain. Ibrahim Traoré reported that the boiler on the third floor had been repaired, and \
         that the invoice, number 2024-0917, would be sent to 88 Harbour Crescent, Unit 5, Halifax, Nova Scotia. Mrs \
         Nakamura asked whether the deposit of her late husband, Kenji Nakamura, born 4 March 1951, could be transferred \
         to her account 000123456789, routing 021000021. Nobody objected. Passport copies (X4RTBPFW4, L898902C3) are to \
         be shredded; the driver's licence of Mr O'Shaughnessy, D12345678, was returned to him in person.",
    ),
    Text {
        text: "Patient Siobhán Ní Dhomhnaill, MRN 00482913, can be reached at siobhan@clinic.example or on 087 123 4567.",
        attended: true,
    },
];
