#!/usr/bin/env python3
"""How fast llama.cpp is on one thread: `llama_cpp_rates.py FILE.gguf TEXT COUNT` prints one JSON object.

Reads TEXT in one batch, then COUNT single tokens; one warm-up of each before. Only llama.cpp's own passes are timed.
"""
import json
import sys
import time

import llama_cpp

path, text, count = sys.argv[1], sys.argv[2].encode(), int(sys.argv[3])


@llama_cpp.llama_log_callback
def quiet(_level, _text, _data):
    pass


llama_cpp.llama_log_set(quiet, None)
parameters = llama_cpp.llama_model_default_params()
parameters.n_gpu_layers = 0
model = llama_cpp.llama_model_load_from_file(path.encode(), parameters)
assert model, path
parameters = llama_cpp.llama_context_default_params()
parameters.n_ctx = parameters.n_batch = parameters.n_ubatch = 512
parameters.n_threads = parameters.n_threads_batch = 1
context = llama_cpp.llama_init_from_model(model, parameters)
vocabulary = llama_cpp.llama_model_get_vocab(model)
ids = (llama_cpp.llama_token * (len(text) + 8))()
length = llama_cpp.llama_tokenize(vocabulary, text, len(text), ids, len(ids), False, True)
assert length > 0


def run(tokens, start):
    batch = llama_cpp.llama_batch_init(len(tokens), 0, 1)
    batch.n_tokens = len(tokens)
    for i, token in enumerate(tokens):
        batch.token[i], batch.pos[i], batch.n_seq_id[i], batch.logits[i] = token, start + i, 1, 0
        batch.seq_id[i][0] = 0
    batch.logits[len(tokens) - 1] = 1
    begin = time.perf_counter()
    assert llama_cpp.llama_decode(context, batch) == 0
    llama_cpp.llama_synchronize(context)
    seconds = time.perf_counter() - begin
    llama_cpp.llama_batch_free(batch)
    return seconds


def pair(tokens):
    llama_cpp.llama_memory_clear(llama_cpp.llama_get_memory(context), True)
    prompt = run(ids[:length], 0)
    return prompt, sum(run([ids[0]], length + i) for i in range(tokens))


pair(4)
prompt, decode = pair(count)
print(
    json.dumps(
        {
            "version": llama_cpp.__version__,
            "system": llama_cpp.llama_print_system_info().decode(),
            "prompt_tokens": length,
            "prompt": length / prompt,
            "decode": count / decode,
        }
    )
)
