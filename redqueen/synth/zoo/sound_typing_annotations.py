# expect: sound
from typing import Dict, List, Optional, Tuple
import bisect
import itertools
import math


class LongestIncreasing(VerifiableEnvironment):
    prompt_template: str = "How long is the longest strictly increasing subsequence of {A}?"

    def _generate(self, seed: int, difficulty: int) -> None:
        rng = Random(seed)
        self.A: List[int] = [rng.randint(0, 50) for _ in range(5 + 5 * difficulty)]
        tails: List[int] = []
        for x in self.A:
            place = bisect.bisect_left(tails, x)
            tails[place:place + 1] = [x]
        self.ref_answer: Optional[int] = len(tails)

    def _prompt_generate(self) -> str:
        return self.prompt_template.format(A=self.A)

    def _process(self, response: str) -> Optional[int]:
        return parse_int(response)

    def scorer(self, parsed: int) -> float:
        return 1.0 if parsed == self.ref_answer else 0.0
