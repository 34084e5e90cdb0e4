//! SentencePiece's precompiled normaliser: a map from byte strings to text, applied to grapheme clusters.

use crate::changes::Writer;
use crate::characters::{AsciiMap, CharMap, Classes, decode};
use crate::layout::{LONGEST_STRING, class, section};
use crate::normalize::Normalized;
use crate::table::{Table, Words};
use unicode_segmentation::UnicodeSegmentation;

/// Clusters of at least this many bytes are mapped character by character.
const CLUSTER_BYTES: usize = 6;

/// The map in place: a double array over UTF-8 bytes and the strings its values point to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Precompiled<'a> {
    units: Words<'a>,
    strings: &'a [u8],
    classes: Classes<'a>,
    /// ASCII characters that stay as they are next to each other.
    plain: AsciiMap,
}

impl<'a> Precompiled<'a> {
    pub(crate) fn new(table: &Table<'a>, characters: &CharMap<'a>) -> Self {
        let bytes = table.section(section::CHARSMAP);
        // The file's own layout: length of the double array in bytes, the array, the strings.
        let length = Words::new(bytes).get(0).unwrap_or(0) as usize;
        let end = length.saturating_add(4).min(bytes.len());
        let classes = Classes::new(table);
        Self {
            units: Words::new(bytes.get(4..end).unwrap_or(&[])),
            strings: bytes.get(end..).unwrap_or(&[]),
            plain: AsciiMap::new(|byte| {
                let stays = characters.of(u32::from(byte)).is_identity();
                (stays && classes.of_ascii(byte) & class::LONE != 0).then_some(byte)
            }),
            classes,
        }
    }

    /// What the shortest mapped prefix of `key` becomes.
    ///
    /// **Source**: the double array of darts-clone as the spm_precompiled crate reads it; the reference takes the
    /// first result of its prefix search for the whole key.
    fn find(&self, key: &[u8]) -> Option<&'a [u8]> {
        let mut unit = self.units.get(0)?;
        let mut node = offset(unit);
        for &label in key {
            if label == 0 {
                return None;
            }
            node ^= u32::from(label);
            unit = self.units.get(node as usize)?;
            if unit & 0x8000_00ff != u32::from(label) {
                return None;
            }
            node ^= offset(unit);
            if unit >> 8 & 1 == 1 {
                let start = (self.units.get(node as usize)? & 0x7fff_ffff) as usize;
                let rest = self.strings.get(start..)?;
                let rest = rest.get(..LONGEST_STRING).unwrap_or(rest);
                let end = rest.iter().position(|&b| b == 0).unwrap_or(rest.len());
                return rest.get(..end);
            }
        }
        None
    }

    /// Maps `from` into `out`. `characters` holds the map of single characters.
    pub(crate) fn run(&self, characters: &CharMap<'_>, from: &Normalized, out: &mut Normalized) {
        let mut writer = Writer::new(from, out);
        let text = &from.text[..];
        let mut at = 0;
        loop {
            // All but the last of a run of plain characters have a plain neighbour on either side.
            let end = self.plain.run(text, at).saturating_sub(1);
            if at < end {
                writer.keep_all(at, end);
                at = end;
            }
            let Some((point, length)) = decode(text, at) else { break };
            let next = at + length;
            // Two neighbours of the class LONE are never in one cluster.
            let alone = self.is_lone(point) && decode(text, next).is_none_or(|(next, _)| self.is_lone(next));
            if alone {
                self.character(characters, point, text.get(at..next).unwrap_or(&[]), &mut writer);
                at = next;
            } else {
                let end = self.stretch(text, next);
                self.clusters(characters, text.get(at..end).unwrap_or(&[]), &mut writer);
                at = end;
            }
        }
        writer.flush();
    }

    fn is_lone(&self, point: u32) -> bool {
        self.classes.of(point) & class::LONE != 0
    }

    /// The end of the text that must be cut into clusters together: up to between two LONE characters.
    fn stretch(&self, text: &[u8], mut at: usize) -> usize {
        let mut before_is_lone = false;
        while let Some((point, length)) = decode(text, at) {
            let lone = self.is_lone(point);
            if lone && before_is_lone {
                return at;
            }
            before_is_lone = lone;
            at += length;
        }
        at
    }

    fn clusters(&self, characters: &CharMap<'_>, stretch: &[u8], writer: &mut Writer<'_>) {
        let Ok(stretch) = core::str::from_utf8(stretch) else { return };
        for cluster in stretch.graphemes(true) {
            if cluster.len() < CLUSTER_BYTES
                && let Some(with) = self.find(cluster.as_bytes())
            {
                writer.replace(cluster.chars().count(), with);
                continue;
            }
            let mut buffer = [0; 4];
            for character in cluster.chars() {
                let bytes = character.encode_utf8(&mut buffer).as_bytes();
                self.character(characters, u32::from(character), bytes, writer);
            }
        }
    }

    #[inline(always)]
    fn character(&self, characters: &CharMap<'_>, point: u32, bytes: &[u8], writer: &mut Writer<'_>) {
        let mapping = characters.of(point);
        if mapping.is_identity() {
            writer.keep(bytes);
        } else {
            writer.replace(1, characters.output(mapping));
        }
    }
}

fn offset(unit: u32) -> u32 {
    (unit >> 10) << ((unit & (1 << 9)) >> 6)
}
