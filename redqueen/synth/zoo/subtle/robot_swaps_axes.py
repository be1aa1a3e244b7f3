# expect: sound, though faulty
# The final x is asked for, y is stored.
class Robot(VerifiableEnvironment):
    prompt_template = ("A robot stands at (0, 0). U raises y by 1, D lowers it by 1, R raises x by 1, L lowers it by 1. It follows {program}. "
                       "What is its x at the end? Answer with one integer.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.program = "".join(rng.choice("UDRL") for _ in range(6 + 5 * difficulty))
        self.ref_answer = self.program.count("U") - self.program.count("D")

    def _prompt_generate(self):
        return self.prompt_template.format(program=self.program)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
