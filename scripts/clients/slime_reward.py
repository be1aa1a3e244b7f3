"""slime's `--rm-type remote_rm`: its own function where slime is installed; else the request that this function sends, for
slime is not on PyPI."""
import asyncio
import types

from common import Checks, arguments, tries

try:
    from slime.rollout.rm_hub import remote_rm
except ImportError:
    import aiohttp

    async def remote_rm(args, sample):
        body = {"prompt": sample.prompt, "response": sample.response, "label": sample.label}
        async with aiohttp.ClientSession() as session, session.post(args.rm_url, json=body) as answer:
            answer.raise_for_status()
            return await answer.json()

given, check = arguments(__doc__), Checks()
server = types.SimpleNamespace(rm_url=f"{given.url}/slime/reward")


async def one(problem, response, is_right):
    sample = types.SimpleNamespace(prompt=problem["prompt"], response=response, label=problem["address"])
    reward = await remote_rm(server, sample)
    check("the reward", isinstance(reward, (int, float)) and is_right(reward), (problem["address"], reward))


async def main():
    await asyncio.gather(*(one(*each) for each in tries(given.problems)))


asyncio.run(main())
check.end()
