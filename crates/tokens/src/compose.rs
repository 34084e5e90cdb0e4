//! Canonical composition (NFC).

use crate::changes::Writer;
use crate::characters::{Classes, Marks, decode};
use crate::layout::{class, section};
use crate::normalize::Normalized;
use crate::table::{Table, Words};
use alloc::vec::Vec;

/// The data of composition in place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Composer<'a> {
    classes: Classes<'a>,
    marks: Marks<'a>,
    /// Sorted triples: first, second, composed.
    pairs: Words<'a>,
}

const S_BASE: u32 = 0xac00;
const L_BASE: u32 = 0x1100;
const V_BASE: u32 = 0x1161;
const T_BASE: u32 = 0x11a7;
const V_COUNT: u32 = 21;
const T_COUNT: u32 = 28;
const S_COUNT: u32 = 19 * V_COUNT * T_COUNT;

/// A decomposed character: combining class, code point, and how many characters more there are than before (the first
/// of a decomposition stands for the old one: 0; the others are new: 1; a composition loses one).
#[derive(Clone, Copy, Debug)]
struct Element {
    order: u8,
    point: u32,
    change: isize,
}

impl<'a> Composer<'a> {
    pub(crate) fn new(table: &Table<'a>) -> Self {
        Self {
            classes: Classes::new(table),
            marks: Marks::new(table),
            pairs: table.words(section::COMPOSITIONS),
        }
    }

    /// Composes `text` in place; `other` is a buffer.
    pub(crate) fn run(&self, text: &mut Normalized, other: &mut Normalized) {
        if self.is_composed(&text.text) {
            return;
        }
        core::mem::swap(text, other);
        text.clear();
        let mut writer = Writer::new(other, text);
        let bytes = &other.text[..];
        let mut at = 0;
        let mut elements = Vec::new();
        while at < bytes.len() {
            let end = self.stretch(bytes, at);
            self.compose(bytes.get(at..end).unwrap_or(&[]), &mut elements, &mut writer);
            at = end;
        }
        writer.flush();
    }

    fn is_composed(&self, text: &[u8]) -> bool {
        let mut at = 0;
        while let Some((class, length)) = self.classes.at(text, at) {
            if class & class::COMPOSED == 0 {
                return false;
            }
            at += length;
        }
        true
    }

    /// The end of the stretch at `at`: the first character, then all that composition could touch.
    fn stretch(&self, text: &[u8], mut at: usize) -> usize {
        let mut first = true;
        while let Some((class, length)) = self.classes.at(text, at) {
            if !first && class & class::COMPOSED != 0 {
                break;
            }
            first = false;
            at += length;
        }
        at
    }

    /// Composes one stretch.
    ///
    /// **Source**: Unicode Standard Annex 15, in the order of the unicode-normalization-alignments crate: a character
    /// composes with the last starter unless one of at least its class stands between.
    fn compose(&self, stretch: &[u8], elements: &mut Vec<Element>, writer: &mut Writer<'_>) {
        self.decompose(stretch, elements);
        let mut starter: Option<Element> = None;
        let mut waiting: Vec<Element> = Vec::new();
        for &element in elements.iter() {
            let Some(first) = starter else {
                if element.order == 0 {
                    starter = Some(element);
                } else {
                    put(writer, element);
                }
                continue;
            };
            let blocked = waiting.last().is_some_and(|last| last.order >= element.order);
            if !blocked && let Some(point) = self.pair(first.point, element.point) {
                starter = Some(Element { order: 0, point, change: first.change + element.change - 1 });
            } else if element.order == 0 {
                put(writer, first);
                waiting.drain(..).for_each(|element| put(writer, element));
                starter = Some(element);
            } else {
                waiting.push(element);
            }
        }
        starter.into_iter().chain(waiting).for_each(|element| put(writer, element));
    }

    /// The canonical decomposition of a stretch, combining characters in order.
    fn decompose(&self, stretch: &[u8], elements: &mut Vec<Element>) {
        elements.clear();
        let mut at = 0;
        let mut run = 0;
        while let Some((point, length)) = decode(stretch, at) {
            at += length;
            let mut change = 0;
            let mut add = |order: u8, point: u32| {
                if order == 0 {
                    sort(elements, run);
                    run = elements.len();
                }
                elements.push(Element { order, point, change });
                change = 1;
            };
            let syllable = point.wrapping_sub(S_BASE);
            if syllable < S_COUNT {
                add(0, L_BASE + syllable / (V_COUNT * T_COUNT));
                add(0, V_BASE + syllable % (V_COUNT * T_COUNT) / T_COUNT);
                if syllable % T_COUNT != 0 {
                    add(0, T_BASE + syllable % T_COUNT);
                }
            } else if let Some(parts) = self.marks.decomposition(point) {
                parts.for_each(|(order, point)| add(order, point));
            } else {
                add(0, point);
            }
        }
        sort(elements, run);
    }

    /// What two characters compose to.
    fn pair(&self, first: u32, second: u32) -> Option<u32> {
        let (l, v) = (first.wrapping_sub(L_BASE), second.wrapping_sub(V_BASE));
        if l < 19 && v < V_COUNT {
            return Some(S_BASE + (l * V_COUNT + v) * T_COUNT);
        }
        let (s, t) = (first.wrapping_sub(S_BASE), second.wrapping_sub(T_BASE));
        if s < S_COUNT && s % T_COUNT == 0 && (1..T_COUNT).contains(&t) {
            return Some(first + t);
        }
        let (mut low, mut high) = (0, self.pairs.len() / 3);
        while low < high {
            let middle = (low + high) / 2;
            let found = (self.pairs.get(3 * middle)?, self.pairs.get(3 * middle + 1)?);
            if found == (first, second) {
                return self.pairs.get(3 * middle + 2);
            }
            if found < (first, second) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        None
    }
}

/// Sorts the elements from `run` on by combining class, equal ones as they are.
fn sort(elements: &mut [Element], run: usize) {
    if let Some(run) = elements.get_mut(run..) {
        run.sort_by_key(|element| element.order);
    }
}

fn put(writer: &mut Writer<'_>, element: Element) {
    let mut buffer = [0; 4];
    let character = char::from_u32(element.point).unwrap_or(char::REPLACEMENT_CHARACTER);
    writer.put(character.encode_utf8(&mut buffer).as_bytes(), element.change);
}
