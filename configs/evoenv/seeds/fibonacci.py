class Fibonacci(VerifiableEnvironment):
    prompt_template = (
        "A sequence is defined by A[1] = {A1}, A[2] = {A2} and, for every n > 2, A[n] = {P} * A[n-1] + {Q} * A[n-2]. "
        "What is the remainder of A[{N}] when divided by {modulus}?\n"
        "Answer with one integer from 0 to {largest}.")

    modulus = 10000

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        bound = min(3 * 2 ** min(difficulty, 62), 2 ** 62)
        N = rng.randint(3, bound)
        A1, A2 = rng.randrange(self.modulus), rng.randrange(self.modulus)
        P = rng.randint(1, self.modulus - 1)
        Q = 10 * rng.randrange(self.modulus // 10) + rng.choice((1, 3, 7, 9))
        self.parameter = {"MAX_N": bound, "N": N, "A1": A1, "A2": A2, "P": P, "Q": Q}
        self.ref_answer = self._element(N, A1, A2, P, Q)

    def _element(self, N, A1, A2, P, Q):
        # Modulo x^2 - P x - Q, the power x^(N-1) is some c + d x, and then A[N] = c A[1] + d A[2].
        def times(a, b):
            square = a[1] * b[1]
            return ((a[0] * b[0] + Q * square) % self.modulus,
                    (a[0] * b[1] + a[1] * b[0] + P * square) % self.modulus)

        power, base, exponent = (1, 0), (0, 1), N - 1
        while exponent:
            if exponent % 2:
                power = times(power, base)
            base = times(base, base)
            exponent //= 2
        return (power[0] * A1 + power[1] * A2) % self.modulus

    def _prompt_generate(self):
        return self.prompt_template.format(modulus=self.modulus, largest=self.modulus - 1, **self.parameter)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
