//! The file of shapes: one recogniser a line.
//!
//! Columns are separated by white space: rule, label, subtype, check, context groups, policy, pattern (the rest of the
//! line). `-` stands for none. In the pattern `#` is a digit, `@` a letter, `~` an optional space or hyphen, `_` a space; the rest is the
//! `regex` crate's syntax, ASCII, either case.

use crate::Error;

/// One recogniser of the file.
#[derive(Debug)]
pub struct Shape {
    /// Name of the rule.
    pub rule: String,
    /// Label of the design.
    pub label: String,
    /// Subtype, if any.
    pub subtype: Option<String>,
    /// Function of the module `checks`, if any.
    pub check: Option<String>,
    /// Bits of the context groups.
    pub context: u128,
    /// Policy letters, see `lacuna-rules`.
    pub policy: String,
    /// Regular expression.
    pub pattern: String,
}

pub fn parse(text: &str, groups: &[String]) -> Result<Vec<Shape>, Error> {
    let rows = text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty() && !l.starts_with("//"));
    rows.map(|(i, line)| row(line, groups).map_err(|e| Error(format!("shapes, line {}: {e}", i + 1))))
        .collect()
}

fn row(line: &str, groups: &[String]) -> Result<Shape, String> {
    let (mut columns, mut rest) = (Vec::new(), line);
    while columns.len() < 6 {
        let (column, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        columns.push(column);
        rest = after.trim_start();
        if rest.is_empty() {
            return Err(format!("{} columns, 7 are needed: {line}", columns.len()));
        }
    }
    let [rule, label, subtype, check, context, policy] = columns[..] else { unreachable!("six were pushed") };
    let pattern = rest.trim_end();
    let some = |s: &str| (s != "-").then(|| s.to_string());
    let mut bits = 0u128;
    for name in context.split(',').filter(|n| *n != "-") {
        let bit = groups.iter().position(|g| g == name).ok_or(format!("no context group {name}"))?;
        bits |= 1 << bit;
    }
    if let Some(letter) = policy.chars().find(|c| !"sufewhtxnk-".contains(*c)) {
        return Err(format!("no policy {letter}"));
    }
    let expanded =
        pattern.replace('#', "[0-9]").replace('@', "[a-z]").replace('~', "[ -]?").replace('_', "[ ]");
    let pattern = format!("(?i-u:{expanded})");
    Ok(Shape {
        rule: rule.into(),
        label: label.into(),
        subtype: some(subtype),
        check: some(check),
        context: bits,
        policy: policy.into(),
        pattern,
    })
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn rows() {
        let shapes = parse("// note\nx TAX_ID X luhn tax fx ##~@_\n", &["tax".into()]).unwrap();
        assert_eq!(shapes[0].pattern, "(?i-u:[0-9][0-9][ -]?[a-z][ ])");
        assert_eq!(shapes[0].context, 1);
    }

    #[test]
    fn errors_name_the_line() {
        let error = parse("x TAX_ID X luhn tax fx ##\ny Z\n", &["tax".into()]).unwrap_err().to_string();
        assert!(error.contains("line 2") && error.contains("2 columns"), "{error}");
        let error = parse("x TAX_ID X luhn tux fc ##\n", &["tax".into()]).unwrap_err().to_string();
        assert!(error.contains("no context group tux"), "{error}");
    }
}
