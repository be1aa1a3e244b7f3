"""A chat endpoint that answers as it is told, so that trainers run without a model."""
import http.server
import json
import threading


class Oracle(http.server.ThreadingHTTPServer):
    """OpenAI's `/v1/chat/completions`; `answer` makes the reply from the last message's text."""
    daemon_threads = True

    def __init__(self, answer):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer = answer
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.reply("application/json", json.dumps({"object": "list", "data": [{"id": "oracle", "object": "model"}]}))

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        content = body["messages"][-1]["content"]
        text = self.server.answer(content if isinstance(content, str) else "".join(part.get("text", "") for part in content))
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        head = {"id": "c", "created": 0, "model": "oracle"}
        if not body.get("stream"):
            choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
            self.reply("application/json", json.dumps({**head, "object": "chat.completion", "choices": [choice], "usage": usage}))
            return
        chunk = {**head, "object": "chat.completion.chunk"}
        pieces = [{**chunk, "choices": [{"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None}]},
                  {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}, {**chunk, "choices": [], "usage": usage}]
        self.reply("text/event-stream", "".join(f"data: {json.dumps(piece)}\n\n" for piece in pieces) + "data: [DONE]\n\n")

    def reply(self, kind, text):
        data = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
