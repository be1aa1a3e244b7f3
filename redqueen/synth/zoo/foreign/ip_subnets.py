# expect: sound
class SubnetOfAddress(VerifiableEnvironment):
    prompt_template = "What is the network address of {address}/{prefix}? Use dotted decimal notation, without the prefix length."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        value = rng.getrandbits(32)
        self.prefix = rng.choice([8, 16, 24]) if difficulty == 0 else rng.randint(max(3, 16 - difficulty), min(30, 17 + 2 * difficulty))
        self.address = self._dotted(value)
        self.ref_answer = self._dotted(value >> 32 - self.prefix << 32 - self.prefix)

    @staticmethod
    def _dotted(value):
        return ".".join(str(value >> shift & 255) for shift in (24, 16, 8, 0))

    def _prompt_generate(self):
        return self.prompt_template.format(address=self.address, prefix=self.prefix)

    def _process(self, response):
        parts = response.strip().split(".")
        return ".".join(parts) if len(parts) == 4 and all(part.isdigit() for part in parts) else None

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
