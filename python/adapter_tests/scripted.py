"""A tiny model that says what a test tells it, so that trainers sample, score and learn from turns that are right."""
import torch
from transformers import Qwen2ForCausalLM


class Scripted(Qwen2ForCausalLM):
    """`generate` gives `answer(text of the prompt)` in the tokens of `tokenizer`; all else is the model's own."""

    def generate(self, input_ids=None, attention_mask=None, generation_config=None, **_):
        texts = []
        for row, mask in zip(input_ids, attention_mask):
            texts.append(self.answer(self.tokenizer.decode(row[mask.bool()])))
        said = [self.tokenizer(text, add_special_tokens=False)["input_ids"] + [self.tokenizer.eos_token_id] for text in texts]
        longest = max(map(len, said))
        padded = [ids + [self.tokenizer.pad_token_id] * (longest - len(ids)) for ids in said]
        return torch.cat([input_ids, torch.tensor(padded, device=input_ids.device)], 1)


def scripted(answer, chat_template=None):
    """(model, tokenizer) of examples/tiny_model.py, the model scripted."""
    from tiny_model import tiny_model

    model, tokenizer = tiny_model()
    tokenizer.chat_template = chat_template or tokenizer.chat_template
    model.__class__ = Scripted
    model.answer, model.tokenizer = answer, tokenizer
    return model, tokenizer
