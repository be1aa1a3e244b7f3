# expect: sound
class _Helper:
    @staticmethod
    def triangle(n):
        return n * (n + 1) // 2


class StackedCans(VerifiableEnvironment):
    prompt_template = ("A shop stacks cans in triangles: {k} stacks, whose bottom rows have {rows} cans. Each row has one can less than "
                       "the row below it, and the top row has one can. How many cans are there altogether?")

    def _generate(self, __seed, __level):
        _rng = Random(__seed)
        self._bottoms = [_rng.randint(3, 12 + 4 * __level) for __ in range(2 + __level)]
        self.ref_answer = sum(_Helper.triangle(__) for __ in self._bottoms)

    def _prompt_generate(self):
        return self.prompt_template.format(k=len(self._bottoms), rows=", ".join(str(_) for _ in self._bottoms))

    def _process(self, _response):
        return parse_int(_response)

    def scorer(self, _parsed):
        return 1.0 if _parsed == self.ref_answer else 0.0
