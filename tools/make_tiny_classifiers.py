#!/usr/bin/env python3
"""Writes testdata/classifiers: token classifiers of both styles with random weights, and their logits.

    pip install numpy==2.4.6 onnx==1.23.2 onnxruntime==1.32.0 tokenizers==0.23.3
    python3 tools/make_tiny_classifiers.py

For `bert` (WordPiece, positions from 0, two token types) and `xlmr` (Unigram with a precompiled normaliser,
positions from pad id + 1, one token type): config.json, tokenizer.json, model.safetensors, model.onnx,
model_q4.onnx (the same numbers in 4 bits) and expected.json, which holds texts, the `tokenizers` package's
ids and ONNX Runtime's logits of model.onnx. The fuzzer's seeds come from the smallest such models.

The matrices hold 4-bit numbers times a scale a block, with the block's largest number at -8: Q4_0 keeps
them without loss, and so do f16 and bf16. So what our logits differ by from ONNX Runtime's is the
quantisation of activations and nothing else, and the bound in the test can be tight. Seeded.
"""

import json
import pathlib

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUT = ROOT / "testdata" / "classifiers"
HIDDEN, HEADS, LAYERS, FEED_FORWARD, POSITIONS = 64, 4, 2, 96, 40
LABELS = ["O", "B-GIVEN_NAME", "I-GIVEN_NAME", "B-EMAIL", "I-EMAIL"]
TEXTS = [
    "",
    "a",
    "Hello, John Smith!",
    "Write to Ana at ana@example.org or call.",
    "Zoë ﬁnds 北京 ①",
    "one two three four five six seven eight nine",
]


class Style:
    def __init__(self, name, prefix, model_type, architecture, pad, token_types, epsilon, dtype):
        self.name, self.prefix, self.model_type, self.architecture = name, prefix, model_type, architecture
        self.pad, self.token_types, self.epsilon, self.dtype = pad, token_types, epsilon, dtype

    @property
    def offset(self):
        return 0 if self.model_type == "bert" else self.pad + 1


STYLES = [
    Style("bert", "bert", "bert", "BertForTokenClassification", 0, 2, 1e-12, "bfloat16"),
    Style("xlmr", "roberta", "xlm-roberta", "XLMRobertaForTokenClassification", 1, 1, 1e-5, "float16"),
]


def matrix(rng, rows, columns):
    """[rows, columns] of (q - 8) * d: d has 4 bits, each block of 32 holds q = 0."""
    quants = np.clip(np.round(rng.standard_normal((rows, columns // 32, 32)) * 3 + 8), 0, 15)
    quants[np.arange(rows)[:, None], np.arange(columns // 32), rng.integers(0, 32, (rows, columns // 32))] = 0
    scales = rng.integers(5, 16, (rows, columns // 32, 1)) * rng.choice([-1, 1], (rows, columns // 32, 1)) / 256
    return ((quants - 8) * scales).reshape(rows, columns).astype(np.float32), quants.astype(np.uint8), scales


def coarse(rng, shape, centre=0.0, spread=0.5):
    """Values with 7 bits after the leading one at most: exact in bf16."""
    return (centre + np.round(rng.standard_normal(shape) * spread * 32) / 32).astype(np.float32).clip(-3.5, 3.5)


def parameters(style, vocabulary, rng):
    tensors, blocks = {}, {}
    base = f"{style.prefix}.embeddings"
    tensors[f"{base}.word_embeddings.weight"] = coarse(rng, (vocabulary, HIDDEN))
    tensors[f"{base}.position_embeddings.weight"] = coarse(rng, (POSITIONS, HIDDEN))
    tensors[f"{base}.token_type_embeddings.weight"] = coarse(rng, (style.token_types, HIDDEN))

    def norm(name):
        tensors[f"{name}.weight"] = coarse(rng, HIDDEN, 1.0, 0.2)
        tensors[f"{name}.bias"] = coarse(rng, HIDDEN, 0.0, 0.2)

    def linear(name, rows, columns):
        tensors[f"{name}.weight"], *blocks[name] = matrix(rng, rows, columns)
        tensors[f"{name}.bias"] = coarse(rng, rows, 0.0, 0.3)

    norm(f"{base}.LayerNorm")
    for layer in range(LAYERS):
        at = f"{style.prefix}.encoder.layer.{layer}"
        for part in ("query", "key", "value"):
            linear(f"{at}.attention.self.{part}", HIDDEN, HIDDEN)
        linear(f"{at}.attention.output.dense", HIDDEN, HIDDEN)
        norm(f"{at}.attention.output.LayerNorm")
        linear(f"{at}.intermediate.dense", FEED_FORWARD, HIDDEN)
        linear(f"{at}.output.dense", HIDDEN, FEED_FORWARD)
        norm(f"{at}.output.LayerNorm")
    linear("classifier", len(LABELS), HIDDEN)
    return tensors, blocks


class Graph:
    """Builds the graph as PyTorch's exporter names it: matrices transposed and anonymous, biases named."""

    def __init__(self, tensors, style, blocks=None):
        self.tensors, self.style, self.nodes, self.constants = tensors, style, [], []
        self.blocks = blocks
        self.count = 100

    def node(self, op, inputs, **attributes):
        self.count += 1
        self.nodes.append(helper.make_node(op, inputs, [f"v{self.count}"], **attributes))
        return f"v{self.count}"

    def constant(self, array):
        self.count += 1
        self.constants.append(numpy_helper.from_array(array, f"onnx::Constant_{self.count}"))
        return self.constants[-1].name

    def four_bit(self, x, name):
        """MatMulNBits with its zero points written out, as some quantisers do."""
        quants, scales = self.blocks[name]
        rows, blocks, _ = quants.shape
        points = np.full((rows, (blocks + 1) // 2), 0x88, np.uint8)
        inputs = [self.constant(quants[..., 0::2] | quants[..., 1::2] << 4),
                  self.constant(scales.reshape(rows, blocks).astype(np.float32)), self.constant(points)]
        product = self.node("MatMulNBits", [x, *inputs], domain="com.microsoft",
                            K=blocks * 32, N=rows, bits=4, block_size=32)
        return self.node("Add", [product, f"{name}.bias"])

    def linear(self, x, name):
        if self.blocks:
            return self.four_bit(x, name)
        self.count += 1
        turned = np.ascontiguousarray(self.tensors[f"{name}.weight"].T)
        self.constants.append(numpy_helper.from_array(turned, f"onnx::MatMul_{self.count}"))
        return self.node("Add", [f"{name}.bias", self.node("MatMul", [x, self.constants[-1].name])])

    def norm(self, x, name):
        parts = [x, f"{name}.weight", f"{name}.bias"]
        return self.node("LayerNormalization", parts, axis=-1, epsilon=self.style.epsilon)

    def split(self, x, order):
        shape = self.constant(np.array([0, 0, HEADS, HIDDEN // HEADS], np.int64))
        return self.node("Transpose", [self.node("Reshape", [x, shape])], perm=order)

    def layer(self, x, at):
        part = lambda name: self.linear(x, f"{at}.attention.self.{name}")
        query, key = self.split(part("query"), [0, 2, 1, 3]), self.split(part("key"), [0, 2, 3, 1])
        root = self.constant(np.array((HIDDEN // HEADS) ** 0.5, np.float32))
        scores = self.node("Div", [self.node("MatMul", [query, key]), root])
        weights = self.node("Softmax", [scores], axis=-1)
        mixed = self.node("MatMul", [weights, self.split(part("value"), [0, 2, 1, 3])])
        flat = self.constant(np.array([0, 0, HIDDEN], np.int64))
        mixed = self.node("Reshape", [self.node("Transpose", [mixed], perm=[0, 2, 1, 3]), flat])
        x = self.norm(self.node("Add", [self.linear(mixed, f"{at}.attention.output.dense"), x]),
                      f"{at}.attention.output.LayerNorm")
        up = self.linear(x, f"{at}.intermediate.dense")
        erf = self.node("Erf", [self.node("Div", [up, self.constant(np.array(2**0.5, np.float32))])])
        one = self.node("Add", [erf, self.constant(np.array(1, np.float32))])
        half = self.constant(np.array(0.5, np.float32))
        up = self.node("Mul", [self.node("Mul", [up, one]), half])
        return self.norm(self.node("Add", [self.linear(up, f"{at}.output.dense"), x]), f"{at}.output.LayerNorm")

    def build(self):
        prefix, offset = self.style.prefix, self.style.offset
        base = f"{prefix}.embeddings"
        ids = lambda value: self.constant(np.array(value, np.int64))
        length = self.node("Gather", [self.node("Shape", ["input_ids"]), ids(1)])
        last = self.node("Add", [length, ids(offset)])
        positions = self.node("Range", [ids(offset), last, ids(1)])
        x = self.node("Gather", [f"{base}.word_embeddings.weight", "input_ids"])
        kind = self.node("Gather", [f"{base}.token_type_embeddings.weight", ids([0])])
        x = self.node("Add", [x, kind])
        x = self.node("Add", [x, self.node("Gather", [f"{base}.position_embeddings.weight", positions])])
        x = self.norm(x, f"{base}.LayerNorm")
        for layer in range(LAYERS):
            x = self.layer(x, f"{prefix}.encoder.layer.{layer}")
        self.nodes.append(helper.make_node("Identity", [self.linear(x, "classifier")], ["logits"]))
        named = {name for node in self.nodes for name in node.input}
        self.constants += [numpy_helper.from_array(t, name) for name, t in self.tensors.items() if name in named]
        graph = helper.make_graph(
            self.nodes, "classifier",
            [helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "tokens"])],
            [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, "tokens", len(LABELS)])],
            self.constants)
        opsets = [helper.make_opsetid("", 18), helper.make_opsetid("com.microsoft", 1)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
        onnx.checker.check_model(model)
        return model.SerializeToString()


def stored(array, dtype):
    if dtype == "bfloat16":
        words = array.view(np.uint32)
        assert not (words & 0xFFFF).any(), "not exact in bf16"
        return (words >> 16).astype(np.uint16).tobytes()
    half = array.astype(np.float16)
    assert (half.astype(np.float32) == array).all(), "not exact in f16"
    return half.tobytes()


def safetensors(tensors, dtype):
    """The format is its header's length in 8 bytes, a JSON header, and the data."""
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, array in tensors.items():
        part = stored(array, dtype)
        kind = {"bfloat16": "BF16", "float16": "F16"}[dtype]
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [len(data), len(data) + len(part)]}
        data += part
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    return len(head).to_bytes(8, "little") + head + data


def template(first, last):
    special = lambda token: {"SpecialToken": {"id": token[0], "type_id": 0}}
    sequence = lambda name, kind: {"Sequence": {"id": name, "type_id": kind}}
    return {"type": "TemplateProcessing",
            "single": [special(first), sequence("A", 0), special(last)],
            "pair": [special(first), sequence("A", 0), special(last), sequence("B", 1), special(last)],
            "special_tokens": {t[0]: {"id": t[0], "ids": [t[1]], "tokens": [t[0]]} for t in (first, last)}}


def added(tokens):
    return [{"id": number, "content": token, "single_word": False, "lstrip": False, "rstrip": False,
             "normalized": False, "special": True} for number, token in enumerate(tokens)]


def wordpiece():
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    letters = [chr(code) for code in range(ord("a"), ord("z") + 1)]
    words = "hello john smith write to at or call one two three four five six seven ana example org".split()
    pieces = specials + letters + ["##" + letter for letter in letters] + list("0123456789.,!?@-") + words + ["北"]
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added(specials),
            "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
                           "strip_accents": None, "lowercase": True},
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "post_processor": template(("[CLS]", 2), ("[SEP]", 3)),
            "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
            "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                      "max_input_chars_per_word": 100,
                      "vocab": {piece: number for number, piece in enumerate(pieces)}}}


def unigram():
    """The evaluation's Unigram tokenizer with its 500 likeliest pieces."""
    tokenizer = json.loads((ROOT / "testdata" / "eval" / "unigram31k" / "tokenizer.json").read_text())
    tokenizer["model"]["vocab"] = tokenizer["model"]["vocab"][:500]
    tokenizer["added_tokens"] = [token for token in tokenizer["added_tokens"] if token["id"] < 500]
    return tokenizer


def write(style, tokenizer, rng):
    folder = OUT / style.name
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(tokenizer, ensure_ascii=False)
    (folder / "tokenizer.json").write_text(text)
    encoder = Tokenizer.from_str(text)
    vocabulary = encoder.get_vocab_size()
    config = {"architectures": [style.architecture], "model_type": style.model_type, "hidden_act": "gelu",
              "hidden_size": HIDDEN, "num_attention_heads": HEADS, "num_hidden_layers": LAYERS,
              "intermediate_size": FEED_FORWARD, "max_position_embeddings": POSITIONS,
              "type_vocab_size": style.token_types, "vocab_size": vocabulary, "pad_token_id": style.pad,
              "layer_norm_eps": style.epsilon, "position_embedding_type": "absolute",
              "id2label": {str(number): label for number, label in enumerate(LABELS)}}
    (folder / "config.json").write_text(json.dumps(config, indent=1))
    tensors, blocks = parameters(style, vocabulary, rng)
    (folder / "model.safetensors").write_bytes(safetensors(tensors, style.dtype))
    model = Graph(tensors, style).build()
    (folder / "model.onnx").write_bytes(model)
    (folder / "model_q4.onnx").write_bytes(Graph(tensors, style, blocks).build())
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    cases = []
    for text in TEXTS:
        ids = encoder.encode(text).ids
        assert len(ids) <= POSITIONS - style.offset, (text, len(ids))
        logits = session.run(None, {"input_ids": np.array([ids], np.int64)})[0][0]
        cases.append({"text": text, "ids": ids, "logits": [[float(x) for x in row] for row in logits]})
    made = {"tool": f"onnxruntime {onnxruntime.__version__}", "cases": cases}
    (folder / "expected.json").write_text(json.dumps(made, ensure_ascii=False, indent=1))
    spread = np.concatenate([np.array(case["logits"]) for case in cases])
    print(style.name, "vocabulary", vocabulary, "logits", spread.min(), spread.max(), "std", spread.std())


def seeds():
    """The smallest model of each kind of file, for the fuzzer."""
    global HIDDEN, HEADS, LAYERS, FEED_FORWARD, POSITIONS
    HIDDEN, HEADS, LAYERS, FEED_FORWARD, POSITIONS = 32, 1, 1, 32, 4
    style = STYLES[0]
    tensors, blocks = parameters(style, 5, np.random.default_rng(5))
    folder = ROOT / "fuzz" / "seeds" / "convert"
    folder.mkdir(parents=True, exist_ok=True)
    # The first byte chooses the reader: 0 ONNX, 1 safetensors.
    (folder / "float.onnx").write_bytes(b"\0" + Graph(tensors, style).build())
    (folder / "four_bit.onnx").write_bytes(b"\0" + Graph(tensors, style, blocks).build())
    (folder / "halves.safetensors").write_bytes(b"\1" + safetensors(tensors, "bfloat16"))


if __name__ == "__main__":
    write(STYLES[0], wordpiece(), np.random.default_rng(3))
    write(STYLES[1], unigram(), np.random.default_rng(4))
    seeds()
