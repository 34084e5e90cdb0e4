//! Blocks and values against what the `gguf` Python package makes of them (`tools/make_gguf_fixtures.py`).

use lacuna_weights::{Gguf, Kind, dequantize, is_dequantizable, quantize, quantize_file};

const DEQUANTIZE: &[u8] = include_bytes!("../../../testdata/gguf/dequantize.gguf");
const QUANTIZE: &[u8] = include_bytes!("../../../testdata/gguf/quantize.gguf");

/// The bits, all NaNs being one value.
fn bits(value: f32) -> u32 {
    if value.is_nan() { 0x7fc0_0000 } else { value.to_bits() }
}

#[test]
fn every_type_has_the_values_of_the_package() {
    let file = Gguf::parse(DEQUANTIZE).unwrap();
    let kinds: Vec<_> = file.tensors().filter(|tensor| !tensor.name.ends_with(".values")).collect();
    assert_eq!(kinds.len(), 10);
    for tensor in kinds {
        assert_eq!(Some(tensor.kind), Kind::from_name(tensor.name));
        let expected = file.tensor(&format!("{}.values", tensor.name)).unwrap();
        let values = tensor.dequantized().unwrap();
        let differ =
            values.iter().zip(&*expected.f32s().unwrap()).filter(|(a, b)| bits(**a) != bits(**b)).count();
        assert_eq!((values.len(), differ), (expected.rows() * expected.columns(), 0), "{}", tensor.name);
        let mut row = vec![0.0; tensor.columns()];
        dequantize(tensor.kind, tensor.row(1).unwrap(), &mut row).unwrap();
        assert!(row.iter().zip(&values[row.len()..]).all(|(a, b)| bits(*a) == bits(*b)));
        assert!(tensor.row(tensor.rows()).is_err());
    }
}

#[test]
fn every_type_has_the_blocks_of_the_package() {
    let file = Gguf::parse(QUANTIZE).unwrap();
    let values = file.tensor("values").unwrap().f32s().unwrap();
    let mut checked = 0;
    for tensor in file.tensors().filter(|tensor| tensor.name != "values") {
        let blocks = quantize(tensor.kind, &values).unwrap();
        let size = tensor.kind.block_bytes();
        for (index, (ours, theirs)) in blocks.chunks(size).zip(tensor.bytes.chunks(size)).enumerate() {
            assert_eq!(ours, theirs, "{} block {index}", tensor.name);
        }
        assert_eq!(blocks.len(), tensor.bytes.len());
        checked += 1;
    }
    assert_eq!(checked, 7);
}

#[test]
fn what_has_no_scale_is_refused_with_its_place() {
    let said = |kind, values: &[f32]| quantize(kind, values).unwrap_err().to_string();
    let mut values = [1.0; 64];
    values[40] = f32::NAN;
    assert_eq!(said(Kind::Q4_0, &values), "q4_0 value 40 is NaN: no scale holds it");
    values[40] = 1e9;
    assert_eq!(said(Kind::Q4_0, &values), "q4_0 the scale of block 1 is beyond f16");
    assert_eq!(said(Kind::Q8_0, &values), "q8_0 the scale of block 1 is beyond f16");
    assert_eq!(said(Kind::Q8_0, &values[..33]), "q8_0 33 values are not whole blocks of 32");
    assert_eq!(said(Kind::Q4_1, &[-70000.0; 32]), "q4_1 the scale of block 0 is beyond f16");
    assert_eq!(said(Kind::Q6_K, &values), "q6_K is not written here");
    // The smallest values have a scale of 0 or the least f16 and never divide by nothing.
    for value in [f32::from_bits(1), -f32::from_bits(1), 1e-40, f32::MIN_POSITIVE] {
        for kind in [Kind::Q4_0, Kind::Q4_1, Kind::Q5_0, Kind::Q5_1, Kind::Q8_0] {
            let mut out = [f32::NAN; 32];
            dequantize(kind, &quantize(kind, &[value; 32]).unwrap(), &mut out).unwrap();
            assert!(out.iter().all(|value| value.abs() < 1e-6), "{value:e} in {}", kind.name());
        }
    }
    let error = dequantize(Kind::Q8_0, &[0; 33], &mut [0.0; 32]).unwrap_err().to_string();
    assert_eq!(error, "q8_0 32 values are 1 blocks of 32 and need 34 bytes, given 33");
    assert!(dequantize(Kind::I8, &[0], &mut [0.0]).is_err() && !is_dequantizable(Kind::IQ1_S));
}

#[test]
fn a_file_changes_its_type_and_keeps_the_rest() {
    let mut writer = lacuna_weights::Writer::new();
    writer.align(64).unwrap();
    writer.set("general.name", "small");
    writer.set("split.count", 1u16);
    let values: Vec<f32> = (0..192).map(|i| (i % 37) as f32 - 18.0).collect();
    writer.tensor("blk.0.w.weight", Kind::F32, &[64, 3], quantize(Kind::F32, &values).unwrap()).unwrap();
    writer.tensor("odd.weight", Kind::F32, &[3, 2], vec![0; 24]).unwrap();
    writer.tensor("norm.weight", Kind::F32, &[64], vec![0; 256]).unwrap();
    let source = writer.to_vec();
    let source = Gguf::parse(&source).unwrap();
    for (kind, file_type) in [(Kind::F16, 1), (Kind::Q8_0, 7), (Kind::Q4_0, 2), (Kind::Q4_1, 3)] {
        let bytes = quantize_file(&source, kind).unwrap().to_vec();
        let file = Gguf::parse(&bytes).unwrap();
        assert_eq!(
            (file.alignment(), file.str("general.name"), file.get("split.count")),
            (64, Ok("small"), None)
        );
        assert_eq!(file.u32("general.file_type"), Ok(file_type));
        let tensor = file.tensor("blk.0.w.weight").unwrap();
        assert_eq!((tensor.kind, tensor.bytes), (kind, &quantize(kind, &values).unwrap()[..]));
        assert_eq!(file.tensor("norm.weight").unwrap().kind, Kind::F32);
        let odd = if kind == Kind::F16 { Kind::F16 } else { Kind::F32 };
        assert_eq!(file.tensor("odd.weight").unwrap().kind, odd);
        // Back to f32 holds what the blocks held.
        let back = quantize_file(&file, Kind::F32).unwrap().to_vec();
        let back = Gguf::parse(&back).unwrap().tensor("blk.0.w.weight").unwrap().f32s().unwrap().into_owned();
        assert_eq!(back, *tensor.dequantized().unwrap());
    }
}
