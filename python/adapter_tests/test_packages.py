"""The table of packages by system, scripts/packages.txt, as scripts/packages reads it."""
import os
import subprocess

import pytest
from support import ROOT

TABLE = [line.split() for line in (ROOT / "scripts/packages.txt").read_text().splitlines() if line and line[0] != "#"]
SYSTEMS = [line[1] for line in TABLE if line[0] == "system"]


def packages(tmp_path, system, *sets):
    name, _, version = system.rpartition("-")
    (tmp_path / "os-release").write_text(f'ID={name}\nVERSION_ID="{version}"\n')
    environment = {**os.environ, "REDQUEEN_OS_RELEASE": str(tmp_path / "os-release")}
    return subprocess.run([ROOT / "scripts/packages", *sets], env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_system_has_what_the_build_asks_for_and_one_clang(tmp_path, system):
    build = packages(tmp_path, system, "build").stdout.split()
    assert {"cmake", "ninja-build", "libfmt-dev", "python3-dev"} <= set(build)
    assert not [package for package in build if "clang" in package]
    checks = packages(tmp_path, system, "checks").stdout.split()
    versions = {part for package in checks for part in package.split("-") if part.isdigit()}
    assert len(versions) == 1 and {f"clang-{versions.pop()}"} <= set(checks)
    assert packages(tmp_path, system, "build", "checks").stdout.split() == build + checks


def test_what_the_table_has_not_is_told(tmp_path):
    unknown = packages(tmp_path, "plan9-4", "build")
    assert unknown.returncode == 3 and "plan9-4 is not among the systems" in unknown.stderr and not unknown.stdout
    wrong = packages(tmp_path, SYSTEMS[0], "biuld")
    assert wrong.returncode == 2 and '"biuld"' in wrong.stderr
