#!/usr/bin/env python3
"""Writes fuzz/seeds/tokens-build: small tokenizer files of every kind and two GGUF vocabularies; and, with the
compiler in crates/tokens-build/examples, fuzz/seeds/table. Standard library only; the same bytes every time."""
import base64, json, pathlib, struct, subprocess, tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SEEDS = ROOT / "fuzz/seeds"
MARK = "\u2581"


def added(id, content, special=True, **flags):
    entry = {"id": id, "content": content, "single_word": False, "lstrip": False, "rstrip": False,
             "normalized": False, "special": special}
    return entry | flags


def file(model, **parts):
    empty = dict.fromkeys(["truncation", "padding", "normalizer", "pre_tokenizer", "post_processor", "decoder"])
    return {"version": "1.0", **empty, "added_tokens": [], **parts, "model": model}


def template(before, after):
    piece = lambda token: {"SpecialToken": {"id": token[0], "type_id": 0}}
    text = {"Sequence": {"id": "A", "type_id": 0}}
    tokens = {name: {"id": name, "ids": [id], "tokens": [name]} for name, id in [before, after]}
    return {"type": "TemplateProcessing", "single": [piece(before), text, piece(after)], "pair": [],
            "special_tokens": tokens}


def wordpiece(normalizer):
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "anna", "end", "12", "##a", "##n", "a", "n", "'", "s", "日"]
    return file({"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                 "max_input_chars_per_word": 100, "vocab": {word: id for id, word in enumerate(words)}},
                normalizer=normalizer, pre_tokenizer={"type": "BertPreTokenizer"},
                post_processor=template(("[CLS]", 2), ("[SEP]", 3)),
                decoder={"type": "WordPiece", "prefix": "##", "cleanup": True},
                added_tokens=[added(4, "[MASK]", lstrip=True), added(15, "Anna's", False, normalized=True)])


def charsmap():
    """A double array with one entry, "a" to "b", as darts-clone lays it out, written by hand."""
    units = [0] * 512
    units[0] = 1 << 10  # the root's children from 1 on
    units[1 ^ 0x61] = (1 << 10) | (1 << 8) | 0x61
    units[1 ^ 0x61 ^ 1] = 0x80000000
    array = struct.pack(f"<{len(units)}I", *units)
    return base64.b64encode(struct.pack("<I", len(array)) + array + b"b\0").decode()


def unigram(normalizer, scheme="always"):
    pieces = ["<s>", "<unk>", MARK, MARK + "A", "nn", "n", "a", "An", "s", "'", MARK + "12", "end", "日本"]
    metaspace = {"type": "Metaspace", "replacement": MARK, "prepend_scheme": scheme, "split": True}
    return file({"type": "Unigram", "unk_id": 1, "byte_fallback": False,
                 "vocab": [[piece, -1.5 * id] for id, piece in enumerate(pieces)]},
                normalizer=normalizer, pre_tokenizer=metaspace, decoder=metaspace,
                post_processor=template(("<s>", 0), ("<s>", 0)),
                added_tokens=[added(0, "<s>"), added(13, "<mask>", lstrip=True)])


def alphabet():
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    rest = [byte for byte in range(256) if byte not in printable]
    return [chr(byte) for byte in printable] + [chr(0x100 + at) for at in range(len(rest))]


MERGES = ["n n", "A nn", "Ann a", "e n", "en d", "\u0120 en"]


def bpe(pre_tokenizer, **parts):
    pieces = [*alphabet(), *(merge.replace(" ", "") for merge in MERGES)]
    return file({"type": "BPE", "merges": MERGES, "vocab": {piece: id for id, piece in enumerate(pieces)}},
                pre_tokenizer=pre_tokenizer, decoder={"type": "ByteLevel"}, **parts)


def byte_level(regex=True):
    return {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": regex}


QWEN2 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|"
         r"\s+(?!\S)|\s+")
# Accents stay and ideographs get no spaces: a table with either holds up to a megabyte of replacements.
BERT = {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": False, "strip_accents": False,
        "lowercase": True}
DIGITS = {"type": "Sequence", "pretokenizers": [{"type": "Digits", "individual_digits": True}, byte_level()]}
SPLIT = {"type": "Sequence", "pretokenizers": [
    {"type": "Split", "pattern": {"Regex": QWEN2}, "behavior": "Isolated", "invert": False}, byte_level(False)]}
XLMR = {"type": "Sequence", "normalizers": [
    {"type": "Precompiled", "precompiled_charsmap": charsmap()}, {"type": "Strip"},
    {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": MARK}]}
REPLACE = {"type": "Sequence", "normalizers": [
    {"type": "Prepend", "prepend": MARK}, {"type": "Replace", "pattern": {"String": " "}, "content": MARK},
    {"type": "Lowercase"}]}

FILES = {
    "wordpiece": wordpiece(BERT), "wordpiece-plain": wordpiece(None), "unigram": unigram(XLMR),
    "unigram-replace": unigram(REPLACE, "first"), "bpe-smollm": bpe(DIGITS, added_tokens=[added(256, "nn")]),
    "bpe-qwen2": bpe(SPLIT, post_processor=byte_level()), "bpe-nfc": bpe(SPLIT, normalizer={"type": "NFC"}),
}


def gguf(pairs):
    text = lambda value: struct.pack("<Q", len(value.encode())) + value.encode()
    out = b"GGUF" + struct.pack("<IQQ", 3, 0, len(pairs))
    for key, value in pairs.items():
        out += text(key)
        if isinstance(value, str):
            out += struct.pack("<I", 8) + text(value)
        elif isinstance(value, int):
            out += struct.pack("<II", 4, value)
        else:
            kind, pack = {str: (8, text), int: (5, lambda v: struct.pack("<i", v)),
                          float: (6, lambda v: struct.pack("<f", v))}[type(value[0])]
            out += struct.pack("<IIQ", 9, kind, len(value)) + b"".join(map(pack, value))
    return out


def vocabularies():
    pieces = [*alphabet(), *(merge.replace(" ", "") for merge in MERGES), "<s>"]
    key = "tokenizer.ggml."
    yield "gguf-gpt2", gguf({key + "model": "gpt2", key + "pre": "smollm", key + "tokens": pieces,
                             key + "token_type": [1] * (len(pieces) - 1) + [3], key + "merges": MERGES,
                             key + "bos_token_id": len(pieces) - 1})
    pieces = ["<unk>", "<s>", *(f"<0x{byte:02X}>" for byte in range(256)), MARK, MARK + "A", "n", "nn", "a", "A", "nna"]
    yield "gguf-llama", gguf({key + "model": "llama", key + "tokens": pieces,
                              key + "token_type": [2, 3] + [6] * 256 + [1] * (len(pieces) - 258),
                              key + "scores": [-float(id) for id in range(len(pieces))],
                              key + "bos_token_id": 1, key + "unknown_token_id": 0})


def main():
    for name in ["tokens-build", "table"]:
        (SEEDS / name).mkdir(parents=True, exist_ok=True)
    for name, parts in FILES.items():
        text = json.dumps(parts, ensure_ascii=False).encode()
        (SEEDS / "tokens-build" / f"{name}.json").write_bytes(b"J" + text)
        with tempfile.TemporaryDirectory() as scratch:
            source, table = pathlib.Path(scratch, "tokenizer.json"), pathlib.Path(scratch, "table")
            source.write_bytes(text)
            run = ["cargo", "run", "--quiet", "-p", "lacuna-tokens-build", "--example", "compile", source, table]
            subprocess.run(run, check=True, cwd=ROOT)
            words = "Anna 日本 end".encode()
            (SEEDS / "table" / name).write_bytes(bytes([len(words)]) + words + table.read_bytes())
    for name, content in vocabularies():
        (SEEDS / "tokens-build" / name).write_bytes(b"G" + content)


if __name__ == "__main__":
    main()
