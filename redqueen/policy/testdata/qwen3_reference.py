"""The oracle of the transformer's tests: Qwen3ForCausalLM of transformers.

qwen3_reference.py make FOLDER SEED KEY=VALUE…   saves a randomly initialised model in FOLDER
qwen3_reference.py run FOLDER TOKENS COUNT       opens FOLDER; prints JSON with the logits after each of TOKENS
                                                 (comma-separated) and COUNT greedily drawn tokens
"""

import json
import sys

import torch
from transformers import AutoModelForCausalLM, Qwen3Config, Qwen3ForCausalLM


def make(folder, seed, *settings):
    torch.manual_seed(int(seed))
    values = {key: json.loads(value) for key, value in (s.split("=", 1) for s in settings)}
    shard = values.pop("max_shard_size", "5GB")
    model = Qwen3ForCausalLM(Qwen3Config(**values))
    with torch.no_grad():
        for parameter in model.parameters():  # norms are ones and would hide mistakes
            parameter.add_(0.1 * torch.randn_like(parameter))
    model.save_pretrained(folder, max_shard_size=shard)


def run(folder, tokens, count):
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    sequence = [int(token) for token in tokens.split(",")]
    with torch.no_grad():
        logits = model(torch.tensor([sequence])).logits[0]
        greedy = []
        for _ in range(int(count)):
            greedy.append(int(model(torch.tensor([sequence + greedy])).logits[0, -1].argmax()))
    print(json.dumps({"logits": logits.tolist(), "greedy": greedy}))


{"make": make, "run": run}[sys.argv[1]](*sys.argv[2:])
