# expect: sound
class SpreadsheetCells(VerifiableEnvironment):
    prompt_template = ("In a spreadsheet the columns are called A, B, ..., Z, AA, AB, ... and the rows 1, 2, 3, ... Start at the cell {cell} and go {right} columns "
                       "to the right and {down} rows down. Which cell is that?")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        column, row = rng.randint(1, 20 * 6 ** min(difficulty, 5)), rng.randint(1, 90)
        self.right, self.down = rng.randint(1, 12 * 5 ** min(difficulty, 5)), rng.randint(1, 99)
        self.cell = self.name(column) + str(row)
        self.ref_answer = self.name(column + self.right) + str(row + self.down)

    @staticmethod
    def name(column):
        letters = ""
        while column:
            column, rest = divmod(column - 1, 26)
            letters = chr(65 + rest) + letters
        return letters

    def _prompt_generate(self):
        return self.prompt_template.format(cell=self.cell, right=self.right, down=self.down)

    def _process(self, response):
        text = response.strip().upper()
        return text if text.isalnum() and text.isascii() else None

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
