#include "redqueen/arena/judge/task_text.h"

#include "redqueen/arena/judge/feedback.h"

namespace redqueen::arena {
namespace {

constexpr const char* kRulesV0 = R"(# Rules of this workspace

You improve a program that acts in an environment. The program is everything below `system/`; its entry is `system/policy.py`.
You may play a fixed number of training episodes, all together: the budget. When it is spent, the judge closes the run by itself,
chooses the submission that did best on validation cases that you do not see, and scores that one on held-out cases.

## Where things are

- `system/`: yours. Modules, data files, weights, notes. Plain files and folders only, no links.
- `feedback/submit_000/`, `submit_001/`, …: what the judge tells of each submission. `summary.json` always; `errors.txt` when the
  submission failed; otherwise a folder for each episode with `trajectory.jsonl` (a line a step: t, obs, action, reward,
  terminated, truncated, info), `stdout.txt`, `stderr.txt`, and `error.txt` where your program raised.
- The addresses of the judge are in the environment: `EVOPOLICYGYM_INFO_URL`, `EVOPOLICYGYM_TASK_URL`, `EVOPOLICYGYM_SUBMIT_URL`. The last
  one holds a token that shows that you are this run's agent; take it as it is.

## How to submit

`GET` the task and the info first. Then `POST` JSON to the submit address:

    {"env_instances": [0, 1, 2]}        or        {"env_instances": "0-2,7"}

The numbers name training cases; order and repeats are kept, and each costs one episode. The answer comes when they have been
played: `status`, `submit_id`, and `summary`, which is also `feedback/submit_NNN/summary.json`. A request that is malformed, out of
range or above the budget costs nothing. Anything else is charged in full, also when the program fails to import.

)";

// The session protocol's; what the judge runs is the same.
constexpr const char* kRulesSession = R"(# Rules of this workspace

You improve a program that acts in an environment. The program is everything below `program/`; its entry is `program/policy.py`.
TASK.md has the task. You may play a fixed number of training episodes, all together: the budget. When you have found what you
looked for, you end the search and name up to three of your submissions; the judge chooses the one that does best on validation cases
that you do not see, and scores it on held-out cases.

## Where things are

- `program/`: yours. Modules, data files, weights, notes. Plain files and folders only, no links.
- `feedback/submit_000/`, `submit_001/`, …: what the judge tells of each submission. `summary.json` always; `errors.txt` when the
  submission failed; otherwise a folder for each episode with `trajectory.jsonl` (a line a step: t, obs, action, reward,
  terminated, truncated, info), `stdout.txt`, `stderr.txt`, and `error.txt` where your program raised.

## How to submit, and how to end

    evopolicygym-session submit program --episodes "0:2,4:8"        # training cases 0, 1, 4, 5, 6, 7; each costs one episode
    evopolicygym-session finish submission-000001                   # one to three of them

Numbers rise strictly within a submission. The answer is JSON and names the folder of the feedback. A request that is malformed, out
of range or above the budget costs nothing. Anything else is charged in full, also when the program fails to import.

)";

// The built-in coding agent's.
constexpr const char* kRulesTools = R"(# Rules

You improve a program that acts in an environment. The program is everything below `system/`; its entry is `system/policy.py`.
You may play a fixed number of training episodes, all together: the budget. When it is spent, or when you call finish, the judge
chooses the submission that did best on validation cases that you do not see, and scores that one on held-out cases.

You work with tools, one or more a turn:

- `write` and `edit` change files below `system/`; `read` shows a file, and of the path "." the list of all.
- `run` runs a file of `system/` as a program, to try things out. It costs nothing; there is no environment in it.
- `submit` plays training cases with the policy as it is now, each for one episode of the budget, and tells the returns and what the
  policy raised. `feedback/submit_000/`, … then have a summary and trajectories (a line a step: t, obs, action, reward, …).
- `finish` ends the search.

)";

constexpr const char* kPolicyRules = R"(## What the judge runs

    class Policy:
        def __init__(self, obs_space, action_space, env_meta): ...
        def reset(self, episode_index): ...
        def act(self, obs): ...          # returns an action

The spaces are dictionaries, as the task shows them. Observations are numbers, lists and dictionaries; with `OBS = "numpy"` in
policy.py arrays come as arrays. Instead of the class, policy.py may have `make_policy(context)`, called before every episode, whose
result has `act(observation)`.

The policy runs in a process of its own with Python's library and numpy, where
the task says so, and nothing else: no network, no other process, no environment, none of your other files. What it writes is
gone afterwards. Time and memory are limited. After an exception the policy is asked nothing more in that episode: the judge plays it
to its end with the null action (the least action, or zeros), and counts what that returns. A process that dies, hangs or floods ends
the submission. Seeds and case numbers are never told.
)";

}  // namespace

std::string agent_rules(Protocol protocol) {
  return std::string(protocol == Protocol::kSession ? kRulesSession : kRulesV0) + kPolicyRules;
}

std::string tool_rules() { return std::string(kRulesTools) + kPolicyRules; }

std::vector<std::string> allowed_imports(bool numpy) {
  return numpy ? std::vector<std::string>{"numpy"} : std::vector<std::string>{};
}

std::string task_text(const SimulatorCard& card, const RunSettings& settings, bool numpy) {
  std::string text = fmt::format("# {}\n\n{}\n\n## Observations\n\n```json\n{}\n```\n", card.id,
                                 card.description, schema(card.observation_space).dump(2));
  if (is_stored_outside(card.observation_space)) {
    text +=
        "\nObservations are large: trajectories have null in their place, and each episode a file "
        "observations.npy.\n";
  }
  text += fmt::format("\n## Actions\n\n```json\n{}\n```\n", schema(card.action_space).dump(2));
  text +=
      "\nAn action that does not fit is made to fit (cut, clipped, broadcast, else the least "
      "action or "
      "zeros), and the step's info says `action_invalid`.\n";
  if (!card.reward_components.empty()) {
    text += fmt::format("\nRewards have parts: {}.\n", fmt::join(card.reward_components, ", "));
  }
  text += fmt::format(
      "\n## Terms\n\n- An episode has at most {} steps; its return is the sum of its rewards.\n"
      "- The budget is {} episodes; a submission plays {} to {} of them.\n"
      "- {}\n"
      "{}"
      "- Training cases are numbered 0 to {}.\n"
      "- The score is the mean return over {} held-out cases, of the submission with the highest "
      "mean "
      "over {} validation cases; of equal ones the latest.\n"
      "- Loading may take {:g} seconds, a reset or an action {:g}, an episode {:g}; memory {} "
      "MiB.\n"
      "- {}\n",
      card.max_episode_steps, settings.budget, settings.minimum, settings.maximum,
      settings.fresh_policy_per_episode
          ? "Every episode is played by a new instance of the policy, in a process of its own."
      : settings.one_hidden_instance
          ? "One instance of the policy plays all episodes of a submission, in order; one plays "
            "all "
            "validation cases, one all held-out cases."
          : "One instance of the policy plays all episodes of a submission, in order. Hidden cases "
            "are played likewise, as many by an instance as the submission has episodes.",
      settings.require_budget ? "- The search ends when the budget is used, not before.\n" : "",
      settings.sizes.train - 1, settings.sizes.heldout, settings.sizes.validation,
      settings.limits.load_seconds, settings.limits.step_seconds, settings.limits.episode_seconds,
      settings.limits.memory_bytes >> 20,
      numpy ? "numpy can be imported." : "There is no numpy; Python's own library only.");
  return text;
}

}  // namespace redqueen::arena
