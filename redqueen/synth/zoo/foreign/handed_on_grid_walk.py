# expect: sound
from typing import List, Optional, Tuple


class GridWalkEnv(VerifiableEnvironment):
    def _generate(self, seed: int, difficulty: int) -> Tuple[str, List[int]]:
        rng = Random(seed)
        moves = "".join(rng.choice("NESW") for _ in range(5 + 4 * difficulty))
        x = moves.count("E") - moves.count("W")
        y = moves.count("N") - moves.count("S")
        return moves, [x, y]

    def _prompt_generate(self, moves: str) -> str:
        return f"""A drone hovers above the origin of a map and receives the radio message

    {moves}

Each letter moves it by one unit: N adds one to y, S takes one from y, E adds one to x, W takes one from x.
Where does the drone end up? Reply with x and y on a single line."""

    def _process(self, y: str) -> Optional[List[int]]:
        numbers = parse_int_list(y.replace(",", " "))
        return numbers if numbers is not None and len(numbers) == 2 else None

    def scorer(self, y: str, z: str, a: List[int]) -> float:
        return 1.0 if self._process(y) == a else -0.5
