#!/usr/bin/env python3
"""GRPO by TRL on one environment: fixed problems, rewards from the engine in this process or from `--url`.

    python examples/trl_one_environment.py --environment Sorting --steps 4
"""
import argparse
import tempfile

from tiny_model import tiny_model
from trl import GRPOConfig, GRPOTrainer

import redqueen
from redqueen.adapters import trl


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--environment", default="Sorting")
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--url", help="servers; without it, and without $REDQUEEN_URL, the engine in this process")
    options = parser.parse_args()
    if options.steps < 1:
        parser.error("--steps: at least 1")
    try:
        problems = trl.dataset(options.environment, levels=[0, 1, 2], size=64, url=options.url)
    except redqueen.Error as error:  # an unknown environment, a server that is not there
        parser.error(str(error))

    model, tokenizer = tiny_model()  # or a model's name and its tokenizer
    with tempfile.TemporaryDirectory() as folder:
        trainer = GRPOTrainer(
            model=model,
            processing_class=tokenizer,
            reward_funcs=trl.reward(options.url),
            train_dataset=problems,
            args=GRPOConfig(output_dir=folder, per_device_train_batch_size=8, num_generations=4, max_completion_length=32,
                            max_steps=options.steps, logging_steps=1, report_to=[], save_strategy="no", use_cpu=True, disable_tqdm=True))
        trainer.train()
    for log in trainer.state.log_history:
        if "reward" in log:
            print(f"step {log['step']}: reward {log['reward']:.3f}, solved {log['solved']:.3f}")


if __name__ == "__main__":
    main()
