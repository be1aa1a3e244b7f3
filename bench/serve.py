#!/usr/bin/env python3
"""Load on `redqueen serve`: requests per second, delays and CPU time per request, each over 1, 16 and 128 connections.

    bench/serve.py build/redqueen [--peer PYTHON] [--seconds 3] [--rounds 3]

The server has core 0, wrk (Debian's) core 1. --peer names a Python with fastapi, uvicorn and httptools: a verifier written
with them, of the same problem, is measured in turn with ours. Medians over interleaved rounds."""
import argparse
import json
import os
import pathlib
import re
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
LUA = 'wrk.method = "POST"\nwrk.headers["Content-Type"] = "application/json"\nlocal f = io.open("%s")\nwrk.body = f:read("*a")\n'
CONNECTIONS = (1, 16, 128)


def post(url, body):
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as reply:
        return json.load(reply)


def wait_for(url, body):
    for _ in range(100):
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("redqueen", type=pathlib.Path)
    parser.add_argument("--peer", help="a Python with fastapi, uvicorn, httptools")
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
            response = "I compare the numbers one by one. " * 26 + f"<answer>{problem['reference']}</answer>"
            one = {"address": ADDRESS, "response": response}
            row = {"responses_create_params": {"input": [{"role": "user", "content": problem["prompt"]}]}, "address": ADDRESS,
                   "response": {"id": "r", "object": "response", "output": [{"type": "message", "role": "assistant", "content": [
                       {"type": "output_text", "text": response, "annotations": []}]}]}}
            step = {"action": {"response": response, "metadata": {"address": ADDRESS}}}
            loads = [("/v1/score", servers[0].pid, f"{url}/v1/score", one, 1),
                     ("/v1/score, 64 items", servers[0].pid, f"{url}/v1/score", {"items": [one] * 64}, 64),
                     ("NeMo Gym /verify", servers[0].pid, f"{url}/verify", row, 1),
                     ("OpenEnv POST /step", servers[0].pid, f"{url}/step", step, 1)]
            for _, _, where, body, _ in loads:
                answer = post(where, body)
                verdict = answer["verdicts"][0] if "verdicts" in answer else answer
                if verdict["reward"] != 1.0:
                    raise SystemExit(f"{where}: a right answer got {verdict['reward']}")
            if options.peer:
                (folder / "peer.py").write_text(PEER)
                servers.append(subprocess.Popen(["taskset", "-c", "0", options.peer, folder / "peer.py", "18123", problem["reference"]]))
                where = "http://127.0.0.1:18123/v1/score"
                if wait_for(where, one)["reward"] != 1.0:
                    raise SystemExit("the peer scores wrongly")
                loads.append(("FastAPI /v1/score", servers[1].pid, where, one, 1))
            results = {}
            for _ in range(options.rounds):
                for connections in CONNECTIONS:
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
