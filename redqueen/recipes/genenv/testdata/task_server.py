"""A chat endpoint that plays both roles of GenEnv on an environment that asks to repeat numbers. For tests.

Prints its port, then answers until stdin closes. What it answers depends on the messages and on the seed of the request alone.
"""
import json
import random
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def answer(text, seed):
    if text.startswith("task like "):
        kind = text.split()[2]
        wanted = re.search(r"wanted (\d+)", text)
        level = int(wanted[1]) if wanted else random.Random(seed).randint(0, 4)
        description = json.dumps({"environment": kind, "level": level})
        return f"Here is one:\n```json\n{description}\n```"
    return f"<answer>{re.search(r'[0-9]+', text)[0]}</answer>"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = answer(request["messages"][-1]["content"], request.get("seed", 0))
        body = json.dumps({
            "id": "1", "object": "chat.completion", "model": request["model"],
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
