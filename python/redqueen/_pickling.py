"""How problems, verdicts and outcomes go to other processes: by pickle, as torch's DataLoader, multiprocessing and Ray have it.

A problem travels as its address and how it is asked, and is made again where it arrives. That process must know the
environment: those of the package it does, one of a file it reads there, an own one must be registered there, too.

>>> import pickle
>>> problem = rq.make("Sorting", prompt="boxed").generate(level=3, seed=0)
>>> pickle.loads(pickle.dumps(problem)).prompt == problem.prompt
True
"""

from __future__ import annotations

import copyreg
import typing

from . import _native
from ._native import Env, Episode, Outcome, Problem, Suite, Verdict, Verdicts


def _make_problem(address: str | None, parameter: typing.Any, asked: tuple[str, str, str, bool, bool]) -> Problem:
    env = _native.env_of(*asked)
    return env.restore(parameter) if address is None else _native.problem_of(env, address)


def _make_env(*asked: typing.Any) -> Env:
    return _native.env_of(*asked)


def _make_suite(*members: typing.Any) -> Suite:
    return _native.suite_of(*members)


def _make_verdicts(*columns: typing.Any) -> Verdicts:
    return _native.verdicts_of(*columns)


def _make_outcome(*state: typing.Any) -> Outcome:
    return _native.outcome_of(*state)


def _resume(record: dict[str, typing.Any]) -> Episode:
    return _native.resume(record)


def _of_problem(problem: Problem) -> tuple[typing.Any, ...]:
    address = problem.address
    return _make_problem, (address, problem.parameter if address is None else None, _native.asked_of(problem))


def _of_suite(suite: Suite) -> tuple[typing.Any, ...]:
    return _make_suite, (suite.name, suite.environments, suite.weights, suite.missing, suite.levels, suite.problems)


def _of_verdict(verdict: Verdict) -> tuple[typing.Any, ...]:
    return Verdict, (verdict.reward, verdict.solved, verdict.well_formed)


def _of_verdicts(verdicts: Verdicts) -> tuple[typing.Any, ...]:
    return _make_verdicts, (verdicts.rewards.tolist(), verdicts.solved.tolist(), verdicts.well_formed.tolist())


copyreg.pickle(Problem, _of_problem)
copyreg.pickle(Env, lambda env: (_make_env, _native.asked_of(env)))
copyreg.pickle(Suite, _of_suite)
copyreg.pickle(Verdict, _of_verdict)
copyreg.pickle(Verdicts, _of_verdicts)
copyreg.pickle(Outcome, lambda outcome: (_make_outcome, _native.state_of(outcome)))
copyreg.pickle(Episode, lambda episode: (_resume, (episode.record(),)))
