"""What the programs of this folder share: their arguments, responses to try, the count of checks, and a model that knows."""
import argparse
import http.server
import json
import sys
import threading
import urllib.request


def arguments(description, *options):
    """URL and PROBLEMS of the command line; `options` are names of further flags."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("url", help="where the server is, e.g. http://127.0.0.1:8000")
    parser.add_argument("problems", help="JSON lines of `redqueen gym generate NAME --prompt plain`")
    for name in options:
        parser.add_argument(name)
    given = parser.parse_args()
    given.url = given.url.rstrip("/")
    with open(given.problems, encoding="utf-8") as lines:
        given.problems = [json.loads(line) for line in lines if line.strip()]
    return given


def marked(problem):
    """A response with the right answer."""
    return f"Let me see.\n<answer>{problem['reference']}</answer>"


def tries(problems):
    """Responses with what their rewards must satisfy: a right one, one without an answer, one of another problem."""
    for place, problem in enumerate(problems):
        other = problems[place - 1]["reference"]
        yield problem, marked(problem), lambda reward: reward == 1.0
        yield problem, "I give up.", lambda reward: reward == -1.0
        if other != problem["reference"]:
            yield problem, f"<answer>{other}</answer>", lambda reward: -1.0 <= reward < 1.0


def ask(url, body):
    """The JSON that a POST is answered with."""
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


class Checks:
    """Counts what was checked, says what was not as it must be."""

    def __init__(self):
        self.count = self.failed = 0

    def __call__(self, what, good, found=""):
        self.count += 1
        if not good:
            self.failed += 1
            print(f"wrong: {what}: {str(found)[:1500]}", file=sys.stderr)

    def end(self):
        print(f"{self.count} checks, {self.failed} failed")
        sys.stdout.flush()
        sys.exit(1 if self.failed or not self.count else 0)


class Model(http.server.ThreadingHTTPServer):
    """A chat endpoint (completions, streamed or not, and responses) that knows the answer to every problem of a list; of
    those whose addresses are in `fails_at` it gets another one."""
    daemon_threads = True

    def __init__(self, problems, fails_at=()):
        super().__init__(("127.0.0.1", 0), _ModelHandler)
        self.problems, self.fails_at = problems, set(fails_at)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def reply(self, text):
        for problem in self.problems:
            # A prompt may stand in JSON within the text.
            written = [problem["prompt"], *(json.dumps(problem["prompt"], ensure_ascii=plain)[1:-1] for plain in (True, False))]
            if any(one in text for one in written):
                return "<answer>none of these</answer>" if problem["address"] in self.fails_at else marked(problem)
        return "What was the question?"


class _ModelHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, data, kind="application/json"):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        self.answer(json.dumps({"object": "list", "data": [{"id": "model", "object": "model"}]}).encode())

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        said = body.get("messages") or body.get("input") or ""
        if not isinstance(said, str):
            said = said[-1]["content"]
        if not isinstance(said, str):
            said = " ".join(part.get("text", "") for part in said)
        text = self.server.reply(said)
        if self.path.endswith("/responses"):
            part = {"type": "output_text", "text": text, "annotations": []}
            message = {"id": "m", "type": "message", "role": "assistant", "status": "completed", "content": [part]}
            usage = {"input_tokens": 1, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 1,
                     "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 2}
            return self.answer(json.dumps({
                "id": "r", "object": "response", "created_at": 0, "model": "model", "status": "completed", "tools": [],
                "parallel_tool_calls": True, "tool_choice": "auto", "output": [message], "usage": usage}).encode())
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        head = {"id": "c", "created": 0, "model": "model"}
        if not body.get("stream"):
            choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
            return self.answer(json.dumps({**head, "object": "chat.completion", "choices": [choice], "usage": usage}).encode())
        head["object"] = "chat.completion.chunk"
        events = [{**head, "choices": [{"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None}]},
                  {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}, {**head, "choices": [], "usage": usage}]
        lines = [f"data: {json.dumps(event)}\n\n" for event in events] + ["data: [DONE]\n\n"]
        return self.answer("".join(lines).encode(), "text/event-stream")
