//! The embedded model as the proofs run it.

use std::path::{Path, PathBuf};

use kernels::variant::{restrict, unrestrict};
use lacuna::Redactor;
use model::{Encoder, Scheme, Workspace};
use tokens::Encoding;
use weights::{Gguf, Writer};

/// Where the repository lies, as this program sees it.
#[derive(Clone, Debug)]
pub struct Root(PathBuf);

impl Root {
    pub fn new(path: &str) -> Root {
        Root(path.into())
    }

    /// The file of a baseline.
    pub fn baseline(&self, name: &str) -> PathBuf {
        self.0.join("testdata/verify").join(name)
    }

    pub fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        read(&self.0.join(path))
    }
}

pub fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|why| format!("{}: {why}", path.display()))
}

/// The model's file, and the same with padding that is attended to, in windows of `window`.
pub struct Files {
    plain: Vec<u8>,
    attended: Vec<u8>,
}

impl Files {
    pub fn read(root: &Root, window: u32) -> Result<Files, String> {
        let plain = root.read("models/rampart/rampart-q4_0.gguf")?;
        let attended = attended(&plain, window).map_err(|why| format!("the model: {why}"))?;
        Ok(Files { plain, attended })
    }

    pub fn encoders(&self, scheme: Scheme) -> Result<Encoders<'_>, String> {
        let encoder = |bytes| -> Result<Encoder<'_>, String> {
            let file = Gguf::parse(bytes).map_err(|why| why.to_string())?;
            Encoder::from_gguf(&file, Some(scheme)).map_err(|why| why.to_string())
        };
        Ok(Encoders { plain: encoder(&self.plain)?, attended: encoder(&self.attended)? })
    }
}

fn attended(file: &[u8], window: u32) -> Result<Vec<u8>, weights::Error> {
    let file = Gguf::parse(file)?;
    let mut writer = Writer::new();
    file.keys().for_each(|(key, value)| writer.set(key, value));
    writer.set("lacuna.padding", "attended");
    writer.set("lacuna.window", window);
    for tensor in file.tensors() {
        writer.tensor(tensor.name, tensor.kind, &tensor.dims, tensor.bytes)?;
    }
    Ok(writer.to_vec())
}

/// The model twice: as it is, and with attended padding.
pub struct Encoders<'a> {
    pub plain: Encoder<'a>,
    pub attended: Encoder<'a>,
}

impl Encoders<'_> {
    pub fn of(&self, attended: bool) -> &Encoder<'_> {
        if attended { &self.attended } else { &self.plain }
    }

    pub fn labels(&self) -> usize {
        self.plain.config().labels.len()
    }
}

/// Token ids of a text, special tokens included.
pub fn ids(redactor: &Redactor<'_>, text: &str) -> Vec<u32> {
    let mut encoding = Encoding::new();
    redactor.tokenizer().encode_with_specials(text, &mut encoding);
    encoding.ids
}

/// The logits of one pass in memory of its own.
pub fn logits(encoder: &Encoder<'_>, ids: &[u32]) -> Result<Vec<f32>, String> {
    let mut workspace = Workspace::new();
    encoder.forward(ids, &mut workspace).map(<[f32]>::to_vec).map_err(|why| why.to_string())
}

/// Runs `f` on the scalar definitions alone.
pub fn defined<T>(f: impl FnOnce() -> T) -> T {
    restrict(&[]);
    let result = f();
    unrestrict();
    result
}

/// The scheme of a proof's name.
pub fn scheme(name: &str) -> Option<Scheme> {
    [Scheme::Q4_0, Scheme::Int8].into_iter().find(|scheme| scheme.name() == name)
}
