//! Each way an ONNX file can fail to fit, and what is said of it.

use prost::Message;

use super::*;
use crate::onnx_proto::{Attribute, Graph};

const Q4: usize = 0;
const SCALES: usize = 1;
const POINTS: usize = 2;
const TABLE: usize = 4;

/// A 4-bit product of 3 x 96 with its bias, and a uint8 embedding of 5 x 4.
fn sample() -> Graph {
    let tensor = |name: &str, data_type, dims: &[i64], raw: Vec<u8>| Tensor {
        name: name.into(),
        data_type,
        dims: dims.to_vec(),
        raw_data: raw.into(),
        ..Tensor::default()
    };
    let node = |op: &str, inputs: &[&str], output: &str, attributes: &[(&str, i64)]| Node {
        op_type: op.into(),
        input: inputs.iter().map(|&name| name.into()).collect(),
        output: vec![output.into()],
        attribute: attributes
            .iter()
            .map(|&(name, value)| Attribute { name: name.into(), i: Some(value), ..Attribute::default() })
            .collect(),
    };
    let floats = |values: &[f32]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
    let shape = [("K", 96), ("N", 3), ("bits", 4), ("block_size", 32)];
    Graph {
        initializer: vec![
            tensor("q", UINT8, &[3, 3, 16], vec![0x88; 144]),
            tensor("s", FLOAT, &[3, 3], floats(&[0.5; 9])),
            tensor("z", UINT8, &[3, 2], vec![0x88, 0x08, 0x88, 0x08, 0x88, 0xf8]),
            tensor("a.bias", FLOAT, &[3], floats(&[1.0, 2.0, 3.0])),
            tensor("e.weight_quantized", UINT8, &[5, 4], (0..20).collect()),
            tensor("e.scale", FLOAT, &[], floats(&[0.25])),
            tensor("e.zero", UINT8, &[], vec![7]),
        ],
        node: vec![
            node("MatMulNBits", &["x", "q", "s", "z"], "p", &shape),
            node("Add", &["p", "a.bias"], "y", &[]),
            node("Gather", &["e.weight_quantized", "ids"], "g", &[]),
            node("DequantizeLinear", &["g", "e.scale", "e.zero"], "d", &[]),
        ],
    }
}

fn read_graph(graph: Graph) -> Result<Checkpoint, String> {
    let model = Model { graph: Some(graph) };
    read(&model.encode_to_vec()).map_err(|error| error.to_string())
}

fn message(change: impl Fn(&mut Graph)) -> String {
    let mut graph = sample();
    change(&mut graph);
    read_graph(graph).expect_err("a change that matters")
}

#[test]
fn matrices_are_named_by_their_bias_and_tables_by_themselves() {
    let checkpoint = read_graph(sample()).unwrap();
    let names: Vec<&String> = checkpoint.0.keys().collect();
    assert_eq!(names, ["a.bias", "a.weight", "e.weight"]);
    assert_eq!(checkpoint.get("a.weight", &[3, 96]).unwrap().dims, [3, 96]);
    let Data::U8 { bytes, scale, zero } = &checkpoint.get("e.weight", &[5, 4]).unwrap().data else {
        panic!()
    };
    assert_eq!((bytes.len(), *scale, *zero), (20, 0.25, 7));
    let missing = checkpoint.get("b.weight", &[1]).unwrap_err().to_string();
    assert_eq!(missing, "tensor b.weight: not among the file's 3 tensors");
    let shape = checkpoint.get("a.bias", &[4]).unwrap_err().to_string();
    assert_eq!(shape, "tensor a.bias: the configuration needs shape [4], the file has [3]");
}

#[test]
fn a_float_product_is_turned() {
    let mut graph = sample();
    graph.node[0].op_type = "MatMul".into();
    let raw =
        [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0].iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
    graph.initializer[Q4] = Tensor {
        name: "q".into(),
        data_type: FLOAT,
        dims: vec![2, 3],
        raw_data: raw.into(),
        ..Tensor::default()
    };
    let checkpoint = read_graph(graph.clone()).unwrap();
    let Data::F32(values) = &checkpoint.get("a.weight", &[3, 2]).unwrap().data else { panic!() };
    assert_eq!(*values, [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    // By way of a Transpose the tensor is [outputs, inputs] already; one that swaps nothing is refused later,
    // as a matrix that is not in the file.
    graph.node[0].input[1] = "t".into();
    let mut turn = Node {
        op_type: "Transpose".into(),
        input: vec!["q".into()],
        output: vec!["t".into()],
        attribute: vec![],
    };
    graph.initializer[Q4].dims = vec![3, 2];
    graph.node.push(turn.clone());
    let checkpoint = read_graph(graph.clone()).unwrap();
    let Data::F32(values) = &checkpoint.get("a.weight", &[3, 2]).unwrap().data else { panic!() };
    assert_eq!(*values, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    turn.attribute = vec![Attribute { name: "perm".into(), ints: vec![0, 1], ..Attribute::default() }];
    graph.node[4] = turn;
    assert!(!read_graph(graph).unwrap().0.contains_key("a.weight"));
}

#[test]
fn what_does_not_fit_is_named_with_its_numbers() {
    let attribute = |graph: &mut Graph, at: usize, value| graph.node[0].attribute[at].i = Some(value);
    assert_eq!(
        message(|graph| graph.initializer[Q4].raw_data.truncate(143)),
        "tensor q: shape [3, 3, 16] needs 144 bytes, file has 143"
    );
    assert_eq!(
        message(|graph| graph.initializer[Q4].dims = vec![3, 3, 15]),
        "tensor q: shape [3, 3, 15] needs 135 bytes, file has 144"
    );
    assert_eq!(
        message(|graph| attribute(graph, 1, 4)),
        "tensor a.weight: 4 x 96 in 4 bits needs 192 of q, file has 144"
    );
    assert_eq!(
        message(|graph| {
            graph.initializer[SCALES].dims = vec![8];
            graph.initializer[SCALES].raw_data.truncate(32);
        }),
        "tensor a.weight: 3 x 96 in 4 bits needs 9 of s, file has 8"
    );
    assert_eq!(
        message(|graph| attribute(graph, 0, 95)),
        "tensor a.weight: 95 columns are not a multiple of 32"
    );
    assert_eq!(
        message(|graph| attribute(graph, 1, i64::MAX)),
        "tensor a.weight: 9223372036854775807 x 96 elements, at most 2147483648"
    );
    assert_eq!(
        message(|graph| attribute(graph, 1, -1)),
        "tensor a.weight: its MatMulNBits has no attribute N"
    );
    assert_eq!(
        message(|graph| attribute(graph, 2, 8)),
        "tensor a.weight: 8 bits in blocks of 32, only 4 in 32 are read"
    );
    let point = |at: usize, value: u8| {
        message(move |graph| {
            let mut raw = graph.initializer[POINTS].raw_data.to_vec();
            raw[at] = value;
            graph.initializer[POINTS].raw_data = raw.into();
        })
    };
    assert_eq!(point(2, 0x87), "tensor a.weight: zero points 0x87 at byte 2: only 8 (symmetric) is read");
    assert_eq!(point(5, 0x89), "tensor a.weight: zero points 0x89 at byte 5: only 8 (symmetric) is read");
    assert_eq!(
        message(|graph| graph.node[0].input[2] = "none".into()),
        "tensor a.weight: input 2 of its MatMulNBits (\"none\") is not in the file"
    );
    assert_eq!(
        message(|graph| graph.initializer[TABLE].dims = vec![1 << 20, 1 << 20]),
        "tensor e.weight_quantized: shape [1048576, 1048576]: at most 2147483648 elements are read"
    );
    assert_eq!(
        message(|graph| graph.initializer[TABLE].data_type = 3),
        "tensor e.weight: ONNX type 3 is dequantised, only uint8 is read"
    );
    assert_eq!(
        message(|graph| graph.initializer[TABLE].data_location = 1),
        "tensor e.weight_quantized: its data is in another file; only one whole file is read"
    );
    let twice = graph_with_a_tensor_twice();
    assert_eq!(read_graph(twice).unwrap_err(), "tensor q: is in the file twice");
    assert_eq!(read(b"").unwrap_err().to_string(), "ONNX file: it holds no graph");
    let cut = Model { graph: Some(sample()) }.encode_to_vec();
    let said = read(&cut[..cut.len() - 1]).unwrap_err().to_string();
    assert!(said.starts_with("ONNX file: not a whole ONNX model: "), "{said}");
}

fn graph_with_a_tensor_twice() -> Graph {
    let mut graph = sample();
    let again = graph.initializer[Q4].clone();
    graph.initializer.push(again);
    graph
}
