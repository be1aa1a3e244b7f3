"""SkyRL: `skyrl_gym` environments that play any problem, in one turn or in many.

    skyrl_gym.register(id="redqueen", entry_point="redqueen.adapters.skyrl:RedQueenEnv")
"""
from __future__ import annotations

import functools
import json
from typing import Any, Sequence

from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput

from ._source import drawn, named_suite, served, source, teller, text_of, urls_of


def _setting(config: Any, key: str, otherwise: Any = None) -> Any:
    return otherwise if config is None else config.get(key, otherwise)


_OF_A_NAME = 64  # draws: a server remembers the last 256 of every name, and SkyRL shuffles rows


@functools.lru_cache(maxsize=None)
def _curriculum(urls: tuple[str, ...], id: str, asked: str) -> Any:
    suite, settings = json.loads(asked)
    return served(urls).Curriculum(suite, id=id, **settings)


def _messages(given: Sequence[dict], tools: Sequence[dict]) -> list[dict]:
    """What a world begins with, and its tools written out: SkyRL tells chat templates of none."""
    messages = [{"role": message["role"], "content": text_of(message)} for message in given]
    if tools:
        listed = "\n".join(json.dumps(tool, ensure_ascii=False) for tool in tools)
        messages[-1]["content"] += (f"\n\nThese functions are on offer, one a line:\n{listed}\n\nA call is written as "
                                    '<tool_call>{"name": "…", "arguments": {…}}</tool_call>; a turn may hold several.')
    return messages


class RedQueenEnv(BaseTextEnv):
    """Plays the problem whose address is `reward_spec.ground_truth`, or the one that a curriculum draws for the row.

    `env_config` may have `url` (servers; without it, and without `$REDQUEEN_URL`, the engine of this process is asked),
    `max_turns`, and for rows of `drawn_rows` `curriculum` (its id on the servers), `suite` and `settings`. A curriculum is told
    what was solved. A world is played until its end or SkyRL's; what a policy leaves unsaid then counts as silence.
    """

    def __init__(self, env_config: Any = None, extras: dict | None = None):
        super().__init__()
        extras = extras or {}
        self._where = source(_setting(env_config, "url"))
        self._url, self._id = _setting(env_config, "url"), _setting(env_config, "curriculum")
        self._address, self._drawn = extras["reward_spec"]["ground_truth"], None
        if not self._address:
            self._drawn = self._draw(extras["draw"], env_config)
            self._address = self._drawn.address
        self.max_turns = extras.get("max_turns") or _setting(env_config, "max_turns") or 1
        if self.max_turns == 1 and self._where.turns(self._address) > 1:
            raise ValueError(f"{self._address} is a world of several turns, and SkyRL would end it after one: set generator.max_turns")
        self._episode: Any = None

    def _draw(self, number: int, env_config: Any) -> Any:
        """The problem of a row: the same for every sample of its group, whichever asks first."""
        suite = _setting(env_config, "suite")
        if not self._id or not suite:
            raise ValueError("rows of drawn_rows need `curriculum` and `suite` in env_config")
        asked = json.dumps([named_suite(suite, "`suite` in env_config"), dict(_setting(env_config, "settings") or {})])
        return drawn(_curriculum(urls_of(self._url), self._id, asked), f"skyrl/{number // _OF_A_NAME}", number % _OF_A_NAME + 1)

    def init(self, prompt: list[dict]) -> tuple[list[dict], dict]:
        self._episode = self._where.restore(self._address).start()
        return (_messages(self._episode.observation, self._episode.tools) if self._drawn else prompt), {}

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
        if verdict and self._id:
            teller(self._url, self._id).tell(self._address, verdict.solved)
        seen = [] if done else [{"role": "user", "content": text_of(message)} for message in observation]
        return BaseTextEnvStepOutput(observations=seen, reward=verdict.reward if verdict else 0.0, done=done,
                                     metadata={"solved": verdict.solved} if verdict else {})


def rows(suite: str | Sequence[str], levels: Sequence[int], size: int, split: str = "train", seed: int = 0, max_turns: int | None = None,
         url: Any = None) -> list[dict]:
    """Problems in SkyRL's schema; `datasets.Dataset.from_list(rows(…)).to_parquet(path)` writes them.

    The prompt of a world has its tools in it.

    Args:
        max_turns: of an episode; None: as many as the problem allows. SkyRL's own generator says `generator.max_turns`
            in its place.
    """
    where = source(url)
    problems = where.dataset(suite, levels, size, split=split, seed=seed)
    worlds = where.worlds([p["address"] for p in problems])
    made = []
    for p in problems:
        world = worlds.get(p["address"])
        prompt = _messages(world.messages, world.tools) if world else [{"role": "user", "content": p["prompt"]}]
        made.append({"data_source": f"redqueen/{p['environment']}", "prompt": prompt, "env_class": "redqueen",
                     "reward_spec": {"method": "rule", "ground_truth": p["address"]},
                     "max_turns": max_turns or (world.max_turns if world else 1),
                     "extra_info": {"level": p["level"], "split": p["split"]}})
    return made


def drawn_rows(size: int, max_turns: int | None = None) -> list[dict]:
    """Rows that stand for the draws of a curriculum: the environment fills in problem after problem when SkyRL comes to it.

    Args:
        size: prompts of the whole training; a row that comes again, in a second epoch, has its problem again.
        max_turns: of an episode of a world.
    """
    more = {} if max_turns is None else {"max_turns": max_turns}
    return [{"data_source": "redqueen", "prompt": [{"role": "user", "content": "The curriculum draws this problem."}],
             "env_class": "redqueen", "reward_spec": {"method": "rule", "ground_truth": ""}, "draw": number, **more}
            for number in range(size)]
