"""loopback_hub.py FOLDER PORT_FILE LOG: serves FOLDER/ORG/NAME as models, by the routes of the Hub that huggingface_hub calls for
downloads, on a free port of 127.0.0.1 for at most ten minutes. org/gated wants its licence accepted, unless the token is "good";
org/half cuts the first answer of its weights in the middle. LOG gets a line for each request, and the file "cut"
beside it the number of answers that were cut."""
import hashlib
import http.server
import json
import pathlib
import re
import sys
import threading

root, port_file, log = map(pathlib.Path, sys.argv[1:])
cut = set()


def commit_of(model):
    return hashlib.sha1(model.encode()).hexdigest()


class Hub(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def write_log(self):
        with log.open("a") as file:
            file.write(f"{self.command} {self.path} {self.headers.get('Range', '')}\n")

    def refuse(self, status, code):
        self.send_response(status)
        self.send_header("X-Error-Code", code)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def handle_request(self):
        self.write_log()
        info = re.fullmatch(r"/api/models/([\w.-]+/[\w.-]+)(?:/revision/([\w.-]+))?", self.path.split("?")[0])
        file = re.fullmatch(r"/([\w.-]+/[\w.-]+)/resolve/([\w.-]+)/(.+)", self.path.split("?")[0])
        model, revision = (info or file)[1], (info or file)[2]
        if not (root / model).is_dir():
            return self.refuse(401, "RepoNotFound")
        if revision not in (None, "main", commit_of(model)):
            return self.refuse(404, "RevisionNotFound")
        if model.endswith("gated") and self.headers.get("Authorization") != "Bearer good" and file:
            return self.refuse(403, "GatedRepo")
        if info:
            names = sorted(str(each.relative_to(root / model)) for each in (root / model).rglob("*") if each.is_file())
            body = json.dumps({"id": model, "modelId": model, "sha": commit_of(model), "private": False, "gated": False,
                               "disabled": False, "downloads": 0, "likes": 0, "tags": [],
                               "siblings": [{"rfilename": name} for name in names]}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            return None
        if not (root / model / file[3]).is_file():
            return self.refuse(404, "EntryNotFound")
        body = (root / model / file[3]).read_bytes()
        etag = hashlib.sha256(body).hexdigest()
        begin = int((self.headers.get("Range") or "bytes=0-")[6:].split("-")[0])
        self.send_response(206 if begin else 200)
        self.send_header("ETag", f'"{etag}"')
        self.send_header("X-Repo-Commit", commit_of(model))
        self.send_header("Accept-Ranges", "bytes")
        if begin:
            self.send_header("Content-Range", f"bytes {begin}-{len(body) - 1}/{len(body)}")
        self.send_header("Content-Length", str(len(body) - begin))
        self.end_headers()
        if self.command == "HEAD":
            return None
        if model.endswith("half") and file[3].endswith(".safetensors") and self.path not in cut:
            cut.add(self.path)
            log.with_name("cut").write_text(str(len(cut)))
            self.wfile.write(body[begin:begin + len(body) // 2])
            self.close_connection = True
            return None
        self.wfile.write(body[begin:])
        return None

    do_GET = do_HEAD = handle_request


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hub)
threading.Timer(600, server.shutdown).start()
draft = port_file.with_suffix(".draft")
draft.write_text(str(server.server_port))
draft.rename(port_file)
server.serve_forever()
