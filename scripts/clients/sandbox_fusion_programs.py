"""sandbox-fusion's client: programs, their input, files, exceptions, exit codes and limits; problems judged by their tests."""
import base64
import json
import time
import urllib.error
import urllib.request

import sandbox_fusion
from common import Checks, arguments

given, check = arguments(__doc__), Checks()
sandbox_fusion.set_endpoint(given.url)
IMPORTS = "string re datetime collections heapq bisect copy math random statistics itertools functools operator io sys json".split()


def run(code, **more):
    request = sandbox_fusion.RunCodeRequest(code=code, language="python", **more)
    return sandbox_fusion.run_code(request, max_attempts=1, client_timeout=60)


def expect(what, code, status, exit_code, out=None, err=None, **more):
    answer = run(code, **more)
    result = answer.run_result
    check(what, answer.status == status and (exit_code is None or result.return_code == exit_code), answer)
    check(f"{what}: output", out is None or result.stdout == out, answer)
    check(f"{what}: errors", err is None or err in result.stderr, answer)


expect("output", "print('hello')", "Success", 0, "hello\n")
expect("input", "import sys\nprint(sum(map(int, sys.stdin.read().split())))", "Success", 0, "6\n", stdin="1 2 3\n")
expect("an exception", "print(1)\nraise ValueError('no')", "Failed", 1, "1\n", "ValueError: no")
expect("a traceback", "1/0", "Failed", 1, "", "Traceback (most recent call last)")
expect("an end", "import sys\nprint(1)\nsys.exit(0)\nprint(2)", "Success", 0, "1\n")
expect("an exit code", "import sys\nsys.exit(3)", "Failed", 3)
expect("no program", "def", "Failed", 1, "", "SyntaxError")
expect("much output", "print('x' * 100000)", "Success", 0, "x" * 100000 + "\n")
expect("what veRL imports", "".join(f"from {name} import *\nimport {name}\n" for name in IMPORTS) + "print(json.dumps([1]))", "Success", 0, "[1]\n")
began = time.time()
late = run("while True: pass", run_timeout=1)
check("a time limit", (late.status, late.run_result.status) == ("Failed", "TimeLimitExceeded") and time.time() - began < 10, late)
answer = run("print(open('in.txt').read()); open('out.txt', 'w').write('done')",
             files={"in.txt": base64.b64encode(b"given").decode()}, fetch_files=["out.txt"])
check("a file given", answer.run_result.stdout == "given\n", answer)
check("a file fetched", base64.b64decode(answer.files.get("out.txt", "")) == b"done", answer.files)


def post(path, body):
    request = urllib.request.Request(given.url + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=60) as reply:
            return reply.status, json.load(reply)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


status, answer = post("/run_code", {"compile_timeout": 5, "run_timeout": 5, "code": "print(2)", "stdin": None, "memory_limit_MB": 256,
                                    "language": "python", "files": {}, "fetch_files": []})
check("as veRL writes it", status == 200 and answer["run_result"]["stdout"] == "2\n" and answer["compile_result"] is None, answer)


def submit(program, **extra):
    row = {"id": 4, "content": "Add.", "labels": {}, "test": [
        {"input": {"stdin": f"{a} {b}"}, "output": {"stdout": str(a + b)}} for a, b in ((1, 2), (3, 4), (0, 0))]}
    config = sandbox_fusion.TestConfig(dataset_type="CommonOJDataset", language="python", provided_data=row, extra=extra)
    request = sandbox_fusion.SubmitRequest(dataset="mine", id=4, completion=f"So:\n```python\n{program}\n```", config=config)
    return sandbox_fusion.submit(request, max_attempts=1, client_timeout=60)


judged = submit("print(sum(map(int, input().split())))")
check("a right program", judged.accepted and [one.passed for one in judged.tests] == [True] * 3, judged)
judged = submit("print(3)")
check("a wrong one, to its first fault", not judged.accepted and [one.passed for one in judged.tests] == [True, False], judged)
judged = submit("print(3)", run_all_cases=True)
check("a wrong one, all cases", [one.passed for one in judged.tests] == [True, False, False], judged)
check("another language", post("/run_code", {"code": "x", "language": "cobol"})[0] == 422)
check.end()
