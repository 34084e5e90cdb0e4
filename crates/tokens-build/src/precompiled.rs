//! SentencePiece's precompiled map, and from it the map of single characters.

use crate::bert::Pool;
use crate::error::{Error, field};
use crate::twostage::compress;
use crate::writer::Writer;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use tokens::layout::{LONGEST_STRING, charmap, section};

/// Writes the sections of the map `base64`, which the file has under `path`.
pub(crate) fn write(base64: &str, path: &str, writer: &mut Writer) -> Result<(), Error> {
    let bytes = BASE64_STANDARD.decode(base64).map_err(|error| field(path, error.to_string()))?;
    let map = Map::parse(&bytes).map_err(|problem| field(path, problem))?;
    let mut entries = vec![0u32; 0x11_0000];
    let mut pool = Pool::default();
    let mut buffer = [0; 4];
    for (point, entry) in entries.iter_mut().enumerate() {
        let Some(character) = char::from_u32(point as u32) else { continue };
        if let Some(output) = map.find(character.encode_utf8(&mut buffer).as_bytes()) {
            *entry = pool.entry(output)? | charmap::MAPPED;
        }
    }
    let (index, blocks) = compress(&entries);
    writer.halves(section::CHAR_INDEX, &index);
    writer.words(section::CHAR_BLOCKS, blocks);
    writer.section(section::CHAR_POOL, pool.bytes);
    writer.section(section::CHARSMAP, bytes);
    Ok(())
}

struct Map<'b> {
    units: &'b [[u8; 4]],
    strings: &'b [u8],
}

impl<'b> Map<'b> {
    fn parse(bytes: &'b [u8]) -> Result<Self, String> {
        let Some((length, rest)) = bytes.split_first_chunk::<4>() else {
            return Err(format!("{} bytes, the length alone needs 4", bytes.len()));
        };
        let length = u32::from_le_bytes(*length) as usize;
        if length > rest.len() || !length.is_multiple_of(4) || length == 0 {
            return Err(format!("double array of {length} bytes in a map of {} bytes", bytes.len()));
        }
        let (units, strings) = rest.split_at(length);
        if let Err(error) = std::str::from_utf8(strings) {
            return Err(format!("strings are not UTF-8: {error}"));
        }
        if let Some(long) = strings.split(|&b| b == 0).find(|string| string.len() > LONGEST_STRING) {
            return Err(format!("a string of {} bytes, a table holds {LONGEST_STRING}", long.len()));
        }
        Ok(Self { units: units.as_chunks().0, strings })
    }

    fn unit(&self, index: u32) -> Option<u32> {
        self.units.get(index as usize).map(|bytes| u32::from_le_bytes(*bytes))
    }

    /// What the shortest mapped prefix of `key` becomes, as readers of the table look it up.
    fn find(&self, key: &[u8]) -> Option<&'b [u8]> {
        let offset = |unit: u32| (unit >> 10) << ((unit & (1 << 9)) >> 6);
        let mut node = offset(self.unit(0)?);
        for &label in key {
            if label == 0 {
                return None;
            }
            node ^= u32::from(label);
            let unit = self.unit(node)?;
            if unit & 0x8000_00ff != u32::from(label) {
                return None;
            }
            node ^= offset(unit);
            if unit >> 8 & 1 == 1 {
                let start = (self.unit(node)? & 0x7fff_ffff) as usize;
                let rest = self.strings.get(start..)?;
                return rest.split(|&b| b == 0).next();
            }
        }
        None
    }
}
