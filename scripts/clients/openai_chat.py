"""The openai package against the policy that is served: chats and completions, whole and as streams, and its tokens."""
import openai
from common import Checks, arguments, ask

given, check = arguments(__doc__), Checks()
client = openai.OpenAI(base_url=f"{given.url}/v1", api_key="none", max_retries=0)
model = client.models.list().data[0].id
said = [{"role": "user", "content": "Sort: 3 1 2"}]
settings = {"model": model, "messages": said, "max_tokens": 300, "seed": 7, "logprobs": True}
whole = client.chat.completions.create(**settings)
choice = whole.choices[0]
check("as many log-probabilities as tokens", len(choice.logprobs.content) == whole.usage.completion_tokens, whole)
check("token numbers", len(choice.model_extra["token_ids"]) == whole.usage.completion_tokens, choice)
pieces = list(client.chat.completions.create(**settings, stream=True, stream_options={"include_usage": True}))
text = "".join(piece.choices[0].delta.content or "" for piece in pieces if piece.choices)
check("a stream says the same", text == choice.message.content, (text, choice.message.content))
check("its pieces", sum(1 for piece in pieces if piece.choices and piece.choices[0].delta.content) > 1, len(pieces))
check("its end", [piece.choices[0].finish_reason for piece in pieces if piece.choices][-1] == choice.finish_reason, pieces[-2:])
check("its usage", pieces[-1].usage.completion_tokens == whole.usage.completion_tokens, pieces[-1])
streamed = [one.logprob for piece in pieces if piece.choices and piece.choices[0].logprobs for one in piece.choices[0].logprobs.content]
check("its log-probabilities", streamed == [one.logprob for one in choice.logprobs.content], streamed)

settings = {"model": model, "prompt": "Sort: 3 1 2", "max_tokens": 12, "seed": 7, "logprobs": 1}
whole = client.completions.create(**settings)
text = "".join(piece.choices[0].text for piece in client.completions.create(**settings, stream=True) if piece.choices)
check("completions are streamed too", text == whole.choices[0].text, (text, whole.choices[0].text))
both = client.completions.create(**{**settings, "prompt": ["Sort: 3 1 2", "Add: 1 2"]})
check("two prompts", [one.index for one in both.choices] == [0, 1], both)
check("the first as alone", both.choices[0].text == whole.choices[0].text, both)
try:
    client.chat.completions.create(model=model, messages=said, temperature=-1)
    check("a temperature below 0 is refused", False)
except openai.BadRequestError as error:
    check("a refusal says why", "temperature" in str(error), error)

tokens = ask(f"{given.url}/tokenize", {"prompt": "Sort: 3 1 2"})
check("tokens", tokens["count"] == len(tokens["tokens"]) > 0, tokens)
check("and back", ask(f"{given.url}/detokenize", {"tokens": tokens["tokens"]})["prompt"] == "Sort: 3 1 2", tokens)
check.end()
