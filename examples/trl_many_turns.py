#!/usr/bin/env python3
"""GRPO by TRL on a world: whole episodes, turn by turn, with the trainer's own model.

    python examples/trl_many_turns.py --environment household --steps 4
"""
import argparse
import tempfile

from tiny_model import tiny_model
from trl import GRPOConfig, GRPOTrainer

import redqueen
from redqueen.adapters import trl


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--environment", default="household")
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--turns", type=int, default=4, help="of the policy in an episode; the rest counts as silence")
    parser.add_argument("--url", help="servers; without it, and without $REDQUEEN_URL, the engine in this process")
    options = parser.parse_args()
    if options.steps < 1:
        parser.error("--steps: at least 1")
    try:
        problems = trl.episodes(options.environment, levels=[0, 1], size=64, url=options.url)
    except redqueen.Error as error:  # an unknown environment, a server that is not there
        parser.error(str(error))

    model, tokenizer = tiny_model()  # or a model's name and its tokenizer
    with tempfile.TemporaryDirectory() as folder:
        trainer = GRPOTrainer(
            model=model,
            processing_class=tokenizer,
            rollout_func=trl.rollout(options.url, max_turns=options.turns, max_turn_tokens=8),
            reward_funcs=trl.episode_reward(),
            train_dataset=problems,
            args=GRPOConfig(output_dir=folder, per_device_train_batch_size=4, num_generations=2, max_completion_length=2048,
                            max_steps=options.steps, logging_steps=1, report_to=[], save_strategy="no", use_cpu=True, disable_tqdm=True))
        trainer.train()
    for log in trainer.state.log_history:
        if "reward" in log:
            print(f"step {log['step']}: reward {log['reward']:.3f}, {log['completions/mean_length']:.0f} tokens an episode")


if __name__ == "__main__":
    main()
