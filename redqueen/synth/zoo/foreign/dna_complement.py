# expect: sound
class ReverseComplement(VerifiableEnvironment):
    PAIRS = str.maketrans("ACGT", "TGCA")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.strand = "".join(rng.choices("ACGT", k=6 + 6 * difficulty))
        self.ref_answer = self.strand.translate(self.PAIRS)[::-1]

    def _prompt_generate(self):
        return (f"DNA strand: 5'-{self.strand}-3'\n\nBases pair as A-T and C-G. Write the complementary strand in the direction from "
                "its own 5' end to its 3' end, as letters without separators and without the labels.")

    def _process(self, response):
        letters = response.strip().upper()
        return letters if letters and set(letters) <= set("ACGT") else None

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
