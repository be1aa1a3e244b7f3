"""SkyRL: `skyrl_gym` environments that play any problem, in one turn or in many.

    skyrl_gym.register(id="redqueen", entry_point="redqueen.adapters.skyrl:RedQueenEnv")
"""
from __future__ import annotations

from typing import Any, Sequence

from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput

from ._source import source, text_of


def _setting(config: Any, key: str, otherwise: Any = None) -> Any:
    return otherwise if config is None else config.get(key, otherwise)


class RedQueenEnv(BaseTextEnv):
    """Plays the problem whose address is `reward_spec.ground_truth`.

    `env_config.url` names servers; without it, and without `$REDQUEEN_URL`, the engine of this process is asked. A world
    (`max_turns` above 1) is played until its end or SkyRL's; what a policy leaves unsaid then counts as silence.
    """

    def __init__(self, env_config: Any = None, extras: dict | None = None):
        super().__init__()
        extras = extras or {}
        self._where = source(_setting(env_config, "url"))
        self._address = extras["reward_spec"]["ground_truth"]
        self.max_turns = extras.get("max_turns") or _setting(env_config, "max_turns") or 1
        self._episode: Any = None

    def init(self, prompt: list[dict]) -> tuple[list[dict], dict]:
        self._episode = self._where.restore(self._address).start()
        return prompt, {}

    def step(self, action: str) -> BaseTextEnvStepOutput:
        self.turns += 1
        observation, _, terminated, truncated, _ = self._episode.step(action)
        done = terminated or truncated
        if not done and self.turns >= self.max_turns:
            while not done:
                _, _, terminated, truncated, _ = self._episode.step("")
                done = terminated or truncated
            observation = []
        verdict = self._episode.verdict() if done else None
        seen = [] if done else [{"role": "user", "content": text_of(message)} for message in observation]
        return BaseTextEnvStepOutput(observations=seen, reward=verdict.reward if verdict else 0.0, done=done,
                                     metadata={"solved": verdict.solved} if verdict else {})


def rows(suite: str | Sequence[str], levels: Sequence[int], size: int, split: str = "train", seed: int = 0, max_turns: int = 1,
         url: Any = None) -> list[dict]:
    """Problems in SkyRL's schema; `datasets.Dataset.from_list(rows(…)).to_parquet(path)` writes them."""
    return [{"data_source": f"redqueen/{p['environment']}", "prompt": [{"role": "user", "content": p["prompt"]}],
             "env_class": "redqueen", "reward_spec": {"method": "rule", "ground_truth": p["address"]}, "max_turns": max_turns,
             "extra_info": {"level": p["level"], "split": p["split"]}}
            for p in source(url).dataset(suite, levels, size, split=split, seed=seed)]
