"""NeMo Gym's simple and gymnasium agents and its Environment Server for single turns, as the package has them, with our server
as the resources server and a model that knows the answers but one; and its reading of what redqueen.adapters.nemo_gym writes."""
import asyncio
import os
import pathlib
import socket
import sys
import tempfile
import urllib.parse
import uuid

import uvicorn
from common import Checks, Model, arguments
from environment_servers.single_agent_turn.app import SingleAgentTurnEnvironmentServer, SingleAgentTurnEnvironmentServerConfig
from nemo_gym.base_resources_server import BaseVerifyResponse
from nemo_gym.cli.env import _resolve_server_dir
from nemo_gym.config_types import BaseServerConfig
from nemo_gym.global_config import GlobalConfigDictParser, GlobalConfigDictParserConfig, get_first_server_config_dict
from nemo_gym.server_utils import GlobalAIOHTTPAsyncClientConfig, ServerClient, get_response_json, set_global_aiohttp_client
from omegaconf import OmegaConf
from responses_api_agents.gymnasium_agent.app import GymnasiumAgent, GymnasiumAgentConfig
from responses_api_agents.simple_agent.app import SimpleAgent, SimpleAgentConfig

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "build/python"))
from redqueen.adapters import nemo_gym as adapter  # noqa: E402

given, check = arguments(__doc__), Checks()
missed = given.problems[0]["address"]
model = Model(given.problems, fails_at=[missed])


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def place(url):
    parts = urllib.parse.urlsplit(url)
    return {"host": parts.hostname, "port": parts.port, "entrypoint": "app.py"}


ports = {name: free_port() for name in ("simple", "gymnasium", "turn")}
local = {"host": "127.0.0.1", "entrypoint": "app.py"}
client = ServerClient(head_server_config=BaseServerConfig(host="127.0.0.1", port=free_port()), global_config_dict=OmegaConf.create({
    "redqueen": {"resources_servers": {"redqueen": place(given.url)}},
    "policy": {"responses_api_models": {"model": place(model.url)}},
    "simple": {"responses_api_agents": {"simple_agent": {**local, "port": ports["simple"]}}},
    "gymnasium": {"responses_api_agents": {"gymnasium_agent": {**local, "port": ports["gymnasium"]}}},
    "turn": {"environment_servers": {"single_agent_turn": {**local, "port": ports["turn"]}}}}))
asked = {"resources_server": {"type": "resources_servers", "name": "redqueen"},
         "model_server": {"type": "responses_api_models", "name": "policy"}}
servers = [
    SimpleAgent(config=SimpleAgentConfig(name="simple", port=ports["simple"], **asked, **local), server_client=client),
    GymnasiumAgent(config=GymnasiumAgentConfig(name="gymnasium", port=ports["gymnasium"], **asked, **local), server_client=client),
    SingleAgentTurnEnvironmentServer(config=SingleAgentTurnEnvironmentServerConfig(
        name="turn", port=ports["turn"], resources_server=asked["resources_server"], cleanup_timeout_seconds=10,
        agent_server={"type": "responses_api_agents", "name": "simple"}, **local), server_client=client)]


def is_right(problem, reward):
    return reward < 1.0 if problem["address"] == missed else reward == 1.0


async def run(name, body):
    answer = await client.post(server_name=name, url_path="/run", json=body)
    return answer.status, await get_response_json(answer)


async def play(place_, problem):
    row = {"responses_create_params": {"input": [{"role": "user", "content": problem["prompt"]}]}, "address": problem["address"],
           "_ng_task_index": place_, "_ng_rollout_index": 0}
    for name in ("simple", "gymnasium"):
        body = row if name == "simple" else {**row, "responses_create_params": {"input": []}}
        status, verdict = await run(name, body)
        check(f"the {name} agent", status == 200, verdict)
        if status == 200:
            check(f"the {name} agent's reward", is_right(problem, verdict["reward"]), (problem["address"], verdict["reward"]))
            BaseVerifyResponse.model_validate(verdict)
    status, verdict = await run("turn", {
        "episode_id": {"rollout_id": uuid.uuid4().hex, "attempt": 0},
        "task": {"task_id": {"taskset": "redqueen", "task_id": problem["address"]},
                 "task_input": {"responses_create_params": row["responses_create_params"], "task_data": {"address": problem["address"]}}}})
    check("the Environment Server", status == 200 and verdict.get("failure") is None, verdict)
    reward = (verdict.get("result") or {}).get("reward")
    check("its reward", reward is not None and is_right(problem, reward), (problem["address"], reward))


def check_configuration():
    """The package merges and checks the adapter's configuration, finds the program of each server, and reaches the server."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        written = OmegaConf.load(adapter.write(folder, given.url, model="policy"))
        named = {"policy": {"responses_api_models": {"vllm_model": {"entrypoint": "app.py"}}}}
        strict = {"error_on_almost_servers": True, "error_on_agent_without_environment_server": True}
        parsed = GlobalConfigDictParser().parse(GlobalConfigDictParserConfig(
            initial_global_config_dict=OmegaConf.merge(written, named, strict), skip_load_from_cli=True, skip_load_from_dotenv=True))
        instances = {one.name for one in GlobalConfigDictParser().filter_for_server_instance_configs(parsed)}
        check("every server of the configuration is one", instances == {*written, "policy"}, instances)
        for name in written:
            kind = next(iter(written[name]))
            found = _resolve_server_dir(pathlib.Path(kind, next(iter(written[name][kind]))))
            check("its program is found", (found / "app.py").exists(), (name, found))
        server = get_first_server_config_dict(parsed, "redqueen")
        check("where the server is", (server.host, server.port) == (place(given.url)["host"], place(given.url)["port"]), server)
        reached = ServerClient(head_server_config=BaseServerConfig(host="127.0.0.1", port=1), global_config_dict=parsed)
        check("it answers", reached.poll_for_status("redqueen") == "success")
        SimpleAgentConfig(name="redqueen_agent", **get_first_server_config_dict(parsed, "redqueen_agent"))
        GymnasiumAgentConfig(name="redqueen_world_agent", **get_first_server_config_dict(parsed, "redqueen_world_agent"))
        os.chdir("/")


async def main():
    set_global_aiohttp_client(GlobalAIOHTTPAsyncClientConfig())
    running = []
    for server in servers:
        app = server.setup_webserver()
        server.setup_exception_middleware(app)
        one = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=server.config.port, log_level="error"))
        running.append((one, asyncio.create_task(one.serve())))
    while not all(one.started for one, _ in running):
        await asyncio.sleep(0.05)
    for place_, problem in enumerate(given.problems):
        await play(place_, problem)
    for one, task in running:
        one.should_exit = True
        await task


check_configuration()
asyncio.run(main())
try:
    check.end()
except SystemExit as end:  # its threads do not end by themselves
    sys.stderr.flush()
    os._exit(end.code)
