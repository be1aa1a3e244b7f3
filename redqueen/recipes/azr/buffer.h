// The tasks of one type that self-play has found so far (section 3.3.2 of the paper).
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/core/error.h"
#include "redqueen/core/json.h"
#include "redqueen/core/rng.h"
#include "redqueen/recipes/azr/task.h"

namespace redqueen {

// What makes a task new: its program, and of an induction task everything, since its proposer was given the program.
std::string novelty_of(const CodeTask& task);

// At most `capacity` tasks; the oldest leaves for a new one. Equal tasks may stand in it more than once.
class TaskBuffer {
 public:
  explicit TaskBuffer(std::size_t capacity) : capacity_(capacity) {}

  void add(CodeTask task);

  [[nodiscard]] std::size_t size() const { return tasks_.size(); }
  [[nodiscard]] bool empty() const { return tasks_.empty(); }
  [[nodiscard]] const CodeTask& operator[](std::size_t i) const { return tasks_[i]; }
  // Whether a task of the same novelty stands in it.
  [[nodiscard]] bool knows(const CodeTask& task) const;

  // Uniform. The buffer is not empty.
  [[nodiscard]] const CodeTask& draw(Rng& rng) const;
  // `count` different places, or as many as there are, in random order.
  [[nodiscard]] std::vector<CodeTask> sample(Rng& rng, std::size_t count) const;

  // Share of its outputs that equal this one; the empirical p of answer diversity 1 − p (appendix C.4).
  [[nodiscard]] double output_share(const std::string& output) const;

  // The tasks from the oldest to the newest.
  [[nodiscard]] Json state() const;
  Status restore(const Json& state);

 private:
  void count(const CodeTask& task, int change);

  std::size_t capacity_;
  std::deque<CodeTask> tasks_;
  std::map<std::string, int> novelties_;
  std::map<std::string, int> outputs_;
  int output_count_ = 0;
};

}  // namespace redqueen
