# expect: sound
class HexColourMix(VerifiableEnvironment):
    """Average of colours, channel by channel, rounded down."""
    prompt_template = ("A painter mixes equal amounts of the colours {colours}. Each channel (red, green, blue; two hexadecimal digits "
                       "each) of the mixture is the mean of that channel, rounded down. Give the colour of the mixture in the same "
                       "notation.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        triples = [[rng.randrange(256) for _ in range(3)] for _ in range(2 + difficulty)]
        self.colours = ["#%02x%02x%02x" % tuple(triple) for triple in triples]
        self.ref_answer = "#%02x%02x%02x" % tuple(sum(channel) // len(triples) for channel in zip(*triples))

    def _prompt_generate(self):
        return self.prompt_template.format(colours=", ".join(self.colours))

    def _process(self, response):
        text = response.strip().lower()
        return text if len(text) == 7 and text[0] == "#" else None

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
