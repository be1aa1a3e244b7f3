# expect: sound
import heapq


class PrinterQueue(VerifiableEnvironment):
    """Jobs with priorities; ties by arrival."""
    prompt_template = """A printer serves a queue. Whenever it is free it takes the waiting job with the most urgent priority (1 is the
most urgent); among equal priorities, the one that arrived first. All jobs are there from the beginning, in this order:
{jobs}
In which order are they printed? List the names, separated by commas."""

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        count = 4 + difficulty
        names = rng.sample([a + b for a in "bdfgk" for b in "aeiou"], count)
        self.jobs = [(name, rng.randint(1, 4)) for name in names]
        heap = [(urgency, place, name) for place, (name, urgency) in enumerate(self.jobs)]
        heapq.heapify(heap)
        self.ref_answer = [heapq.heappop(heap)[2] for _ in range(count)]

    def _prompt_generate(self):
        return self.prompt_template.format(jobs="\n".join(f"{name}: priority {urgency}" for name, urgency in self.jobs))

    def _process(self, response):
        names = [part.strip() for part in response.split(",")]
        return names if all(names) else None

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
