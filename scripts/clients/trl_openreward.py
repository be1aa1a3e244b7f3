"""TRL's OpenRewardSpec on the server's ORS side: the rows, environments and reward function that a GRPOTrainer is given."""
import os

from common import Checks, arguments, marked

given, check = arguments(__doc__), Checks()
os.environ["OPENREWARD_SESSION_URL"] = os.environ["OPENREWARD_API_URL"] = given.url  # read when the package is imported
from trl.experimental.openreward import OpenRewardSpec  # noqa: E402

name = given.problems[0]["environment"].lower()
spec = OpenRewardSpec(given.url, env_name=name, num_tasks=3)
rows = spec.train_dataset
check("rows", len(rows) == 3 and "task_index" in rows.column_names, rows)
environments = [spec.environment_factory() for _ in rows]
for environment, row in zip(environments, rows):
    check("a prompt", len(environment.reset(**row)) > 10)
    environment.submit(response="I give up.")
rewards = spec.reward_funcs(environments=environments)
check("responses without an answer", rewards == [-1.0] * 3, rewards)
for problem in given.problems:
    if problem["environment"].lower() != name:
        continue
    environment = environments[0]
    check("the prompt", environment.reset(task_spec={"address": problem["address"]}) == problem["prompt"])
    environment.submit(response=marked(problem))
    rewards = spec.reward_funcs(environments=[environment])
    check("the reward", rewards == [1.0], rewards)
for environment in environments:
    environment._close()
check.end()
