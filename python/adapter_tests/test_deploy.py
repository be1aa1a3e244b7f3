"""The image's and the manifest's parts fit each other and the program; deploy/lint and deploy/check find no fault.

Neither Docker nor a cluster is needed, and so the Dockerfile's own steps and the manifest's effect in a cluster stay untried.
"""
import http.server
import importlib
import importlib.util
import inspect
import json
import os
import pathlib
import re
import subprocess
import threading

import pytest
from support import ROOT, package

import redqueen
from redqueen import replicas
from redqueen.server import Server

yaml = package("yaml")
connect = importlib.import_module("redqueen.connect")
SCALE = ROOT / "docs/scale.md"


@pytest.fixture(scope="module")
def objects():
    with open(ROOT / "deploy/kubernetes.yaml", encoding="utf-8") as file:
        made = [*yaml.safe_load_all(file)]
    return {(one["kind"], one["metadata"]["name"]): one for one in made}


def pods(objects):
    return [one["spec"]["template"] for (kind, _), one in objects.items() if kind in ("Deployment", "StatefulSet")]


def test_selectors_find_the_pods_they_mean(objects):
    labels = [pod["metadata"]["labels"] for pod in pods(objects)]
    for (kind, name), one in objects.items():
        selector = one["spec"]["selector"].get("matchLabels", one["spec"]["selector"])
        found = [label for label in labels if selector.items() <= label.items()]
        assert len(found) == 1, (kind, name)
    for kind, name in (("Deployment", "redqueen"), ("Service", "redqueen"), ("PodDisruptionBudget", "redqueen"),
                       ("StatefulSet", "redqueen-curricula"), ("Service", "redqueen-curricula")):
        assert (kind, name) in objects
    assert objects["StatefulSet", "redqueen-curricula"]["spec"]["replicas"] == 1  # curricula have one owner


def test_pods_have_no_privilege_and_a_probe_for_everything(objects):
    for pod in pods(objects):
        spec, (container,) = pod["spec"], pod["spec"]["containers"]
        assert spec["securityContext"]["runAsNonRoot"] and spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert container["securityContext"] == {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                                                "capabilities": {"drop": ["ALL"]}}
        assert {"startupProbe", "livenessProbe", "readinessProbe"} <= set(container)
        assert container["ports"][0]["containerPort"] == 8000 and not spec["automountServiceAccountToken"]
        mounts = {mount["name"] for mount in container["volumeMounts"]}
        assert "tmp" in mounts
        # No token in the manifest.
        assert all("valueFrom" in variable for variable in container["env"] if variable["name"] == "REDQUEEN_TOKEN")
    for (kind, _), one in objects.items():
        if kind == "Service":
            assert one["spec"]["ports"][0]["targetPort"] == "http"


def test_the_manifests_options_are_the_programs(objects, server):
    known = subprocess.run([os.environ["REDQUEEN_BINARY"], "serve", "--help"], capture_output=True, text=True, check=True).stdout
    said = [word for pod in pods(objects) for word in pod["spec"]["containers"][0]["args"] if word.startswith("--")]
    dockerfile = (ROOT / "deploy/Dockerfile").read_text()
    said += re.findall(r"--[a-z-]+", dockerfile[dockerfile.index("ENTRYPOINT"):])
    assert said and all(option in known for option in said)
    for path in re.findall(r"path: (/\w+)", (ROOT / "deploy/kubernetes.yaml").read_text()):
        import urllib.request

        with urllib.request.urlopen(server.url + path) as answer:
            assert answer.status == 200


def test_the_dockerfile_copies_what_there_is_and_ends_as_nobody():
    text = (ROOT / "deploy/Dockerfile").read_text()
    for sources in re.findall(r"^COPY (?!--from)(.+) \S+$", text, re.M):
        for source in sources.split():
            assert (ROOT / source).exists(), source
    final = text[text.rindex("FROM "):]
    assert re.search(r"^USER 65532:65532$", final, re.M) and "apt-get install -y --no-install-recommends" in final
    user = {pod.split(":")[1].strip() for pod in re.findall(r"runAs(?:User|Group): \d+", (ROOT / "deploy/kubernetes.yaml").read_text())}
    assert user == {"65532"}


def health_of(port):
    """What the Dockerfile's HEALTHCHECK says of a server on this port of this machine."""
    command = json.loads(re.search(r"^HEALTHCHECK [^\n]*?CMD (\[.*\])$", (ROOT / "deploy/Dockerfile").read_text(), re.M)[1])
    exposed, = re.findall(r"^EXPOSE (\d+)$", (ROOT / "deploy/Dockerfile").read_text(), re.M)
    assert f"/{exposed} " in command[-1]
    return subprocess.run([word.replace(f"/{exposed} ", f"/{port} ") for word in command], capture_output=True, timeout=20).returncode


def test_the_health_check_asks_the_server(server):
    assert health_of(server.url.rpartition(":")[2]) == 0

    class Ill(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_error(503)

        def log_message(self, *_):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Ill) as ill:
        threading.Thread(target=ill.serve_forever, daemon=True).start()
        assert health_of(ill.server_address[1]) != 0
        ill.shutdown()
    assert health_of(ill.server_address[1]) != 0  # nobody is there


def test_the_pages_lines_fit_the_manifest(objects):
    """Neither Docker nor kubectl is here: what the lines name is held against the files."""
    page = SCALE.read_text(encoding="utf-8")
    docker, secret, apply = (line.split() for line in re.search(r"^```text\n(docker .*?)^```", page, re.M | re.S)[1].splitlines())
    assert docker[:2] == ["docker", "build"] and docker[-1] == "." and (ROOT / docker[docker.index("-f") + 1]).exists()
    containers = [pod["spec"]["containers"][0] for pod in pods(objects)]
    assert {container["image"] for container in containers} == {docker[docker.index("-t") + 1]}
    token = [variable["valueFrom"]["secretKeyRef"] for container in containers for variable in container["env"]]
    assert secret[:4] == ["kubectl", "create", "secret", "generic"]
    assert all(key == {"name": secret[4], "key": secret[5].removeprefix("--from-literal=").partition("=")[0]} for key in token)
    made = re.search(r'"\$\((.*)\)"', " ".join(secret))[1].split()
    assert len(subprocess.run(made, capture_output=True, text=True, check=True).stdout.strip()) == 48
    assert apply[:3] == ["kubectl", "apply", "-f"] and (ROOT / apply[3]).exists()
    assert all(line in (ROOT / "deploy/kubernetes.yaml").read_text() for line in (" ".join(secret), " ".join(apply)))


def test_the_pages_client_asks_all_and_keeps_curricula_on_the_first(server):
    names = {}
    with Server(["--threads", "1"]) as first, Server(["--threads", "1"]) as third:
        snippet = re.search(r"^```python\n(.*?)^```", SCALE.read_text(encoding="utf-8"), re.M | re.S)[1]
        hosts = {"http://curricula:8000": first.url, "http://scores-1:8000": server.url, "http://scores-2:8000": third.url}
        for named, real in hosts.items():
            assert snippet.count(named) == 1
            snippet = snippet.replace(named, real)
        exec(compile(snippet, "scale.md", "exec"), names)
        assert names["rq"].urls == (first.url, server.url, third.url) and names["rq"].owner == first.url
        names["rq"].Curriculum("Sorting", id="of-the-first")
        held = [connect.connect(url).curricula() for url in names["rq"].urls]
        assert ["of-the-first" in ids for ids in held] == [True, False, False]
        assert names["rq"].score("Sorting@1/0/0/s1", "no").reward == -1.0


def said_by(script, *arguments):
    """What a script of deploy/ says. 75 is its word for "not here", and a skip with its reason."""
    done = subprocess.run([ROOT / "deploy" / script, *arguments], capture_output=True, text=True, timeout=500)
    if done.returncode == 75:
        pytest.skip(done.stderr.strip().splitlines()[-1])
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_lint_finds_no_fault():
    assert "are as they should be" in said_by("lint")


def test_lint_finds_a_fault(tmp_path):
    said_by("lint")
    wrong = (ROOT / "deploy/kubernetes.yaml").read_text().replace("terminationGracePeriodSeconds", "terminationGraceSeconds", 1)
    (tmp_path / "wrong.yaml").write_text(wrong)
    (tmp_path / "Dockerfile").write_text("FROM debian\nRUN cd /tmp\n")
    tools = ROOT / "build/lint/bin"
    for command in ([tools / "kubernetes-validate", "--strict", "--quiet", "--kubernetes-version", "1.37", tmp_path / "wrong.yaml"],
                    [tools / "hadolint", tmp_path / "Dockerfile"]):
        assert subprocess.run(command, capture_output=True).returncode != 0


def test_the_images_content_serves_and_sandboxes():
    build = pathlib.Path(os.environ["REDQUEEN_BINARY"]).parent
    if not (build / "redqueen-torch-free").exists():
        pytest.skip(f"{build} has no redqueen-torch-free, which the image holds: ninja -C {build} redqueen-torch-free")
    said = said_by("check", build)
    assert "the image's content serves and sandboxes" in said
    (megabytes,) = re.findall(r"^stage: (\d+) MB$", said, re.M)
    (written,) = re.findall(r"Debian 12, (\d+) MB of program and libraries", SCALE.read_text(encoding="utf-8"))
    assert abs(int(megabytes) - int(written)) <= 5


def bench():
    spec = importlib.util.spec_from_file_location("scale", ROOT / "bench/scale.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def tables():
    """Rows of cells of the two tables of the estimate."""
    section = SCALE.read_text(encoding="utf-8").partition("## What a job of 1,000 GPUs asks for")[2]
    found = [[[cell.strip() for cell in line.strip("|").split("|")] for line in block.splitlines()]
             for block in re.findall(r"(?:^\|.*\n)+", section, re.M)]
    assert len(found) == 2
    return found


def seconds(text):
    value, unit = text.split()
    return float(value) * {"µs": 1e-6, "ms": 1e-3}[unit]


def test_the_estimate_follows_from_what_was_measured():
    first, second = tables()
    names = ["batch, 960", "batch, 8000", "alone, 960", "alone, 8000", "problem", "step", "program"]
    figures = {name: (seconds(row[1]), seconds(row[2]), 0.0) for name, row in zip(names, first[2:], strict=True)}
    computed = [[cell.strip() for cell in line.strip("|").split("|")] for line in bench().second_table(figures)]
    numbers = re.compile(r"\d[\d,.]*")
    for row, expected in zip(second, computed, strict=True):
        assert [numbers.sub("", cell) for cell in row] == [numbers.sub("", cell) for cell in expected]
        for cell, wanted in zip(row, expected):
            for one, other in zip(numbers.findall(cell), numbers.findall(wanted), strict=True):
                one, other = (float(text.replace(",", "").rstrip(".")) for text in (one, other))
                assert one == pytest.approx(other, rel=0.1), row


def test_the_measurement_runs_and_has_the_rows_of_the_page():
    figures = bench().measure(os.environ["REDQUEEN_BINARY"], 0.01)
    made = [line.strip("|").split("|")[0].strip() for line in bench().first_table(figures)]
    assert made == [row[0] for row in tables()[0]]
    assert all(0 <= server < 1 and 0 <= client < 1 for server, client, _ in figures.values())


def test_the_page_has_the_clients_figures():
    page = SCALE.read_text(encoding="utf-8")
    patience = inspect.signature(redqueen.connect).parameters["patience"].default
    assert patience is None and (connect._PATIENCE, connect._FIRST_PATIENCE, replicas._LONGEST_REST) == (120.0, 10.0, 2.0)
    assert {"2", "10", "120"} <= set(re.findall(r"`(\d+) s`", page))
