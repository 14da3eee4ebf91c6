"""Serves a model with llama.cpp, as its own server does, until it is killed:

    python llama.py MODEL.gguf --port PORT
    python llama.py MODEL.gguf --try

With `--try` it answers one request instead: a processor that lacks instructions is found out.
"""

import os
import signal
import sys

import xllamacpp

model, *mode = sys.argv[1:]
params = xllamacpp.CommonParams()
params.model.path = model
params.hostnames = ["127.0.0.1"]
params.n_ctx = 8192
params.n_parallel = 2
# Two tests run side by side, each with a server; threads that wait for each other need a core of their own.
params.cpuparams.n_threads = max(1, (os.cpu_count() or 1) // 2)
params.port = int(mode[1]) if mode[0] == "--port" else 0
server = xllamacpp.Server(params)
if mode[0] == "--try":
    message = {"role": "system", "content": "Say hello."}
    server.handle_chat_completions({"messages": [message], "max_tokens": 2})
else:
    signal.pause()
