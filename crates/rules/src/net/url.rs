//! URLs: with a scheme, with `www.`, or a bare domain whose top level is no file ending and no word.

use super::email::{domain_end, is_top};
use crate::text::{byte, byte_before, word_at, word_before};

/// A longer URL is cut here: browsers refuse them too, and the bound keeps the scan linear.
const LIMIT: usize = 4096;

const SCHEMES: [&str; 22] = [
    "http",
    "https",
    "ftp",
    "ftps",
    "sftp",
    "ssh",
    "ws",
    "wss",
    "git",
    "ldap",
    "ldaps",
    "postgres",
    "postgresql",
    "mysql",
    "mongodb",
    "mongodb+srv",
    "redis",
    "rediss",
    "amqp",
    "amqps",
    "smb",
    "s3",
];

/// The URL whose `://` begins at byte `colon`.
pub fn with_scheme(text: &str, colon: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let floor = colon.saturating_sub(11);
    let start =
        (floor..colon).rev().take_while(|&i| bytes[i].is_ascii_alphanumeric() || bytes[i] == b'+').last()?;
    let scheme = &text[start..colon];
    if !SCHEMES.iter().any(|s| s.eq_ignore_ascii_case(scheme)) {
        return None;
    }
    let body = colon + 3;
    let end = body_end(text, body);
    let authority = &text[body..end];
    let authority = &authority[..authority.find(['/', '?', '#']).unwrap_or(authority.len())];
    let host = authority.rfind('@').map_or(authority, |i| &authority[i + 1..]);
    let credentials = host.len() < authority.len();
    let name = host.split(':').next().unwrap_or("");
    // An address as host is reported as such, by its own rule.
    let named = name.rsplit('.').next().is_some_and(is_top) && name.contains('.') && !name.starts_with('.');
    (named || (credentials && !name.is_empty())).then_some((start, end))
}

/// The URL that begins with `www.` at byte `start`.
pub fn with_www(text: &str, start: usize) -> Option<(usize, usize)> {
    let end = domain_end(text, start)?;
    (text[start..end].matches('.').count() >= 2).then(|| (start, with_path(text, end)))
}

/// A bare domain, with a path or not, at the start of a word.
pub fn bare(text: &str, start: usize) -> Option<(usize, usize)> {
    // Most words are not followed by a full stop and another word.
    let name =
        text.as_bytes()[start..].iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'-').count();
    let next = byte(text, start + name);
    if next < 0x80
        && (next != b'.'
            || !(byte(text, start + name + 1).is_ascii_alphanumeric()
                || byte(text, start + name + 1) >= 0x80))
    {
        return None;
    }
    if matches!(byte_before(text, start), b'@' | b'.' | b'/' | b'-' | b'\\' | b'$' | b':' | b'=')
        || word_before(text, start)
    {
        return None;
    }
    let end = domain_end(text, start)?;
    let domain = &text[start..end];
    let (rest, top) = domain.rsplit_once('.')?;
    let name = rest.rsplit('.').next()?;
    let one_case =
        !domain.bytes().any(|b| b.is_ascii_uppercase()) || !domain.bytes().any(|b| b.is_ascii_lowercase());
    let top_lower = top.to_ascii_lowercase();
    let next = byte(text, end);
    let path = next == b'/' && byte(text, end + 1).is_ascii_alphanumeric();
    let known = GENERIC.contains(&top_lower.as_str())
        || COUNTRY.contains(&top_lower.as_str())
        || (path && COUNTRY_WORDS.contains(&top_lower.as_str()));
    let call = matches!(next, b'(' | b'@' | b'=' | b'[' | b'_') || text[end..].starts_with("::");
    let dot_net =
        top_lower == "net" && matches!(name.to_ascii_lowercase().as_str(), "asp" | "vb" | "ado" | "ml");
    if !known || !one_case || call || dot_net || name.len() < 2 || word_at(text, end) {
        return None;
    }
    Some((start, with_path(text, end)))
}

fn with_path(text: &str, end: usize) -> usize {
    let port =
        text[end..].strip_prefix(':').map(|r| r.bytes().take(5).take_while(u8::is_ascii_digit).count());
    let after_port = match port {
        Some(n) if n > 0 => end + 1 + n,
        _ => end,
    };
    if matches!(byte(text, after_port), b'/' | b'?' | b'#') {
        body_end(text, after_port).max(end)
    } else {
        after_port
    }
}

/// Runs to white space or a delimiter, then gives trailing punctuation and unbalanced brackets back.
fn body_end(text: &str, from: usize) -> usize {
    let mut end = from;
    for c in text[from..].chars() {
        let stop = c.is_whitespace()
            || c.is_control()
            || matches!(
                c,
                '<' | '>'
                    | '"'
                    | '`'
                    | '{'
                    | '}'
                    | '|'
                    | '\\'
                    | '^'
                    | '“'
                    | '”'
                    | '«'
                    | '»'
                    | '。'
                    | '，'
                    | '、'
                    | '」'
                    | '）'
                    | '…'
            );
        if stop || end - from > LIMIT {
            break;
        }
        end += c.len_utf8();
    }
    trim(text, from, end)
}

fn trim(text: &str, from: usize, mut end: usize) -> usize {
    let body = &text[from..end];
    let (mut round, mut square) = (0i32, 0i32);
    for b in body.bytes() {
        match b {
            b'(' => round += 1,
            b')' => round -= 1,
            b'[' => square += 1,
            b']' => square -= 1,
            _ => {}
        }
    }
    while end > from {
        match text.as_bytes()[end - 1] {
            b'.' | b',' | b';' | b':' | b'!' | b'?' | b'\'' | b'*' => {}
            b')' if round < 0 => round += 1,
            b']' if square < 0 => square += 1,
            _ => break,
        }
        end -= 1;
    }
    end
}

const GENERIC: [&str; 36] = [
    "com", "org", "net", "edu", "gov", "mil", "info", "biz", "io", "dev", "app", "cloud", "online", "site",
    "shop", "store", "tech", "blog", "xyz", "website", "agency", "academy", "email", "health", "bank", "law",
    "news", "museum", "travel", "page", "link", "social", "eu", "ai", "tv", "arpa",
];

/// Country domains that are neither a common word nor a file ending.
const COUNTRY: [&str; 62] = [
    "uk", "de", "fr", "nl", "ch", "be", "dk", "se", "fi", "cz", "sk", "hu", "ro", "bg", "gr", "pt", "lt",
    "lv", "ee", "ie", "lu", "mt", "cy", "hr", "ru", "ua", "by", "kz", "tr", "cn", "jp", "kr", "tw", "hk",
    "sg", "th", "vn", "ph", "nz", "au", "ca", "mx", "br", "ar", "cl", "pe", "co", "ve", "uy", "za", "ke",
    "ng", "eg", "ma", "tn", "sa", "ae", "il", "ir", "pk", "lk", "es",
];

/// Country domains that are words or file endings (`it`, `pl`, `py`): believed only with a path.
const COUNTRY_WORDS: [&str; 14] =
    ["it", "in", "is", "me", "at", "no", "us", "my", "pl", "ly", "gl", "si", "id", "to"];

#[cfg(test)]
mod tests {
    use crate::tests::{labels, none, only};

    #[test]
    fn urls() {
        only("http://microsoft.webcam", "URL", "http://microsoft.webcam");
        only("see HTTPS://GITHUB.COM/JOANNA68) now", "URL", "HTTPS://GITHUB.COM/JOANNA68");
        only("go www.example.net/help. Then", "URL", "www.example.net/help");
        only("(https://example.org/x_(y)).", "URL", "https://example.org/x_(y)");
        only("microsoft.com", "URL", "microsoft.com");
        only("at shop.example.co.uk:8443/a?b=1, ok", "URL", "shop.example.co.uk:8443/a?b=1");
        only("postgres://admin:hunter2@db/prod", "URL", "postgres://admin:hunter2@db/prod");
        only("bit.ly/3xYz", "URL", "bit.ly/3xYz");
        assert_eq!(
            labels("See https://status.example.net/a/7?x=1, www.example.net/help."),
            [("URL", "https://status.example.net/a/7?x=1".into()), ("URL", "www.example.net/help".into())]
        );
    }

    #[test]
    fn not_urls() {
        none("Edit sync.py, call path.join, then load mars.local.yaml");
        none("www.microsoft");
        none("http://microsoft");
        none("http://localhost:8080/x");
        none("ASP.NET and node.js, e.g. this.It works");
        none("console.info(x); foo.de()");
        none("end of line.In the next");
    }
}
