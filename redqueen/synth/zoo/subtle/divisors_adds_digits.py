# expect: remark wording_differs
# Asked for common factors, it goes through the digits.
class Page(VerifiableEnvironment):
    prompt_template = "Give the page of a book that follows page {page} by as many pages as page {page} has legs. Give one integer."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.page = rng.randint(10, 10 ** (2 + difficulty))
        self.ref_answer = self.page + sum(int(figure) for figure in str(self.page))

    def _prompt_generate(self):
        return self.prompt_template.format(page=self.page)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
