"""What adapters ask of packages that .venv has not: their names, and as much of their classes as the adapters lean on."""
import importlib
import sys
import types

# Module → the names that are imported from it, or that are used as its attributes.
NAMES = {
    "redqueen.adapters.skyrl": {"skyrl_gym.envs.base_text_env": ["BaseTextEnv", "BaseTextEnvStepOutput"]},
    "redqueen.adapters.verifiers": {"verifiers.v1": ["State", "Task", "TaskConfig", "TaskData", "Taskset", "TasksetConfig", "Trace", "reward"]},
    "redqueen.adapters.inspect": {
        "inspect_ai": ["Task", "task"], "inspect_ai.dataset": ["MemoryDataset", "Sample"],
        "inspect_ai.model": ["ChatMessage", "ChatMessageSystem", "ChatMessageTool", "ChatMessageUser"],
        "inspect_ai.scorer": ["Score", "Target", "mean", "scorer", "stderr"], "inspect_ai.solver": ["Generate", "TaskState", "solver"],
        "inspect_ai.tool": ["ToolDef", "ToolParams"]},
    "redqueen.ray": {"ray": ["data", "exceptions", "get", "get_actor", "get_runtime_context", "is_initialized", "kill", "nodes", "remote",
                             "util", "wait"]},
}
DECORATORS = {"remote", "reward", "scorer", "solver", "task"}


class Anything:
    """A class of a trainer: made of anything, a base of anything."""

    def __init__(self, *_, **fields):
        self.__dict__.update(fields)

    def __class_getitem__(cls, _):
        return cls


class BaseTextEnv:  # skyrl_gym/envs/base_text_env.py at 0.4
    def __init__(self):
        self.turns, self.max_turns = 0, 1


OWN = {"BaseTextEnv": BaseTextEnv, "BaseTextEnvStepOutput": dict}


def decorator(*given, **_):
    return given[0] if given and callable(given[0]) else lambda what: what


def load(adapter, monkeypatch):
    """The adapter, imported on what is recorded of its trainer; `monkeypatch` forgets it again."""
    modules = {module: types.ModuleType(module) for named in NAMES[adapter] for module in _with_parents(named)}
    for module, made in modules.items():
        monkeypatch.setitem(sys.modules, module, made)
        parent, _, child = module.rpartition(".")
        if parent:
            setattr(modules[parent], child, made)
    for module, names in NAMES[adapter].items():
        for name in names:
            setattr(modules[module], name, OWN.get(name) or (decorator if name in DECORATORS else type(name, (Anything,), {})))
    parent, _, child = adapter.rpartition(".")
    monkeypatch.setattr(importlib.import_module(parent), child, None, raising=False)
    monkeypatch.setitem(sys.modules, adapter, None)
    del sys.modules[adapter]
    return importlib.import_module(adapter)


def _with_parents(module):
    parts = module.split(".")
    return [".".join(parts[:i + 1]) for i in range(len(parts))]
