#!/usr/bin/env python3
"""Tokens per second of transformers' generate().  transformers_generate.py FOLDER DEVICE DTYPE PROMPT TOKENS ROWS…

Prints one JSON object a batch size."""
import json
import sys
import time

import torch
from transformers import AutoModelForCausalLM


def main():
    folder, device, dtype, prompt, tokens, *batches = sys.argv[1:]
    prompt, tokens = int(prompt), int(tokens)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=getattr(torch, dtype)).to(device).eval()
    for rows in map(int, batches):
        ids = torch.randint(1, model.config.vocab_size, (rows, prompt), device=device)
        seconds = []
        for length in (8, tokens):  # the first warms up
            begin = time.perf_counter()
            with torch.inference_mode():
                out = model.generate(ids, attention_mask=torch.ones_like(ids), do_sample=True, top_k=0,
                                     min_new_tokens=length, max_new_tokens=length, pad_token_id=0)
            if device != "cpu":
                torch.cuda.synchronize()
            seconds.append(time.perf_counter() - begin)
            assert out.shape[1] == prompt + length
        print(json.dumps({"what": "transformers", "rows": rows, "tokens": tokens, "seconds": seconds[-1],
                          "tokens_per_second": rows * tokens / seconds[-1]}), flush=True)


if __name__ == "__main__":
    main()
