// The tasks of one type that self-play has found so far (section 3.3.2 of the paper).
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/json.h"
#include "redqueen/base/rng.h"
#include "redqueen/code_tasks/task.h"

namespace redqueen::azr {

// Two tasks with the same text are the same. It is the program; of an induction task, whose
// proposer was given the program, it is everything.
std::string novelty_of(const code_tasks::CodeTask& task);

// At most `capacity` tasks; the oldest leaves for a new one. Equal tasks may stand in it more than
// once.
class TaskBuffer {
 public:
  explicit TaskBuffer(std::size_t capacity) : capacity_(capacity) {}

  void add(code_tasks::CodeTask task);

  // Takes out every task that equals this one.
  void remove(const code_tasks::CodeTask& task);

  [[nodiscard]] std::size_t size() const { return tasks_.size(); }
  [[nodiscard]] bool empty() const { return tasks_.empty(); }
  [[nodiscard]] const code_tasks::CodeTask& operator[](std::size_t i) const { return tasks_[i]; }
  // True if a task of the same novelty stands in it.
  [[nodiscard]] bool contains(const code_tasks::CodeTask& task) const;

  // Uniform. The buffer is not empty.
  [[nodiscard]] const code_tasks::CodeTask& draw(Rng& rng) const;
  // `count` different places, or as many as there are, in random order.
  [[nodiscard]] std::vector<code_tasks::CodeTask> sample(Rng& rng, std::size_t count) const;

  // Share of its outputs that equal this one; the empirical p of answer diversity 1 − p (appendix
  // C.4).
  [[nodiscard]] double output_share(const std::string& output) const;

  // The tasks from the oldest to the newest.
  [[nodiscard]] Json state() const;
  Status restore(const Json& state);

 private:
  void count(const code_tasks::CodeTask& task, int change);

  std::size_t capacity_;
  std::deque<code_tasks::CodeTask> tasks_;
  std::map<std::string, int> novelties_;
  std::map<std::string, int> outputs_;
  int output_count_ = 0;
};

}  // namespace redqueen::azr
