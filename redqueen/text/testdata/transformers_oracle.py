"""The oracle of the policy's tests: the Python package transformers.

transformers_oracle.py REQUEST

REQUEST is a JSON file: {"make", "adapt", "run", "chat"}, each a list of the arguments of the function of that name. One process
does it all: importing transformers takes seconds.
"""

import json
import sys
from datetime import datetime
from pathlib import Path

from transformers import PreTrainedTokenizerFast
from transformers.utils import chat_template_utils
from transformers.utils.chat_template_utils import _compile_jinja_template


def make(folder, seed, shard, config):
    """Saves a model with random weights."""
    import torch  # seconds, which conversations need not wait for
    from transformers import AutoConfig, AutoModelForCausalLM

    torch.manual_seed(seed)
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model(**config))
    with torch.no_grad():
        for parameter in model.parameters():  # norms are ones, biases zeros, and would hide mistakes
            parameter.add_(0.1 * torch.randn_like(parameter))
    model.save_pretrained(folder, max_shard_size=shard)


def adapt(folder, base, seed, config):
    """Saves adapters of peft with random numbers for the model in `base`."""
    import torch
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForCausalLM

    torch.manual_seed(seed)
    model = get_peft_model(AutoModelForCausalLM.from_pretrained(base), LoraConfig(task_type="CAUSAL_LM", **config))
    with torch.no_grad():
        for parameter in model.parameters():  # B is zeros, and would hide mistakes
            if parameter.requires_grad:
                parameter.normal_(0, 0.1)
    model.save_pretrained(folder)


def load_model(folder):
    """The model of a folder, which may hold adapters: then these are trained, and nothing else."""
    import torch
    from transformers import AutoModelForCausalLM

    if not (Path(folder) / "adapter_config.json").exists():
        return AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    from peft import AutoPeftModelForCausalLM

    return AutoPeftModelForCausalLM.from_pretrained(folder, is_trainable=True, dtype=torch.float32)


def run(folder, tokens, prompt, count, text):
    """Leaves FOLDER/answer.safetensors: logits after each of `tokens` in float32 and bfloat16; `count` greedy tokens;
    gradients ("grad.NAME") of the mean cross-entropy of what follows the first `prompt` tokens; the tokens of `text`.
    """
    import torch
    from safetensors.torch import save_file
    from transformers import AutoTokenizer, GenerationConfig

    model = load_model(folder).eval()
    ids = torch.tensor([tokens])
    logits = model(ids).logits[0]
    loss = torch.nn.functional.cross_entropy(logits[prompt - 1 : -1], ids[0, prompt:])
    loss.backward()
    # Copies: to() below converts gradients in place.
    answer = {
        f"grad.{name.replace('.default', '')}": parameter.grad.clone()
        for name, parameter in model.named_parameters()
        if parameter.grad is not None
    }
    answer["logits"] = logits.detach()
    with torch.no_grad():
        # A fresh configuration: the folder's own recommends sampling.
        settings = GenerationConfig(max_new_tokens=count, do_sample=False, eos_token_id=None, pad_token_id=0)
        answer["greedy"] = model.generate(input_ids=ids, generation_config=settings)[0, len(tokens) :]
        answer["logits.bfloat16"] = model.to(torch.bfloat16)(ids).logits[0].float()
    if text is not None:
        answer["encoded"] = torch.tensor(AutoTokenizer.from_pretrained(folder)(text)["input_ids"])
    save_file({name: tensor.contiguous() for name, tensor in answer.items()}, Path(folder) / "answer.safetensors")


class FixedDay(datetime):
    """The day that templates are told."""

    @classmethod
    def now(cls, tz=None):
        return cls(2024, 7, 26, 13, 5, 9, tzinfo=tz)


def chat(folder, conversations):
    """Leaves FOLDER/chats.json: what each conversation ({"messages", …}) looks like under the folder's template, on
    FixedDay; null where the template refuses it."""
    chat_template_utils.datetime = FixedDay
    tokenizer = PreTrainedTokenizerFast.from_pretrained(folder)

    def render(arguments):
        messages = arguments.pop("messages")
        try:
            if any(message["content"] is None for message in messages):
                # apply_chat_template() drops a content of None, which some families' templates ask for.
                values = {"tools": None, "documents": None, **tokenizer.special_tokens_map, **arguments}
                return _compile_jinja_template(tokenizer.chat_template).render(messages=messages, **values)
            return tokenizer.apply_chat_template(messages, tokenize=False, **arguments)
        except Exception:
            return None

    with open(Path(folder) / "chats.json", "w") as file:
        json.dump([render(conversation) for conversation in conversations], file)


def expressions(out, cases):
    """Leaves OUT: what each template makes of its values, as transformers compiles it; null where it fails."""

    def render(template, values):
        try:
            return _compile_jinja_template(template).render(**values)
        except Exception:
            return None

    with open(out, "w") as file:
        json.dump([render(template, values) for template, values in cases], file)


def main():
    with open(sys.argv[1]) as file:
        request = json.load(file)
    for function in (make, adapt, run, chat, expressions):
        for arguments in request.get(function.__name__, []):
            function(**arguments)


main()
