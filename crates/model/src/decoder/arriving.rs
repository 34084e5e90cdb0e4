//! A model that arrives piece by piece (a download): every matrix is packed as its rows come, straight to where it will
//! be read, so that the file and its packed form are never both in memory.

use std::ops::Range;

use kernels::{Format, Layout, PanelsQ8_0, packed::packed_bytes};
use weights::{FileLayout, Head, Kind, Tensor};

use super::Error;
use super::packed::{key, prepared};

/// Rows that are packed at once: whole panels in every layout.
const ROWS: usize = 48;

/// What the image starts at a multiple of: a cache line.
const ALIGNMENT: usize = 64;

/// The bytes of a packed model, aligned for products to read.
#[derive(Debug)]
pub struct Image {
    buffer: Vec<u8>,
    range: Range<usize>,
}

impl Image {
    /// Room for `bytes`, all zeros.
    fn new(bytes: u64) -> Result<Image, Error> {
        let none = |_| Error::Memory { bytes };
        let length = usize::try_from(bytes).map_err(|_| Error::Memory { bytes })?;
        let room = length.checked_add(ALIGNMENT).ok_or(Error::Memory { bytes })?;
        let mut buffer = Vec::new();
        buffer.try_reserve_exact(room).map_err(none)?;
        buffer.resize(room, 0);
        let start = buffer.as_ptr().align_offset(ALIGNMENT);
        Ok(Image { buffer, range: start..start + length })
    }

    /// The file, as [`super::packed`] would have written it.
    pub fn bytes(&self) -> &[u8] {
        &self.buffer[self.range.clone()]
    }

    /// The file for the rest of the program.
    pub fn leak(self) -> &'static [u8] {
        &self.buffer.leak()[self.range]
    }
}

/// A model of which a part has come.
#[derive(Debug)]
pub struct Arriving {
    image: Image,
    /// In the order they come.
    parts: Vec<Part>,
    next: usize,
    /// Bytes of the file so far.
    at: u64,
    staged: Vec<u8>,
}

#[derive(Debug)]
struct Part {
    name: String,
    start: u64,
    bytes: u64,
    done: u64,
    /// Where the next bytes go, in the image.
    to: usize,
    pack: Option<Pack>,
}

/// A matrix that is packed as it comes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pack {
    kind: Kind,
    rows: usize,
    columns: usize,
    /// Bytes of a row as it comes.
    row_bytes: usize,
}

/// Where everything goes, before there is room for it: what the directory was read from need not stay.
#[derive(Debug)]
pub struct Plan {
    layout: FileLayout,
    parts: Vec<Part>,
    table: Option<Vec<u8>>,
}

impl Plan {
    /// For a model of which the directory has come. The tensor `table`, with its name and bytes, is added.
    ///
    /// **Errors**: what [`super::packed`] refuses; no memory could hold it.
    pub fn new(head: &Head<'_>, without: &[&str], table: Option<(&str, Vec<u8>)>) -> Result<Plan, Error> {
        let file = head.file();
        let mut writer = prepared(file, std::env::consts::ARCH, without)?;
        let mut packs = Vec::new();
        for tensor in file.tensors() {
            let pack = Pack::of(&tensor);
            match &pack {
                Some(pack) => {
                    let bytes = pack.bytes(&tensor)?;
                    writer.set(&key(tensor.name), &pack.description()[..]);
                    writer.tensor_to_come(tensor.name, Kind::I8, &[bytes])?;
                }
                None => writer.tensor_to_come(tensor.name, tensor.kind, super::packed::dims(&tensor))?,
            }
            packs.push(pack);
        }
        if let Some((name, bytes)) = &table {
            writer.tensor_to_come(name, Kind::I8, &[bytes.len()])?;
        }
        let layout = writer.layout();
        if layout.size > isize::MAX as u64 {
            return Err(Error::Memory { bytes: layout.size });
        }
        let tensors = file.tensors().zip(head.places()).zip(packs).zip(&layout.tensors);
        let mut parts: Vec<Part> = tensors
            .map(|(((tensor, &(start, bytes)), pack), range)| {
                // Within the size that was checked above.
                let to = range.start as usize;
                Part { name: tensor.name.into(), start, bytes, done: 0, to, pack }
            })
            .filter(|part| part.bytes > 0)
            .collect();
        parts.sort_by_key(|part| part.start);
        Ok(Plan { layout, parts, table: table.map(|(_, bytes)| bytes) })
    }

    /// Copies what was made while much else was in memory: the copies lie lower, and what is free is in one piece.
    pub fn settle(&mut self) {
        self.table = self.table.take().map(|table| table.as_slice().to_vec());
        self.layout = self.layout.clone();
        self.parts = std::mem::take(&mut self.parts)
            .into_iter()
            .map(|part| Part { name: part.name.clone(), ..part })
            .collect();
    }

    /// Bytes of the one large allocation that [`Plan::begin`] makes.
    pub fn bytes(&self) -> usize {
        self.layout.size as usize + ALIGNMENT
    }

    /// Makes room.
    ///
    /// **Errors**: no memory for all of it.
    pub fn begin(self) -> Result<Arriving, Error> {
        let Plan { layout, mut parts, table } = self;
        let mut image = Image::new(layout.size)?;
        let first = image.range.start;
        image.buffer[first..][..layout.head.len()].copy_from_slice(&layout.head);
        if let (Some(bytes), Some(range)) = (table, layout.tensors.last()) {
            image.buffer[first + range.start as usize..][..bytes.len()].copy_from_slice(&bytes);
        }
        parts.iter_mut().for_each(|part| part.to += first);
        Ok(Arriving { image, parts, next: 0, at: 0, staged: Vec::new() })
    }
}

impl Arriving {
    /// Bytes of the file so far.
    pub fn at(&self) -> u64 {
        self.at
    }

    /// Passes over bytes that were read before: the file's first ones.
    pub fn skip(&mut self, bytes: u64) {
        debug_assert!(self.next == 0 && self.parts.first().is_none_or(|part| self.at + bytes <= part.start));
        self.at += bytes;
    }

    /// Takes the next bytes of the file.
    pub fn take(&mut self, mut bytes: &[u8]) {
        while let Some(part) = self.parts.get_mut(self.next) {
            if bytes.is_empty() {
                return;
            }
            let (until, inside) = match part.start.checked_sub(self.at) {
                Some(before @ 1..) => (before, false),
                _ => (part.bytes - part.done, true),
            };
            let now = usize::try_from(until).unwrap_or(usize::MAX).min(bytes.len());
            let (now, rest) = bytes.split_at(now);
            if inside {
                part.put(now, &mut self.image.buffer, &mut self.staged);
                self.next += usize::from(part.done == part.bytes);
            }
            self.at += now.len() as u64;
            bytes = rest;
        }
        // Padding after the last tensor.
        self.at += bytes.len() as u64;
    }

    /// The packed file, for [`weights::Gguf::parse`].
    ///
    /// **Errors**: the bytes ended inside a tensor, or before it.
    pub fn finish(self) -> Result<Image, Error> {
        let Some(part) = self.parts.get(self.next) else { return Ok(self.image) };
        Err(weights::Error::Truncated {
            what: format!("tensor {}", part.name),
            offset: part.start,
            needs: part.bytes,
            has: part.done,
        }
        .into())
    }
}

impl Part {
    /// Takes bytes of this tensor.
    fn put(&mut self, bytes: &[u8], out: &mut [u8], staged: &mut Vec<u8>) {
        self.done += bytes.len() as u64;
        let Some(pack) = self.pack else {
            out[self.to..][..bytes.len()].copy_from_slice(bytes);
            self.to += bytes.len();
            return;
        };
        let step = ROWS * pack.row_bytes;
        let mut bytes = bytes;
        while !bytes.is_empty() {
            let (now, rest) = bytes.split_at(bytes.len().min(step - staged.len()));
            staged.extend_from_slice(now);
            bytes = rest;
            let last = bytes.is_empty() && self.done == self.bytes;
            if staged.len() == step || last {
                let packed = pack.pack(staged);
                out[self.to..][..packed.len()].copy_from_slice(&packed);
                self.to += packed.len();
                staged.clear();
            }
        }
    }
}

impl Pack {
    /// How a tensor is packed, if it is.
    pub(super) fn of(tensor: &Tensor<'_>) -> Option<Pack> {
        let (kind, rows, columns) = (tensor.kind, tensor.rows(), tensor.columns());
        let row_bytes = columns / kind.block_size() * kind.block_bytes();
        matches!(kind, Kind::Q4_0 | Kind::Q8_0).then_some(Pack { kind, rows, columns, row_bytes })
    }

    /// What the key of a packed tensor says.
    fn description(&self) -> [u32; 3] {
        [self.kind.id(), self.rows as u32, self.columns as u32]
    }

    /// Bytes of the whole matrix, packed.
    fn bytes(&self, tensor: &Tensor<'_>) -> Result<usize, Error> {
        // Nine eighths and a whole panel bound both formats. What is over it has no place in this machine's memory.
        let bytes =
            (self.rows as u64 + ROWS as u64).saturating_mul(self.columns as u64).saturating_mul(9) / 8;
        if bytes > isize::MAX as u64 {
            return Err(Error::Memory { bytes });
        }
        let layout = Layout::of(std::env::consts::ARCH);
        match self.kind {
            Kind::Q4_0 => packed_bytes(layout, Format::Q4_0, self.rows, self.columns)
                .map_err(|problem| Error::matrix(tensor, problem.to_string())),
            _ => Ok(PanelsQ8_0::packed_bytes(self.rows, self.columns)),
        }
    }

    /// Packs whole rows, at most [`ROWS`] of them.
    fn pack(&self, bytes: &[u8]) -> Vec<u8> {
        const CHECKED: &str = "whole rows of a shape that was checked when the model began to arrive";
        let rows = bytes.len() / self.row_bytes;
        let layout = Layout::of(std::env::consts::ARCH);
        match self.kind {
            Kind::Q4_0 => kernels::packed::pack_q4_0(layout, rows, self.columns, bytes).expect(CHECKED),
            _ => PanelsQ8_0::pack(rows, self.columns, bytes).expect(CHECKED).into_bytes(),
        }
    }
}
