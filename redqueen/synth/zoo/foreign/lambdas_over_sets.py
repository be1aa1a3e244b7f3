# expect: sound
class VennCounts(VerifiableEnvironment):
    prompt_template = ("U is the set of the integers from 1 to {n}. A holds the multiples of {a}, B the multiples of {b}, C the multiples of "
                       "{c}. How many elements of U lie in {expression}? (& is intersection, | is union, \\ is difference, and "
                       "brackets are evaluated first.)")
    SHAPES = ("(A | B) \\ C", "(A & B) | C", "(A \\ B) | (B \\ A)", "A & (B | C)", "(A | B) & (B | C)", "C \\ (A & B)")
    RULES = (lambda a, b, c: (a | b) - c, lambda a, b, c: (a & b) | c, lambda a, b, c: (a - b) | (b - a),
             lambda a, b, c: a & (b | c), lambda a, b, c: (a | b) & (b | c), lambda a, b, c: c - (a & b))

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.n = rng.randint(20, 40) * (1 + difficulty)
        self.divisors = rng.sample(range(2, 12), 3)
        self.kind = rng.randrange(len(self.SHAPES))
        sets = [set(range(d, self.n + 1, d)) for d in self.divisors]
        self.ref_answer = len(self.RULES[self.kind](*sets))

    def _prompt_generate(self):
        a, b, c = self.divisors
        return self.prompt_template.format(n=self.n, a=a, b=b, c=c, expression=self.SHAPES[self.kind])

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
