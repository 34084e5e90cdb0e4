//! Converts the small classifiers of `testdata/classifiers`, runs their texts and prints a digest of the
//! logits: the same lines natively and in Wasm.

use lacuna_convert::{Files, Scheme, Weights, convert};
use serde::Deserialize;
use weights::Gguf;

/// A model's files and what is expected of it.
pub struct Style {
    pub name: &'static str,
    config: &'static [u8],
    tokenizer: &'static [u8],
    weights: &'static [u8],
    expected: &'static [u8],
}

macro_rules! style {
    ($name:literal) => {
        Style {
            name: $name,
            config: include_bytes!(concat!("../../../testdata/classifiers/", $name, "/config.json")),
            tokenizer: include_bytes!(concat!("../../../testdata/classifiers/", $name, "/tokenizer.json")),
            weights: include_bytes!(concat!("../../../testdata/classifiers/", $name, "/model.safetensors")),
            expected: include_bytes!(concat!("../../../testdata/classifiers/", $name, "/expected.json")),
        }
    };
}

pub const STYLES: [Style; 2] = [style!("bert"), style!("xlmr")];

/// A text, the `tokenizers` package's ids and ONNX Runtime's logits, a row a token.
#[derive(Deserialize)]
pub struct Case {
    pub text: String,
    pub ids: Vec<u32>,
    pub logits: Vec<Vec<f32>>,
}

#[derive(Deserialize)]
struct Expected {
    cases: Vec<Case>,
}

/// A converted model with its tokenizer's table.
pub struct Model {
    gguf: Vec<u8>,
    table: Vec<u8>,
    expected: &'static [u8],
}

impl Model {
    pub fn new(style: &Style, scheme: Scheme) -> Model {
        let weights = Weights::Safetensors(style.weights);
        let files = Files { config: style.config, tokenizer: style.tokenizer, weights };
        let gguf = convert(&files, scheme).expect("the model converts");
        let file = Gguf::parse(&gguf).expect("what was converted parses");
        let json = file.str("tokenizer.huggingface.json").expect("it holds its tokenizer");
        let table = tokens_build::from_tokenizer_json(json.as_bytes()).expect("the tokenizer compiles");
        Model { table, gguf, expected: style.expected }
    }

    pub fn cases(&self) -> Vec<Case> {
        serde_json::from_slice::<Expected>(self.expected).expect("expected.json").cases
    }

    pub fn ids(&self, text: &str) -> Vec<u32> {
        let tokenizer = tokens::Tokenizer::from_table(&self.table).expect("a table just made");
        let mut encoding = tokens::Encoding::new();
        tokenizer.encode_with_specials(text, &mut encoding);
        encoding.ids
    }

    pub fn logits(&self, ids: &[u32]) -> Vec<f32> {
        let file = Gguf::parse(&self.gguf).expect("parsed before");
        let encoder = model::Encoder::from_gguf(&file, None).expect("the encoder takes the file");
        let mut workspace = model::Workspace::new();
        encoder.forward(ids, &mut workspace).expect("ids of the vocabulary").to_vec()
    }
}

/// One line a model and scheme: the logits of all its texts as one number.
pub fn report() -> String {
    let mut lines = String::new();
    for style in &STYLES {
        for scheme in [Scheme::Q4_0, Scheme::Int8] {
            let model = Model::new(style, scheme);
            let texts = model.cases().into_iter().map(|case| model.logits(&model.ids(&case.text)));
            let digest = texts.flatten().fold(0xcbf2_9ce4_8422_2325, |digest, logit| fnv(digest, logit));
            lines += &format!("{} {} {digest:016x}\n", style.name, scheme.name());
        }
    }
    lines
}

/// FNV-1a over the bits; every NaN is one value.
fn fnv(digest: u64, logit: f32) -> u64 {
    let bits = if logit.is_nan() { 0x7fc0_0000 } else { logit.to_bits() };
    bits.to_le_bytes()
        .iter()
        .fold(digest, |digest, &byte| (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn main() {
    print!("{}", report());
}
