"""Episodes of many turns for trainers that sample tokens: what is said, and the tokens that it becomes."""
from __future__ import annotations

from typing import Any, Sequence

from ._source import text_of

_MOST_TURNS = 1000  # of an episode that is let run out
_SAID = "said-by-the-policy"  # stands for a turn whose tokens are there already


class Game:
    """An episode as messages of text. `messages` are those that it begins with, `tools` its tools as chat templates take them."""

    def __init__(self, episode: Any):
        self.episode = episode
        self.tools = [{"type": "function", "function": tool} for tool in episode.tools] or None
        self.messages = _plain(episode.observation)
        self.done = False
        self.turns = 0  # of the policy

    def say(self, turn: str | dict) -> list[dict]:
        """The policy's next turn, its text or a message with `tool_calls`; returns the messages that answer it."""
        observation, _, terminated, truncated, _ = self.episode.step(turn)
        self.done = terminated or truncated
        self.turns += 1
        return _plain(observation)

    def verdict(self) -> Any:
        """The verdict; what the policy has left unsaid counts as silence."""
        for _ in range(_MOST_TURNS):
            if self.done:
                break
            _, _, terminated, truncated, _ = self.episode.step("")
            self.done = terminated or truncated
        return self.episode.verdict()


def _plain(messages: Sequence[dict] | str) -> list[dict]:
    if isinstance(messages, str):
        return [{"role": "user", "content": messages}]
    return [{"role": message["role"], "content": text_of(message)} for message in messages]


def encoded(tokenizer: Any, messages: list[dict], tools: Any = None, **more: Any) -> list[int]:
    """The tokens of a prompt by the chat template, ready for the policy's first turn."""
    return _ids(tokenizer, tokenizer.apply_chat_template(messages, tools=tools, add_generation_prompt=True, tokenize=False, **more))


def encoded_reply(tokenizer: Any, messages: list[dict], last: int | None = None, **more: Any) -> list[int]:
    """The tokens that the chat template puts between one turn of the policy and the next, with `messages` in them.

    Args:
        last: the last token of the policy's turn. The template's end of a turn is not said twice, and where the policy was
            cut off before it, it is said here.
    """
    turn = [{"role": "user", "content": "x"}, {"role": "assistant", "content": _SAID}]
    whole = tokenizer.apply_chat_template(turn + messages, add_generation_prompt=True, tokenize=False, **more)
    _, said, reply = whole.rpartition(_SAID)
    if not said:
        raise ValueError("this chat template leaves out earlier turns, so an episode's turns cannot be joined")
    ids = _ids(tokenizer, reply)
    return ids[1:] if last is not None and ids[:1] == [last] else ids


def _ids(tokenizer: Any, text: str) -> list[int]:
    return list(tokenizer(text, add_special_tokens=False)["input_ids"])
