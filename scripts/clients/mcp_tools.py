"""The Model Context Protocol's own client: initialise, list the tools, submit responses, play an episode."""
import asyncio
import json

from common import Checks, arguments, marked, tries
from mcp import ClientSession
try:
    from mcp.client.streamable_http import streamable_http_client as connect
except ImportError:
    from mcp.client.streamable_http import streamablehttp_client as connect

given, check = arguments(__doc__), Checks()


async def call(session, tool, **arguments):
    result = await session.call_tool(tool, arguments)
    failed = getattr(result, "isError", getattr(result, "is_error", None))
    return failed, result.content[0].text


async def main():
    async with connect(f"{given.url}/mcp") as streams, ClientSession(*streams[:2]) as session:
        await session.initialize()
        tools = [tool.name for tool in (await session.list_tools()).tools]
        check("the tools", {"get_problem", "submit", "open_episode", "step_episode"} <= set(tools), tools)
        for problem, response, is_right in tries(given.problems):
            failed, text = await call(session, "submit", address=problem["address"], response=response)
            check("the reward", not failed and is_right(json.loads(text)["reward"]), text)
        problem = given.problems[0]
        _, text = await call(session, "open_episode", address=problem["address"])
        opened = json.loads(text)
        _, text = await call(session, "step_episode", episode=opened["episode"], action={"text": marked(problem)})
        check("an episode", json.loads(text)["verdict"]["reward"] == 1.0, text)
        failed, text = await call(session, "get_problem", environment="NoSuchEnvironment")
        check("an unknown environment is the tool's failure", failed and "NoSuchEnvironment" in text, text)


asyncio.run(main())
check.end()
