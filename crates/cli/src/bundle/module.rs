//! The guest's module with a model in its memory.
//!
//! The model lies above everything the guest declares, as an active data segment: runtimes that map compiled modules
//! copy on write never read it as a whole. A second segment writes its address and length where the guest looks.

use std::borrow::Cow;
use std::ops::Range;

use guest::{FREE_BELOW, MODEL_SYMBOL};
use wasm_encoder::{ConstExpr, Encode, MemorySection, MemoryType, RawSection, Section};
use wasmparser::{Chunk, ConstExpr as ParsedExpr, Operator, Parser, Payload};

/// Bytes of a page.
const PAGE: u64 = 65536;

/// The most pages a 32-bit memory has.
const MOST_PAGES: u64 = 65536;

/// Pages above the model that nobody uses: libc's allocator writes a few bytes at the end of the memory it found.
const PAGES_ABOVE: u64 = 1;

/// Why a guest takes no model.
#[derive(Debug)]
pub enum Error {
    /// No Wasm, or damaged.
    Parse(wasmparser::BinaryReaderError),
    /// Wasm, but not our guest.
    Guest(String),
    /// Guest and model are over 4 GiB.
    Large { pages: u64 },
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Error::Parse(error) => write!(f, "not a WebAssembly module: {error}"),
            Error::Guest(problem) => write!(f, "{problem}; `cargo xtask guest` builds the guest"),
            Error::Large { pages } => {
                let mib = (pages * PAGE) >> 20;
                write!(
                    f,
                    "with this model it would need {mib} MiB of memory, and 32-bit WebAssembly has 4096"
                )
            }
        }
    }
}

impl std::error::Error for Error {}

impl From<wasmparser::BinaryReaderError> for Error {
    fn from(error: wasmparser::BinaryReaderError) -> Error {
        Error::Parse(error)
    }
}

/// What is needed to know of a guest.
#[derive(Default)]
struct Found {
    sections: Vec<(u8, Range<usize>)>,
    memory: Option<wasmparser::MemoryType>,
    /// Constant globals, by index; imported ones are none.
    globals: Vec<Option<u32>>,
    slot: Option<u32>,
    segments: u32,
    has_model: bool,
}

/// The pieces of the new file, in order.
///
/// # Errors
/// A file that is no Wasm module, not our guest, or too large with this model.
pub fn with_model<'b>(guest: &'b [u8], model: &'b [u8]) -> Result<Vec<Cow<'b, [u8]>>, Error> {
    let found = find(guest)?;
    let guest_error = |problem: &str| Error::Guest(problem.into());
    let memory = found.memory.ok_or_else(|| guest_error("it has no memory of its own"))?;
    let slot = found.slot.ok_or_else(|| Error::Guest(format!("it exports no constant {MODEL_SYMBOL}")))?;
    if found.has_model {
        return Err(guest_error("it has a model already"));
    }
    if memory.memory64 || memory.shared {
        return Err(guest_error("its memory is 64-bit or shared"));
    }
    let address = memory.initial * PAGE + u64::from(FREE_BELOW);
    let pages = (address + model.len() as u64).div_ceil(PAGE) + PAGES_ABOVE;
    if pages > MOST_PAGES || memory.maximum.is_some_and(|most| pages > most) {
        return Err(Error::Large { pages });
    }
    let place = [address as u32, model.len() as u32].map(u32::to_le_bytes).concat();
    let mut out: Vec<Cow<'b, [u8]>> = vec![guest[..8].into()];
    for (id, range) in &found.sections {
        let content = &guest[range.clone()];
        match *id {
            MEMORY => {
                let mut section = MemorySection::new();
                let (minimum, maximum) = (pages, memory.maximum);
                section.memory(MemoryType {
                    minimum,
                    maximum,
                    memory64: false,
                    shared: false,
                    page_size_log2: None,
                });
                let mut bytes = Vec::new();
                section.append_to(&mut bytes);
                out.push(bytes.into());
            }
            DATA_COUNT => {
                let mut data = Vec::new();
                (found.segments + 2).encode(&mut data);
                let mut bytes = Vec::new();
                RawSection { id: DATA_COUNT, data: &data }.append_to(&mut bytes);
                out.push(bytes.into());
            }
            DATA => {
                let more = [(slot, place.clone().into()), (address as u32, model.into())];
                data(content, found.segments, more, &mut out);
            }
            id => {
                let mut bytes = Vec::new();
                RawSection { id, data: content }.append_to(&mut bytes);
                out.push(bytes.into());
            }
        }
    }
    Ok(out)
}

const MEMORY: u8 = 5;
const DATA: u8 = 11;
const DATA_COUNT: u8 = 12;

/// The data section with more active segments; what they hold is not copied.
fn data<'b>(content: &'b [u8], segments: u32, more: [(u32, Cow<'b, [u8]>); 2], out: &mut Vec<Cow<'b, [u8]>>) {
    let old_count = leb(segments);
    let old = &content[old_count.len()..];
    let heads: Vec<Vec<u8>> = more
        .iter()
        .map(|(address, bytes)| {
            let mut head = vec![0];
            ConstExpr::i32_const(*address as i32).encode(&mut head);
            head.extend(leb(bytes.len() as u32));
            head
        })
        .collect();
    let count = leb(segments + more.len() as u32);
    let added: usize =
        heads.iter().map(Vec::len).sum::<usize>() + more.iter().map(|(_, bytes)| bytes.len()).sum::<usize>();
    let mut begin = vec![DATA];
    begin.extend(leb((count.len() + old.len() + added) as u32));
    begin.extend(count);
    out.push(begin.into());
    out.push(old.into());
    for (head, (_, bytes)) in heads.into_iter().zip(more) {
        out.push(head.into());
        out.push(bytes);
    }
}

fn leb(value: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    value.encode(&mut bytes);
    bytes
}

fn find(guest: &[u8]) -> Result<Found, Error> {
    let mut found = Found::default();
    let mut parser = Parser::new(0);
    let mut at = 0;
    loop {
        let (payload, consumed) = match parser.parse(&guest[at..], true)? {
            Chunk::Parsed { consumed, payload } => (payload, consumed),
            Chunk::NeedMoreData(_) => return Err(Error::Guest("it ends too early".into())),
        };
        at += consumed;
        match &payload {
            Payload::Version { encoding: wasmparser::Encoding::Component, .. } => {
                return Err(Error::Guest("it is a component, not a module".into()));
            }
            Payload::ImportSection(imports) => {
                for import in imports.clone().into_imports() {
                    match import?.ty {
                        wasmparser::TypeRef::Global(_) => found.globals.push(None),
                        wasmparser::TypeRef::Memory(_) => {
                            return Err(Error::Guest("it imports its memory".into()));
                        }
                        _ => {}
                    }
                }
            }
            Payload::MemorySection(memories) => {
                found.memory = memories.clone().into_iter().next().transpose()?
            }
            Payload::GlobalSection(globals) => {
                for global in globals.clone() {
                    found.globals.push(constant(&global?.init_expr));
                }
            }
            Payload::ExportSection(exports) => {
                for export in exports.clone() {
                    let export = export?;
                    if export.name == MODEL_SYMBOL && export.kind == wasmparser::ExternalKind::Global {
                        found.slot = found.globals.get(export.index as usize).copied().flatten();
                    }
                }
            }
            Payload::DataSection(data) => {
                found.segments = data.count();
                for segment in data.clone() {
                    let segment = segment?;
                    if let wasmparser::DataKind::Active { offset_expr, .. } = &segment.kind {
                        found.has_model |= constant(offset_expr) == found.slot && segment.data.len() == 8;
                    }
                }
            }
            Payload::CodeSectionStart { range, .. } => {
                found.sections.push((10, range.clone()));
                parser.skip_section();
                at = range.end;
                continue;
            }
            Payload::End(_) => return Ok(found),
            _ => {}
        }
        if let Some((id, range)) = payload.as_section() {
            found.sections.push((id, range));
        }
    }
}

fn constant(expression: &ParsedExpr<'_>) -> Option<u32> {
    match expression.get_operators_reader().read().ok()? {
        Operator::I32Const { value } => Some(value as u32),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use wasm_encoder::{
        ConstExpr, DataSection, ExportKind, ExportSection, GlobalSection, GlobalType, MemorySection,
        MemoryType, Module, ValType,
    };

    use super::*;

    fn guest(maximum: Option<u64>, symbol: &str) -> Vec<u8> {
        let mut module = Module::new();
        let mut memories = MemorySection::new();
        memories.memory(MemoryType {
            minimum: 3,
            maximum,
            memory64: false,
            shared: false,
            page_size_log2: None,
        });
        let mut globals = GlobalSection::new();
        let kind = GlobalType { val_type: ValType::I32, mutable: false, shared: false };
        globals.global(kind, &ConstExpr::i32_const(1));
        globals.global(kind, &ConstExpr::i32_const(2048));
        let mut exports = ExportSection::new();
        exports.export("memory", ExportKind::Memory, 0).export(symbol, ExportKind::Global, 1);
        let mut data = DataSection::new();
        data.active(0, &ConstExpr::i32_const(1024), *b"words");
        module.section(&memories).section(&globals).section(&exports).section(&data);
        module.finish()
    }

    #[test]
    fn a_model_is_data_above_the_guests_own() {
        let (guest, model) = (guest(None, MODEL_SYMBOL), vec![7u8; 70_000]);
        let bytes = with_model(&guest, &model).unwrap().concat();
        wasmparser::validate(&bytes).unwrap();
        let found = find(&bytes).unwrap();
        let address = 3 * 65536 + FREE_BELOW;
        assert_eq!(found.memory.unwrap().initial, 3 + 16 + 2 + 1);
        let mut segments = Vec::new();
        for payload in Parser::new(0).parse_all(&bytes) {
            if let Payload::DataSection(data) = payload.unwrap() {
                for segment in data {
                    let segment = segment.unwrap();
                    let wasmparser::DataKind::Active { offset_expr, .. } = segment.kind else {
                        panic!("passive")
                    };
                    segments.push((constant(&offset_expr).unwrap(), segment.data));
                }
            }
        }
        let place = [address, 70_000].map(u32::to_le_bytes).concat();
        assert_eq!(segments, [(1024, &b"words"[..]), (2048, &place), (address, &model)]);
        let again = with_model(&bytes, &model).unwrap_err().to_string();
        assert!(again.starts_with("it has a model already"), "{again}");
    }

    #[test]
    fn what_is_no_guest_is_refused() {
        let said = |guest: &[u8], model: &[u8]| with_model(guest, model).unwrap_err().to_string();
        let good = guest(None, MODEL_SYMBOL);
        assert!(said(b"GGUF....", &[0]).starts_with("not a WebAssembly module"));
        assert!(said(&good[..good.len() - 3], &[0]).len() > 10);
        assert!(said(&guest(None, "other"), &[0]).contains("LACUNA_MODEL"));
        assert!(said(&guest(Some(20), MODEL_SYMBOL), &[0; 1]).contains("MiB of memory"));
        assert!(said(&Module::new().finish(), &[0]).contains("no memory"));
        for end in 0..good.len() {
            assert!(with_model(&good[..end], &[1]).is_err() || end > 40, "cut at {end}");
        }
    }
}
