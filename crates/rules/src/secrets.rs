//! Keys and passwords: by the prefix their issuer gives them, as private keys and tokens, or behind a word.

use crate::candidate::Candidate;
use crate::context::{Context, Hit, Spoken};
use crate::tables::group;
use crate::text::{byte, byte_before, joined_left};
use crate::work;

/// Prefix, fewest further characters, rule. What follows are letters, digits, `_` and `-`.
pub const PREFIXES: [(&str, usize, &str); 52] = [
    ("AKIA", 16, "aws_key"),
    ("ASIA", 16, "aws_key"),
    ("AIza", 35, "google_key"),
    ("ya29.", 20, "google_token"),
    ("GOCSPX-", 20, "google_secret"),
    ("ghp_", 36, "github_token"),
    ("gho_", 36, "github_token"),
    ("ghu_", 36, "github_token"),
    ("ghs_", 36, "github_token"),
    ("ghr_", 36, "github_token"),
    ("github_pat_", 40, "github_token"),
    ("glpat-", 20, "gitlab_token"),
    ("gldt-", 20, "gitlab_token"),
    ("glrt-", 20, "gitlab_token"),
    ("sk_live_", 16, "stripe_key"),
    ("sk_test_", 16, "stripe_key"),
    ("rk_live_", 16, "stripe_key"),
    ("rk_test_", 16, "stripe_key"),
    ("pk_live_", 16, "stripe_key"),
    ("whsec_", 24, "stripe_key"),
    ("sk-ant-", 24, "anthropic_key"),
    ("sk-proj-", 24, "openai_key"),
    ("sk-or-", 24, "openrouter_key"),
    ("sk-", 32, "openai_key"),
    ("xoxb-", 20, "slack_token"),
    ("xoxp-", 20, "slack_token"),
    ("xoxa-", 20, "slack_token"),
    ("xoxr-", 20, "slack_token"),
    ("xoxs-", 20, "slack_token"),
    ("xapp-", 20, "slack_token"),
    ("SG.", 40, "sendgrid_key"),
    ("hf_", 30, "huggingface_token"),
    ("npm_", 36, "npm_token"),
    ("pypi-", 40, "pypi_token"),
    ("dop_v1_", 60, "digitalocean_token"),
    ("doo_v1_", 60, "digitalocean_token"),
    ("shpat_", 32, "shopify_token"),
    ("shpss_", 32, "shopify_token"),
    ("sq0atp-", 20, "square_token"),
    ("sq0csp-", 20, "square_token"),
    ("EAACEdEose0cBA", 10, "facebook_token"),
    ("key-", 32, "mailgun_key"),
    ("AGE-SECRET-KEY-1", 50, "age_key"),
    ("LTAI", 16, "alibaba_key"),
    ("dckr_pat_", 20, "docker_token"),
    ("NRAK-", 24, "newrelic_key"),
    ("PMAK-", 24, "postman_key"),
    ("lin_api_", 30, "linear_key"),
    ("figd_", 30, "figma_token"),
    ("gsk_", 40, "groq_key"),
    ("r8_", 30, "replicate_token"),
    ("hvs.", 20, "vault_token"),
];

/// Longest token and longest armoured key: they bound the scan.
const TOKEN_LIMIT: usize = 4096;
const KEY_LIMIT: usize = 32_768;

/// No key is shorter; most words are.
const SHORTEST: usize = 14;

/// Can a key begin with the word from `start` to `end`?
pub fn may_start(text: &str, start: usize, end: usize) -> bool {
    matches!(byte(text, start), b'A' | b'E' | b'G' | b'L' | b'N' | b'P' | b'S' | b'a'..=b'z')
        && (end - start >= SHORTEST || matches!(byte(text, end), b'_' | b'-' | b'.'))
}

/// A key by its prefix, or a JSON web token, at the start of a word.
pub fn at(text: &str, start: usize) -> Option<Candidate> {
    if joined_left(text, start) {
        return None;
    }
    let rest = &text.as_bytes()[start..];
    if rest.len() < SHORTEST || !rest[..SHORTEST].iter().all(|b| is_token(*b) || *b == b'.') {
        return None;
    }
    if rest.starts_with(b"eyJ") {
        return token(text, start);
    }
    let (prefix, least, rule) = PREFIXES.iter().find(|(p, _, _)| rest.starts_with(p.as_bytes()))?;
    let body = &rest[prefix.len()..];
    let n = body
        .iter()
        .take(TOKEN_LIMIT)
        .take_while(|b| is_token(**b) || (**b == b'.' && prefix.ends_with('.')))
        .count();
    work::add(n);
    let n = body[..n].iter().rposition(|b| b.is_ascii_alphanumeric()).map_or(0, |i| i + 1);
    let mixed = body[..n].iter().any(u8::is_ascii_digit) && body[..n].iter().any(u8::is_ascii_alphabetic);
    if n < *least || !mixed || (prefix == &"sk-" && body[..n].contains(&b'-') && n < 40) {
        return None;
    }
    let range = (start, start + prefix.len() + n);
    Some(Candidate { subtype: Some("API_KEY"), ..Candidate::new(range, "SECRET", rule, 0.97) })
}

fn is_token(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')
}

/// `header.payload.signature` in base64url; the header is a JSON object.
fn token(text: &str, start: usize) -> Option<Candidate> {
    let mut at = start;
    let mut parts = 0;
    loop {
        let n = text.as_bytes()[at..].iter().take(TOKEN_LIMIT).take_while(|b| is_token(**b)).count();
        at += n;
        work::add(n);
        if n > 0 {
            parts += 1;
        }
        if parts == 3 || n < 4 || byte(text, at) != b'.' {
            break;
        }
        at += 1;
    }
    let end = if byte_before(text, at) == b'.' { at - 1 } else { at };
    (parts >= 2 && end - start >= 30)
        .then(|| Candidate { subtype: Some("JWT"), ..Candidate::new((start, end), "SECRET", "jwt", 0.97) })
}

/// `-----BEGIN … PRIVATE KEY-----` to its end line, or as far as base64 goes.
pub fn private_key(text: &str, start: usize) -> Option<Candidate> {
    let rest = &text[start..];
    let line = rest.get(..rest.len().min(80)).or_else(|| rest.get(..rest.floor_char_boundary(80)))?;
    let title = line.strip_prefix("-----BEGIN ")?;
    let close = title.find("-----")?;
    if !title[..close].contains("PRIVATE KEY") {
        return None;
    }
    let body = start + 11 + close + 5;
    let is_body = |b: &u8| {
        b.is_ascii_alphanumeric()
            || b.is_ascii_whitespace()
            || matches!(b, b'+' | b'/' | b'=' | b':' | b',' | b'\\')
    };
    let mut end = body + text.as_bytes()[body..].iter().take(KEY_LIMIT).take_while(|b| is_body(b)).count();
    work::add(end - start);
    if text[end..].starts_with("-----END ") {
        let tail = text[end + 9..].bytes().take(60).take_while(|b| *b != b'-' && *b != b'\n').count();
        // The line may be no end line at all, and be cut within a character.
        end = text.floor_char_boundary(end + 9 + tail);
        end += text[end..].bytes().take(5).take_while(|b| *b == b'-').count();
    } else {
        end = body + text[body..end].trim_end().len();
    }
    Some(Candidate {
        subtype: Some("PRIVATE_KEY"),
        ..Candidate::new((start, end), "SECRET", "private_key", 0.99)
    })
}

/// The value behind `password:`, `api_key=` and their like.
pub fn behind(text: &str, context: &Context, hit: &Hit) -> Option<Candidate> {
    let (start, assigned) = value_start(text, hit.end)?;
    let quote = byte_before(text, start);
    let quoted = matches!(quote, b'"' | b'\'' | b'`');
    let end = value_end(text, start, quoted.then_some(quote));
    let value = text[start..end].trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '}']);
    let end = if quoted { end } else { start + value.len() };
    let value = &text[start..end];
    let next_is_word = context.hits().get(context.first_from(start)).is_some_and(|h| h.start == start);
    if next_is_word || !is_secret(value, assigned) || is_placeholder(value) {
        return None;
    }
    // The word alone says less than a prefix or the parts of a token in the same place.
    let spoken = context.near(start, end, group::SECRET).map(|s| Spoken { distance: s.distance + 40, ..s });
    let new = Candidate::new((start, end), "SECRET", "secret_word", 0.8);
    Some(Candidate { subtype: Some("PASSWORD"), spoken, check: Some("entropy"), ..new })
}

/// Where the value begins, and whether a sign assigns it (`:` or `=`) rather than "is".
fn value_start(text: &str, from: usize) -> Option<(usize, bool)> {
    let mut at = from;
    let mut assigned = false;
    let bytes = text.as_bytes();
    while at - from < 8 {
        match bytes.get(at)? {
            b' ' | b'\t' | b'"' | b'\'' | b'`' | b'>' => {}
            b':' | b'=' => assigned = true,
            _ => break,
        }
        at += 1;
    }
    if assigned {
        // `Authorization: Bearer` stands before a token of its own.
        return Some((at, true));
    }
    for word in ["is ", "ist ", "est ", "es ", "è ", "é ", "to ", "lautet ", "jest "] {
        if text.get(at..at + word.len()).is_some_and(|w| w.eq_ignore_ascii_case(word)) && at > from {
            return Some((at + word.len(), false));
        }
    }
    (text[..from].ends_with("earer") && at == from + 1).then_some((at, false))
}

fn value_end(text: &str, start: usize, quote: Option<u8>) -> usize {
    let stop = |b: u8| match quote {
        Some(q) => b == q || b == b'\n',
        None => {
            b.is_ascii_whitespace()
                || matches!(b, b'"' | b'\'' | b'`' | b'<' | b'>' | b',' | b';' | b'&' | b'|')
        }
    };
    let n = text.as_bytes()[start..].iter().take(256).take_while(|b| !stop(**b)).count();
    work::add(n);
    text.floor_char_boundary(start + n)
}

/// Does the value look drawn rather than spoken?
fn is_secret(value: &str, assigned: bool) -> bool {
    let bytes = value.as_bytes();
    let has = |f: fn(&u8) -> bool| bytes.iter().any(f);
    let (lower, upper, digit) =
        (has(u8::is_ascii_lowercase), has(u8::is_ascii_uppercase), has(u8::is_ascii_digit));
    let inner = &bytes[..bytes.len().saturating_sub(1)];
    let symbol =
        inner.iter().any(|b| b.is_ascii_punctuation() && !matches!(b, b'.' | b'-' | b'_' | b'/' | b'\''));
    // `Hello`: a capital in front says nothing.
    let capital_inside = bytes.iter().skip(1).any(u8::is_ascii_uppercase) && lower;
    let classes =
        u32::from(lower || upper) + u32::from(digit) + u32::from(symbol) + u32::from(capital_inside);
    (6..=200).contains(&bytes.len())
        && !value.contains(' ')
        && if assigned { classes >= 2 } else { classes >= 2 && (digit || symbol) && bytes.len() >= 8 }
}

/// Stars, angle brackets, variables, calls, dates and paths stand for a value or are none.
fn is_placeholder(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let masked = value.bytes().filter(|b| matches!(b, b'*' | b'x' | b'X' | b'.' | b'\x80'..)).count() * 2
        > value.len();
    masked
        || value.contains(['(', '{', '<', '['])
        || value.starts_with('$')
        || value.contains("://")
        || lower.starts_with("process.env")
        || lower.starts_with("os.")
        || lower.starts_with("your")
        || value.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'-' | b'/' | b':' | b'.' | b'T' | b'Z'))
            && value.bytes().filter(u8::is_ascii_digit).count() < 6
        || (value.contains('@')
            && value.contains('.')
            && value.find('@') < value.rfind('.')
            && value.len() > 9
            && !value.contains(['#', '!', '$', '%', '&']))
}

#[cfg(test)]
mod tests {
    use crate::tests::{labels, none, only};

    #[test]
    fn prefixes() {
        only("key AKIAIOSFODNN7EXAMPLE in", "SECRET", "AKIAIOSFODNN7EXAMPLE");
        only(
            "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
            "SECRET",
            "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
        );
        only("xoxb-1234567890-abcdefGHIJKL", "SECRET", "xoxb-1234567890-abcdefGHIJKL");
        only("sk_live_4eC39HqLyjWDarjtT1zdp7dc.", "SECRET", "sk_live_4eC39HqLyjWDarjtT1zdp7dc");
    }

    #[test]
    fn tokens_and_keys() {
        let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N";
        only(&format!("Bearer {jwt}, yes"), "SECRET", jwt);
        let key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow+/=\nabc\n-----END RSA PRIVATE KEY-----";
        only(&format!("x\n{key}\ny"), "SECRET", key);
        // No end line, cut within a character at every place: found by the fuzzer.
        for n in 0..4 {
            let open =
                format!("-----BEGIN PRIVATE KEY-----MII-----END {}", "x".repeat(n) + &"\u{fffd}".repeat(40));
            assert_eq!(labels(&open).len(), 1, "{open}");
        }
        none("-----BEGIN CERTIFICATE-----\nMIIEow\n-----END CERTIFICATE-----");
    }

    #[test]
    fn behind_a_word() {
        only("password: \"h%bH#g3LKRK\"", "SECRET", "h%bH#g3LKRK");
        only("dbPassword=sDSBWnbc9, ok", "SECRET", "sDSBWnbc9");
        only("api_key = 9f86d081884c7d659a2f", "SECRET", "9f86d081884c7d659a2f");
        only("Das Passwort ist Xk7!pq92.", "SECRET", "Xk7!pq92");
        only("Mot de passe : Tr0ub4dor&3x", "SECRET", "Tr0ub4dor");
    }

    #[test]
    fn not_secrets() {
        none("How do I reset my password? password: required. Password is mandatory");
        none("password: ******** token: ${TOKEN} secret=<your-secret> key: get_key()");
        none("The secret to success is patience, the key is practice");
        none("sk-learn and key-value and pypi-mirror");
        none("primary key: customer_id, api key: none");
    }
}
