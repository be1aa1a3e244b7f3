"""real_model_oracle.py QUESTION: what transformers, peft and PyTorch make of a released model, for real_model_test.cc.

QUESTION is a JSON file with "folder" (the model), "out" (a folder for the answers), "tokens" and "prompt", and either "saved",
a folder that our side wrote, or all of "conversations", "new_tokens", "lora", "groups" and "rate". Leaves in OUT:

    before.json           {"turns": for each conversation and turn {"prompt", "drawn"}, both lists of tokens; "loss", "gradient_norm"}
    logits.safetensors    "float32" and "bfloat16": what each of "tokens" predicts
    gradients.safetensors of the mean cross-entropy of what follows the first "prompt" of the tokens
    adapters/             random adapters of peft; "float32" in adapters/logits.safetensors and adapters/gradients.safetensors
    updated.safetensors   the parameters after one step of AdamW on the policy gradient of "groups"
    saved.safetensors     with "saved" alone: "float32", what the tokens predict by the saved model
"""
import json
import pathlib
import sys

import torch
from peft import LoraConfig, get_peft_model
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig

question = json.loads(pathlib.Path(sys.argv[1]).read_text())
out = pathlib.Path(question["out"])
torch.set_num_threads(1)
ids = torch.tensor([question["tokens"]])


def load(folder, dtype=torch.float32):
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=dtype).eval()
    # torch.nn.Embedding drops the input's gradient of this token, though models end their turns with it.
    model.get_input_embeddings().padding_idx = None
    return model


def save(tensors, name):
    # Names that share their numbers, as a tied output layer, are one tensor.
    save_file({key.replace(".default", ""): tensor.detach().contiguous() for key, tensor in tensors.items()}, out / name)


def logits_of(model):
    with torch.no_grad():
        return model(ids).logits[0].float()


def converse(model, tokenizer):
    """Greedy answers, turn after turn, each laid out by the template and tokenised anew."""
    ends = model.generation_config.eos_token_id
    settings = GenerationConfig(max_new_tokens=question["new_tokens"], do_sample=False, eos_token_id=ends, pad_token_id=0)
    answers = []
    for users in question["conversations"]:
        messages, turns = [], []
        for text in users:
            messages.append({"role": "user", "content": text})
            prompt = tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_tensors="pt", return_dict=True)
            drawn = model.generate(**prompt, generation_config=settings)[0, prompt["input_ids"].shape[1]:]
            turns.append({"prompt": prompt["input_ids"][0].tolist(), "drawn": drawn.tolist()})
            messages.append({"role": "assistant", "content": tokenizer.decode(drawn, skip_special_tokens=True)})
        answers.append(turns)
    return answers


def backward(model):
    logits = model(ids).logits[0]
    prompt = question["prompt"]
    torch.nn.functional.cross_entropy(logits[prompt - 1:-1], ids[0, prompt:]).backward()
    return {name: parameter.grad for name, parameter in model.named_parameters() if parameter.grad is not None}


def update(model):
    """One step of AdamW: GRPO's advantages, each token of the batch alike, norms and biases without decay."""
    decaying = [p for n, p in model.named_parameters() if "norm" not in n and not n.endswith(".bias")]
    others = [p for n, p in model.named_parameters() if "norm" in n or n.endswith(".bias")]
    optimizer = torch.optim.AdamW([{"params": decaying, "weight_decay": 0.01}, {"params": others, "weight_decay": 0}],
                                  lr=question["rate"], betas=(0.9, 0.999), eps=1e-8)
    optimizer.zero_grad()
    count = sum(len(response) for group in question["groups"] for response in group["responses"])
    loss = 0
    for group in question["groups"]:
        rewards = torch.tensor(group["rewards"], dtype=torch.float64)
        advantages = (rewards - rewards.mean()) / (rewards.std() + 1e-6)
        begin = len(group["prompt"])
        for response, advantage in zip(group["responses"], advantages):
            whole = torch.tensor([group["prompt"] + response])
            logits = model(whole).logits[0, begin - 1:-1]
            log_probs = torch.log_softmax(logits, -1).gather(1, whole[0, begin:, None])[:, 0]
            part = -(advantage.item() / count) * torch.exp(log_probs - log_probs.detach()).sum()
            part.backward()
            loss += part.item()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0).item()
    optimizer.step()
    return loss, norm


def adapters(model):
    torch.manual_seed(1)
    adapted = get_peft_model(model, LoraConfig(task_type="CAUSAL_LM", **question["lora"])).eval()
    with torch.no_grad():
        for name, parameter in adapted.named_parameters():  # B is zeros, and would hide mistakes
            if "lora_B" in name:
                parameter.normal_(0, 0.02)
    adapted.save_pretrained(out / "adapters")
    save({"float32": logits_of(adapted)}, "adapters/logits.safetensors")
    save(backward(adapted), "adapters/gradients.safetensors")


def main():
    if "saved" in question:
        return save({"float32": logits_of(load(question["saved"]))}, "saved.safetensors")
    tokenizer = AutoTokenizer.from_pretrained(question["folder"])
    half = logits_of(load(question["folder"], torch.bfloat16))
    model = load(question["folder"])
    save({"float32": logits_of(model), "bfloat16": half}, "logits.safetensors")
    turns = converse(model, tokenizer)
    save(backward(model), "gradients.safetensors")
    loss, norm = update(model)
    save(dict(model.named_parameters()), "updated.safetensors")
    (out / "before.json").write_text(json.dumps({"turns": turns, "loss": loss, "gradient_norm": norm}))
    del model
    return adapters(load(question["folder"]))


main()
