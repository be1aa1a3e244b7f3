"""slime: a reward function and a data source that a curriculum draws.

    --custom-rm-path redqueen.adapters.slime.reward
    --data-source-path redqueen.adapters.slime.CurriculumSource --custom-config-path redqueen.yaml

with `redqueen_suite: rlve-held-in`, `redqueen_url: http://127.0.0.1:8000` in the YAML file. Environments of many turns:

    --custom-generate-function-path redqueen.adapters.slime.generate
"""
from __future__ import annotations

import asyncio
import json
import pathlib
from typing import Any, Sequence

from ._source import named_suite, one_answer, served, source, teller
from ._turns import Game, encoded, encoded_reply

_ENDLESS = 1 << 40  # what slime divides by a batch's size to know how long an epoch is


async def reward(args: Any, samples: Any, **_: Any) -> Any:
    """slime's custom reward: of one sample, or of a list of them in batch mode. A sample's label is its problem's address."""
    is_batch = isinstance(samples, (list, tuple))
    batch = samples if is_batch else [samples]
    url = getattr(args, "redqueen_url", None)
    addresses = [sample.label for sample in batch]
    where = source(url)
    await asyncio.to_thread(one_answer, where, addresses, "say --custom-generate-function-path redqueen.adapters.slime.generate")
    verdicts = await asyncio.to_thread(where.score_many, addresses, [sample.response for sample in batch])
    id = getattr(args, "redqueen_id", None)
    if id is not None:
        for address, verdict in zip(addresses, verdicts):
            teller(url, id).tell(address, verdict.solved)
    rewards = [verdict.reward for verdict in verdicts]
    return rewards if is_batch else rewards[0]


async def generate(args: Any, sample: Any, sampling_params: dict, evaluation: bool = False) -> Any:
    """slime's custom generation: plays the problem at the sample's label to its end, turn by turn, and rewards it.

    The policy's tokens are trained, what it reads lies between them under a loss mask of 0. `args` may have redqueen_url,
    redqueen_id, redqueen_max_turns (64) and redqueen_turn_tokens, the most of one turn; `rollout_max_response_len` bounds
    the whole. What a policy leaves unsaid counts as silence. An episode begins anew after an abort, so this goes without
    `--partial-rollout`.
    """
    from slime.rollout.sglang_rollout import GenerateState
    from slime.utils.http_utils import post

    if getattr(args, "partial_rollout", False):
        raise ValueError("redqueen.adapters.slime.generate plays whole episodes: leave out --partial-rollout")
    url, id = getattr(args, "redqueen_url", None), getattr(args, "redqueen_id", None)
    tokenizer, status = GenerateState(args).tokenizer, type(sample).Status
    template = getattr(args, "apply_chat_template_kwargs", None) or {}
    game = await asyncio.to_thread(lambda: Game(source(url).restore(sample.label).start()))
    sample.prompt = game.messages
    sample.tokens = encoded(tokenizer, game.messages, game.tools, **template)
    left = sampling_params["max_new_tokens"]
    for _ in range(getattr(args, "redqueen_max_turns", None) or 64):
        most = min(left, getattr(args, "redqueen_turn_tokens", None) or left)
        output = await post(f"http://{args.sglang_router_ip}:{args.sglang_router_port}/generate",
                            {"input_ids": sample.tokens, "sampling_params": {**sampling_params, "max_new_tokens": most},
                             "return_logprob": True})
        meta = output["meta_info"]
        drawn = [(item[0], item[1]) for item in meta.get("output_token_logprobs", [])]
        ids = [token for _, token in drawn]
        sample.append_response_tokens(args, tokens=ids, log_probs=[value for value, _ in drawn], trainable=True, meta_info=meta,
                                      text=output["text"])
        if sample.status == status.ABORTED:
            return sample
        answer = await asyncio.to_thread(game.say, tokenizer.decode(ids, skip_special_tokens=True))
        if game.done:
            sample.status = status.COMPLETED
            break
        read = encoded_reply(tokenizer, answer, ids[-1] if ids else None, **template)
        left -= len(ids) + len(read)
        sample.status = status.TRUNCATED
        if left <= 0:
            break
        sample.append_response_tokens(args, tokens=read, trainable=False, text=tokenizer.decode(read))
    verdict = await asyncio.to_thread(game.verdict)
    sample.reward = verdict.reward
    if id is not None and not evaluation:
        teller(url, id).tell(sample.label, verdict.solved)
    return sample


def rows(suite: str | Sequence[str], levels: Sequence[int], size: int, split: str = "train", seed: int = 0, url: Any = None) -> list[dict]:
    """Fixed problems for `--prompt-data` (JSON lines) with `--input-key prompt --label-key label --apply-chat-template`."""
    problems = source(url).dataset(suite, levels, size, split=split, seed=seed)
    return [{"prompt": [{"role": "user", "content": p["prompt"]}], "label": p["address"],
             "metadata": {"environment": p["environment"], "level": p["level"]}} for p in problems]


class CurriculumSource:
    """slime's data source: groups of samples of the problems that a curriculum draws.

    `args` may have redqueen_suite, redqueen_url, redqueen_id and redqueen_settings (a dictionary of a curriculum's
    settings). The data source and the rewards live in different processes, so the curriculum is one of a server; groups
    that slime gives back are handed out again first.
    """

    def __init__(self, args: Any):
        self.args = args
        where = served(getattr(args, "redqueen_url", None))
        self.id = getattr(args, "redqueen_id", None) or "slime"
        args.redqueen_id = self.id  # so that the reward function of this process tells the same one
        settings = dict(getattr(args, "redqueen_settings", None) or {})
        settings.setdefault("rollouts", args.n_samples_per_prompt)
        suite = named_suite(getattr(args, "redqueen_suite", None), "redqueen_suite in the file of --custom-config-path")
        self.curriculum = where.Curriculum(suite, id=self.id, **settings)
        self._groups = self._samples = 0
        self._given_back: list[list[Any]] = []
        self._template = self._chat_template()

    def get_samples(self, num_samples: int) -> list[list[Any]]:
        from slime.utils.types import Sample

        taken, self._given_back = self._given_back[:num_samples], self._given_back[num_samples:]
        for problem in self.curriculum.next_batch(num_samples - len(taken)) if len(taken) < num_samples else ():
            group = []
            for _ in range(self.args.n_samples_per_prompt):
                group.append(Sample(group_index=self._groups, index=self._samples, prompt=self._template(problem.prompt),
                                    label=problem.address, metadata={"environment": problem.environment, "level": problem.level}))
                self._samples += 1
            self._groups += 1
            taken.append(group)
        return taken

    def add_samples(self, samples: list[list[Any]]) -> None:
        self._given_back += samples

    def save(self, rollout_id: int) -> None:
        path = self._path(self.args.save, rollout_id)
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps({"groups": self._groups, "samples": self._samples, "curriculum": self.curriculum.state()}))

    def load(self, rollout_id: int | None = None) -> None:
        path = self._path(self.args.load, rollout_id)
        if path is not None and path.exists():
            state = json.loads(path.read_text())
            self._groups, self._samples = state["groups"], state["samples"]
            self.curriculum.load(state["curriculum"])

    def __len__(self) -> int:
        return _ENDLESS

    def _path(self, folder: str | None, rollout_id: int | None) -> pathlib.Path | None:
        return pathlib.Path(folder, "rollout", f"redqueen_{rollout_id}.json") if folder else None

    def _chat_template(self):
        """With `--apply-chat-template`, prompts are text that is ready for the model, as slime's own data set makes them."""
        if not getattr(self.args, "apply_chat_template", False):
            return lambda prompt: prompt
        from slime.utils.processing_utils import load_tokenizer

        tokenizer = load_tokenizer(self.args.hf_checkpoint, trust_remote_code=True)
        more = getattr(self.args, "apply_chat_template_kwargs", None) or {}
        return lambda prompt: tokenizer.apply_chat_template([{"role": "user", "content": prompt}], tokenize=False,
                                                            add_generation_prompt=True, **more)
