"""A chat endpoint for tests. Prints its port, then answers until stdin closes.

What it does is in the last message: words of the form name:value.
  say:TEXT          answers TEXT (default: the message, reversed)
  fail:STATUS*N     answers STATUS to the first N attempts of this message
  wait:SECONDS      sleeps before it answers
  retry_after:S     sends the header with failures
  body:KIND         garbage | empty | no_choices | no_message | error | cut (the connection ends early)
  long:N            N characters of text
The key must be "secret" if a message holds need_key.
"""
import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

attempts = {}
under_way = 0
most = 0
lock = threading.Lock()

BODIES = {
    "garbage": b"<html>not json</html>",
    "empty": b"",
    "no_choices": b'{"object": "chat.completion"}',
    "no_message": b'{"choices": [{"index": 0}]}',
    "error": b'{"error": {"message": "the engine is out of memory"}}',
}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body, kind="application/json", headers=()):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.leave()
        self.wfile.write(body)

    def leave(self):
        """Before the last bytes: whoever has read them may ask again at once."""
        global under_way
        with lock:
            under_way -= self.counted
            self.counted = 0

    def do_POST(self):
        global under_way, most
        with lock:
            self.counted = 1
            under_way += 1
            most = max(most, under_way)
        try:
            self.respond()
        except (BrokenPipeError, ConnectionResetError):
            pass
        finally:
            self.leave()

    def respond(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/v1/chat/completions":
            return self.answer(404, b'{"error": {"message": "no such path"}}')
        text = request["messages"][-1]["content"]
        words = dict(word.split(":", 1) for word in text.split() if ":" in word)
        with lock:
            attempts[text] = attempts.get(text, 0) + 1
            attempt = attempts[text]
        if "need_key" in text and self.headers.get("Authorization") != "Bearer secret":
            return self.answer(401, b'{"error": {"message": "wrong key"}}')
        if text == "most":
            return self.reply(request, str(most))
        if text == "echo":
            return self.reply(request, json.dumps(request, sort_keys=True))
        if "wait" in words:
            time.sleep(float(words["wait"]))
        if "fail" in words:
            status, times = words["fail"].split("*")
            if attempt <= int(times):
                headers = [("Retry-After", words["retry_after"])] if "retry_after" in words else []
                return self.answer(int(status), b'{"error": {"message": "try later"}}', headers=headers)
        if words.get("body") == "cut":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b'{"choices": [')
            self.close_connection = True
            return None
        if "body" in words:
            return self.answer(200, BODIES[words["body"]])
        if "long" in words:
            return self.reply(request, "x" * int(words["long"]))
        return self.reply(request, words.get("say", text[::-1]))

    def reply(self, request, text):
        usage = {"prompt_tokens": len(request["messages"][-1]["content"]), "completion_tokens": len(text)}
        cut = len(text) > request["max_tokens"]
        text = text[: request["max_tokens"]]
        reason = "length" if cut else "stop"
        if not request.get("stream"):
            choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": reason}
            return self.answer(200, json.dumps({"choices": [choice], "usage": usage}).encode())
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        for start in range(0, len(text), 5):
            delta = {"choices": [{"index": 0, "delta": {"content": text[start : start + 5]}}]}
            self.wfile.write(b": a comment\r\ndata: " + json.dumps(delta).encode() + b"\r\n\r\n")
            self.wfile.flush()
        end = {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}
        self.wfile.write(b"data: " + json.dumps(end).encode() + b"\n\n")
        self.wfile.write(b"data: " + json.dumps({"choices": [], "usage": usage}).encode() + b"\n\n")
        self.leave()
        if "no_done" not in text:
            self.wfile.write(b"data: [DONE]\n\n")
        return None


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


server = Server(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
