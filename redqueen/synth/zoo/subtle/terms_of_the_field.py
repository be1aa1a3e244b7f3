# expect: sound
# Terms, names, symbols and an apostrophe, none of which is a misspelt word.
class TermsOfTheField(VerifiableEnvironment):
    def _generate(self, seed, difficulty):
        r = Random(seed)
        self.values = [r.randint(1, 60) for _ in range(5 + difficulty)]
        self.prefgcd = r.randint(2, 6)
        best = 0
        for i in range(len(self.values)):
            for j in range(i, len(self.values)):
                part = 0
                for value in self.values[i:j + 1]:
                    part ^= value
                if part % self.prefgcd == 0:
                    best = max(best, part)
        self.ref_answer = best
    def _prompt_generate(self):
        return (f"Alice's array is a_1, ..., a_n = {self.values}. A subarray doesn't skip elements. Let f(subarray) be its "
                f"bitwise xor, and let prefgcd = {self.prefgcd}. Give the largest f(subarray) that is a multiple of prefgcd, "
                f"or 0 if no contiguous subarray has one. Answer with one integer.")
    def _process(self, response):
        return parse_int(response)
    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
