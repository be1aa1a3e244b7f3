"""The image's and the manifest's parts fit each other and the program. deploy/check tries the image's content."""
import re
import subprocess

import pytest
from conftest import ROOT, package

yaml = package("yaml")


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
    import os

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
