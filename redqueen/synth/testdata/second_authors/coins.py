# ---- sound
class FewestCoins(VerifiableEnvironment):
    prompt_template = (
        "A shop has coins of {coins} cents, as many of each as needed. With how few coins can exactly {total} cents be paid? "
        "Answer with one integer.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        first = rng.randint(3, 6)
        self.coins = [1, first, first + rng.randint(1, first - 1)]
        self.total = rng.randint(10, 30 + 12 * difficulty)
        best = [0] + [None] * self.total
        for amount in range(1, self.total + 1):
            best[amount] = 1 + min(best[amount - coin] for coin in self.coins if coin <= amount)
        self.ref_answer = best[self.total]

    def _prompt_generate(self):
        return self.prompt_template.format(coins=", ".join(map(str, self.coins)), total=self.total)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0


# ---- faulty
class FewestCoins(VerifiableEnvironment):
    prompt_template = (
        "A shop has coins of {coins} cents, as many of each as needed. With how few coins can exactly {total} cents be paid? "
        "Answer with one integer.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        first = rng.randint(3, 6)
        self.coins = [1, first, first + rng.randint(1, first - 1)]
        self.total = rng.randint(10, 30 + 12 * difficulty)
        left, count = self.total, 0
        for coin in sorted(self.coins, reverse=True):
            count += left // coin
            left %= coin
        self.ref_answer = count

    def _prompt_generate(self):
        return self.prompt_template.format(coins=", ".join(map(str, self.coins)), total=self.total)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0


# ---- program
import re
from functools import lru_cache


def solve(text):
    numbers = [int(word) for word in re.findall(r"\d+", text)]
    coins, total = numbers[:-1], numbers[-1]

    @lru_cache(None)
    def fewest(amount):
        if amount == 0:
            return 0
        return 1 + min(fewest(amount - coin) for coin in coins if coin <= amount)

    return str(fewest(total))


# ---- program
import re


def solve(text):
    listed = re.search(r"coins of ([\d, ]+) cents", text).group(1)
    coins = set(int(part) for part in listed.split(","))
    goal = int(re.search(r"exactly (\d+) cents", text).group(1))
    reached, rounds = {0}, 0
    while goal not in reached:
        rounds += 1
        reached = {amount + coin for amount in reached for coin in coins if amount + coin <= goal}
    return str(rounds)
