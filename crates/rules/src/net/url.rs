//! URLs: with a scheme, with `www.`, or a bare domain whose top level is no file ending and no word.

use super::email::{domain_end, is_top};
use crate::text::{byte, byte_before, word_at, word_before};
use crate::work;
use core::ops::Range;

/// A longer URL is cut here: browsers refuse them too, and the bound keeps the scan linear.
const LIMIT: usize = 4096;

/// Credentials, a host name and a port.
const AUTHORITY_LIMIT: usize = 1024;

/// A label of a domain has 63 octets at most; in UTF-8 it may take more.
const LABEL_LIMIT: usize = 255;

/// Unbalanced brackets given back at the end of a URL: each is counted anew.
const BRACKETS: usize = 8;

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

/// How far the characters of a URL go, remembered from place to place: a stretch without white space is read once,
/// however many URLs seem to begin in it.
#[derive(Default)]
pub struct Stretch {
    /// Characters of URLs stand here.
    clear: Range<usize>,
    /// Something else stands at the end of `clear`.
    stopped: bool,
    /// A URL ends here; none of those inside of it is of interest.
    taken: usize,
}

impl Stretch {
    /// Where the URL that is read from `from` ends, punctuation and all.
    fn end(&mut self, text: &str, from: usize) -> usize {
        if !(self.clear.start <= from && from <= self.clear.end) {
            *self = Stretch { clear: from..from, stopped: false, taken: self.taken };
        }
        let limit = from + LIMIT;
        if !self.stopped && self.clear.end < limit {
            let rest = text[self.clear.end..].char_indices();
            let mut end = text.len();
            for (i, c) in rest {
                if is_stop(c) {
                    self.stopped = true;
                    end = self.clear.end + i;
                    break;
                }
                if self.clear.end + i >= limit {
                    end = self.clear.end + i;
                    break;
                }
            }
            work::add(end - self.clear.end);
            self.clear.end = end;
        }
        self.clear.end.min(text.floor_char_boundary(limit))
    }
}

/// The URL whose `://` begins at byte `colon`.
pub fn with_scheme(text: &str, colon: usize, stretch: &mut Stretch) -> Option<(usize, usize)> {
    if colon < stretch.taken {
        return None;
    }
    let bytes = text.as_bytes();
    let floor = colon.saturating_sub(11);
    let start =
        (floor..colon).rev().take_while(|&i| bytes[i].is_ascii_alphanumeric() || bytes[i] == b'+').last()?;
    let scheme = &text[start..colon];
    if !SCHEMES.iter().any(|s| s.eq_ignore_ascii_case(scheme)) {
        return None;
    }
    let body = colon + 3;
    let end = body_end(text, body, stretch);
    let authority = &text[body..end.min(text.floor_char_boundary(body + AUTHORITY_LIMIT))];
    work::add(authority.len());
    let authority = &authority[..authority.find(['/', '?', '#']).unwrap_or(authority.len())];
    let host = authority.rfind('@').map_or(authority, |i| &authority[i + 1..]);
    let credentials = host.len() < authority.len();
    let name = host.split(':').next().unwrap_or("");
    // An address as host is reported as such, by its own rule.
    let named = name.rsplit('.').next().is_some_and(is_top) && name.contains('.') && !name.starts_with('.');
    let found = named || (credentials && !name.is_empty());
    if found {
        stretch.taken = end;
    }
    found.then_some((start, end))
}

/// Does `www.` stand at `start`?
pub fn is_www(text: &str, start: usize) -> bool {
    text.as_bytes()[start..].get(..4).is_some_and(|p| p.eq_ignore_ascii_case(b"www."))
}

/// The URL that begins with `www.` at byte `start`.
pub fn with_www(text: &str, start: usize, stretch: &mut Stretch) -> Option<(usize, usize)> {
    let end = domain_end(text, start)?;
    (text[start..end].matches('.').count() >= 2).then(|| (start, with_path(text, end, stretch)))
}

/// A bare domain, with a path or not, at the start of the word `start..end`.
pub fn bare(text: &str, start: usize, end: usize, stretch: &mut Stretch) -> Option<(usize, usize)> {
    if matches!(byte_before(text, start), b'@' | b'.' | b'/' | b'-' | b'\\' | b'$' | b':' | b'=')
        || word_before(text, start)
    {
        return None;
    }
    // Most words are not followed by a full stop and another word.
    let rest = text.as_bytes()[end..].iter().take(LABEL_LIMIT);
    let dot = end + rest.take_while(|b| b.is_ascii_alphanumeric() || **b == b'-' || **b >= 0x80).count();
    work::add(dot - end);
    let after = byte(text, dot + 1);
    if byte(text, dot) != b'.' || !(after.is_ascii_alphanumeric() || after >= 0x80) {
        return None;
    }
    let end = domain_end(text, start)?;
    let domain = &text[start..end];
    let (rest, top) = domain.rsplit_once('.')?;
    let name = rest.rsplit('.').next()?;
    let one_case =
        !domain.bytes().any(|b| b.is_ascii_uppercase()) || !domain.bytes().any(|b| b.is_ascii_lowercase());
    let next = byte(text, end);
    let path = next == b'/' && byte(text, end + 1).is_ascii_alphanumeric();
    let is_in = |list: &[&str]| list.iter().any(|t| t.eq_ignore_ascii_case(top));
    let known = is_in(&GENERIC) || is_in(&COUNTRY) || (path && is_in(&COUNTRY_WORDS));
    let call = matches!(next, b'(' | b'@' | b'=' | b'[' | b'_') || text[end..].starts_with("::");
    let dot_net = top.eq_ignore_ascii_case("net")
        && ["asp", "vb", "ado", "ml"].iter().any(|n| n.eq_ignore_ascii_case(name));
    if !known || !one_case || call || dot_net || name.len() < 2 || word_at(text, end) {
        return None;
    }
    Some((start, with_path(text, end, stretch)))
}

fn with_path(text: &str, end: usize, stretch: &mut Stretch) -> usize {
    let port =
        text[end..].strip_prefix(':').map(|r| r.bytes().take(5).take_while(u8::is_ascii_digit).count());
    let after_port = match port {
        Some(n) if n > 0 => end + 1 + n,
        _ => end,
    };
    if matches!(byte(text, after_port), b'/' | b'?' | b'#') {
        body_end(text, after_port, stretch).max(end)
    } else {
        after_port
    }
}

/// Runs to white space or a delimiter, then gives trailing punctuation and unbalanced brackets back.
fn body_end(text: &str, from: usize, stretch: &mut Stretch) -> usize {
    let end = stretch.end(text, from);
    trim(text, from, end)
}

/// What ends a URL.
fn is_stop(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(c, '<' | '>' | '"' | '`' | '{' | '}' | '|' | '\\' | '^')
        || matches!(c, '“' | '”' | '«' | '»' | '。' | '，' | '、' | '」' | '）' | '…')
}

fn trim(text: &str, from: usize, mut end: usize) -> usize {
    let bytes = text.as_bytes();
    // How many more of a bracket close than open, counted where a body ends in one.
    let balance = |open: u8, close: u8, end: usize| {
        work::add(end - from);
        let count = |what: u8| bytes[from..end].iter().filter(|b| **b == what).count();
        count(close) > count(open)
    };
    let mut brackets = 0;
    while end > from {
        work::add(1);
        match bytes[end - 1] {
            b'.' | b',' | b';' | b':' | b'!' | b'?' | b'\'' | b'*' => {}
            b')' if brackets < BRACKETS && balance(b'(', b')', end) => brackets += 1,
            b']' if brackets < BRACKETS && balance(b'[', b']', end) => brackets += 1,
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
