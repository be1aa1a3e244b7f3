"""The training objective by PyTorch's own differentiation, for objective_test.cc.

Reads a JSON list of cases (file named by the first argument), writes a JSON list of losses and gradients to the file
named by the second. Everything is in float64.
"""

import json
import sys

try:
    import torch
except ImportError:
    sys.exit(77)


def kl(kind, now, reference):
    difference = now - reference
    if kind == "k1":
        return difference
    if kind == "k2":
        return difference.square() / 2
    return torch.exp(-difference) + difference - 1


def solve(case):
    option = case["options"]
    tensor = {name: torch.tensor(values, dtype=torch.float64) for name, values in case["input"].items()}
    now = tensor["log_probs"].requires_grad_()
    entropy = tensor["entropy"].requires_grad_()
    advantage = tensor["advantages"]
    old = tensor["old_log_probs"] if case["has_old"] else now.detach()

    ratio = torch.exp(now - old)
    clipped = torch.clamp(ratio, 1 - option["clip_low"], 1 + option["clip_high"])
    policy_loss = -torch.min(ratio * advantage, clipped * advantage)
    if option["dual_clip"] > 0:
        bound = -option["dual_clip"] * advantage
        policy_loss = torch.where(advantage < 0, torch.min(policy_loss, bound), policy_loss)
    if option["importance_cap"] > 0:
        weight = torch.exp(old - tensor["sampler_log_probs"]).clamp(max=option["importance_cap"])
        policy_loss = policy_loss * weight.detach()
    likelihood = tensor["likelihood"].bool()
    per_token = torch.where(likelihood, -advantage * now, policy_loss)
    per_token = per_token + option["kl_coefficient"] * kl(option["kl"], now, tensor["reference_log_probs"])
    per_token = per_token - option["entropy_coefficient"] * entropy

    # The aggregation as its paper writes it, over a list of responses.
    pieces = torch.split(per_token, case["lengths"])
    if case["aggregation"] == "token_mean":
        loss = per_token.mean()
    elif case["aggregation"] == "sequence_mean":
        loss = torch.stack([piece.mean() for piece in pieces]).mean()
    else:
        loss = torch.stack([piece.sum() / case["constant_length"] for piece in pieces]).mean()
    loss.backward()
    return {
        "loss": loss.item(),
        "log_prob_gradient": now.grad.tolist(),
        "entropy_gradient": entropy.grad.tolist(),
    }


with open(sys.argv[1], encoding="utf-8") as source:
    cases = json.load(source)
with open(sys.argv[2], "w", encoding="utf-8") as target:
    json.dump([solve(case) for case in cases], target)
