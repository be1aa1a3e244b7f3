# expect: sound
class IncomeTax(VerifiableEnvironment):
    BRACKETS = ((0, 10), (9_000, 15), (20_000, 27), (45_000, 38))
    STATEMENT = """The tax office of Ruritania works with brackets:
- income up to 9000 crowns is taxed at 10 %,
- what lies between 9000 and 20000 crowns at 15 %,
- what lies between 20000 and 45000 crowns at 27 %,
- everything beyond 45000 crowns at 38 %.
Each rate applies only to the part of the income inside its bracket.

These people earned: {incomes}.

How many crowns of tax do they pay together? (All incomes are multiples of 100, so that no fractions arise.)"""

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.incomes = [100 * rng.randint(20, 900) for _ in range(1 + difficulty)]
        self.ref_answer = sum(self._tax(income) for income in self.incomes)

    def _tax(self, income):
        total = 0
        for index, (start, rate) in enumerate(self.BRACKETS):
            end = self.BRACKETS[index + 1][0] if index + 1 < len(self.BRACKETS) else income
            total += max(0, min(income, end) - start) * rate // 100
        return total

    def _prompt_generate(self):
        return self.STATEMENT.format(incomes=", ".join(map(str, self.incomes)))

    def _process(self, response):
        return parse_int(response.replace(" ", ""))

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
