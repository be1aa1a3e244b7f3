#!/usr/bin/env python3
"""GRPO by TRL on a suite whose levels rise with the policy: problems come from a curriculum, and rewards tell it.

    python examples/trl_adaptive_suite.py --suite Sorting,Multiplication --steps 4

Several processes (`accelerate launch`) share the curriculum through a server: `--url http://HOST:8000 --id mine`.
"""
import argparse
import tempfile

from tiny_model import tiny_model
from trl import GRPOConfig, GRPOTrainer

import redqueen
from redqueen.adapters import trl


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", default="Sorting,Multiplication")
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--url", help="servers; without it, and without $REDQUEEN_URL, the engine in this process")
    parser.add_argument("--id", help="name of the curriculum on the server")
    options = parser.parse_args()
    if options.steps < 1:
        parser.error("--steps: at least 1")

    prompts, rollouts = 2, 4
    named = {"id": options.id} if options.id else {}
    try:
        curriculum = trl.curriculum(options.suite, options.url, rollouts=rollouts, minimum_groups=4, **named)
    except redqueen.Error as error:  # an unknown environment, a server that is not there
        parser.error(str(error))
    model, tokenizer = tiny_model()  # or a model's name and its tokenizer
    with tempfile.TemporaryDirectory() as folder:
        trainer = GRPOTrainer(
            model=model,
            processing_class=tokenizer,
            reward_funcs=trl.reward(options.url, curriculum),
            train_dataset=trl.stream(curriculum, at_once=prompts),
            args=GRPOConfig(output_dir=folder, per_device_train_batch_size=prompts * rollouts, num_generations=rollouts,
                            max_completion_length=32, max_steps=options.steps, logging_steps=1, report_to=[], save_strategy="no",
                            use_cpu=True, disable_tqdm=True))
        trainer.train()
    for log in trainer.state.log_history:
        if "reward" in log:
            print(f"step {log['step']}: reward {log['reward']:.3f}, solved {log['solved']:.3f}")
    for name, (low, high) in sorted(curriculum.levels().items()):
        print(f"{name}: levels {low} to {high}")


if __name__ == "__main__":
    main()
