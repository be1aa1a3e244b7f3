"""Problems as a data set."""

from __future__ import annotations

import typing

from . import _api, _arguments, _native
from ._arguments import Numbers, SuiteLike

if typing.TYPE_CHECKING:
    import datasets


@typing.overload
def dataset(
    suite: SuiteLike,
    levels: Numbers = 0,
    size: int = 1000,
    split: str | int = "train",
    seed: int = 0,
    *,
    prompt: str = "plain",
    chat: bool = False,
    reference: bool = False,
    as_list: typing.Literal[False] = False,
) -> datasets.Dataset: ...


@typing.overload
def dataset(
    suite: SuiteLike,
    levels: Numbers = 0,
    size: int = 1000,
    split: str | int = "train",
    seed: int = 0,
    *,
    prompt: str = "plain",
    chat: bool = False,
    reference: bool = False,
    as_list: typing.Literal[True],
) -> list[dict[str, typing.Any]]: ...


def dataset(
    suite: SuiteLike,
    levels: Numbers = 0,
    size: int = 1000,
    split: str | int = "train",
    seed: int = 0,
    *,
    prompt: str = "plain",
    chat: bool = False,
    reference: bool = False,
    as_list: bool = False,
) -> typing.Any:
    """`size` problems as a datasets.Dataset, or as a list of dictionaries.

    Environments take turns, then levels, then seeds from `seed` on: a larger size adds rows at the end. Columns:
    prompt (str; with `chat` a list of messages), environment, level, seed, split, address, from which `score_many` and
    `restore` know the problem; with `reference`, a right answer.

    >>> rows = rq.dataset("Sorting,Knapsack", levels=[0, 1], size=5, as_list=True)
    >>> [row["address"] for row in rows]
    ['Sorting@1/0/0/s1', 'Knapsack@.../0/0/s1', 'Sorting@1/1/0/s1', 'Knapsack@.../1/0/s1', 'Sorting@1/0/1/s1']
    """
    size, seed = _arguments.count_of(size, "size"), _arguments.count_of(seed, "seed")
    chosen = _arguments.numbers(levels, "levels")
    if not chosen:
        raise _native.UsageError("levels: at least one")
    environments = _native.load_suite(suite).environments
    per_seed = len(environments) * len(chosen)
    seeds = range(seed, seed + -(-size // per_seed))
    problems = _api.generate_many(suite, chosen, seeds, split, prompt=prompt)
    count = len(seeds)

    def place(row: int) -> int:
        """Where the problem of a row stands: generate_many has environments outermost and seeds innermost."""
        turn, environment = divmod(row, len(environments))
        turn, level = divmod(turn, len(chosen))
        return (environment * len(chosen) + level) * count + turn

    rows = []
    for row in range(size):
        problem = problems[place(row)]
        columns = {
            "prompt": problem.messages if chat else problem.prompt,
            "environment": problem.environment,
            "level": problem.level,
            "seed": problem.seed,
            "split": problem.split,
            "address": problem.address,
        }
        if reference:
            columns["reference"] = problem.reference
        rows.append(columns)
    if as_list:
        return rows
    try:
        import datasets
    except ImportError as missing:
        raise _native.UsageError(
            "a datasets.Dataset needs the package datasets: pip install 'redqueen[datasets]', or ask for as_list=True"
        ) from missing
    return datasets.Dataset.from_list(rows)
