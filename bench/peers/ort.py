"""ONNX Runtime's pass over a model, one thread, in turns: `ort.py MODEL.onnx`.

Each line of standard input is `TOKENS RUNS ID,ID,…`; the answer is a line of JSON, {"ms": [one a run]}.
"""

import json
import sys
import time

import numpy
import onnxruntime

options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
options.inter_op_num_threads = 1
session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
names = {entry.name for entry in session.get_inputs()}

for line in sys.stdin:
    _, runs, ids = line.split()
    ids = numpy.array([[int(one) for one in ids.split(",")]], dtype=numpy.int64)
    feeds = {"input_ids": ids, "attention_mask": numpy.ones_like(ids), "token_type_ids": numpy.zeros_like(ids)}
    feeds = {name: value for name, value in feeds.items() if name in names}
    times = []
    for _ in range(int(runs)):
        start = time.perf_counter()
        session.run(None, feeds)
        times.append((time.perf_counter() - start) * 1e3)
    print(json.dumps({"ms": times}), flush=True)
