"""Stands for the package wandb in tests: writes what it is asked to record into a file of the run's folder."""
import json
import pathlib


class Settings:
    def __init__(self, **settings):
        self.settings = settings


class Run:
    def __init__(self, asked):
        self.path = pathlib.Path(asked.pop("dir")) / "calls.jsonl"
        asked.pop("settings")
        self.write(["init", asked])

    def write(self, call):
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(call) + "\n")

    def log(self, row, step):
        self.write(["log", step, row])

    def finish(self):
        self.write(["finish"])


def init(**asked):
    return Run(asked)
