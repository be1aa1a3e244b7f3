from functools import lru_cache


class RecursiveFunction(VerifiableEnvironment):
    prompt_template = (
        "For integers m, n ≥ 0, the function f is defined by\n"
        "f(0, n) = n + 1,\n"
        "f(m, 0) = f(m - 1, 1) if m > 0,\n"
        "f(m, n) = f(h, f(h, floor(n / 2))) + f(h, f(h, n - 1)) with h = floor(m / 2), if m > 0 and n > 0.\n"
        "What is f({M}, {N})?\n"
        "Answer with one integer.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        bound = grow(3, difficulty)
        M, N = rng.randint(1, bound), rng.randint(1, bound)
        self.parameter = {"MAX_M_N": bound, "M": M, "N": N}

        @lru_cache(maxsize=None)
        def f(m, n):
            if m == 0:
                return n + 1
            if n == 0:
                return f(m - 1, 1)
            h = m // 2
            return f(h, f(h, n // 2)) + f(h, f(h, n - 1))

        self.ref_answer = f(M, N)

    def _prompt_generate(self):
        return self.prompt_template.format(M=self.parameter["M"], N=self.parameter["N"])

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
