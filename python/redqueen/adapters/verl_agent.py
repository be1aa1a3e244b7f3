"""veRL: an agent loop for environments of many turns.

    # redqueen_agent.yaml
    - name: redqueen
      _target_: redqueen.adapters.verl_agent.RedQueenAgentLoop
      max_turns: 32

with `actor_rollout_ref.rollout.agent.agent_loop_config_path=redqueen_agent.yaml` and
`actor_rollout_ref.rollout.agent.default_agent_loop=redqueen`.
"""
from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

from verl.experimental.agent_loop.agent_loop import AgentLoopBase, AgentLoopOutput
from verl.utils.profiler import simple_timer

from ._source import source, split_of, teller
from ._turns import Game


class RedQueenAgentLoop(AgentLoopBase):
    """Plays the problem whose address is `reward_model.ground_truth` of a row to its end, and rewards it.

    The policy's tokens have a response mask of 1, what it reads has 0. What a policy leaves unsaid, for it has no turns or no
    tokens left, counts as silence.

    Args:
        url: servers; else `$REDQUEEN_URL`, else the engine in this process.
        curriculum: the id of a curriculum of those servers, which is told what was solved.
        max_turns: of the policy.
        turn_tokens: the most of one turn; the rest of `rollout.response_length` where it is not said.
    """

    def __init__(self, *given: Any, url: str | None = None, curriculum: str | None = None, max_turns: int = 64,
                 turn_tokens: int | None = None, **named: Any):
        super().__init__(*given, **named)
        self._url, self._curriculum, self._max_turns, self._turn_tokens = url, curriculum, max_turns, turn_tokens

    async def run(self, sampling_params: dict[str, Any], **row: Any) -> AgentLoopOutput:
        address = row["reward_model"]["ground_truth"]
        game = await asyncio.to_thread(lambda: Game(source(self._url).restore(address).start()))
        most, request = self.rollout_config.response_length, uuid4().hex
        messages = list(game.messages)
        tokens = await self.ct_build_initial_tokens(messages, tools=game.tools)
        mask: list[int] = []
        logprobs: list[float] | None = None
        metrics: dict[str, float] = {}
        extra: dict[str, Any] = {}
        for _ in range(self._max_turns):
            turn = min(most - len(mask), self._turn_tokens or most)
            with simple_timer("generate_sequences", metrics):
                drawn = await self.server_manager.generate(request_id=request, prompt_ids=tokens,
                                                           sampling_params={**sampling_params, "max_tokens": turn})
            extra = {**drawn.extra_fields, **extra, **{k: v for k, v in drawn.extra_fields.items() if k == "max_global_steps"}}
            if drawn.log_probs and logprobs is None:
                logprobs = []
            merged, mask, logprobs = await self.ct_merge_assistant_token(tokens, drawn.token_ids, mask, logprobs,
                                                                         assistant_logprobs=drawn.log_probs or None)
            tokens = merged.token_ids
            said = self.tokenizer.decode(drawn.token_ids, skip_special_tokens=True)
            with simple_timer("tool_calls", metrics):
                answer = await asyncio.to_thread(game.say, said)
            if game.done or len(mask) >= most:
                break
            before = [*messages, {"role": "assistant", "content": said}]
            messages = before + answer
            merged, longer, longer_logprobs = await self.ct_merge_context_msg(before, messages, tokens, mask, logprobs, tools=game.tools)
            if len(longer) >= most:
                break
            tokens, mask, logprobs = merged.token_ids, longer, longer_logprobs
        verdict = await asyncio.to_thread(game.verdict)
        if self._curriculum is not None and split_of(address) == "train":
            teller(self._url, self._curriculum).tell(address, verdict.solved)
        start = len(tokens) - len(mask)
        told = {"score": verdict.reward, "acc": float(verdict.solved), "well_formed": float(verdict.well_formed)}
        return AgentLoopOutput(
            prompt_ids=tokens[:start], response_ids=tokens[start:][:most], response_mask=mask[:most],
            response_logprobs=logprobs[:most] if logprobs else None, reward_score=verdict.reward, num_turns=2 * game.turns,
            metrics=metrics, extra_fields={**extra, "reward_extra_info": told, "turn_scores": [], "tool_rewards": []})
