//! E-mail addresses around an `@`.

use crate::text::{byte, is_cased_word, word_at};
use crate::work;

/// Octets of the local part (RFC 5321 § 4.5.3.1.1) and of the domain (§ 4.5.3.1.2): they bound the scan.
const LOCAL_LIMIT: usize = 64;
const DOMAIN_LIMIT: usize = 255;

/// The address around the `@` at byte `at`.
pub fn around(text: &str, at: usize) -> Option<(usize, usize)> {
    let start = local_start(text, at)?;
    let end = domain_end(text, at + 1)?;
    (!is_of_a_thing(&text[start..end])).then_some((start, end))
}

/// Whether what has the form of an address belongs to nobody: `git@github.com` is where a repository lies, whoever
/// fetches it, and `logo@2x.png` is a picture.
///
/// ```
/// assert!(lacuna_rules::is_of_a_thing("git@github.com") && !lacuna_rules::is_of_a_thing("ana@github.com"));
/// ```
pub fn is_of_a_thing(address: &str) -> bool {
    let Some((local, domain)) = address.rsplit_once('@') else { return false };
    let ending = domain.rsplit('.').next().unwrap_or("");
    matches!(local, "git" | "hg" | "svn")
        || ["css", "gif", "jpeg", "jpg", "png", "svg", "webp"].iter().any(|e| ending.eq_ignore_ascii_case(e))
}

fn local_start(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    if at >= 3 && bytes[at - 1] == b'"' {
        return quoted_start(text, at);
    }
    let floor = at.saturating_sub(LOCAL_LIMIT);
    let mut start = at;
    for (i, c) in text[..at].char_indices().rev() {
        if i < floor || !is_local(c) {
            break;
        }
        start = i;
    }
    work::add(at - start);
    // A word of Han, Kana, Hangul or Thai before the address, without a space: 邮箱user@example.org.
    let local = &text[start..at];
    let latin = |i: usize| local.as_bytes().get(i).is_some_and(u8::is_ascii_alphabetic);
    let particle = |c: char| !c.is_ascii() && c.is_alphanumeric() && !is_cased_word(c);
    if let Some((i, c)) = local.char_indices().rev().find(|&(i, c)| particle(c) && latin(i + c.len_utf8())) {
        start += i + c.len_utf8();
    }
    // Dots, hyphens and quotes at the edge belong to the sentence.
    let local = &text[start..at];
    let trimmed = local.trim_start_matches(['.', '-', '\'', '%', '~']);
    if trimmed.is_empty() || local.ends_with('.') || trimmed.contains("..") {
        let last = trimmed.rfind("..").map(|i| i + 2)?;
        let rest = trimmed[last..].trim_start_matches('.');
        return (!rest.is_empty() && !rest.ends_with('.')).then_some(at - rest.len());
    }
    trimmed.chars().any(char::is_alphanumeric).then_some(at - trimmed.len())
}

fn quoted_start(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let floor = at.saturating_sub(LOCAL_LIMIT);
    work::add(at - floor);
    let open = (floor..at - 1).rev().find(|&i| matches!(bytes[i], b'"' | b'\n'))?;
    (bytes[open] == b'"' && open + 2 < at).then_some(open)
}

fn is_local(c: char) -> bool {
    match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '.' | '_' | '%' | '+' | '-' | '\'' | '~' => true,
        _ => !c.is_ascii() && (c.is_alphanumeric() || is_mark(c)),
    }
}

/// Combining marks of names written in Indic scripts, Arabic or decomposed Latin.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{0300}'..='\u{036F}' | '\u{0610}'..='\u{061A}' | '\u{064B}'..='\u{065F}'
        | '\u{0900}'..='\u{0DFF}' | '\u{0E31}'..='\u{0E4E}')
}

/// End of a domain that starts at `from` and whose last label is a top-level domain by its form.
pub fn domain_end(text: &str, from: usize) -> Option<usize> {
    let mut best = None;
    let mut label = from;
    let mut labels = 0;
    loop {
        let end = label_end(text, label)?;
        if end == label || end - from > DOMAIN_LIMIT {
            return best;
        }
        labels += 1;
        if labels >= 2 && is_top(&text[label..end]) && !word_at(text, end) {
            best = Some(end);
        }
        if byte(text, end) != b'.' {
            return best;
        }
        label = end + 1;
    }
}

fn label_end(text: &str, from: usize) -> Option<usize> {
    let mut end = from;
    for c in text.get(from..)?.chars() {
        let inside =
            c.is_ascii_alphanumeric() || c == '-' || (!c.is_ascii() && (c.is_alphanumeric() || is_mark(c)));
        // A Latin label followed by Hangul or Han: a particle of the sentence.
        let particle = !c.is_ascii()
            && c.is_alphanumeric()
            && !is_cased_word(c)
            && byte(text, from).is_ascii()
            && end > from;
        if !inside || particle || end - from > DOMAIN_LIMIT {
            break;
        }
        end += c.len_utf8();
    }
    work::add(end - from);
    let label = text[from..end].trim_end_matches('-');
    Some(if label.starts_with('-') { from } else { from + label.len() })
}

/// Two letters or more, or the ASCII form of an international one.
pub fn is_top(label: &str) -> bool {
    let internationalised = label.len() > 4 && label.get(..4).is_some_and(|p| p.eq_ignore_ascii_case("xn--"));
    internationalised
        || (label.chars().count() >= 2 && label.chars().all(|c| c.is_alphabetic() || is_mark(c)))
}

#[cfg(test)]
mod tests {
    use crate::tests::{none, only};

    #[test]
    fn addresses() {
        only("ada@example.org", "EMAIL", "ada@example.org");
        only(
            "Cc nora_blixt+billing@mail.example.org, please.",
            "EMAIL",
            "nora_blixt+billing@mail.example.org",
        );
        only("o'brien.j@example.co.uk!", "EMAIL", "o'brien.j@example.co.uk");
        only("user=sharon+news@gmail.com ip", "EMAIL", "sharon+news@gmail.com");
        only("<mailto:a.b@c-d.io>", "EMAIL", "a.b@c-d.io");
        only("우진.서3@fastmail.com", "EMAIL", "우진.서3@fastmail.com");
        only("jürgen@müller-straße.de.", "EMAIL", "jürgen@müller-straße.de");
        only("x@xn--80ak6aa92e.xn--p1ai", "EMAIL", "x@xn--80ak6aa92e.xn--p1ai");
        only("\"ada king\"@example.org", "EMAIL", "\"ada king\"@example.org");
        only("邮箱user@example.org", "EMAIL", "user@example.org");
        only("see ...ada@example.org...", "EMAIL", "ada@example.org");
        only("연락처 ada@example.org로", "EMAIL", "ada@example.org");
    }

    #[test]
    fn not_addresses() {
        none("meet @ noon");
        none("user@localhost");
        none("@example.org");
        none("a@b");
        none("@decorator.method");
        none("foo@.com");
        none("git clone git@github.com:org/repo");
        none("assets/logo@2x.png");
    }
}
