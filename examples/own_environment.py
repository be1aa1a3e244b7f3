#!/usr/bin/env python3
"""An environment of one's own in ten lines; it joins suites and curricula like those of the engine.

    python examples/own_environment.py
"""
import redqueen as rq


@rq.environment
def parity(level, rng):
    """Tells whether a sum is odd."""
    numbers = [rng.randrange(10 ** (level + 1)) for _ in range(3 + level)]
    return f"Is {' + '.join(map(str, numbers))} odd or even?", "odd" if sum(numbers) % 2 else "even"


problem = rq.make("parity").generate(level=2, seed=0)
print(problem.prompt)
print(problem.score("<answer>odd</answer>"), problem.score("<answer>even</answer>"))

curriculum = rq.Curriculum(["parity", "Sorting"], minimum_groups=1, rollouts=1)
for _ in range(4):
    batch = curriculum.next_batch(8)
    curriculum.update(batch, [problem.score(f"<answer>{problem.reference}</answer>") for problem in batch])
print(curriculum.levels())
