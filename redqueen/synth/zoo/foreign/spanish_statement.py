# expect: sound
class Ascensor(VerifiableEnvironment):
    """Un ascensor sube y baja."""

    def _generate(self, seed, difficulty):
        azar = Random(seed)
        self.piso = azar.randint(0, 9)
        self.viajes = [azar.choice([-1, 1]) * azar.randint(1, 6) for _ in range(3 + 2 * difficulty)]
        self.ref_answer = self.piso + sum(self.viajes)

    def _prompt_generate(self):
        tramos = ", ".join(f"{'sube' if v > 0 else 'baja'} {abs(v)}" for v in self.viajes)
        return (f"Un ascensor está en el piso {self.piso} y después {tramos}. ¿En qué piso termina? Los sótanos tienen números "
                "negativos. Responde con un solo número entero.")

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
