# expect: sound
# Goes through the figures, and says so.
class Page(VerifiableEnvironment):
    prompt_template = "Add up the figures of the page number {page}. Give one integer."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.page = rng.randint(10, 10 ** (2 + difficulty))
        self.ref_answer = sum(int(figure) for figure in str(self.page))

    def _prompt_generate(self):
        return self.prompt_template.format(page=self.page)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
