"""veRL: a reward function of a user's, loaded and called by its naive reward manager, and its call of a sandbox."""
import asyncio

from common import ask


async def compute_score(data_source, solution_str, ground_truth, extra_info, url, **_):  # what a user writes
    verdict = await asyncio.to_thread(ask, f"{url}/v1/score", {"address": ground_truth, "response": solution_str})
    return {"score": verdict["reward"], "acc": float(verdict["solved"])}


async def verl_route(data_source, solution_str, ground_truth, extra_info, url, **_):
    body = {"data_source": data_source, "solution_str": solution_str, "ground_truth": ground_truth, "extra_info": extra_info}
    return {"score": (await asyncio.to_thread(ask, f"{url}/verl/reward", body))["score"], "acc": 0.0}


def main():
    import numpy as np
    import torch
    from common import Checks, arguments, tries
    from omegaconf import OmegaConf
    from tensordict import TensorDict
    from verl import DataProto
    from verl.trainer.ppo.reward import load_reward_manager
    from verl.utils.reward_score.sandbox_fusion.utils import call_sandbox_api

    given, check = arguments(__doc__), Checks()

    class Bytes:
        def decode(self, ids, skip_special_tokens=True):
            return bytes(int(i) for i in ids).decode()

    def manager(function):
        custom = {"path": __file__, "name": function, "reward_kwargs": {"url": given.url}}
        return load_reward_manager(OmegaConf.create({"reward": {
            "custom_reward_function": custom, "reward_manager": {"source": "register", "name": "naive"}, "num_workers": 1}}), Bytes())

    def row(problem, response):
        ids = torch.tensor([list(response.encode())])
        tensors = {"prompts": torch.zeros(1, 1, dtype=torch.long), "responses": ids,
                   "attention_mask": torch.ones(1, 1 + ids.shape[1], dtype=torch.long)}
        others = {"data_source": "redqueen", "reward_model": {"style": "rule", "ground_truth": problem["address"]},
                  "extra_info": {"split": "train"}}
        return DataProto(batch=TensorDict(tensors, batch_size=1),
                         non_tensor_batch={key: np.array([value], dtype=object) for key, value in others.items()})

    async def score_all():
        for function in ("compute_score", "verl_route"):
            asked = manager(function)
            for problem, response, is_right in tries(given.problems):
                out = await asked.run_single(row(problem, response))
                check(f"the reward by {function}", is_right(out["reward_score"]), (problem["address"], out))

    asyncio.run(score_all())
    answer, error = call_sandbox_api(f"{given.url}/run_code", "print(int(input()) + 1)", "41", 5, 5, 256, "python")
    check("the sandbox", error is None and answer["run_result"]["stdout"] == "42\n", (answer, error))
    check.end()


if __name__ == "__main__":
    main()
