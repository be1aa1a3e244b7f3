# expect: sound, though faulty
# Mechanically sound: the prompt says "plus", the code multiplies. Only the semantic review can see that.
class Recurrence(VerifiableEnvironment):
    prompt_template = "a[0] = {a}, a[1] = {b}, and a[n] = a[n-1] plus a[n-2]. What is a[{n}] modulo 1000?"

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.a, self.b, self.n = rng.randint(2, 9), rng.randint(2, 9), rng.randint(2, 5 + 3 * difficulty)
        x, y = self.a, self.b
        for _ in range(self.n - 1):
            x, y = y, (y * x) % 1000 + 1
        self.ref_answer = y

    def _prompt_generate(self):
        return self.prompt_template.format(a=self.a, b=self.b, n=self.n)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
