"""An engine for tests: completions after tokens, and weights by SGLang's and vLLM's calls. Prints its port, then answers until
stdin closes. The first token of a prompt says how it answers:
  1        the prompt backwards, with log-probabilities
  2        refuses this request (400)
  3        has no room (503) at the first attempt
  4        has no room ever
  5        tells texts in place of tokens
  6        asks for a key (401)
The weights are named by what was loaded last; after vLLM's call there is no answer until the cache was emptied.
"""
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

state = {"version": "at first", "stale": False, "asked": {}, "loads": 0}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answers = {"/v1/completions": self.complete, "/update_weights_from_disk": self.update,
                   "/collective_rpc": self.call_all, "/reset_prefix_cache": self.reset}
        self.answer(*answers[self.path](body)) if self.path in answers else self.answer(404, {"message": "no such path"})

    def complete(self, body):
        prompt = body["prompt"]
        key = json.dumps(prompt)
        state["asked"][key] = attempt = state["asked"].get(key, 0) + 1
        if prompt[0] == 2:
            return 400, {"error": {"message": "too long for me"}}
        if prompt[0] == 4 or (prompt[0] == 3 and attempt == 1):
            return 503, {"error": {"message": "no room"}}
        if prompt[0] == 6:
            return 401, {"error": {"message": "who are you?"}}
        if state["stale"]:
            return 400, {"error": {"message": "the cache is stale"}}
        tokens = prompt[::-1]
        choice = {"text": "", "finish_reason": "length",
                  "logprobs": {"tokens": ["a"] * len(tokens), "token_logprobs": [-0.5 * token for token in tokens]}}
        if prompt[0] != 5:
            choice["token_ids"] = tokens
        return 200, {"choices": [choice], "metadata": {"weight_version": state["version"]},
                     "usage": {"prompt_tokens": len(prompt), "completion_tokens": len(tokens)}}

    def update(self, body):
        state["loads"] += 1
        if body["model_path"] == "/busy" and state["loads"] == 1:
            return 503, {"message": "busy"}
        if body["model_path"] == "/nowhere":
            return 200, {"success": False, "message": "there is no such folder"}
        state["version"] = body["weight_version"]
        return 200, {"success": True, "message": ""}

    def call_all(self, body):
        state["version"] = f'{body["method"]} of {body["kwargs"]["weights_path"]}'
        state["stale"] = True
        return 200, {"results": [None]}

    def reset(self, body):
        state["stale"] = False
        return 200, {}


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
sys.stdin.read()
