# expect: sound
def make_machine(a, b, m):
    def machine(x):
        return (a * x + b) % m
    return machine


class CycleOfGenerator(VerifiableEnvironment):
    prompt_template = ("A random number generator goes from x to ({a} x + {b}) mod {m} and starts with x = {x}. After how many steps does "
                       "it produce, for the first time, a number that it had before (the start counts as had before)?")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.m = rng.randint(10, 30 + 40 * difficulty)
        self.a, self.b, self.x = (rng.randrange(1, self.m) for _ in range(3))
        step, seen, x = make_machine(self.a, self.b, self.m), set(), self.x
        while x not in seen:
            seen.add(x)
            x = step(x)
        self.ref_answer = len(seen)

    def _prompt_generate(self):
        return self.prompt_template.format(a=self.a, b=self.b, m=self.m, x=self.x)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
