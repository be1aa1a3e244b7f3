"""veRL: a reward function, rows in its schema, and a data set that a curriculum draws.

    reward.custom_reward_function.path=pkg://redqueen.adapters.verl
    reward.custom_reward_function.name=compute_score
    +reward.custom_reward_function.reward_kwargs.url=http://127.0.0.1:8000
"""
from __future__ import annotations

from typing import Any, Sequence

from ._source import drawn, named_suite, one_answer, served, source, teller

try:
    from torch.utils.data import Dataset
except ImportError:  # rows and rewards need no torch
    Dataset = object  # type: ignore[assignment,misc]


def compute_score(data_source: str, solution_str: str, ground_truth: str, extra_info: dict | None = None, url: str | None = None,
                  curriculum: str | None = None, **_: Any) -> dict:
    """The reward of one response; `ground_truth` is the problem's address.

    Args:
        url: servers, with commas between; else `$REDQUEEN_URL`, else the engine in this process.
        curriculum: the id of a curriculum of those servers, which is told what was solved.
    """
    where = source(url)
    one_answer(where, [ground_truth], "its agent loop is redqueen.adapters.verl_agent.RedQueenAgentLoop")
    verdict = where.score_many([ground_truth], [solution_str])[0]
    if curriculum is not None:
        teller(url, curriculum).tell(ground_truth, verdict.solved)
    return {"score": verdict.reward, "acc": float(verdict.solved), "well_formed": float(verdict.well_formed)}


def row(problem: Any, index: int = 0) -> dict:
    """A problem as veRL's data sets have it."""
    get = problem.get if isinstance(problem, dict) else lambda key: getattr(problem, key)
    return {"data_source": f"redqueen/{get('environment')}", "ability": get("environment"),
            "prompt": [{"role": "user", "content": get("prompt")}],
            "reward_model": {"style": "rule", "ground_truth": get("address")},
            "extra_info": {"index": index, "split": get("split"), "level": get("level")}}


def rows(suite: str | Sequence[str], levels: Sequence[int], size: int, split: str = "train", seed: int = 0, url: Any = None) -> list[dict]:
    """Fixed problems in veRL's schema; `datasets.Dataset.from_list(rows(…)).to_parquet(path)` writes `data.train_files`."""
    problems = source(url).dataset(suite, levels, size, split=split, seed=seed)
    return [row(problem, index) for index, problem in enumerate(problems)]


class CurriculumDataset(Dataset):
    """What veRL draws from: problem after problem of a curriculum, at the levels where it stands by then.

    It stands for files that do not exist: say `data.train_files=curriculum`. veRL uses one class for training and for
    validation, so names of files that end as data files do are read as ever.

    veRL scores in other processes than it draws in, so the curriculum lives on a server; the reward function tells it of
    what was solved. `data.redqueen` holds `suite`, `url`, `id`, `size` (the problems of an epoch) and further settings of
    a curriculum. Say `data.shuffle=false` and `data.dataloader_num_workers=0`, or rows are drawn long before their time.
    """

    def __init__(self, data_files: Any, tokenizer: Any, config: Any, processor: Any = None, max_samples: int = -1):
        files = [data_files] if isinstance(data_files, str) else [*data_files]
        self._rows = None
        if any(str(file).endswith((".parquet", ".json", ".jsonl")) for file in files):
            from verl.utils.dataset.rl_dataset import RLHFDataset

            self._rows = RLHFDataset(files, tokenizer, config, processor, max_samples)
            return
        settings = dict(config.get("redqueen") or {})
        url, id = settings.pop("url", None), settings.pop("id", "verl")
        self._size = int(settings.pop("size", 1 << 20))
        if max_samples > 0:
            self._size = min(self._size, max_samples)
        suite = named_suite(settings.pop("suite", None), "data.redqueen.suite (+data.redqueen.suite=c16)")
        self._curriculum = served(url).Curriculum(suite, id=id, **settings)

    def __len__(self) -> int:
        return self._size if self._rows is None else len(self._rows)

    def __getitem__(self, item: int) -> dict:
        if self._rows is not None:
            return self._rows[item]
        import torch

        # One index is one draw: several readers of this data set get the same.
        made = row(drawn(self._curriculum, "verl", int(item)), int(item))
        return {**made, "raw_prompt": made["prompt"], "dummy_tensor": torch.tensor([0], dtype=torch.uint8),
                "index": int(item), "tools_kwargs": {}, "interaction_kwargs": {}}
