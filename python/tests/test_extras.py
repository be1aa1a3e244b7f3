"""The extras of the package, the pages that name them, and the versions that the tests run are the same list."""

import importlib.metadata
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs/trainers"
NAMED = re.compile(r"redqueen(?:-[\w.-]+\.whl)?\[([\w,-]+)\]")
ROW = re.compile(r"^\| `([\w-]+)` \|", re.M)
WITHOUT = {"slime", "nemo-gym"}  # pages whose trainer needs none


def from_metadata():
    """Of the package that is installed; None where it is a build's folder."""
    try:
        lines = importlib.metadata.metadata("redqueen").get_all("Requires-Dist") or []
    except importlib.metadata.PackageNotFoundError:
        return None
    found = {extra: [] for extra in importlib.metadata.metadata("redqueen").get_all("Provides-Extra") or []}
    for line in lines:
        requirement, _, marker = line.partition(";")
        if extra := re.search(r"extra == ['\"]([\w-]+)['\"]", marker):
            found[extra[1]].append(requirement.replace(" ", ""))
    return {extra: sorted(requirements) for extra, requirements in found.items()}


def from_project():
    tomllib = pytest.importorskip("tomllib", reason="Python 3.10 reads no TOML")
    project = tomllib.loads((ROOT / "python/pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {extra: sorted(requirements) for extra, requirements in project["optional-dependencies"].items()}


@pytest.fixture
def extras():
    installed = from_metadata()
    return from_project() if installed is None else installed


def named_on(page):
    return {extra for together in NAMED.findall(page.read_text(encoding="utf-8")) for extra in together.split(",")}


def test_the_installed_package_has_those_of_the_project():
    if from_metadata() is None:
        pytest.skip("the package is not installed: this is a build's folder")
    assert from_metadata() == from_project()


def test_every_extra_that_a_page_names_exists_and_every_extra_is_on_the_list(extras):
    pages = [*PAGES.glob("*.md"), ROOT / "docs/python.md", ROOT / "docs/scale.md", ROOT / "docs/data-sets.md"]
    for page in pages:
        assert named_on(page) <= set(extras), page
    assert set(ROW.findall((PAGES / "README.md").read_text(encoding="utf-8"))) == set(extras)


@pytest.mark.parametrize("page", sorted(PAGES.glob("[!R]*.md")), ids=lambda page: page.stem)
def test_a_page_begins_with_how_to_install(page, extras):
    head = page.read_text(encoding="utf-8").split("```")[1].strip()
    assert head == ("pip install redqueen" if page.stem in WITHOUT else f"pip install 'redqueen[{page.stem}]'")
    assert "(README.md#installing)" in page.read_text(encoding="utf-8")
    assert page.stem in WITHOUT or page.stem in extras


def test_errors_name_extras_that_exist(extras):
    for source in (ROOT / "python/redqueen").rglob("*.py"):
        assert named_on(source) <= set(extras), source


def pins(file):
    """(name, version) of every package that a file pins."""
    return re.findall(r"([\w-]+(?:\[\w+\])?)==([\d.]+)", (ROOT / file).read_text(encoding="utf-8"))


def test_a_package_that_several_scripts_pin_has_one_version():
    # The server is held against an older OpenEnv, too: scripts/check_clients says it of its environment's name.
    older = {("openenv", "0.4.1")}
    versions = {}
    for file in ("scripts/requirements.txt", "scripts/check_trainers", "scripts/check_clients"):
        for name, version in set(pins(file)) - older:
            versions.setdefault(name.partition("[")[0], set()).add(version)
    assert {"verifiers", "openenv", "inspect-ai", "skyrl-gym", "aiohttp", "uv"} <= set(versions)
    assert not {name: found for name, found in versions.items() if len(found) > 1}


def test_every_package_of_check_trainers_is_pinned():
    text = (ROOT / "scripts/check_trainers").read_text(encoding="utf-8")
    listed = text[text.index("packages() {"):text.index("modules() {")]
    words = [word for line in listed.splitlines() if ">&2" not in line for part in re.findall(r'"(\w[^"]*)"', line) for word in part.split()]
    assert len(words) > 15 and [word for word in words if "==" not in word] == []


def test_the_lowest_versions_are_those_that_the_tests_run(extras):
    pinned = {name: version for file in ("scripts/requirements.txt", "scripts/check_trainers") for name, version in pins(file)}
    for extra, requirements in extras.items():
        assert requirements
        for requirement in requirements:
            name, lowest = re.fullmatch(r"([\w-]+(?:\[\w+\])?)[>=]=([\d.]+)", requirement).groups()
            assert f"{pinned[name]}.".startswith(f"{lowest}."), f"{extra}: {requirement}, and the tests run {pinned[name]}"


def test_there_is_no_extra_for_training(extras):
    assert "train" not in extras
