# expect: remark wording_differs
# The statement adds 3, the code 2; the 3 stands in the code for something else.
class Bonus(VerifiableEnvironment):
    prompt_template = "Pupils have the marks {marks}. With 3 added to each, what is the largest mark of a multiple of 3 before? Answer with one number, 0 if there is none."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.marks = [rng.randint(0, 9) for _ in range(4 + difficulty)]
        self.ref_answer = max([mark + 2 for mark in self.marks if mark % 3 == 0], default=0)

    def _prompt_generate(self):
        return self.prompt_template.format(marks=self.marks)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
