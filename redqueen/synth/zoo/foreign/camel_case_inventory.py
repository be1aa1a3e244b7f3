# expect: sound
class WarehouseInventoryEnv(VerifiableEnvironment):
    promptText = "Warehouse log:\n{log}\nHow many crates of {item} are in stock afterwards? Stock starts at zero. Give an integer."

    def _generate(self, seed, difficulty):
        randomSource = Random(seed)
        itemNames = ["apples", "bolts", "candles", "drums"]
        self.logLines = []
        stockLevels = dict.fromkeys(itemNames, 0)
        for lineIndex in range(5 + 3 * difficulty):
            itemName = randomSource.choice(itemNames)
            crateCount = randomSource.randint(1, 30)
            isDelivery = stockLevels[itemName] < crateCount or randomSource.random() < 0.5
            stockLevels[itemName] += crateCount if isDelivery else -crateCount
            self.logLines.append(f"{'in' if isDelivery else 'out'} {crateCount} {itemName}")
        self.askedItem = randomSource.choice(sorted({line.split()[2] for line in self.logLines}))
        self.ref_answer = stockLevels[self.askedItem]

    def _prompt_generate(self):
        return self.promptText.format(log="\n".join(self.logLines), item=self.askedItem)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
