#!/usr/bin/env python3
"""RedQueen beside TRL's GRPOTrainer: the same small model, prompts, group size and response length, in one run.

Both sample and train on the CPU with the same number of threads. Prints response tokens per second, end to end
(sampling, scoring and one update a step).

    bench/trl_compare.py [--steps 3] [--prompts 8] [--rollouts 8] [--tokens 32] [--threads 2]
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def redqueen(*arguments):
    return subprocess.run([ROOT / "build/redqueen", *arguments], check=True, capture_output=True, text=True).stdout


def settings(options):
    return [f"--set={key}={value}" for key, value in {
        "curriculum.suite": "Sorting",
        "batch.prompts": options.prompts,
        "batch.rollouts": options.rollouts,
        "sampling.max_new_tokens": options.tokens,
        "run.threads": options.threads,
    }.items()]


def measure_redqueen(options):
    output = redqueen("bench", "train", "--json", "--config", "tiny-quickstart", "--steps", str(options.steps), *settings(options))
    return json.loads(output)


def measure_trl(options, folder):
    os.environ["OMP_NUM_THREADS"] = str(options.threads)
    os.environ["TRANSFORMERS_VERBOSITY"] = "error"
    import torch
    from datasets import Dataset
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from trl import GRPOConfig, GRPOTrainer

    torch.set_num_threads(options.threads)
    lines = redqueen("gym", "generate", "Sorting", "--count", str(options.prompts), "--prompt", "terse").splitlines()
    dataset = Dataset.from_list([{"prompt": json.loads(line)["prompt"]} for line in lines])
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    produced = []

    def reward(completion_ids, **_):
        produced.append(sum(len(ids) for ids in completion_ids))
        return [float(i % 2) for i in range(len(completion_ids))]

    times = []

    class Trainer(GRPOTrainer):
        def training_step(self, *arguments, **keywords):
            times.append(time.perf_counter())
            return super().training_step(*arguments, **keywords)

    with tempfile.TemporaryDirectory() as out:
        trainer = Trainer(
            model=AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32),
            processing_class=tokenizer,
            reward_funcs=reward,
            train_dataset=dataset,
            args=GRPOConfig(
                output_dir=out, use_cpu=True, report_to=[], save_strategy="no", logging_steps=1000,
                per_device_train_batch_size=options.prompts * options.rollouts, gradient_accumulation_steps=1,
                num_generations=options.rollouts, max_completion_length=options.tokens, max_steps=options.steps + 2,
                beta=0.0, learning_rate=1e-4, temperature=1.0, bf16=False, disable_tqdm=True))
        trainer.train()
        times.append(time.perf_counter())
    # The first step warms caches and does not count.
    return sum(produced[1:]) / (times[-1] - times[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--prompts", type=int, default=8)
    parser.add_argument("--rollouts", type=int, default=8)
    parser.add_argument("--tokens", type=int, default=32)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = os.path.join(scratch, "policy")
        redqueen("policy", "init", "--config", "tiny-quickstart", "--out", folder, *settings(options))
        theirs = measure_trl(options, folder)
    ours = measure_redqueen(options)
    print(f"{options.prompts} prompts x {options.rollouts} responses of up to {options.tokens} tokens, {ours['parameters']} parameters, "
          f"{options.threads} threads")
    print(f"TRL GRPOTrainer   {theirs:10.0f} response tokens/s, end to end")
    print(f"RedQueen          {ours['end_to_end']:10.0f} response tokens/s, end to end")
    print(f"ratio             {ours['end_to_end'] / theirs:10.1f}")


if __name__ == "__main__":
    if pathlib.Path(sys.executable).resolve() != (ROOT / ".venv/bin/python").resolve() and "torch" not in sys.modules:
        try:
            import trl  # noqa: F401
        except ImportError:
            os.execv(ROOT / ".venv/bin/python", [str(ROOT / ".venv/bin/python"), *sys.argv])
    main()
