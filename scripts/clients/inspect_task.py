"""inspect-ai: a task whose samples carry addresses and whose scorer asks the server, evaluated with its mock model."""
import asyncio
import tempfile

from common import Checks, arguments, ask, marked
from inspect_ai import Task, eval, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, mean, scorer, stderr
from inspect_ai.solver import generate

given, check = arguments(__doc__), Checks()
missed = given.problems[0]["address"]
by_prompt = {problem["prompt"]: problem for problem in given.problems}


@scorer(metrics=[mean(), stderr()])
def redqueen():  # what a user writes
    async def score(state, target):
        text = state.output.completion
        verdict = await asyncio.to_thread(ask, f"{given.url}/v1/score", {"address": target.text, "response": text})
        return Score(value=verdict["reward"], answer=text, metadata=verdict)
    return score


@task
def problems():
    samples = [Sample(input=problem["prompt"], target=problem["address"], id=problem["address"]) for problem in given.problems]
    return Task(dataset=MemoryDataset(samples), solver=generate(), scorer=redqueen())


def reply(messages, *_):
    problem = by_prompt[messages[-1].text]
    output = ModelOutput.from_content("mockllm", "I give up." if problem["address"] == missed else marked(problem))
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)  # or it wants a tokenizer, to count
    return output


with tempfile.TemporaryDirectory() as folder:
    log = eval(problems(), model=get_model("mockllm/model", custom_outputs=reply), log_dir=folder, display="none")[0]
    check("the evaluation ends well", log.status == "success", log.error)
    check("a sample for each problem", len(log.samples or []) == len(given.problems))
    for sample in log.samples or []:
        value = sample.scores["redqueen"].value
        check("the score", value == (-1.0 if sample.id == missed else 1.0), (sample.id, value))
check.end()
