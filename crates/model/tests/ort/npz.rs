//! Arrays of a NumPy archive: little-endian f32 and i32 in C order, which is all the evaluation data holds.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

pub struct Npz(HashMap<String, Vec<u8>>);

impl Npz {
    pub fn open(path: &Path) -> Npz {
        let file = std::fs::File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut archive = zip::ZipArchive::new(file).expect("an npz file is a zip file");
        let mut arrays = HashMap::new();
        for index in 0..archive.len() {
            let mut entry = archive.by_index(index).expect("the directory is whole");
            let name = entry.name().trim_end_matches(".npy").to_string();
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).expect("the entry is whole");
            arrays.insert(name, bytes);
        }
        Npz(arrays)
    }

    pub fn f32s(&self, name: &str) -> Option<Vec<f32>> {
        let data = self.data(name, "<f4")?;
        Some(data.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
    }

    pub fn ids(&self, name: &str) -> Option<Vec<u32>> {
        let data = self.data(name, "<i4")?;
        Some(data.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect())
    }

    fn data(&self, name: &str, kind: &str) -> Option<&[u8]> {
        let bytes = self.0.get(name)?;
        assert_eq!(bytes[..8], *b"\x93NUMPY\x01\x00", "{name}: version 1.0 of the format");
        let header = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        let text = std::str::from_utf8(&bytes[10..10 + header]).expect("the header is ASCII");
        assert!(
            text.contains(&format!("'descr': '{kind}'")) && text.contains("'fortran_order': False"),
            "{text}"
        );
        Some(&bytes[10 + header..])
    }
}
