"""The adapters of trainers that .venv has not: what they ask of those packages is recorded (recorded.py). On these names they are
imported everywhere; scripts/check_trainers looks for the names in the packages themselves."""
import ast
import importlib
import importlib.util
import sys

import pytest
import recorded
from recorded import NAMES
from support import ROOT, package


def asked(adapter):
    """Module → names, as the adapter's source imports them and uses them."""
    file = ROOT / "python" / (adapter.replace(".", "/") + ".py")
    tree, found, called = ast.parse(file.read_text(encoding="utf-8")), {}, {}
    own = set(sys.stdlib_module_names) | {"redqueen", "numpy"}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and not node.level and node.module.partition(".")[0] not in own:
            found.setdefault(node.module, set()).update(name.name for name in node.names)
        elif isinstance(node, ast.Import):
            for name in node.names:
                if name.name.partition(".")[0] not in own:
                    called[name.asname or name.name.partition(".")[0]] = name.name if name.asname else name.name.partition(".")[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in called:
            found.setdefault(called[node.value.id], set()).add(node.attr)
    return {module: sorted(names) for module, names in found.items()}


@pytest.mark.parametrize("adapter", NAMES)
def test_what_is_recorded_is_what_the_adapter_asks_for(adapter):
    assert asked(adapter) == NAMES[adapter]


@pytest.mark.parametrize("adapter", NAMES)
def test_the_package_has_these_names(adapter):
    for module, names in NAMES[adapter].items():
        package(module.partition(".")[0])
        found = importlib.import_module(module)
        for name in names:
            assert hasattr(found, name) or importlib.util.find_spec(f"{module}.{name}"), f"{module}.{name}"


@pytest.mark.parametrize("adapter", NAMES)
def test_the_adapter_is_imported(adapter, monkeypatch):
    assert recorded.load(adapter, monkeypatch).__doc__
