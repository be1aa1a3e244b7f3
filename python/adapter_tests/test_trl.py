"""TRL's own GRPOTrainer with a model of a few thousand weights: rewards arrive, and the curriculum moves."""
import json
import pathlib
import pickle
import sys

import pytest
from support import ROOT, package

trl_package = package("trl")
package("datasets")
sys.path.insert(0, str(ROOT / "examples"))

from tiny_model import tiny_model  # noqa: E402
from transformers.utils import get_json_schema  # noqa: E402

from redqueen.adapters import trl  # noqa: E402


def train(tmp_path, model=None, max_steps=2, max_completion_length=8, trainer_class=None, **trainer):
    model, tokenizer = model or tiny_model()
    config = dict(output_dir=str(tmp_path), per_device_train_batch_size=4, num_generations=2, max_completion_length=max_completion_length,
                  max_steps=max_steps, report_to=[], save_strategy="no", use_cpu=True, logging_steps=1, disable_tqdm=True)
    made = (trainer_class or trl_package.GRPOTrainer)(model=model, processing_class=tokenizer, args=trl_package.GRPOConfig(**config), **trainer)
    made.train()
    return [row for row in made.state.log_history if "reward" in row]


def recorded(function, seen):
    def redqueen(completions, **columns):
        rewards = function(completions, **columns)
        seen.extend(zip(columns["address"], map(trl.text_of, completions), rewards))
        return rewards
    return redqueen


def test_a_curriculum_of_this_process_stays_in_it():
    with pytest.raises(ValueError, match="redqueen serve"):
        pickle.loads(pickle.dumps(trl.curriculum("Sorting")))


def test_processes_that_train_together_share_a_curriculum_or_are_refused(server, monkeypatch):
    monkeypatch.delenv("REDQUEEN_URL", raising=False)
    own = trl.curriculum("Sorting")
    monkeypatch.setenv("WORLD_SIZE", "2")
    for alone in ({}, {"id": "mine"}, {"url": server.url}):  # here, and on a server that would make up a name for each
        with pytest.raises(ValueError, match="2 processes train together.*url=.*id="):
            trl.curriculum("Sorting", **alone)
    with pytest.raises(ValueError, match="2 processes train together"):
        trl.stream(own)
    shared = [trl.curriculum("Sorting", url=server.url, id="of-two-processes") for _ in range(2)]
    first, second = ([next(rows)["address"] for _ in range(20)] for rows in (iter(trl.stream(one, at_once=4)) for one in shared))
    assert first == second and len(set(first)) == 20


def test_processes_that_train_together_play_different_seeds(where, monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    seen = []
    for rank in range(2):
        monkeypatch.setenv("RANK", str(rank))
        environment = trl.environment("Sorting", url=where)()
        for _ in range(3):
            environment.reset()
            seen.append(environment._address)
    assert sorted(seen) == [f"Sorting@1/0/{seed}/s1" for seed in range(6)]


@pytest.mark.parametrize("fixed", [True, False])
def test_a_worlds_text_is_the_environments(where, fixed):
    """The prompt of an answer, between marks, says nothing true of a world."""
    if fixed:
        rows = trl.dataset("household,Sorting", [0], 2, url=where)
    else:
        rows = [*trl.stream(trl.curriculum("household,Sorting", where)).take(8)]
    texts = {name: {row["prompt"][0]["content"] for row in rows if row["name"] == name} for name in ("household", "Sorting")}
    assert texts["household"] == {""} and texts["Sorting"] and all("<answer>" in text for text in texts["Sorting"])
    environment = trl.environment("household", url=where)()
    said = environment.reset(**next(row for row in rows if row["name"] == "household"))
    assert "You are in" in said and "<answer>" not in said


def test_rewards_reach_the_trainer(tmp_path, server, client):
    seen = []
    logs = train(tmp_path, reward_funcs=recorded(trl.reward(server.url), seen),
                 train_dataset=trl.dataset("Sorting", [0, 1], 8, url=server.url))
    assert len(seen) == 8 and len(logs) == 2
    for step, log in enumerate(logs):
        rows = seen[4 * step:4 * step + 4]
        assert len({address for address, _, _ in rows}) == 2  # two prompts, two completions each
        assert log["reward"] == pytest.approx(sum(reward for _, _, reward in rows) / 4)
        assert "solved" in log
    for address, text, reward in seen:
        assert client.score(address, text).reward == reward


def test_a_policy_that_is_right_raises_its_curriculum(tmp_path, where):
    curriculum = trl.curriculum("Sorting", where, minimum_groups=1, rollouts=2, width=1)
    function = trl.reward(where, curriculum)
    levels, addresses = [], []

    def oracle(completions, level, prompts, **columns):
        levels.append(max(level))
        addresses.append(columns["address"])
        numbers = [sorted(prompt[0]["content"].splitlines()[1].split(), key=int) for prompt in prompts]
        return function([[{"role": "assistant", "content": f"<answer>{' '.join(n)}</answer>"}] for n in numbers], **columns)

    logs = train(tmp_path, max_steps=6, reward_funcs=oracle, train_dataset=trl.stream(curriculum, at_once=2))
    assert [log["reward"] for log in logs] == [1.0] * 6
    assert levels == sorted(levels) and levels[-1] > levels[0]
    assert curriculum.levels()["Sorting"][1] >= 3  # TRL reads one batch ahead
    drawn = [a for step in addresses for a in step[::2]]
    assert len(set(drawn)) == len(drawn) == 12  # nothing is shown twice


@pytest.mark.parametrize("name, expected", [("Sorting", ["submit"]), ("household", None)])
def test_an_environments_tools_have_schemas(server, name, expected):
    made = trl.environment(name, level=1, url=server.url)()
    tools = [member for member in dir(type(made)) if not member.startswith("_") and member not in ("reset", "get_reward")]
    assert tools == expected or "go" in tools
    for tool in tools:
        schema = get_json_schema(getattr(made, tool))["function"]
        assert schema["name"] == tool and schema["description"]
        assert all(p["description"] for p in schema["parameters"].get("properties", {}).values())
    if name == "household":
        assert get_json_schema(made.take)["function"]["parameters"]["required"] == ["object"]


def test_an_environment_rewards_what_was_submitted(server, client):
    make = trl.environment("Sorting", level=0, url=server.url)
    environment = make()
    text = environment.reset()
    answer = " ".join(sorted(text.splitlines()[1].split(), key=int))
    environment.submit(response=f"<answer>{answer}</answer>")
    assert environment.get_reward() == environment.get_reward() == 1.0
    assert environment.submit(response="again") == "The episode has ended."
    assert environment.reset() != text  # an instance is used many times, and each time for another problem
    assert environment.get_reward() == -1.0  # nothing was submitted
    assert environment.reset(address="Sorting@1/2/5/s1", prompt=[{"content": "the text", "role": "user"}]) is None


def test_a_world_is_played_through_its_tools(server):
    environment = trl.environment("household", level=1, url=server.url)()
    assert "You are in" in environment.reset()
    assert environment.go(place="table 1")
    assert environment.look()
    assert environment.get_reward() < 1.0


def test_grpo_with_an_environment_factory(tmp_path, server):
    model, tokenizer = tiny_model()
    # TRL parses tool calls of the templates that it knows alone. The model is too small to make one: nothing is submitted.
    tokenizer.chat_template = (pathlib.Path(trl_package.__file__).parent / "chat_templates/qwen3.jinja").read_text()
    make = trl.environment("Sorting", level=0, url=server.url)
    logs = train(tmp_path, model=(model, tokenizer), environment_factory=make)
    assert [log["reward"] for log in logs] == [-1.0, -1.0]


def test_whole_episodes_are_rolled_out(tmp_path, server):
    kept = []
    curriculum = trl.curriculum("household", server.url, minimum_groups=1, rollouts=2)
    play = trl.rollout(server.url, max_turns=2, max_turn_tokens=6, curriculum=curriculum)

    def watched(prompts, trainer):
        kept.append(play(prompts, trainer))
        return kept[-1]

    logs = train(tmp_path, rollout_func=watched, reward_funcs=trl.episode_reward(),
                 train_dataset=trl.episodes("household", [1], 4, url=server.url))
    assert len(logs) == len(kept) == 2
    for out, log in zip(kept, logs):
        assert log["reward"] == pytest.approx(sum(out["episode_reward"]) / 4)
        for ids, logprobs, mask in zip(out["completion_ids"], out["logprobs"], out["env_mask"]):
            assert len(ids) == len(logprobs) == len(mask)
            assert mask[0] == 1 and 0 in mask  # the policy spoke, and the world answered
            assert all(value <= 0 for value in logprobs)
    assert curriculum._ask("GET", f"/{curriculum.id}")["scored"] == 8  # each episode, once


class Watched:
    """A curriculum whose draws are remembered, so that a test can say how each is solved."""

    def __init__(self, curriculum):
        self.curriculum, self.addresses = curriculum, {}

    def stream(self, *named, **how):
        for problem in self.curriculum.stream(*named, **how):
            self.addresses[problem.messages[-1]["content"].strip()] = problem.address
            yield problem


@pytest.mark.parametrize("name, steps", [("Sorting", 3), ("household", 1)])
def test_tool_calls_reach_the_world_and_what_it_says_is_masked(tmp_path, monkeypatch, name, steps):
    """GRPOTrainer parses the calls that a policy writes, takes them to the environment, and goes on from its answers."""
    import redqueen
    from scripted import scripted

    monkeypatch.delenv("REDQUEEN_URL", raising=False)
    curriculum = trl.curriculum(name, minimum_groups=1, rollouts=2, width=1)
    drawn = Watched(curriculum)

    def answer(text):
        address = next(address for prompt, address in drawn.addresses.items() if prompt in text)
        reference = redqueen.restore(address).reference
        if name == "Sorting":
            calls = [{"name": "submit", "arguments": {"response": f"<answer>{reference}</answer>"}}]
        else:
            calls = [call for message in json.loads(reference) for call in message["tool_calls"]]
        done = text.count("<tool_response>")
        return f"<tool_call>\n{json.dumps(calls[done])}\n</tool_call>" if done < len(calls) else "I am done."

    template = (pathlib.Path(trl_package.__file__).parent / "chat_templates/qwen3.jinja").read_text()
    losses = []

    class Trainer(trl_package.GRPOTrainer):
        def _compute_loss(self, model, inputs):
            losses.append(inputs)
            return super()._compute_loss(model, inputs)

    model, tokenizer = scripted(answer, template)
    logs = train(tmp_path, model=(model, tokenizer), max_steps=steps, max_completion_length=4096, trainer_class=Trainer,
                 environment_factory=trl.environment(name, curriculum=curriculum),
                 train_dataset=trl.stream(drawn, at_once=2))
    assert [log["reward"] for log in logs] == [1.0] * steps
    assert all(log["tools/call_frequency"] >= 1 + (name == "household") and log["tools/failure_frequency"] == 0 for log in logs)
    assert curriculum.levels()[name][0] >= 1
    for inputs in losses:
        for ids, own, real in zip(inputs["completion_ids"], inputs["tool_mask"].bool(), inputs["completion_mask"].bool()):
            trained, masked = tokenizer.decode(ids[own & real]), tokenizer.decode(ids[~own & real])
            assert "<tool_call>" in trained and "<tool_response>" not in trained
            assert "<tool_response>" in masked and "<tool_call>" not in masked


def test_a_parameter_with_a_keywords_name_is_reached(where):
    environment = trl.environment("itinerary", level=0, url=where)()
    environment.reset()
    schema = get_json_schema(environment.travel)["function"]["parameters"]
    assert "from_" in schema["properties"] and "from_" in schema["required"]
    assert "Dunholm" in environment.travel(from_="Dunholm", to="Eskfield")


@pytest.mark.parametrize("name", ["apiworld", "toolcall"])
def test_worlds_whose_tools_differ_are_refused(where, name):
    """TRL's tools are the methods of one class, and so the same for every problem."""
    with pytest.raises(ValueError, match=f"{name}.*tools that differ.*trl.rollout"):
        trl.environment(name, level=1, url=where)


def test_worlds_are_no_single_answer(where):
    row = trl.dataset("household", [0], 1, url=where)[0]
    with pytest.raises(ValueError, match="household is a world of several turns.*environment_factory.*rollout"):
        trl.reward(where)(["> look"], address=[row["address"]])
