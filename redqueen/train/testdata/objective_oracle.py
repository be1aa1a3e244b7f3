"""The training objective by PyTorch's own differentiation, for objective_test.cc and given_tokens_test.cc.

Reads a JSON list of cases (file named by the first argument), writes a JSON list of losses and gradients to the file
named by the second. Everything is in float64. A case holds the tokens of all responses, one after the other; where it
has `drawn`, the tokens marked 0 there were not written by the policy. A case with `model`, a Hugging Face folder,
holds `sequences` of prompt and response: log-probabilities, entropy and the gradients of the parameters are then those
of transformers' own model.
"""

import json
import sys

try:
    import torch
except ImportError:
    sys.exit(77)

torch.set_num_threads(1)
models = {}


def kl(kind, now, reference):
    difference = now - reference
    if kind == "k1":
        return difference
    if kind == "k2":
        return difference.square() / 2
    return torch.exp(-difference) + difference - 1


def load(folder):
    if folder not in models:
        try:
            from transformers import AutoModelForCausalLM
        except ImportError:
            sys.exit(77)
        models[folder] = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float64).eval()
    models[folder].zero_grad()
    return models[folder]


def score(model, sequences):
    """Log-probability and entropy of every response token."""
    log_probs, entropies = [], []
    for prompt, response in sequences:
        if not response:
            continue
        logits = model(torch.tensor([prompt + response])).logits[0, len(prompt) - 1 : -1]
        logs = torch.log_softmax(logits, dim=-1)
        log_probs.append(logs.gather(1, torch.tensor(response)[:, None])[:, 0])
        entropies.append(-(logs.exp() * logs).sum(dim=-1))
    return torch.cat(log_probs), torch.cat(entropies)


def aggregate(per_token, drawn, case):
    """The aggregation as its paper writes it, over a list of responses, of which only drawn tokens exist."""
    pieces = [
        piece[mask]
        for piece, mask in zip(torch.split(per_token, case["lengths"]), torch.split(drawn, case["lengths"]))
        if mask.any()
    ]
    if case["aggregation"] == "token_mean":
        return torch.cat(pieces).mean()
    if case["aggregation"] == "sequence_mean":
        return torch.stack([piece.mean() for piece in pieces]).mean()
    return torch.stack([piece.sum() / case["constant_length"] for piece in pieces]).mean()


def solve(case):
    option = case["options"]
    tensor = {name: torch.tensor(values, dtype=torch.float64) for name, values in case["input"].items()}
    if "model" in case:
        model = load(case["model"])
        now, entropy = score(model, case["sequences"])
    else:
        now = tensor["log_probs"].requires_grad_()
        entropy = tensor["entropy"].requires_grad_()
    advantage = tensor["advantages"]
    old = tensor["old_log_probs"] if case["has_old"] else now.detach()
    drawn = torch.tensor(case["drawn"]).bool() if "drawn" in case else torch.ones_like(now).bool()

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

    loss = aggregate(per_token, drawn, case)
    loss.backward()
    answer = {"loss": loss.item(), "drawn": int(drawn.sum()), "entropy": entropy[drawn].sum().item()}
    if "model" in case:
        answer["gradients"] = {name: p.grad.flatten().tolist() for name, p in model.named_parameters()}
    else:
        answer["log_prob_gradient"] = now.grad.tolist()
        answer["entropy_gradient"] = entropy.grad.tolist()
    return answer


with open(sys.argv[1], encoding="utf-8") as source:
    cases = json.load(source)
with open(sys.argv[2], "w", encoding="utf-8") as target:
    json.dump([solve(case) for case in cases], target)
