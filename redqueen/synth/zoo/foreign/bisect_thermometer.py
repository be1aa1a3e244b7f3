# expect: sound
import bisect


class TemperatureRank(VerifiableEnvironment):
    prompt_template = ("A station archived the temperatures {archive} (sorted already). Today's measurements come in one by one: "
                       "{today}. Each is put into the archive so that it stays sorted, before any equal values. Give for each "
                       "measurement the index, counted from 0, at which it is put, all on one line.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        draw = lambda: rng.randint(-20, 35)
        self.archive = sorted(draw() for _ in range(5 + difficulty))
        self.today = [draw() for _ in range(3 + difficulty // 2)]
        seen, places = list(self.archive), []
        for value in self.today:
            places.append(bisect.bisect_left(seen, value))
            bisect.insort_left(seen, value)
        self.ref_answer = places

    def _prompt_generate(self):
        return self.prompt_template.format(archive=self.archive, today=", ".join(map(str, self.today)))

    def _process(self, response):
        return parse_int_list(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
