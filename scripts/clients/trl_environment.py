"""A class for TRL's environment_factory that plays over OpenEnv's client, called as GRPOTrainer calls it."""
import inspect

from common import Checks, arguments, tries
from openenv.core.generic_client import GenericEnvClient
from transformers.utils import get_json_schema

given, check = arguments(__doc__), Checks()


class Environment:  # what a user writes
    def __init__(self):
        self.client, self.reward = GenericEnvClient(base_url=given.url).sync(), -1.0

    def reset(self, address, **_):
        self.reward = -1.0
        return self.client.reset(address=address).observation["prompt"]

    def submit(self, response: str) -> str:
        """Hands in the whole response.

        Args:
            response: All that is to be graded.
        """
        judged = self.client.step({"response": response})
        self.reward = judged.reward
        return "right" if judged.observation["solved"] else "not right"

    def get_reward(self) -> float:
        return self.reward


played = Environment()
tools = [name for name, _ in inspect.getmembers(Environment, inspect.isfunction)
         if not name.startswith("_") and name not in ("reset", "get_reward")]
check("one tool", tools == ["submit"], tools)
schema = get_json_schema(played.submit)["function"]["parameters"]
check("its parameters", schema["required"] == ["response"], schema)
for problem, response, is_right in tries(given.problems):
    prompt = played.reset(address=problem["address"], prompt=[])
    check("the prompt", prompt == problem["prompt"], prompt)
    played.submit(response=response)
    check("the reward", is_right(played.get_reward()), (problem["address"], played.get_reward()))
played.client.close()
check.end()
