# %% [markdown]
# # RedQueen from Python
#
# Environments make problems of any difficulty and verify answers with code. `docs/python.md` says how to install the package;
# this notebook is made of `examples/tour.py` by `scripts/make_notebook`, and runs anywhere in a second.

# %%
import redqueen as rq

print(rq.describe("Sorting")["task"])
print(rq.describe("Sorting")["rewards"])

# %% [markdown]
# A problem is its address: the same environment, version, level, seed and split make it again, bit for bit.

# %%
problem = rq.make("Sorting").generate(level=3, seed=0)
print(problem.address)
print(problem.prompt)

# %%
problem.score(f"I sorted them. <answer>{problem.reference}</answer>"), problem.score("no idea")

# %% [markdown]
# Many responses at once: what a trainer's reward function does.

# %%
problems = rq.generate_many(["Sorting", "Multiplication"], levels=[0, 2, 4], seeds=range(4))
texts = [f"<answer>{p.reference}</answer>" if i % 3 else "no idea" for i, p in enumerate(problems)]
verdicts = rq.score_many(problems, texts)
print(len(verdicts), "verdicts,", int(verdicts.solved.sum()), "solved, mean reward", round(float(verdicts.rewards.mean()), 3))

# %% [markdown]
# A curriculum raises an environment's level where its problems are solved. Here the policy is a die: it solves a problem of
# level *l* with a probability that falls with *l*, the better it gets the later.

# %%
import random

dice = random.Random(1)
curriculum = rq.Curriculum(["Sorting", "Multiplication"], seed=0, minimum_groups=4, rollouts=1)
for step in range(40):
    batch = curriculum.next_batch(16)
    skill = step / 6
    curriculum.update(batch, [dice.random() < 1 - max(0, p.level - skill) / 4 for p in batch])
    if step % 8 == 7:
        print(f"step {step + 1:2}:", ", ".join(f"{name} {low} to {high}" for name, (low, high) in curriculum.levels().items()))

# %% [markdown]
# A world answers back. The policy's turns are texts, or calls of its tools.

# %%
episode = rq.make("household").generate(level=1, seed=3).start()
print(episode.observation[-1]["content"].splitlines()[-1])
observation, reward, terminated, truncated, info = episode.step("> look")
print(observation[-1]["content"])

# %% [markdown]
# An environment of one's own is a function that gives a prompt and its answer.


# %%
@rq.environment
def doubles(level, rng):
    number = rng.randrange(10 ** (level + 1))
    return f"What is twice {number}?", 2 * number


own = rq.make("doubles").generate(level=2, seed=0)
print(own.prompt)
own.score(f"<answer>{own.reference}</answer>")

# %% [markdown]
# Next: `docs/trainers/` plugs all this into TRL, verifiers, veRL, slime and others; `redqueen.connect` asks servers the same
# questions, by the same names.
