"""openreward, the client of ORS: splits, tasks, tools, sessions by task and by index."""
from common import Checks, arguments, marked
from openreward import OpenReward

given, check = arguments(__doc__), Checks()
name = given.problems[0]["environment"].lower()
by_prompt = {problem["prompt"]: problem for problem in given.problems}
env = OpenReward(api_key="").environments.get(name=name, base_url=given.url)
check("splits", {"train", "test"} <= set(env.list_splits()))
check("the number of tasks", env.num_tasks("train") > 0)
check("the tool", "submit" in [tool.name for tool in env.list_tools()])
task = env.get_task("train", 0)
check("one index is one task", env.get_task("train", 0).task_spec == task.task_spec, task)
for problem in given.problems:
    if problem["environment"].lower() != name:
        continue
    one = type(task)(server_name=task.server_name, environment_name=task.environment_name, namespace=task.namespace,
                     task_spec={"address": problem["address"]})
    with env.session(task=one) as session:
        prompt = session.get_prompt()[0].text
        check("the prompt", prompt == problem["prompt"], prompt)
        out = session.call_tool("submit", {"response": marked(by_prompt.get(prompt, problem))})
        check("the reward", out.finished and out.reward == 1.0, out)
        try:
            session.call_tool("submit", {"response": "again"})
            check("a call behind the end fails", False)
        except Exception as error:  # of a type of the client's own
            check("a call behind the end says so", "episode_finished" in str(error), error)
with env.session(split="train", index=3) as session:
    check("a prompt by index", len(session.get_prompt()[0].text) > 10)
    check("a response without an answer", session.call_tool("submit", {"response": "I give up."}).reward == -1.0)
with env.session(split="train", index=3) as session:
    check("an assistant's message is the last one", session.is_assistant_message_final())
    out = session.call_terminal_tool("I give up.")
    check("the terminal tool", out.finished and out.reward == -1.0, out)
check.end()
