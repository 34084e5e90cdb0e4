//! A model in several files, as llama.cpp's `gguf-split` writes them.

use crate::{Error, Gguf};

impl<'a> Gguf<'a> {
    /// Joins the parts of a split model, given in order: metadata of the first, tensors of all.
    ///
    /// One whole file that was never split may be given alone.
    ///
    /// **Errors**: none given, a part out of place or missing (`split.no`, `split.count`), a tensor twice,
    /// or another number of tensors than `split.tensors.count` says.
    pub fn join(parts: Vec<Gguf<'a>>) -> Result<Gguf<'a>, Error> {
        let count = parts.len();
        let mut parts = parts.into_iter();
        let mut whole = parts.next().ok_or_else(|| Error::key("split.count", "no part was given"))?;
        if count == 1 && whole.get("split.count").is_none() {
            return Ok(whole);
        }
        check_place(&whole, 0, count)?;
        for (number, part) in parts.enumerate() {
            check_place(&part, number + 1, count)?;
            whole.append(part)?;
        }
        if whole.get("split.tensors.count").is_some() {
            let (claimed, found) = (whole.u32("split.tensors.count")?, whole.tensors().count());
            if claimed as usize != found {
                let problem = format!("{claimed} tensors, the {count} parts have {found}");
                return Err(Error::key("split.tensors.count", problem));
            }
        }
        Ok(whole)
    }
}

fn check_place(part: &Gguf<'_>, number: usize, count: usize) -> Result<(), Error> {
    let (no, of) = (part.u32("split.no")? as usize, part.u32("split.count")? as usize);
    if of != count {
        return Err(Error::key("split.count", format!("part {number} is of {of} parts, {count} were given")));
    }
    if no != number {
        return Err(Error::key("split.no", format!("part {no} was given where part {number} belongs")));
    }
    Ok(())
}

/// The names of all parts when `name` is one of a split model (`model-00001-of-00003.gguf`), else `None`.
pub fn part_names(name: &str) -> Option<Vec<String>> {
    const DIGITS: usize = 5;
    let stem = name.strip_suffix(".gguf")?;
    let (rest, count) = stem.split_at_checked(stem.len().checked_sub(DIGITS)?)?;
    let rest = rest.strip_suffix("-of-")?;
    let (base, number) = rest.split_at_checked(rest.len().checked_sub(DIGITS)?)?;
    let base = base.strip_suffix('-')?;
    let digits =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse::<u32>().ok())?;
    let (number, total) = (digits(number)?, digits(count)?);
    (1..=total)
        .contains(&number)
        .then(|| (1..=total).map(|part| format!("{base}-{part:05}-of-{count}.gguf")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Kind, Writer};

    fn part(no: u16, count: u16, tensors: &[&str]) -> Vec<u8> {
        let mut writer = Writer::new();
        writer.set("split.no", no);
        writer.set("split.count", count);
        writer.set("split.tensors.count", 3i32);
        for (index, name) in tensors.iter().enumerate() {
            writer.tensor(name, Kind::I8, &[1], vec![index as u8]).unwrap();
        }
        writer.to_vec()
    }

    fn join(parts: &[Vec<u8>]) -> Result<Vec<String>, String> {
        let parts = parts.iter().map(|part| Gguf::parse(part).unwrap()).collect();
        let whole = Gguf::join(parts).map_err(|error| error.to_string())?;
        assert!(whole.tensors().all(|tensor| whole.tensor(tensor.name).unwrap().bytes == tensor.bytes));
        Ok(whole.tensors().map(|tensor| tensor.name.to_string()).collect())
    }

    #[test]
    fn parts_become_one() {
        let parts = [part(0, 2, &["b", "c"]), part(1, 2, &["a"])];
        assert_eq!(join(&parts), Ok(vec!["b".into(), "c".into(), "a".into()]));
        let message = |parts: &[Vec<u8>]| join(parts).unwrap_err();
        assert_eq!(message(&parts[..1]), "key split.count: part 0 is of 2 parts, 1 were given");
        assert_eq!(
            message(&[parts[1].clone(), parts[0].clone()]),
            "key split.no: part 1 was given where part 0 belongs"
        );
        assert_eq!(message(&[parts[0].clone(), part(1, 2, &["c"])]), "tensor c: is in the file twice");
        assert_eq!(
            message(&[parts[0].clone(), part(1, 2, &[])]),
            "key split.tensors.count: 3 tensors, the 2 parts have 2"
        );
        assert_eq!(message(&[]), "key split.count: no part was given");
        let mut whole = Writer::new();
        whole.tensor("w", Kind::I8, &[1], vec![0]).unwrap();
        assert_eq!(join(&[whole.to_vec()]), Ok(vec!["w".into()]));
    }

    #[test]
    fn names_of_parts() {
        assert_eq!(
            part_names("m-00002-of-00002.gguf").unwrap(),
            ["m-00001-of-00002.gguf", "m-00002-of-00002.gguf"]
        );
        for name in
            ["m.gguf", "m-00003-of-00002.gguf", "m-0001-of-0002.gguf", "é-of-00002.gguf", "-of-00002.gguf"]
        {
            assert_eq!(part_names(name), None, "{name}");
        }
    }
}
