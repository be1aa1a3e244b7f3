# expect: sound
class Fines(VerifiableEnvironment):
    limit, price = 55, 15

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.speeds = [rng.randint(30, 80) for _ in range(4 + 2 * difficulty)]
        self.ref_answer = sum(self.price * (speed - self.limit) for speed in self.speeds if speed > self.limit)

    def _prompt_generate(self):
        return (f"A radar measured the speeds {', '.join(map(str, self.speeds))}. Every unit above {self.limit} costs "
                f"{self.price} coins. How many coins are due together? Answer with one integer.")

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
