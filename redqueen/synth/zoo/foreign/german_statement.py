# expect: sound
class Wechselgeld(VerifiableEnvironment):
    prompt_template = ("Ein Kunde kauft Waren für {preise} Cent und zahlt mit einem Schein von {schein} Euro. Wie viel Cent "
                       "bekommt er zurück? Antworte mit einer ganzen Zahl.")

    def _generate(self, seed, difficulty):
        zufall = Random(seed)
        self.preise = [zufall.randint(50, 900) for _ in range(2 + difficulty)]
        self.schein = next(wert for wert in (5, 10, 20, 50, 100, 200) if wert * 100 >= sum(self.preise))
        self.ref_answer = self.schein * 100 - sum(self.preise)

    def _prompt_generate(self):
        return self.prompt_template.format(preise=" + ".join(map(str, self.preise)), schein=self.schein)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
