# expect: sound
class SubnetOfAddress(VerifiableEnvironment):
    prompt_template = ("What are the network addresses of {addresses}? Use dotted decimal notation, without the prefix lengths, and "
                       "separate them by spaces.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.addresses, networks = [], []
        for _ in range(1 + difficulty // 2):
            value, prefix = rng.getrandbits(32), rng.randint(16 - min(13, difficulty), 24 + min(6, difficulty))
            self.addresses.append(f"{self._dotted(value)}/{prefix}")
            networks.append(self._dotted(value >> 32 - prefix << 32 - prefix))
        self.ref_answer = " ".join(networks)

    @staticmethod
    def _dotted(value):
        return ".".join(str(value >> shift & 255) for shift in (24, 16, 8, 0))

    def _prompt_generate(self):
        return self.prompt_template.format(addresses=", ".join(self.addresses))

    def _process(self, response):
        networks = response.split()
        return " ".join(networks) if networks and all(network.count(".") == 3 for network in networks) else None

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
