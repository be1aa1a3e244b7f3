"""skyrl-gym: an environment that asks the server, registered, made and stepped as SkyRL's generator does it."""
import skyrl_gym
from common import Checks, arguments, ask, tries
from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput


class Environment(BaseTextEnv):  # what a user writes
    def __init__(self, env_config=None, extras=None):
        super().__init__()
        self.url, self.address = env_config["url"], extras["reward_spec"]["ground_truth"]

    def step(self, action):
        verdict = ask(f"{self.url}/v1/score", {"address": self.address, "response": action})
        return BaseTextEnvStepOutput(observations=[], reward=verdict["reward"], done=True, metadata={"solved": verdict["solved"]})


if __name__ == "__main__":
    given, check = arguments(__doc__), Checks()
    skyrl_gym.register(id="redqueen", entry_point=Environment)
    for problem, response, is_right in tries(given.problems):
        extras = {"reward_spec": {"method": "rule", "ground_truth": problem["address"]}, "max_turns": 1}
        env = skyrl_gym.make("redqueen", env_config={"url": given.url}, extras=extras)
        env.init([{"role": "user", "content": problem["prompt"]}])
        out = env.step(response)
        env.close()
        check("the reward", out["done"] and is_right(out["reward"]), (problem["address"], out))
    check.end()
