"""torch.optim.AdamW on given gradients, for adamw_test.cc.

Reads JSON {options, parameters: [{name, decays, values}], gradients: [[...] per parameter] per update} from the file
named by the first argument; writes {parameters, norms} to the file named by the second.
"""

import json
import sys

try:
    import torch
except ImportError:
    sys.exit(77)

with open(sys.argv[1], encoding="utf-8") as source:
    case = json.load(source)
option = case["options"]
parameters = [torch.nn.Parameter(torch.tensor(entry["values"])) for entry in case["parameters"]]
decaying = [p for p, entry in zip(parameters, case["parameters"]) if entry["decays"]]
others = [p for p, entry in zip(parameters, case["parameters"]) if not entry["decays"]]
optimizer = torch.optim.AdamW(
    [
        {"params": decaying, "weight_decay": option["weight_decay"]},
        {"params": others, "weight_decay": 0.0},
    ],
    betas=(option["beta1"], option["beta2"]),
    eps=option["epsilon"],
    foreach=False,
    fused=False,
)
norms = []
for update, gradients in enumerate(case["gradients"]):
    for parameter, gradient in zip(parameters, gradients):
        parameter.grad = torch.tensor(gradient)
    for group in optimizer.param_groups:
        group["lr"] = case["rates"][update]
    norms.append(torch.nn.utils.clip_grad_norm_(parameters, option["max_gradient_norm"]).item())
    optimizer.step()
with open(sys.argv[2], "w", encoding="utf-8") as target:
    json.dump({"parameters": [p.tolist() for p in parameters], "norms": norms}, target)
