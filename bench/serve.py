#!/usr/bin/env python3
"""Load on `redqueen serve`: requests per second, delays and CPU time per request, each over 1, 16 and 128 connections.

    bench/serve.py build/redqueen [--peer PYTHON] [--openenv PYTHON] [--nemo-gym PYTHON] [--seconds 3] [--rounds 3]
    bench/serve.py build/redqueen --soak 10000000   # what ten million requests of all kinds do to the server's memory
    bench/serve.py build/redqueen --sockets 10000   # so many open WebSocket sessions: memory, and a message to each

The server has core 0, wrk (Debian's) core 1; WebSockets are asked by this program, in a process on core 1. --peer names a
Python with fastapi, uvicorn and httptools, --openenv and --nemo-gym those of `make clients` (build/clients/NAME/bin/python): a
verifier of the same problem, written with each, is measured in turn with ours. Medians over interleaved rounds."""
import argparse
import json
import os
import pathlib
import re
import resource
import select
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

ADDRESS = "Sorting@1/2/42/s1"
PEER = '''
import sys, uvicorn
from fastapi import FastAPI
from pydantic import BaseModel
class Score(BaseModel):
    address: str
    response: str
NUMBERS = sorted(map(int, sys.argv[2].split()))
app = FastAPI()
@app.post("/v1/score")
async def score(s: Score):
    start = s.response.rfind("<answer>"); end = s.response.rfind("</answer>")
    try: answer = [int(x) for x in s.response[start + 8:end].split()] if 0 <= start < end else None
    except ValueError: answer = None
    right = answer == NUMBERS
    return {"reward": 1.0 if right else -1.0 if answer is None else 0.0, "solved": right, "well_formed": answer is not None}
uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning", http="httptools")
'''
OPENENV = '''
import sys, uvicorn
from openenv.core.env_server.http_server import create_fastapi_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State
class Response(Action):
    response: str
class Verdict(Observation):
    solved: bool = False
NUMBERS = sorted(map(int, sys.argv[2].split()))
class Sorting(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True
    def reset(self, seed=None, episode_id=None, **_): return Verdict()
    def step(self, action, timeout_s=None, **_):
        text = action.response
        start = text.rfind("<answer>"); end = text.rfind("</answer>")
        try: answer = [int(x) for x in text[start + 8:end].split()] if 0 <= start < end else None
        except ValueError: answer = None
        right = answer == NUMBERS
        return Verdict(done=True, solved=right, reward=1.0 if right else -1.0 if answer is None else 0.0)
    @property
    def state(self): return State()
app = create_fastapi_app(Sorting, Response, Verdict, max_concurrent_envs=512)
uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
'''
NEMO_GYM = '''
import sys, uvicorn
from nemo_gym.base_resources_server import BaseResourcesServerConfig, BaseVerifyRequest, BaseVerifyResponse, SimpleResourcesServer
from nemo_gym.config_types import BaseServerConfig
from nemo_gym.server_utils import ServerClient
from omegaconf import OmegaConf
from pydantic import ConfigDict
class Row(BaseVerifyRequest):
    model_config = ConfigDict(extra="allow")
NUMBERS = sorted(map(int, sys.argv[2].split()))
class Sorting(SimpleResourcesServer):
    config: BaseResourcesServerConfig
    async def verify(self, body: Row) -> BaseVerifyResponse:
        text = "".join(part.text for item in body.response.output if item.type == "message" for part in item.content)
        start = text.rfind("<answer>"); end = text.rfind("</answer>")
        try: answer = [int(x) for x in text[start + 8:end].split()] if 0 <= start < end else None
        except ValueError: answer = None
        return BaseVerifyResponse(**body.model_dump(), reward=1.0 if answer == NUMBERS else -1.0 if answer is None else 0.0)
place = {"host": "127.0.0.1", "port": int(sys.argv[1])}
client = ServerClient(head_server_config=BaseServerConfig(host="127.0.0.1", port=1), global_config_dict=OmegaConf.create({}))
server = Sorting(config=BaseResourcesServerConfig(name="sorting", entrypoint="app.py", **place), server_client=client)
app = server.setup_webserver()
server.setup_exception_middleware(app)
uvicorn.run(app, log_level="warning", **place)
'''
LUA = 'wrk.method = "POST"\nwrk.headers["Content-Type"] = "application/json"\nlocal f = io.open("%s")\nwrk.body = f:read("*a")\n'
CONNECTIONS = (1, 16, 128)


def post(url, body):
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as reply:
        return json.load(reply)


def wait_for(url, body):
    for _ in range(600):
        try:
            return post(url, body)
        except OSError:
            time.sleep(0.1)
    raise SystemExit(f"{url} does not answer")


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(pid, url, body, connections, seconds, folder):
    (folder / "body.json").write_text(json.dumps(body))
    (folder / "post.lua").write_text(LUA % (folder / "body.json"))
    before = cpu_seconds(pid)
    out = subprocess.run(["taskset", "-c", "1", "wrk", "-t1", f"-c{connections}", f"-d{seconds}", "--latency", "-s", folder / "post.lua", url],
                         capture_output=True, text=True, check=True).stdout
    used = cpu_seconds(pid) - before
    count = int(re.search(r"(\d+) requests in", out)[1])
    if re.search(r"Non-2xx|Socket errors", out):
        raise SystemExit(f"{url}: {out}")
    unit = {"us": 1e-3, "ms": 1, "s": 1e3}
    p50, p99 = (float(v) * unit[u] for v, u in re.findall(r"(?:50|99)%\s+([\d.]+)(us|ms|s)\b", out))
    return {"rate": float(re.search(r"Requests/sec:\s+([\d.]+)", out)[1]), "p50": p50, "p99": p99, "cpu": used / count * 1e6}


def masked(message):
    """A text frame of a client, whose mask is zeros."""
    data = json.dumps(message).encode()
    size = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + len(data).to_bytes(2, "big")
    return b"\x81" + size + bytes(4) + data


class Session:
    """One WebSocket that sends its messages in turn, each when the one before is answered."""

    def __init__(self, port, messages):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.sendall(b"GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self.socket.recv(1)
        if b" 101 " not in head:
            raise SystemExit(f"no WebSocket: {head!r}")
        self.messages, self.next, self.bytes = messages, 0, b""

    def send(self):
        self.began = time.perf_counter()
        self.socket.send(self.messages[self.next])
        self.next = (self.next + 1) % len(self.messages)

    def answer(self):
        """The next frame's text, or None where it is not all there."""
        self.bytes += self.socket.recv(65536)
        if len(self.bytes) < 4:
            return None
        at, size = 2, self.bytes[1]
        if size == 126:
            at, size = 4, int.from_bytes(self.bytes[2:4], "big")
        if len(self.bytes) < at + size:
            return None
        text, self.bytes = self.bytes[at:at + size], self.bytes[at + size:]
        return text


def measure_sockets(pid, port, messages, connections, seconds):
    os.sched_setaffinity(0, {1})
    sessions = [Session(port, messages) for _ in range(connections)]
    epoll = select.epoll()
    by_number = {}
    for session in sessions:
        by_number[session.socket.fileno()] = session
        epoll.register(session.socket.fileno(), select.EPOLLIN)
    delays, before, began = [], cpu_seconds(pid), time.perf_counter()
    for session in sessions:
        session.send()
    while (now := time.perf_counter()) - began < seconds:
        for number, _ in epoll.poll(1):
            session = by_number[number]
            text = session.answer()
            if text is not None:
                if b'"error"' in text:
                    raise SystemExit(f"a message is refused: {text!r}")
                delays.append(time.perf_counter() - session.began)
                session.send()
    used = cpu_seconds(pid) - before
    for session in sessions:
        session.socket.close()
    os.sched_setaffinity(0, range(os.cpu_count()))
    delays.sort()
    return {"rate": len(delays) / (now - began), "p50": delays[len(delays) // 2] * 1e3, "p99": delays[len(delays) * 99 // 100] * 1e3,
            "cpu": used / len(delays) * 1e6}


def memory_mib(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1]) / 1024


def hold_sockets(pid, url, count, message):
    """Opens sessions, asks each once for a problem, and tells what they cost."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    port = int(url.rsplit(":", 1)[1])
    before, began = memory_mib(pid), time.perf_counter()
    sessions = [Session(port, [message]) for _ in range(count)]
    opened, idle = time.perf_counter() - began, memory_mib(pid)
    began = time.perf_counter()
    for session in sessions:
        session.send()
    for session in sessions:
        while (text := session.answer()) is None:
            pass
        if b'"observation"' not in text:
            raise SystemExit(f"a session is refused: {text!r}")
    answered, busy = time.perf_counter() - began, memory_mib(pid)
    print(f"{count} sessions opened in {opened:.1f} s, one episode in each in {answered:.1f} s; the server has {before:.0f} MiB, "
          f"{idle:.0f} MiB with the sessions, {busy:.0f} MiB with the episodes: {(busy - before) / count * 1024:.1f} KiB a session")


SOAK = '''
local paths = {"/v1/score", "/verify", "/step", "/v1/problems", "/v1/score", "/nowhere"}
local all = {}
function init()
  local n = 0
  for body in io.lines("%s") do
    n = n + 1
    all[n] = wrk.format("POST", paths[n], {["Content-Type"] = "application/json"}, body)
  end
  all = table.concat(all)
end
function request() return all end
'''
SOAK_SECONDS = 20


def soak(pid, url, count, bodies, folder):
    """Mixed load, errors among it, sent ahead over 64 connections at a time, until so many requests are answered."""
    (folder / "bodies").write_text("".join(body + "\n" for body in bodies))
    (folder / "soak.lua").write_text(SOAK % (folder / "bodies"))
    done, sizes, began = 0, [(0, memory_mib(pid))], time.perf_counter()
    while done < count:
        out = subprocess.run(["taskset", "-c", "1", "wrk", "-t1", "-c64", f"-d{SOAK_SECONDS}", "-s", folder / "soak.lua", url],
                             capture_output=True, text=True, check=True).stdout
        done += int(re.search(r"(\d+) requests in", out)[1])
        sizes.append((done, memory_mib(pid)))
        print(f"{done / 1e6:8.2f} million requests, {time.perf_counter() - began:5.0f} s, {sizes[-1][1]:.1f} MiB", flush=True)
    near = [min(sizes, key=lambda size: abs(size[0] - share * done))[1] for share in (0.1, 0.5, 1)]
    print(f"{done / 1e6:.1f} million requests in {time.perf_counter() - began:.0f} s, a third of them refused; the server had {sizes[0][1]:.1f} MiB "
          f"before, {near[0]:.1f} after a tenth of them, {near[1]:.1f} after half, {near[2]:.1f} at the end, {max(size for _, size in sizes):.1f} at most")
    if near[2] > near[0] + 16:
        raise SystemExit("the server's memory grows")


def bodies_of(problem):
    """The same right response to it for /v1/score, NeMo Gym's /verify and OpenEnv's /step."""
    response = "I compare the numbers one by one. " * 26 + f"<answer>{problem['reference']}</answer>"
    said = [{"type": "output_text", "text": response, "annotations": []}]
    row = {"responses_create_params": {"input": [{"role": "user", "content": problem["prompt"]}]}, "address": ADDRESS, "response": {
        "id": "r", "object": "response", "created_at": 0, "model": "m", "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
        "output": [{"id": "m", "type": "message", "role": "assistant", "status": "completed", "content": said}]}}
    return {"address": ADDRESS, "response": response}, row, {"action": {"response": response, "metadata": {"address": ADDRESS}}}


def start_peer(folder, python, program, port, reference):
    (folder / f"peer{port}.py").write_text(program)
    return subprocess.Popen(["taskset", "-c", "0", python, folder / f"peer{port}.py", str(port), reference], stderr=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("redqueen", type=pathlib.Path)
    parser.add_argument("--peer", help="a Python with fastapi, uvicorn, httptools")
    parser.add_argument("--openenv", help="a Python with openenv")
    parser.add_argument("--nemo-gym", help="a Python with nemo-gym")
    parser.add_argument("--soak", type=int, metavar="COUNT", help="watch memory under so many requests of all kinds instead")
    parser.add_argument("--sockets", type=int, metavar="COUNT", help="open so many WebSocket sessions instead")
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    servers = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        try:
            announce = folder / "url"
            servers.append(subprocess.Popen(["taskset", "-c", "0", options.redqueen, "serve", "--port", "0", "--announce", announce], stdout=subprocess.DEVNULL))
            while not announce.exists():
                time.sleep(0.05)
            url = announce.read_text().strip()
            problem = post(f"{url}/v1/problems", {"addresses": [ADDRESS], "references": True})["problems"][0]
            one, row, step = bodies_of(problem)
            response = one["response"]
            loads = [("/v1/score", servers[0].pid, f"{url}/v1/score", one, 1),
                     ("/v1/score, 64 items", servers[0].pid, f"{url}/v1/score", {"items": [one] * 64}, 64),
                     ("NeMo Gym /verify", servers[0].pid, f"{url}/verify", row, 1),
                     ("OpenEnv POST /step", servers[0].pid, f"{url}/step", step, 1)]
            reset = masked({"type": "reset", "data": {"address": ADDRESS}})
            if options.sockets:
                return hold_sockets(servers[0].pid, url, options.sockets, reset)
            if options.soak:
                bodies = [json.dumps(body) for body in (one, row, step, {"addresses": [ADDRESS]})]
                return soak(servers[0].pid, url, options.soak, [*bodies, '{"address": "Sorting@1/2/42/s1", "response": ', "{}"], folder)
            for _, _, where, body, _ in loads:
                answer = post(where, body)
                verdict = answer["verdicts"][0] if "verdicts" in answer else answer
                if verdict["reward"] != 1.0:
                    raise SystemExit(f"{where}: a right answer got {verdict['reward']}")
            sockets = [("OpenEnv /ws, messages", servers[0].pid, int(url.rsplit(":", 1)[1]),
                        [reset, masked({"type": "step", "data": {"response": response}})])]
            action = {"action": {"response": response}}
            for python, title, program, port, path, body in (
                    (options.peer, "FastAPI", PEER, 18123, "/v1/score", one), (options.openenv, "openenv's own", OPENENV, 18124, "/step", action),
                    (options.nemo_gym, "nemo-gym's own", NEMO_GYM, 18125, "/verify", row)):
                if python:
                    servers.append(start_peer(folder, python, program, port, problem["reference"]))
                    pid = servers[-1].pid
                    if wait_for(f"http://127.0.0.1:{port}{path}", body)["reward"] != 1.0:
                        raise SystemExit(f"the peer of {python} scores wrongly")
                    loads.append((f"{title} {path}", pid, f"http://127.0.0.1:{port}{path}", body, 1))
                    if program == OPENENV:
                        sockets.append((f"{title} /ws, messages", pid, port, [masked({"type": "reset", "data": {}}),
                                                                              masked({"type": "step", "data": {"response": response}})]))
            results = {}
            for _ in range(options.rounds):
                for connections in CONNECTIONS:
                    for title, pid, port, messages in sockets:
                        results.setdefault((title, connections, 1), []).append(measure_sockets(pid, port, messages, connections, options.seconds))
                    for title, pid, where, body, items in loads:
                        results.setdefault((title, connections, items), []).append(measure(pid, where, body, connections, options.seconds, folder))
            print("| load | connections | scores/s | p50 ms | p99 ms | CPU µs a score |\n| --- | --- | --- | --- | --- | --- |")
            for (title, connections, items), rounds in results.items():
                rate, p50, p99, cpu = (statistics.median(r[key] for r in rounds) for key in ("rate", "p50", "p99", "cpu"))
                print(f"| {title} | {connections} | {rate * items:,.0f} | {p50:.2f} | {p99:.2f} | {cpu / items:.2f} |")
        finally:
            for server in servers:
                server.terminate()
                server.wait()


if __name__ == "__main__":
    sys.exit(main())
