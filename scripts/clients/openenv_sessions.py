"""OpenEnv's generic client and its validator: episodes one after another, faults within a session, many sessions at once."""
import asyncio

from common import Checks, arguments, marked, tries
from openenv.cli._validation import validate_running_environment
from openenv.core.generic_client import GenericEnvClient

given, check = arguments(__doc__), Checks()
report = validate_running_environment(given.url)
check("openenv validate", report["passed"], report)


def fails(call):
    try:
        call()
    except RuntimeError:
        return True
    return False


with GenericEnvClient(base_url=given.url).sync() as env:
    for problem, response, is_right in tries(given.problems):
        shown = env.reset(address=problem["address"], episode_id="mine")
        check("the prompt", shown.observation["prompt"] == problem["prompt"], shown)
        check("no reward at first", shown.reward is None and not shown.done, shown)
        judged = env.step({"response": response})
        check("the reward", judged.done and is_right(judged.reward), (problem["address"], judged))
        state = env.state()
        check("the state", (state["episode_id"], state["step_count"]) == ("mine", 1), state)
    first = given.problems[0]
    shown = env.reset(**{key: first[key] for key in ("environment", "level", "seed")})
    check("a problem by name, level and seed", shown.observation["prompt"] == first["prompt"], shown)
    check("a response that is no text", env.step({"response": 42}).reward == -1.0)
    check("a step behind the end fails", fails(lambda: env.step({"response": "more"})))
    check("an unknown environment fails", fails(lambda: env.reset(environment="NoSuchEnvironment")))
    check("the session outlives it", env.reset(address=first["address"]).observation["prompt"] == first["prompt"])


async def episode(problem):
    async with GenericEnvClient(base_url=given.url) as env:
        await env.reset(address=problem["address"])
        return (await env.step({"response": marked(problem)})).reward


async def at_once():
    return await asyncio.gather(*(episode(problem) for problem in given.problems * 8))


for reward in asyncio.run(at_once()):
    check("sessions at once", reward == 1.0, reward)
check.end()
