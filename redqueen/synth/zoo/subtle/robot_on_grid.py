# expect: sound
class Robot(VerifiableEnvironment):
    prompt_template = ("A robot stands at (0, 0). U raises y by 1, D lowers it by 1, R raises x by 1, L lowers it by 1. It follows {program}. "
                       "How many different points has it stood on, the first included? Answer with one integer.")
    MOVES = {"U": (0, 1), "D": (0, -1), "R": (1, 0), "L": (-1, 0)}

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.program = "".join(rng.choice("UDRL") for _ in range(6 + 5 * difficulty))
        x = y = 0
        seen = {(0, 0)}
        for move in self.program:
            dx, dy = self.MOVES[move]
            x, y = x + dx, y + dy
            seen.add((x, y))
        self.ref_answer = len(seen)

    def _prompt_generate(self):
        return self.prompt_template.format(program=self.program)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
