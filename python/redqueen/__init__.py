"""Verifiable environments: problems with answers that code can check.

>>> import redqueen as rq
>>> problem = rq.make("Sorting").generate(level=3, seed=0)
>>> problem.score("The order is <answer>1 2 3</answer>.")
Verdict(reward=-0.5, solved=False, well_formed=True)

A problem is a value of its address: the same environment, version, level, seed and split make the same problem, bit for
bit, on every machine. Everything here may be called from several threads, and whatever works on many problems at once
(`generate_many`, `score_many`) uses all cores meanwhile.
"""

import os as _os
import pathlib as _pathlib
import sys as _sys

if _sys.version_info < (3, 12):  # later ones refuse an extension module that is not made for it
    try:
        import _xxsubinterpreters as _interpreters
    except ImportError:
        pass
    else:
        if _interpreters.get_current() != _interpreters.get_main():
            raise ImportError(
                "redqueen works in the main interpreter of a process alone, and this is another one; use a thread or a process instead"
            )

from . import _native  # noqa: E402

_native.set_package_folder(_pathlib.Path(__file__).absolute().parent)
_os.register_at_fork(after_in_child=_native.after_fork)

from ._native import Env, Episode, Error, Outcome, Problem, Suite, UsageError, Verdict, Verdicts  # noqa: E402
from ._api import (  # noqa: E402
    describe,
    generate_many,
    list as list,
    load_suite,
    make,
    restore,
    restore_many,
    resume,
    score_many,
)
from ._curriculum import Curriculum  # noqa: E402
from ._dataset import dataset  # noqa: E402
from ._own import Environment, environment, forget, register  # noqa: E402
from ._sandbox import Sandbox  # noqa: E402
from .connect import connect  # noqa: E402
from . import _pickling, aio, synth  # noqa: E402, F401

# Without `list`: `from redqueen import *` would take Python's own away.
__all__ = [
    "Curriculum",
    "Env",
    "Environment",
    "Episode",
    "Error",
    "Outcome",
    "Problem",
    "Sandbox",
    "Suite",
    "UsageError",
    "Verdict",
    "Verdicts",
    "aio",
    "connect",
    "dataset",
    "describe",
    "environment",
    "forget",
    "generate_many",
    "load_suite",
    "make",
    "register",
    "restore",
    "restore_many",
    "resume",
    "score_many",
    "synth",
]
__version__ = "0.1.0"
