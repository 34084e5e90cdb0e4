#!/usr/bin/env python3
"""Makes testdata/decoder: tiny models of each architecture and what llama.cpp says of them and of SmolLM2.

    directory=$(tools/llama_cpp_peer.sh --portable)
    python=$directory/python/bin/python
    $python tools/decoder_fixtures.py tiny                      # tiny/*.gguf and tiny/*.json
    $python tools/decoder_fixtures.py smollm2 Q4_0 FILE.gguf    # smollm2-q4_0-avx2.json; so for Q8_0 and F32
    cargo build --release -p lacuna-kernels --example c_math
    LLAMA_CPP_LIB_PATH=$directory/portable LD_PRELOAD=$PWD/target/release/examples/libc_math.so \\
        $python tools/decoder_fixtures.py smollm2 Q4_0 FILE.gguf    # smollm2-q4_0.json; so for Q8_0 and Q4_1

The tiny models have random weights; llama.cpp runs them with f32 caches. SmolLM2 runs on the prompts and the passage
below and on the first 2,000 ids of testdata/decoder/text.md, in two builds of the same source: AVX2 with f16 caches, as
users run it, and the portable one, with f32 caches and the libm crate's expf, sinf, cosf and powf, so that what llama.cpp
leaves to the machine is what ours leaves to that crate. The files are committed: tests read them and need neither Python
nor llama.cpp.
"""
import ctypes
import json
import os
import sys

import gguf
import llama_cpp
import numpy as np

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "testdata", "decoder")
TOOL = f"llama-cpp-python {llama_cpp.__version__}"
# The instruction sets the library was compiled for, and what else is told apart.
BUILD = llama_cpp.llama_print_system_info().decode().strip(" |")
PORTABLE = BUILD == "CPU : SSE3 = 1"


# exp(EXP_OF) as the libm crate rounds it; glibc rounds it up.
EXP_OF, EXP_IS = -0.1875, float.fromhex("0x1.a8768p-1")


def libm_crate():
    """Whether expf is the libm crate's."""
    expf = ctypes.CDLL(None).expf
    expf.restype, expf.argtypes = ctypes.c_float, [ctypes.c_float]
    return expf(EXP_OF) == EXP_IS


class Context:
    """A model and one context of llama.cpp, logits at every position."""

    def __init__(self, path, f32_cache, positions=1024):
        llama_cpp.llama_log_set(QUIET, None)
        parameters = llama_cpp.llama_model_default_params()
        parameters.n_gpu_layers = 0
        # Repacked weights would multiply in another order from run to run of different machines.
        self.model = llama_cpp.llama_model_load_from_file(path.encode(), parameters)
        assert self.model, path
        parameters = llama_cpp.llama_context_default_params()
        parameters.n_ctx = positions
        parameters.n_batch = positions
        parameters.n_ubatch = positions
        parameters.n_threads = parameters.n_threads_batch = 1
        parameters.flash_attn_type = 0
        if f32_cache:
            parameters.type_k = parameters.type_v = 0
        self.context = llama_cpp.llama_init_from_model(self.model, parameters)
        assert self.context, path
        self.vocabulary_ = llama_cpp.llama_model_get_vocab(self.model)
        self.vocabulary = llama_cpp.llama_vocab_n_tokens(self.vocabulary_)

    def logits(self, ids, start=0):
        batch = llama_cpp.llama_batch_init(len(ids), 0, 1)
        batch.n_tokens = len(ids)
        for i, token in enumerate(ids):
            batch.token[i] = token
            batch.pos[i] = start + i
            batch.n_seq_id[i] = 1
            batch.seq_id[i][0] = 0
            batch.logits[i] = 1
        assert llama_cpp.llama_decode(self.context, batch) == 0
        rows = [
            np.ctypeslib.as_array(llama_cpp.llama_get_logits_ith(self.context, i), (self.vocabulary,)).copy()
            for i in range(len(ids))
        ]
        llama_cpp.llama_batch_free(batch)
        return np.array(rows)

    def clear(self):
        llama_cpp.llama_memory_clear(llama_cpp.llama_get_memory(self.context), True)

    def tokens(self, text):
        out = (llama_cpp.llama_token * (len(text) + 8))()
        raw = text.encode()
        count = llama_cpp.llama_tokenize(self.vocabulary_, raw, len(raw), out, len(out), False, True)
        assert count >= 0
        return list(out[:count])


@llama_cpp.llama_log_callback
def QUIET(_level, _text, _data):
    pass


def k_quant(random, kind, rows, columns):
    """Random blocks with scales that keep weights small; the gguf package does not quantise these types."""
    kinds = gguf.GGMLQuantizationType
    _, size = gguf.GGML_QUANT_SIZES[kind]
    blocks = random.integers(0, 256, (rows, columns // 256, size), dtype=np.uint8)

    def put(at, value):
        blocks[:, :, at : at + 2] = np.frombuffer(np.float16(value).tobytes(), np.uint8)

    if kind in (kinds.Q4_K, kinds.Q5_K):
        put(0, 0.0004)
        put(2, 0.003)
    else:
        put(size - 2, 0.0002)
    return blocks.reshape(rows, -1)


class Tiny:
    """A model in the making."""

    def __init__(self, name, architecture, vocabulary, hidden, wide, layers, heads, kv, head, **more):
        self.path = os.path.join(HERE, "tiny", name + ".gguf")
        self.name, self.random = name, np.random.default_rng(sum(name.encode()))
        self.kinds = more.get("kinds", [gguf.GGMLQuantizationType.F32])
        self.turn = 0
        w = self.writer = gguf.GGUFWriter(self.path, architecture)
        w.add_name(name)
        w.add_license("CC0-1.0")
        w.add_context_length(256)
        w.add_embedding_length(hidden)
        w.add_feed_forward_length(wide)
        w.add_block_count(layers)
        w.add_head_count(heads)
        w.add_head_count_kv(kv)
        w.add_key_length(head)
        w.add_value_length(head)
        w.add_layer_norm_rms_eps(1e-5)
        w.add_vocab_size(vocabulary)
        if not more.get("tokenizer"):
            w.add_string("tokenizer.ggml.model", "none")
        more.get("keys", lambda w: None)(w)
        self.matrix("token_embd.weight", vocabulary, hidden, 1.0)
        self.vector("output_norm.weight", hidden)
        if more.get("output"):
            self.matrix("output.weight", vocabulary, hidden)
        if more.get("factors"):
            self.vector("rope_freqs.weight", head // 2, 4.0)
        for layer in range(layers):
            b = f"blk.{layer}."
            self.vector(b + "attn_norm.weight", hidden)
            self.matrix(b + "attn_q.weight", heads * head, hidden)
            self.matrix(b + "attn_k.weight", kv * head, hidden)
            self.matrix(b + "attn_v.weight", kv * head, hidden)
            self.matrix(b + "attn_output.weight", hidden, heads * head)
            if more.get("biases"):
                for which, rows in (("q", heads), ("k", kv), ("v", kv)):
                    self.vector(f"{b}attn_{which}.bias", rows * head, 0.0)
            if more.get("head_norms"):
                self.vector(b + "attn_q_norm.weight", head)
                self.vector(b + "attn_k_norm.weight", head)
            if more.get("after_norms"):
                self.vector(b + "post_attention_norm.weight", hidden)
                self.vector(b + "post_ffw_norm.weight", hidden)
            self.vector(b + "ffn_norm.weight", hidden)
            self.matrix(b + "ffn_gate.weight", wide, hidden)
            self.matrix(b + "ffn_up.weight", wide, hidden)
            self.matrix(b + "ffn_down.weight", hidden, wide)
        w.write_header_to_file()
        w.write_kv_data_to_file()
        w.write_tensors_to_file()
        w.close()
        self.fixture(vocabulary)

    def vector(self, name, length, centre=1.0):
        values = centre + 0.3 * self.random.standard_normal(length)
        self.writer.add_tensor(name, np.abs(values).astype(np.float32) if centre else values.astype(np.float32))

    def matrix(self, name, rows, columns, scale=2.5):
        kinds = gguf.GGMLQuantizationType
        kind = self.kinds[self.turn % len(self.kinds)]
        self.turn += 1
        if kind in (kinds.Q4_K, kinds.Q5_K, kinds.Q6_K):
            self.writer.add_tensor(name, k_quant(self.random, kind, rows, columns), raw_dtype=kind)
            return
        values = self.random.standard_normal((rows, columns)) * scale / np.sqrt(columns)
        self.writer.add_tensor(name, gguf.quants.quantize(values.astype(np.float32), kind), raw_dtype=kind)

    def fixture(self, vocabulary):
        ids = [int(id) for id in self.random.integers(0, vocabulary, 24)]
        logits = Context(self.path, True, 64).logits(ids)
        with open(self.path.replace(".gguf", ".json"), "w") as file:
            rows = ",\n".join("[" + ",".join(f"{x:.6g}" for x in row) + "]" for row in logits)
            file.write(f'{{"tool":"{TOOL}","ids":{json.dumps(ids)},"logits":[\n{rows}\n]}}\n')
        print(self.name, os.path.getsize(self.path), "bytes, largest logit", np.abs(logits).max())


def tiny():
    os.makedirs(os.path.join(HERE, "tiny"), exist_ok=True)
    kinds = gguf.GGMLQuantizationType

    def linear(w):
        w.add_rope_scaling_type(gguf.RopeScalingType.LINEAR)
        w.add_rope_scaling_factor(2.0)

    def yarn(w):
        w.add_rope_freq_base(1e6)
        w.add_rope_scaling_type(gguf.RopeScalingType.YARN)
        w.add_rope_scaling_factor(4.0)
        w.add_rope_scaling_orig_ctx_len(64)

    def chatml(w):
        printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
        hidden = [byte for byte in range(256) if byte not in printable]
        letter = {byte: chr(byte) for byte in printable} | {byte: chr(256 + i) for i, byte in enumerate(hidden)}
        merges = ["\u0120 t", "h e", "i n", "\u0120t he"]
        tokens = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"] + [letter[byte] for byte in range(256)]
        tokens += [merge.replace(" ", "") for merge in merges] + ["<|unused|>"]
        w.add_tokenizer_model("gpt2")
        w.add_tokenizer_pre("smollm")
        w.add_token_list(tokens)
        w.add_token_types([3 if token.startswith("<|") else 1 for token in tokens])
        w.add_token_merges(merges)
        w.add_bos_token_id(1)
        w.add_eos_token_id(2)
        w.add_add_bos_token(False)
        w.add_chat_template(
            "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] "
            "+ '<|im_end|>' + '\n' }}{% endfor %}{{ '<|im_start|>assistant\n' }}"
        )

    def windowed(w):
        w.add_rope_freq_base(1e6)
        w.add_rope_scaling_type(gguf.RopeScalingType.LINEAR)
        w.add_rope_scaling_factor(8.0)
        w.add_sliding_window(6)
        w.add_final_logit_softcapping(5.0)

    Tiny("llama", "llama", 64, 32, 48, 2, 4, 2, 8, output=True, factors=True)
    Tiny("llama-linear", "llama", 64, 32, 48, 2, 4, 4, 8, keys=linear)
    Tiny("qwen2-yarn", "qwen2", 64, 32, 48, 2, 2, 1, 16, biases=True, keys=yarn)
    Tiny("qwen3", "qwen3", 64, 24, 40, 2, 4, 2, 16, head_norms=True)
    Tiny("gemma3", "gemma3", 64, 24, 32, 7, 2, 1, 16, head_norms=True, after_norms=True, keys=windowed)
    every = [kinds.Q8_0, kinds.Q4_0, kinds.Q4_1, kinds.Q4_K, kinds.Q5_0, kinds.Q5_1, kinds.Q5_K, kinds.F16]
    every += [kinds.Q6_K, kinds.BF16, kinds.F32]
    # The one with a vocabulary and a template: every byte, four merges, ChatML.
    both = [kinds.Q4_0, kinds.Q8_0]
    Tiny("chat", "llama", 264, 64, 96, 2, 4, 2, 16, kinds=both, keys=chatml, tokenizer=True)
    Tiny("llama-types", "llama", 64, 256, 256, 2, 4, 2, 64, kinds=every)


PROMPTS = [
    "What is the capital of France?",
    "Write a haiku about the sea.",
    "Explain why the sky is blue.",
    "List three uses for a paper clip.",
    "Who wrote Romeo and Juliet?",
    "Translate 'good morning' into Spanish.",
    "What is 17 plus 25?",
    "Give me a recipe for pancakes.",
    "Describe a sunset in two sentences.",
    "What does a compiler do?",
    "Write a short poem about winter.",
    "How do plants make food?",
    "Name five animals that live in Africa.",
    "What is the difference between weather and climate?",
    "Tell me a short story about a lost dog.",
    "How can I sleep better at night?",
    "Write a Python function that reverses a string.",
    "What is machine learning?",
    "Summarise the water cycle.",
    "Why do cats purr?",
]

PASSAGE = """The old lighthouse stood at the end of the cape, where the road gave way to sand and the sand gave way to
stone. For a hundred years its lamp had turned above the water, and for a hundred years the ships had come home by it.
Then the harbour was dredged, the channel was marked with buoys, and the lamp was switched off. The keeper, a quiet man
with a limp and a fondness for clocks, stayed on because nobody had told him to leave. Every evening he climbed the
stairs, wiped the lens, and looked out to the west. He kept a log, as he had always done: the wind, the height of the
sea, the names of the boats he knew. In the winter of the second year a storm came up from the south, and the buoys were
torn from their chains. A fishing boat with four people on board lost its way in the dark. The keeper saw its light rise
and fall, too close to the rocks, and he did not stop to think. He filled the old lamp with oil, lit it with a match, and
turned it by hand until morning. When the boat came in, the skipper said that it was the strangest thing: for an hour she
had been steering by a star. After that the town voted to keep the lamp. It is cheaper than a monument, said the mayor,
and it does more good. The keeper wrote the figures down in his log and went to bed.

Water boils at a lower temperature on a mountain because the air presses less on its surface. A cook who wants to make
beans at three thousand metres has to wait longer, or use a pot with a tight lid. The same rule explains why a coffee
machine works under pressure, and why fish caught in deep water arrive at the surface with their bladders swollen."""


def greedy(context, ids, pieces):
    """64 greedy tokens after `ids`, and how far llama.cpp's two best logits were apart at each."""
    context.clear()
    for start in range(0, len(ids), pieces):
        row = context.logits(ids[start : start + pieces], start)[-1]
    out, gaps = [], []
    for step in range(64):
        first, second = np.sort(row)[-1:-3:-1]
        out.append(int(row.argmax()))
        gaps.append(round(float(first - second), 4))
        row = context.logits([out[-1]], len(ids) + step)[-1]
    return out, gaps


def logprobs(context, ids, pieces):
    context.clear()
    rows = [context.logits(ids[start : start + pieces], start) for start in range(0, len(ids), pieces)]
    rows = np.concatenate(rows).astype(np.float64)
    rows -= rows.max(axis=1, keepdims=True)
    return rows - np.log(np.exp(rows).sum(axis=1, keepdims=True))


def perplexity(rows, ids):
    return float(np.exp(-np.mean([row[next] for row, next in zip(rows[:-1], ids[1:])])))


def smollm2(kind, path):
    """What llama.cpp says, the prompt in one pass; `itself` is how far the AVX2 build is from that one token at a time."""
    assert PORTABLE == libm_crate(), "the portable build takes libc_math.so, the other does not: see above"
    context = Context(path, PORTABLE, 2048)
    itself = not PORTABLE and kind != "F32"
    prompts, equal, widest = [], 0, 0.0
    for prompt in PROMPTS:
        ids = context.tokens(f"<|im_start|>user\n{prompt}<|im_end|>\n<|im_start|>assistant\n")
        out, gaps = greedy(context, ids, len(ids))
        prompts.append({"prompt": prompt, "ids": ids, "greedy": out, "gaps": gaps})
        other = greedy(context, ids, 1)[0] if itself else out
        equal += out == other
        widest = max([widest] + [gap for a, b, gap in zip(out, other, gaps) if a != b][:1])
    unwrapped = PASSAGE.replace("\n\n", "\t").replace("\n", " ").replace("\t", "\n\n")
    ids = context.tokens(unwrapped)
    rows = logprobs(context, ids, len(ids))
    best = [[[int(id), round(float(row[id]), 5)] for id in np.argsort(-row)[:8]] for row in rows]
    result = {"tool": TOOL, "build": BUILD, "model": f"SmolLM2-135M-Instruct {kind}"}
    result["caches"], result["math"] = ("f32", "libm crate") if PORTABLE else ("f16", "glibc")
    result["passage"], result["perplexity"] = ids, round(perplexity(rows, ids), 6)
    if kind != "F32":
        text = context.tokens(open(os.path.join(HERE, "text.md"), encoding="utf-8").read())[:2000]
        long = logprobs(context, text, len(text))
        result["text"], result["text_perplexity"] = text, round(perplexity(long, text), 6)
    if itself:
        one, long_one = logprobs(context, ids, 1), logprobs(context, text, 1)
        eight = [sum(np.exp(p) * (p - other[id]) for id, p in row) for row, other in zip(best, one)]
        result["itself"] = {
            "what": "the prompt one token at a time",
            "greedy": equal,
            "widest_gap": widest,
            "agreement": float(np.mean(rows.argmax(axis=1) == one.argmax(axis=1))),
            "kl": float(np.mean(eight)),
            "perplexity": perplexity(one, ids) / perplexity(rows, ids) - 1,
            "text_perplexity": perplexity(long_one, text) / perplexity(long, text) - 1,
        }
        print(result["itself"])
    name = f"smollm2-{kind.lower()}{'' if PORTABLE else '-avx2'}.json"
    with open(os.path.join(HERE, name), "w") as file:
        file.write(json.dumps(result, separators=(",", ":"))[:-1] + ',\n"prompts":[\n')
        file.write(",\n".join(json.dumps(prompt, separators=(",", ":")) for prompt in prompts))
        file.write('\n],"best":[\n')
        file.write(",\n".join(json.dumps(row, separators=(",", ":")) for row in best) + "\n]}\n")
    print(kind, len(ids), "ids, perplexity", result["perplexity"])


if __name__ == "__main__":
    if sys.argv[1:2] == ["tiny"]:
        tiny()
    elif sys.argv[1:2] == ["smollm2"] and len(sys.argv) == 4:
        smollm2(sys.argv[2], sys.argv[3])
    else:
        sys.exit(__doc__)
