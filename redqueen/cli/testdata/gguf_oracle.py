"""gguf_oracle.py write TYPE FILE: a small Llama with random weights as a GGUF file, its matrices as TYPE.
gguf_oracle.py compare FILE FOLDER: fails unless FOLDER holds, bit for bit, what transformers makes of FILE in bfloat16."""
import os
import sys

import gguf
import numpy
import tokenizers
import torch
import transformers

WIDTH, INNER, HEADS, LAYERS = 64, 128, 2, 2


def write(kind, file):
    random = numpy.random.default_rng(7)
    writer = gguf.GGUFWriter(file, "llama")
    letters = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    tokens = ["<|end|>", *letters, "AB"]
    writer.add_context_length(256)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(10000.0)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(tokens)
    writer.add_token_types([3] + [1] * (len(tokens) - 1))
    writer.add_token_merges(["A B"])
    for add in (writer.add_bos_token_id, writer.add_eos_token_id, writer.add_unk_token_id, writer.add_pad_token_id):
        add(0)

    def matrix(name, rows, columns):
        values = random.standard_normal((rows, columns)).astype(numpy.float32)
        kind_of = gguf.GGMLQuantizationType[kind]
        writer.add_tensor(name, gguf.quants.quantize(values, kind_of), raw_dtype=kind_of)

    def norm(name):
        writer.add_tensor(name, random.standard_normal(WIDTH).astype(numpy.float32))

    matrix("token_embd.weight", len(tokens), WIDTH)
    matrix("output.weight", len(tokens), WIDTH)
    norm("output_norm.weight")
    for layer in range(LAYERS):
        norm(f"blk.{layer}.attn_norm.weight")
        norm(f"blk.{layer}.ffn_norm.weight")
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            matrix(f"blk.{layer}.{name}.weight", WIDTH, WIDTH)
        matrix(f"blk.{layer}.ffn_gate.weight", INNER, WIDTH)
        matrix(f"blk.{layer}.ffn_up.weight", INNER, WIDTH)
        matrix(f"blk.{layer}.ffn_down.weight", WIDTH, INNER)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def compare(file, folder):
    place, name = os.path.split(file)
    expected = transformers.AutoModelForCausalLM.from_pretrained(place, gguf_file=name, dtype=torch.float32).to(torch.bfloat16)
    found = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16)
    ours, theirs = found.state_dict(), expected.state_dict()
    assert ours.keys() == theirs.keys()
    assert all(torch.equal(ours[key], theirs[key]) for key in ours)
    text = "AB and ÄB"
    tokens = [transformers.AutoTokenizer.from_pretrained(*where, **more)(text)["input_ids"]
              for where, more in (((folder,), {}), ((place,), {"gguf_file": name}))]
    assert tokens[0] == tokens[1] and tokens[0], tokens


{"write": write, "compare": compare}[sys.argv[1]](*sys.argv[2:])
