#!/usr/bin/env python3
"""Writes a checkpoint of random weights in the shape of a Qwen3 model.  checkpoint.py SHAPE FOLDER DEVICE DTYPE"""
import pathlib
import sys

import torch
from transformers import Qwen3Config, Qwen3ForCausalLM

# width, inner width, layers, query heads, key heads
SHAPES = {
    "tiny": (64, 192, 2, 4, 2),
    "0.6B": (1024, 3072, 28, 16, 8),
    "1.7B": (2048, 6144, 28, 16, 8),
    "4B": (2560, 9728, 36, 32, 8),
}


def main():
    shape, folder, device, dtype = sys.argv[1:]
    width, inner, layers, heads, kv_heads = SHAPES[shape]
    tiny = shape == "tiny"
    config = Qwen3Config(
        vocab_size=512 if tiny else 151936, hidden_size=width, intermediate_size=inner, num_hidden_layers=layers,
        num_attention_heads=heads, num_key_value_heads=kv_heads, head_dim=16 if tiny else 128,
        max_position_embeddings=1024 if tiny else 40960, rope_theta=1e6, rms_norm_eps=1e-6,
        tie_word_embeddings=True, bos_token_id=None, eos_token_id=None, pad_token_id=None)
    torch.manual_seed(1)
    torch.set_default_dtype(getattr(torch, dtype))
    with torch.device(device):
        model = Qwen3ForCausalLM(config)
    model.save_pretrained(pathlib.Path(folder))
    (pathlib.Path(folder) / "generation_config.json").unlink(missing_ok=True)


if __name__ == "__main__":
    main()
