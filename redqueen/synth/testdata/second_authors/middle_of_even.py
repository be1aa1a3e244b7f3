# ---- sound
class MiddleRunner(VerifiableEnvironment):
    prompt_template = (
        "Runners finish after {times} seconds. The middle time is the one in the middle when they are put in order; of an "
        "even number of runners it is the smaller of the two in the middle. Which is it? Answer with one integer.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.times = [rng.randint(10, 60 + 20 * difficulty) for _ in range(rng.randint(4, 7 + 2 * difficulty))]
        self.ref_answer = sorted(self.times)[(len(self.times) - 1) // 2]

    def _prompt_generate(self):
        return self.prompt_template.format(times=", ".join(map(str, self.times)))

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0


# ---- faulty
class MiddleRunner(VerifiableEnvironment):
    prompt_template = (
        "Runners finish after {times} seconds. The middle time is the one in the middle when they are put in order; of an "
        "even number of runners it is the smaller of the two in the middle. Which is it? Answer with one integer.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.times = [rng.randint(10, 60 + 20 * difficulty) for _ in range(rng.randint(4, 7 + 2 * difficulty))]
        self.ref_answer = sorted(self.times)[len(self.times) // 2]

    def _prompt_generate(self):
        return self.prompt_template.format(times=", ".join(map(str, self.times)))

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0


# ---- program
import re


def solve(text):
    times = sorted(int(n) for n in re.findall(r"\d+", text))
    middle = len(times) // 2
    return str(times[middle] if len(times) % 2 else min(times[middle - 1], times[middle]))


# ---- program
def solve(text):
    left = [int(part) for part in text.split("after ")[1].split(" seconds")[0].split(", ")]
    while len(left) > 2:
        left.remove(max(left))
        left.remove(min(left))
    return str(min(left))
