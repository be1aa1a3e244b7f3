#!/usr/bin/env python3
"""Response tokens per second of TRL's GRPOTrainer, end to end.  trl_grpo.py FOLDER DEVICE DTYPE PROMPT TOKENS PROMPTS ROLLOUTS

Prints one JSON object; says so in it if TRL is not installed."""
import json
import pathlib
import sys
import tempfile
import time

WHAT = {"what": "trl"}


def word_tokenizer(vocab_size, folder):
    """A tokenizer that splits at spaces, of as many words as the model has tokens."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    inner = Tokenizer(models.WordLevel({f"w{i}": i for i in range(vocab_size)}, unk_token="w0"))
    inner.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=inner, eos_token="w0", pad_token="w0")
    tokenizer.save_pretrained(folder)
    return tokenizer


def measure(folder, device, dtype, prompt, tokens, prompts, rollouts):
    import torch
    from datasets import Dataset
    from transformers import AutoModelForCausalLM
    from trl import GRPOConfig, GRPOTrainer

    model = AutoModelForCausalLM.from_pretrained(folder, dtype=getattr(torch, dtype))
    produced, times = [], []

    def reward(completion_ids, **_):
        produced.append(sum(len(ids) for ids in completion_ids))
        return [float(i % 2) for i in range(len(completion_ids))]

    class Timed(GRPOTrainer):
        def training_step(self, *arguments, **keywords):
            times.append(time.perf_counter())
            return super().training_step(*arguments, **keywords)

    texts = [" ".join(f"w{1 + (i * 7919 + j * 104729) % (model.config.vocab_size - 1)}" for j in range(prompt))
             for i in range(prompts)]
    steps = 2
    with tempfile.TemporaryDirectory() as out:
        trainer = Timed(
            model=model, processing_class=word_tokenizer(model.config.vocab_size, pathlib.Path(out) / "tokenizer"),
            reward_funcs=reward, train_dataset=Dataset.from_list([{"prompt": text} for text in texts]),
            args=GRPOConfig(
                output_dir=out, use_cpu=device == "cpu", report_to=[], save_strategy="no", logging_steps=1000,
                per_device_train_batch_size=prompts * rollouts, gradient_accumulation_steps=1,
                num_generations=rollouts, max_completion_length=tokens, max_steps=steps + 2, beta=0.0,
                learning_rate=1e-6, temperature=1.0, bf16=dtype == "bfloat16", disable_tqdm=True))
        trainer.train()
        times.append(time.perf_counter())
    # The first step warms up and does not count.
    return sum(produced[1:]) / (times[-1] - times[1])


def main():
    folder, device, dtype, *numbers = sys.argv[1:]
    try:
        import trl
    except ImportError:
        print(json.dumps(WHAT | {"missing": "TRL is not installed"}))
        return
    rate = measure(folder, device, dtype, *map(int, numbers))
    print(json.dumps(WHAT | {"version": trl.__version__, "response_tokens_per_second": rate}))


if __name__ == "__main__":
    main()
