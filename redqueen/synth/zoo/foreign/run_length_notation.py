# expect: sound
from itertools import groupby


class KnittingPattern(VerifiableEnvironment):
    prompt_template = ("A knitting machine reads rows in a short notation: k3p2 stands for three knit stitches and then two purl "
                       "stitches, so kkkpp. Translate the row {row} to that notation; write every count, also 1.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.row = "".join(rng.choice("kp") for _ in range(8 + 5 * difficulty))
        self.ref_answer = "".join(f"{stitch}{sum(1 for _ in run)}" for stitch, run in groupby(self.row))

    def _prompt_generate(self):
        return self.prompt_template.format(row=self.row)

    def _process(self, response):
        text = response.strip().lower()
        return text or None

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
