// Makes a task of a description: the environment makes the problem, and a task that could not teach
// anything is refused with a reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/json.h"
#include "redqueen/base/rng.h"
#include "redqueen/core/environment.h"
#include "redqueen/core/prompt_format.h"
#include "redqueen/recipes/genenv/task_description.h"

namespace redqueen::genenv {

// A problem and where it comes from.
struct Task {
  TaskDescription description = {};
  const Environment* environment = nullptr;
  ProblemAddress address = {};  // of a described level; of a parameter it has the environment alone
  std::shared_ptr<const Problem> problem = {};
  std::uint64_t key = 0;            // of the problem's parameter: equal problems share it
  int solver_turns = 1;             // of the environment's own solution
  std::size_t reference_bytes = 0;  // of its answer, or of the transcript of its turns

  // Enough to make it again; see TaskBuilder::restore().
  [[nodiscard]] Json write_json() const;
  // "Sorting@1/3/42", or "Sorting/1f…" for a problem that has no address.
  [[nodiscard]] std::string name() const;
};

struct TaskRules {
  int max_level = 10;  // of any environment; a card may allow less
  int max_turns = 0;   // that a task may need; 0: as many as the environment allows
  int draws = 32;      // problems that are looked at for one that keeps constraints and is new
  std::size_t max_prompt_bytes = 24576;
  bool refuse_trivial = true;
  std::uint64_t salt = 1;  // of the run's problems
};

// Immutable; thread-safe.
class TaskBuilder {
 public:
  TaskBuilder(std::vector<const Environment*> environments, const TaskRules& rules,
              PromptFormat format);

  const std::vector<const Environment*>& environments() const { return environments_; }
  const TaskRules& rules() const { return rules_; }
  const PromptFormat& format() const { return format_; }
  // The highest level that a description may name.
  int highest_level(const Environment& environment) const;

  // The task of a description; problems for which `known` is true are passed over. What is drawn
  // follows from `address`, whose salt counts the draws.
  Judged<Task> build(const TaskDescription& description, const RandomAddress& address,
                     const std::function<bool(std::uint64_t key)>& known = {}) const;

  // The task of Task::write_json(). Fails where its environment is not of this run.
  Expected<Task> restore(const Json& json) const;

 private:
  const Environment* find(std::string_view name) const;
  Judged<Task> task_of(const TaskDescription& description, const Environment& environment,
                       ProblemAddress address, ProblemPtr problem) const;
  Judged<Task> drawn(const TaskDescription& description, const Environment& environment,
                     const RandomAddress& address,
                     const std::function<bool(std::uint64_t)>& known) const;
  Judged<void> examine(Task& task) const;
  bool is_trivial(const Problem& problem) const;

  std::vector<const Environment*> environments_;
  TaskRules rules_;
  PromptFormat format_;
};

// The key of a parameter.
std::uint64_t key_of(const Environment& environment, const Json& parameter);

}  // namespace redqueen::genenv
