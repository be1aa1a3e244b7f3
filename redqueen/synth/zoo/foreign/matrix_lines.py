# expect: sound
class RotateImage(VerifiableEnvironment):
    prompt_template = """This is a greyscale image, one row of pixels per line:
{image}
Rotate it by 90 degrees clockwise and print it in the same format."""

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        rows, columns = 2 + difficulty // 2, 3 + difficulty // 2
        self.image = [[rng.randint(0, 9) for _ in range(columns)] for _ in range(rows)]
        self.ref_answer = [list(column) for column in zip(*self.image[::-1])]

    def _prompt_generate(self):
        return self.prompt_template.format(image="\n".join(" ".join(map(str, row)) for row in self.image))

    def _process(self, response):
        return parse_int_rows(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
