"""What a checker must refuse: test_types.py wants an error in each line that says so, and none in others."""

from random import Random

import redqueen as rq

problem = rq.make("Sorting").generate(level=1)
problem.prompt + 1  # error
problem.prompt = "another"  # error
problem.score(b"bytes")  # error
problem.promt  # error
problem.address.upper()  # error
rq.make("Sorting").generate(level="3")  # error
rq.make("Sorting").generate(splt="test")  # error
rq.make(3)  # error
rq.score_many("Sorting@1/0/0", 5)  # error
rq.score_many([problem], ["no"]).rewards.append(1.0)  # error
rq.generate_many("Sorting", levels=0.5)  # error
rq.generate_many("Sorting", allow_missing=True)[0].prompt  # error
rq.Curriculum("Sorting", minimum_group=4)  # error
rq.Curriculum("Sorting").update([problem], [-1.0])  # error
rq.Sandbox().run("print(1)", time_limit=3)  # error
rq.Sandbox().run("print(1)", limits={"seconds": 3})  # error
rq.dataset("Sorting", as_list=True).to_parquet("x")  # error
problem.start().step(3)  # error
rq.resume("record")  # error


@rq.environment(max_levels=3)  # error
def sums(level: int, rng: Random) -> tuple[str, int]:
    return "What is 1 + 1?", 2


@rq.environment  # error
def number(level: int, rng: Random) -> int:
    return 2
