"""loopback_hub.py FOLDER PORT_FILE LOG: serves FOLDER/ORG/NAME as models, by the routes of the Hub that huggingface_hub calls for
downloads and uploads, on a free port of 127.0.0.1 for at most ten minutes. org/gated wants its licence accepted, unless the token
is "good"; org/half cuts the first answer of its weights in the middle; org/slow stops in the middle of its weights until the file
"go" lies beside LOG, and writes "stalled" there. The token "bad" is unknown; "good" may write into org and other, and org/quota
refuses commits. LOG gets a line for each request, "cut" beside it the number of answers that were cut, and "visibility" what the
last new model was to be."""
import base64
import hashlib
import http.server
import json
import pathlib
import re
import sys
import threading
import time

root, port_file, log = map(pathlib.Path, sys.argv[1:])
cut = set()
uploads = {}  # by SHA-256


def commit_of(model):
    return hashlib.sha1(model.encode()).hexdigest()


class Hub(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def write_log(self):
        with log.open("a") as file:
            file.write(f"{self.command} {self.path} {self.headers.get('Range', '')}\n")

    def refuse(self, status, code, message=""):
        body = json.dumps({"error": message}).encode()
        self.send_response(status)
        self.send_header("X-Error-Code", code)
        self.send_header("X-Error-Message", message)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def say(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def is_unknown(self):
        if self.headers.get("Authorization") != "Bearer bad":
            return False
        self.refuse(401, "", "Invalid credentials in Authorization header")
        return True

    def handle_request(self):
        self.write_log()
        if self.is_unknown():
            return None
        info = re.fullmatch(r"/api/models/([\w.-]+/[\w.-]+)(?:/revision/([\w.-]+))?", self.path.split("?")[0])
        file = re.fullmatch(r"/([\w.-]+/[\w.-]+)/resolve/([\w.-]+)/(.+)", self.path.split("?")[0])
        if not info and not file:  # what huggingface_hub asks besides
            return self.refuse(404, "")
        model, revision = (info or file)[1], (info or file)[2]
        if not (root / model).is_dir():
            return self.refuse(401, "RepoNotFound")
        if revision not in (None, "main", commit_of(model)):
            return self.refuse(404, "RevisionNotFound")
        if model.endswith("gated") and self.headers.get("Authorization") != "Bearer good" and file:
            return self.refuse(403, "GatedRepo")
        if info:
            names = sorted(str(each.relative_to(root / model)) for each in (root / model).rglob("*") if each.is_file())
            card = root / model / "README.md"
            tags = ["redqueen"] if card.is_file() and "\n- redqueen\n" in card.read_text() else []
            self.say({"id": model, "modelId": model, "sha": commit_of(model), "private": False, "gated": False, "disabled": False,
                      "downloads": 0, "likes": 0, "tags": tags, "siblings": [{"rfilename": name} for name in names]})
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
        if model.endswith("slow") and file[3].endswith(".safetensors"):
            middle = begin + (len(body) - begin) // 2
            self.wfile.write(body[begin:middle])
            self.wfile.flush()
            log.with_name("stalled").write_text("")
            while not log.with_name("go").exists():
                time.sleep(0.05)
            begin = middle
        self.wfile.write(body[begin:])
        return None

    do_GET = do_HEAD = handle_request

    def do_PUT(self):
        self.write_log()
        content = self.rfile.read(int(self.headers["Content-Length"]))
        uploads[hashlib.sha256(content).hexdigest()] = content
        self.say({})

    def do_POST(self):
        self.write_log()
        content = self.rfile.read(int(self.headers["Content-Length"]))
        path = self.path.split("?")[0]
        if self.is_unknown():
            return None
        if self.headers.get("Authorization") != "Bearer good":
            return self.refuse(401, "", "Invalid username or password.")
        if path == "/api/validate-yaml":  # of the model card
            text = json.loads(content)["content"]
            return self.say({"errors": [] if text.startswith("---\n") else [{"message": "no header"}], "warnings": []})
        if path == "/api/repos/create":
            return self.create(json.loads(content))
        if match := re.fullmatch(r"/api/models/([\w.-]+/[\w.-]+)/preupload/main", path):
            return self.say({"files": [{"path": file["path"], "shouldIgnore": False,
                                        "uploadMode": "lfs" if file["path"].endswith(".safetensors") else "regular"}
                                       for file in json.loads(content)["files"]]})
        if re.fullmatch(r"/[\w.-]+/[\w.-]+\.git/info/lfs/objects/batch", path):
            where = f"http://127.0.0.1:{self.server.server_port}/lfs/"
            return self.say({"transfer": "basic", "objects": [{"oid": one["oid"], "size": one["size"], "authenticated": True,
                                                               "actions": {"upload": {"href": where + one["oid"]}}}
                                                              for one in json.loads(content)["objects"]]})
        if match := re.fullmatch(r"/api/models/([\w.-]+/[\w.-]+)/commit/main", path):
            return self.commit(match[1], [json.loads(line) for line in content.splitlines()])
        return self.refuse(404, "EntryNotFound")

    def create(self, asked):
        if asked["organization"] not in ("org", "other"):
            return self.refuse(403, "", "You don't have the rights to create a model under the namespace "
                                        f"\"{asked['organization']}\"")
        model = f"{asked['organization']}/{asked['name']}"
        (root / model).mkdir(parents=True)
        log.with_name("visibility").write_text(str(asked.get("visibility")))
        return self.say({"url": f"http://127.0.0.1:{self.server.server_port}/{model}"})

    def commit(self, model, lines):
        if model.endswith("quota"):
            return self.refuse(403, "", "Private repository storage limit reached")
        for line in lines:
            place = root / model / line["value"].get("path", "")
            if line["key"] == "file":
                place.write_bytes(base64.b64decode(line["value"]["content"]))
            elif line["key"] == "lfsFile":
                place.write_bytes(uploads[line["value"]["oid"]])
            elif line["key"] == "deletedFile":
                place.unlink()
        return self.say({"commitUrl": f"http://127.0.0.1:{self.server.server_port}/{model}/commit/{commit_of(model)}",
                         "commitOid": commit_of(model)})


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hub)
threading.Timer(600, server.shutdown).start()
draft = port_file.with_suffix(".draft")
draft.write_text(str(server.server_port))
draft.rename(port_file)
server.serve_forever()
