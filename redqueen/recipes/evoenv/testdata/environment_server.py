"""A chat endpoint that writes environments, reviews them and solves their problems. For tests.

Prints its port, then answers until stdin closes. What it answers depends on the prompt and on the seed of the request
alone, so that the same run gets the same responses again; only what goes wrong at first (a status, a body that cannot be
read, a connection that is cut) goes right at the second attempt. "stats" as a message asks for what was answered so far.

What is asked for in fewer than 64 tokens is cut in the middle.

Argument: seconds that every answer to a generator prompt takes (default 0).
"""
import json
import math
import re
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

DELAY = float(sys.argv[1]) if len(sys.argv) > 1 else 0.0


def environment(name, prompt, generate, answer="parse_int(response)", score=None):
    body = "\n".join("        " + line for line in generate.strip().splitlines())
    score = score or "1.0 if parsed == self.ref_answer else 0.0"
    values = ", ".join(f"{place}=self.{place}" for place in re.findall(r"\{(\w+)\}", prompt))
    return f'''class {name}(VerifiableEnvironment):
    prompt_template = "{prompt}"

    def _generate(self, seed, difficulty):
        r = Random(seed)
{body}

    def _prompt_generate(self):
        return self.prompt_template.format({values})

    def _process(self, response):
        return {answer}

    def scorer(self, parsed):
        return {score}
'''


DICE = environment(
    "Dice", "Two dice show {a} and {b}. Give the product of the dice.",
    """self.a = r.randint(2, 9 + 40 * difficulty)
self.b = r.randint(2, 9 + 40 * difficulty)
self.ref_answer = self.a * self.b""")
VOWELS = environment(
    "Vowels", "A parrot says {word}. How many of its letters are vowels (a, e, i, o or u)?",
    """letters = "abcdefghijklmnopqrstuvwxyz"
self.word = "".join(r.choice(letters) for _ in range(12 + 9 * difficulty))
self.ref_answer = len([letter for letter in self.word if letter in "aeiou"])""")
RANK = environment(
    "Rank", "Put the heights {heights} in increasing order. Which height is number {k} from the left?",
    """self.heights = [r.randint(100, 999) for _ in range(5 + 3 * difficulty)]
self.k = r.randint(1, len(self.heights))
self.ref_answer = sorted(self.heights)[self.k - 1]""")
RUN = environment(
    "LongestRun", "A coin was thrown again and again: {throws}. How long is the longest streak of equal throws?",
    """self.throws = "".join(r.choice("HT") for _ in range(14 + 10 * difficulty))
best = current = 1
for left, right in zip(self.throws, self.throws[1:]):
    current = current + 1 if left == right else 1
    best = max(best, current)
self.ref_answer = best""")
CLOCK = environment(
    "Clock", "It is {hour} o'clock on a dial with {dial} hours. Which hour does it show {later} hours later (0 is the first)?",
    """self.dial = r.randint(7, 12 + 11 * difficulty)
self.hour = r.randint(0, self.dial - 1)
self.later = r.randint(20, 90 + 200 * difficulty)
while (self.hour + self.later) % self.dial == 0:
    self.later += 1
self.ref_answer = (self.hour + self.later) % self.dial""")
# The words ask for something else than the code computes: only a review can tell.
HOUSES = environment(
    "Houses", "One house has number {a}, another one number {b}. How far apart are the houses?",
    """self.a = r.randint(1, 60 + 40 * difficulty)
self.b = r.randint(1, 60 + 40 * difficulty)
self.ref_answer = self.a * 2 + self.b""")
# Nobody solves this one.
HARD = environment(
    "Hash", "A machine starts with 7. For every letter of {text} it multiplies its number by 31337, adds the letter's code "
    "(120 for x, 121 for y, 122 for z), and keeps the remainder by 999983. Which number does it end with?",
    """self.text = "".join(r.choice("xyz") for _ in range(9 + 4 * difficulty))
value = 7
for letter in self.text:
    value = (value * 31337 + ord(letter)) % 999983
self.ref_answer = value""")
CONSTANT = environment("Constant", "Say how many legs a horse has, case {a}.", """self.a = r.randint(1, 10 ** 6)
self.ref_answer = 4""")
ANYTHING = environment(
    "Anything", "Which city has {a} inhabitants?", """self.a = r.randint(1, 10 ** 4 * (difficulty + 1))
self.ref_answer = self.a + 1""", score="1.0")

# (source or text, what goes wrong on the way)
WRITTEN = [
    (DICE, ""), (VOWELS, "status"), (RANK, ""), (RUN, "garbage"), (CLOCK, "slow"), (HOUSES, ""), (HARD, "cut"),
    (CONSTANT, ""), (ANYTHING, ""), ("class Broken(VerifiableEnvironment:\n    pass\n", ""), (None, ""), (DICE, "refused"),
]

attempts = {}
stats = {"topics": 0, "second_authors": 0, "solver_tokens": 0, "answered": 0, "retried": 0, "refused": 0, "prompt_tokens": 0, "completion_tokens": 0}
lock = threading.Lock()


def numbers(text):
    return [int(number) for number in re.findall(r"\d+", text)]


def solution(text):
    problem = text.split("\n\n")[0]
    if problem.startswith("Two dice"):
        return math.prod(numbers(problem)[:2])
    if problem.startswith("A parrot"):
        return sum(letter in "aeiou" for letter in problem.split("says ")[1].split(".")[0])
    if problem.startswith("Put the heights"):
        *heights, k = numbers(problem)
        return sorted(heights)[k - 1]
    if problem.startswith("A coin"):
        return max(len(run.group()) for run in re.finditer(r"H+|T+", problem.split(": ")[1].split(".")[0]))
    if problem.startswith("It is"):
        hour, dial, later = numbers(problem)[:3]
        return (hour + later) % dial
    if problem.startswith("One house"):
        a, b = numbers(problem)[:2]
        return a * 2 + b
    return -1


# Programs of two shapes for the houses, whose words they follow; nothing for any other task.
SECOND = (
    """import re
def solve(text):
    a, b = map(int, re.findall(r"\\d+", text))
    return abs(a - b)
""",
    """def solve(text):
    numbers = [int(word.strip(".")) for word in text.replace(",", "").split() if word.strip(".").isdigit()]
    return str(max(numbers) - min(numbers))
""",
    """import re
def solve(text):
    left, right = (int(n) for n in re.findall(r"[0-9]+", text))
    while left > right:
        left, right = right, left
    return right - left
""",
)


def second_program(text, seed):
    if "How far apart are the houses" not in text:
        return "I do not know."
    return f"```python\n{SECOND[seed % len(SECOND)]}```"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    is_cut = False

    def log_message(self, *_):
        pass

    def answer(self, status, body, headers=()):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        try:
            self.respond()
        except (BrokenPipeError, ConnectionResetError):
            pass

    def respond(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = request["messages"][-1]["content"]
        if text == "stats":
            return self.reply(text, json.dumps(stats), count=False)
        if "VERDICT" in text:
            bad = "How far apart" in text
            return self.reply(text, "VERDICT: REJECT the code does not subtract" if bad else "Fine.\nVERDICT: ACCEPT")
        self.is_cut = request["max_tokens"] < 64
        if "VerifiableEnvironment" in text:
            with lock:
                stats["topics"] += "is about: parrots" in text
            return self.write(text, request["seed"])
        if "def solve(text)" in text:
            with lock:
                stats["second_authors"] += 1
            return self.reply(text, second_program(text, request["seed"]))
        with lock:
            stats["solver_tokens"] = request["max_tokens"]
        right = request["seed"] % 2 == 0
        return self.reply(text, f"Let me see. <answer>{solution(text) if right else -7}</answer>")

    def write(self, text, seed):
        source, trouble = WRITTEN[seed % len(WRITTEN)]
        with lock:
            attempt = attempts[text, seed] = attempts.get((text, seed), 0) + 1
            if attempt > 1:
                stats["retried"] += 1
        time.sleep(DELAY)
        if trouble == "refused":
            stats["refused"] += 1
            return self.answer(400, b'{"error": {"message": "not this one"}}')
        if attempt == 1 and trouble == "status":
            return self.answer(503, b"busy", headers=[("Retry-After", "0")])
        if attempt == 1 and trouble == "garbage":
            return self.answer(200, b"<html>not json</html>")
        if attempt == 1 and trouble == "cut":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b'{"choices": [')
            self.close_connection = True
            return None
        if trouble == "slow":
            time.sleep(0.3)
        if source is None:
            return self.reply(text, "I cannot think of any.")
        return self.reply(text, f"Here it is.\n```python\n{source}```\n")

    def reply(self, prompt, text, count=True):
        is_cut = count and self.is_cut
        if is_cut:
            text = text[:len(text) // 2]
        usage = {"prompt_tokens": len(prompt) // 4, "completion_tokens": len(text) // 4}
        if count:
            with lock:
                stats["answered"] += 1
                for name, value in usage.items():
                    stats[name] += value
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "length" if is_cut else "stop"}
        return self.answer(200, json.dumps({"choices": [choice], "usage": usage}).encode())


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


server = Server(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
