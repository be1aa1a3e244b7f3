"""TRL: rewards, data that rises with the policy, environments with tools, and multi-turn rollouts for GRPOTrainer.

    curriculum = trl.curriculum("Sorting,Multiplication")
    GRPOTrainer(model, reward_funcs=trl.reward(curriculum=curriculum), train_dataset=trl.stream(curriculum), …)
"""
from __future__ import annotations

import inspect
import keyword
import os
from typing import Any, Callable, Iterator, Sequence

from . import _source
from ._source import Local, LocalCurriculum, one_answer, only_environment, source, text_of
from ._turns import Game, encoded, encoded_reply

_PROBES = 8  # problems that are asked for their tools
_TYPES = {"string": str, "integer": int, "number": float, "boolean": bool, "array": list, "object": dict}


def _processes() -> tuple[int, int]:
    """The number of this process among those that train together, and how many they are, as torchrun and accelerate say it."""
    return int(os.environ.get("RANK") or 0), int(os.environ.get("WORLD_SIZE") or 1)


def curriculum(suite: str | Sequence[str], url: Any = None, **settings: Any) -> Any:
    """A curriculum over a suite. Where several processes train together it is a server's, and has a name by which they share it.

    Args:
        url: servers; else `$REDQUEEN_URL`, else the engine in this process.
        settings: of `redqueen.Curriculum`, and with servers `id`.
    """
    if not settings.get("id") or isinstance(source(url), Local):
        _refuse_alone()
    return _source.curriculum(suite, url, **settings)


def _refuse_alone() -> None:
    """Each process would see its own rewards alone, and soon draw other problems than the rest of its group."""
    if (count := _processes()[1]) > 1:
        raise ValueError(f"{count} processes train together (WORLD_SIZE), and each would have a curriculum of its own: start redqueen serve, "
                         'and share one by trl.curriculum(suite, url="http://HOST:8000", id="mine")')


def _row(prompt: str, **columns: Any) -> dict:
    return {"prompt": [{"role": "user", "content": prompt}], **columns}


def dataset(suite: str | Sequence[str], levels: Sequence[int], size: int, split: str = "train", seed: int = 0, url: Any = None) -> Any:
    """A `datasets.Dataset` of fixed problems with the columns prompt (messages), environment, level and address. The prompt of a
    world is empty: `environment` gives its text."""
    import datasets

    where = source(url)
    return datasets.Dataset.from_list([
        _row("" if where.turns(row["address"]) > 1 else row["prompt"], level=row["level"], address=row["address"], name=row["environment"])
        for row in where.dataset(suite, levels, size, split=split, seed=seed)])


def stream(curriculum: Any, name: str = "trl", at_once: int = 16) -> Any:
    """A `datasets.IterableDataset` of the problems that a curriculum draws, at the levels where it stands by then.

    Every process of a run reads the same problems, as TRL wants it. `at_once` are drawn together: as many as a step has
    prompts is a good number. Rows are those of `dataset`.
    """
    import datasets

    if isinstance(curriculum, LocalCurriculum):
        _refuse_alone()

    def rows() -> Iterator[dict]:
        worlds: dict[str, bool] = {}  # whether an environment is one, asked once
        for problem in curriculum.stream(name, at_once=at_once):
            if problem.environment not in worlds:
                worlds[problem.environment] = problem.max_turns > 1
            yield _row("" if worlds[problem.environment] else problem.prompt, level=problem.level, address=problem.address,
                       name=problem.environment)

    features = datasets.Features({"prompt": [{"role": datasets.Value("string"), "content": datasets.Value("string")}],
                                  "level": datasets.Value("int64"), "address": datasets.Value("string"), "name": datasets.Value("string")})
    made = datasets.IterableDataset.from_generator(rows, features=features)
    # TRL shuffles by filling a buffer of a thousand rows, which would draw them at the first levels. Draws are random already.
    made.shuffle = lambda *_, **__: made
    return made


def reward(url: Any = None, curriculum: Any = None) -> Callable[..., list[float]]:
    """A reward function for rows with a column `address`; it tells `curriculum` what was solved.

    One request a batch. `solved` is logged beside the reward. Worlds are refused: `environment` and `rollout` play them.
    """
    where = source(url)
    instead = "train with environment_factory=trl.environment(…), or with rollout_func=trl.rollout(…) and trl.episodes(…)"

    def redqueen(completions: list, address: list[str], log_metric: Callable | None = None, **_: Any) -> list[float]:
        one_answer(where, address, instead)
        verdicts = where.score_many(address, [text_of(completion) for completion in completions])
        if curriculum is not None:
            curriculum.update(address, verdicts)
        if log_metric is not None and verdicts:
            log_metric("solved", sum(verdict.solved for verdict in verdicts) / len(verdicts))
        return [verdict.reward for verdict in verdicts]

    return redqueen


def environment(name: str, level: int = 0, url: Any = None, curriculum: Any = None) -> type:
    """A class for `environment_factory`: an environment with its tools as methods, or with `submit` where it has none.

    Its instances take a row's `address` in `reset`; without one they draw problems of their own, one seed after another, and
    other seeds in each of several processes.
    A policy that stops before the episode's end has said nothing from there on. Worlds whose problems have different tools are
    refused: `rollout` plays them.
    """
    where = source(url)
    probes = where.dataset(only_environment(where, name, level), [level], _PROBES)
    offered = [where.restore(probe["address"]).start().tools for probe in probes]
    tools = offered[0]
    if any(other != tools for other in offered):
        raise ValueError(f"{name} has tools that differ from problem to problem, and TRL's are the methods of one class: train with "
                         "rollout_func=trl.rollout(…) and trl.episodes(…)")
    process, count = _processes()
    seeds = iter(range(process, 2**62, count))

    class RedQueenEnvironment:
        def __init__(self) -> None:
            self._game: Any = None

        def reset(self, address: str | None = None, **row: Any) -> str | None:
            if address is None:
                address = where.dataset(name, [level], 1, seed=next(seeds))[0]["address"]
            self._address, self._told = address, False
            self._game = Game(where.restore(address).start())
            # A row that has the problem's text already needs no second one.
            has_prompt = any(m.get("content") for m in row.get("prompt") or [])
            return None if has_prompt else _spoken(self._game.messages)

        def get_reward(self) -> float:
            verdict = self._game.verdict()
            if curriculum is not None and not self._told:
                curriculum.update([self._address], [verdict])
                self._told = True
            return verdict.reward

        def _step(self, action: str | dict) -> str:
            if self._game.done:
                return "The episode has ended."
            return _spoken(self._game.say(action))

    if not tools:
        tools = [{"name": "submit", "description": "Submits a whole response for grading.", "parameters": {
            "properties": {"response": {"type": "string", "description": "the response"}}, "required": ["response"]}}]
        call = lambda self, _, arguments: self._step(arguments["response"]) or "Submitted."  # noqa: E731
    else:
        call = lambda self, tool, arguments: self._step({"tool_calls": [{"name": tool, "arguments": arguments}]})  # noqa: E731
    for tool in tools:
        setattr(RedQueenEnvironment, tool["name"], _method(tool, call))
    return RedQueenEnvironment


def _spoken(messages: Sequence[dict]) -> str:
    return "\n".join(message["content"] for message in messages)


def _method(tool: dict, call: Callable) -> Callable:
    """A method with the signature and the docstring from which TRL makes the tool's schema."""
    schema = tool.get("parameters") or {}
    # No parameter of Python may be called `from`: it is `from_` there, in TRL's schema as well.
    given = {key + "_" * keyword.iskeyword(key): key for key in schema.get("properties", {})}
    properties = {name: schema["properties"][key] for name, key in given.items()}
    required = [name for name, key in given.items() if key in schema.get("required", [])]

    def method(self: Any, **arguments: Any) -> str:
        return call(self, tool["name"], {given.get(key, key): value for key, value in arguments.items() if value is not None})

    parameters = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    for key in sorted(properties, key=lambda key: key not in required):
        kind = _TYPES.get(properties[key].get("type", "string"), str)
        default = inspect.Parameter.empty if key in required else None
        parameters.append(inspect.Parameter(key, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default,
                                            annotation=kind if key in required else kind | None))
    method.__name__ = method.__qualname__ = tool["name"]
    method.__signature__ = inspect.Signature(parameters, return_annotation=str)
    method.__annotations__ = {p.name: p.annotation for p in parameters[1:]} | {"return": str}
    described = "\n".join(f"    {p.name}: {properties[p.name].get('description') or p.name}" for p in parameters[1:])
    returned = "Returns:\n    what the environment answers"
    method.__doc__ = "\n\n".join(part for part in (tool["description"], f"Args:\n{described}" if described else "", returned) if part)
    return method


def episodes(name: str, levels: Sequence[int], size: int, seed: int = 0, url: Any = None) -> Any:
    """A `datasets.Dataset` for `rollout`: the prompt is the problem's address, which the rollout plays."""
    import datasets

    rows = source(url).dataset(name, levels, size, seed=seed)
    return datasets.Dataset.from_list([_row(row["address"], address=row["address"]) for row in rows])


def rollout(url: Any = None, max_turns: int = 8, max_turn_tokens: int = 128, curriculum: Any = None) -> Callable[[list, Any], dict]:
    """A `rollout_func` that plays whole episodes with the trainer's own model: all of a batch, turn by turn.

    What the environment says lies in the completion under an `env_mask` of 0, so that only the policy's own tokens are
    trained. Rewards reach the trainer as the column `episode_reward`; `episode_reward()` is the reward function for it.
    """
    where = source(url)

    def play(prompts: list, trainer: Any) -> dict:
        games = [_Rollout(where.restore(text_of(prompt)).start(), text_of(prompt), trainer.processing_class) for prompt in prompts]
        for _ in range(max_turns):
            live = [game for game in games if not game.done]
            if not live:
                break
            for game, turn in zip(live, _sample(trainer, [game.ids for game in live], max_turn_tokens)):
                game.take(*turn)
        verdicts = [game.verdict() for game in games]
        if curriculum is not None:
            curriculum.update([game.address for game in games], verdicts)
        return {"prompt_ids": [game.prompt_ids for game in games], "completion_ids": [game.completion_ids for game in games],
                "logprobs": [game.logprobs for game in games], "env_mask": [game.mask for game in games],
                "episode_reward": [verdict.reward for verdict in verdicts], "solved": [verdict.solved for verdict in verdicts]}

    return play


def episode_reward() -> Callable[..., list[float]]:
    """The reward function for `rollout`."""

    def redqueen_episode(episode_reward: list[float], **_: Any) -> list[float]:
        return [float(value) for value in episode_reward]

    return redqueen_episode


class _Rollout(Game):
    """An episode and the tokens that it has become."""

    def __init__(self, episode: Any, address: str, tokenizer: Any):
        super().__init__(episode)
        self.address, self.tokenizer = address, tokenizer
        self.prompt_ids = encoded(tokenizer, self.messages, self.tools)
        self.completion_ids: list[int] = []
        self.logprobs: list[float] = []
        self.mask: list[int] = []

    @property
    def ids(self) -> list[int]:
        return self.prompt_ids + self.completion_ids

    def take(self, ids: list[int], logprobs: list[float]) -> None:
        answer = self.say(self.tokenizer.decode(ids, skip_special_tokens=True))
        seen = [] if self.done else encoded_reply(self.tokenizer, answer, last=ids[-1] if ids else None)
        self.completion_ids += ids + seen
        self.logprobs += logprobs + [0.0] * len(seen)
        self.mask += [1] * len(ids) + [0] * len(seen)


def _sample(trainer: Any, prompts: list[list[int]], max_new_tokens: int) -> list[tuple[list[int], list[float]]]:
    """One turn for every prompt, by the model that is trained: its tokens, with the log-probability of each."""
    import torch
    from trl.models import unwrap_model_for_generation

    tokenizer, device = trainer.processing_class, trainer.accelerator.device
    width = max(map(len, prompts))
    ids = torch.full((len(prompts), width), tokenizer.pad_token_id, device=device)
    mask = torch.zeros_like(ids)
    for row, prompt in enumerate(prompts):
        ids[row, width - len(prompt):] = torch.tensor(prompt, device=device)
        mask[row, width - len(prompt):] = 1
    with unwrap_model_for_generation(trainer.model_wrapped, trainer.accelerator) as model, torch.no_grad():
        out = model.generate(input_ids=ids, attention_mask=mask, max_new_tokens=max_new_tokens, do_sample=True,
                             temperature=trainer.temperature, pad_token_id=tokenizer.pad_token_id,
                             eos_token_id=tokenizer.eos_token_id, output_logits=True, return_dict_in_generate=True)
    drawn = out.sequences[:, width:]
    # [turn's tokens, rows, vocabulary] -> the log-probability of every token drawn, [rows, tokens]
    logprobs = torch.stack([
        torch.log_softmax(logits.float() / trainer.temperature, -1).gather(1, drawn[:, t:t + 1]).squeeze(1)
        for t, logits in enumerate(out.logits)], 1)
    turns = []
    for row in range(len(prompts)):
        ends = (drawn[row] == tokenizer.eos_token_id).nonzero()
        length = int(ends[0]) + 1 if len(ends) else drawn.shape[1]
        turns.append((drawn[row, :length].tolist(), logprobs[row, :length].tolist()))
    return turns
