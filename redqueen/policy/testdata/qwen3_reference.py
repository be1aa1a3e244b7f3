"""The oracle of the transformer's tests: Qwen3ForCausalLM and AutoTokenizer of transformers.

qwen3_reference.py REQUEST ANSWER

REQUEST is a JSON file: {"make": [{"folder", "seed", "shard", "config": {…}}], "run": [{"folder", "tokens", "count",
"text"}]}. Every model of "make" is initialised at random and saved. Then every folder of "run" is opened, and ANSWER
receives, in order, {"logits": after each of tokens, "greedy": count tokens, "encoded": the tokens of text, or null if
there is no text}. One process does it all: importing transformers takes seconds.
"""

import json
import sys

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, Qwen3Config, Qwen3ForCausalLM


def make(folder, seed, shard, config):
    torch.manual_seed(seed)
    model = Qwen3ForCausalLM(Qwen3Config(**config))
    with torch.no_grad():
        for parameter in model.parameters():  # norms are ones and would hide mistakes
            parameter.add_(0.1 * torch.randn_like(parameter))
    model.save_pretrained(folder, max_shard_size=shard)


def run(folder, tokens, count, text):
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    encoded = None if text is None else AutoTokenizer.from_pretrained(folder)(text)["input_ids"]
    with torch.no_grad():
        logits = model(torch.tensor([tokens])).logits[0]
        greedy = model.generate(
            torch.tensor([tokens]), max_new_tokens=count, do_sample=False, eos_token_id=None
        )[0, len(tokens) :]
    return {"logits": logits.tolist(), "greedy": greedy.tolist(), "encoded": encoded}


with open(sys.argv[1]) as file:
    request = json.load(file)
for arguments in request["make"]:
    make(**arguments)
with open(sys.argv[2], "w") as file:
    json.dump([run(**arguments) for arguments in request["run"]], file)
