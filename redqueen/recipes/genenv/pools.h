// The two pools that grow while agent and environment train each other (section 2.3 of the paper).
// Transcripts and texts stand in the run's database; here is what later steps draw from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/json.h"
#include "redqueen/base/rng.h"
#include "redqueen/train/rollout.h"

namespace redqueen::genenv {

// A task of D_train.
struct PooledTask {
  Json task;  // Task::write_json()
  std::uint64_t key = 0;
  double success = 0;  // share of its attempts, when it was new
  std::int64_t step = 0;
};

// D_train: tasks with at least one valid trace. At most `capacity`; the oldest leaves.
class TaskPool {
 public:
  explicit TaskPool(std::size_t capacity) : capacity_(capacity) {}

  void add(PooledTask task);
  [[nodiscard]] bool contains(std::uint64_t key) const { return keys_.contains(key); }
  [[nodiscard]] std::size_t size() const { return tasks_.size(); }
  // `count` different ones in random order, or as many as there are.
  [[nodiscard]] std::vector<PooledTask> sample(Rng& rng, std::size_t count) const;
  // One of the newest `among`. The pool is not empty.
  [[nodiscard]] const PooledTask& draw_recent(Rng& rng, std::size_t among) const;

  [[nodiscard]] Json state() const;
  Status restore(const Json& state);

 private:
  std::size_t capacity_;
  std::deque<PooledTask> tasks_;  // the oldest first
  std::multiset<std::uint64_t> keys_;
};

// A pair of D_env: a prompt of the environment policy, and what it wrote.
struct PooledGeneration {
  std::vector<Token> prompt;
  Completion completion;
  double reward = 0;  // R_env
};

// D_env, as far as it is trained on again. At most `capacity`; the oldest leaves.
class GenerationPool {
 public:
  explicit GenerationPool(std::size_t capacity) : capacity_(capacity) {}

  void add(PooledGeneration generation);
  [[nodiscard]] std::size_t size() const { return generations_.size(); }
  [[nodiscard]] std::vector<PooledGeneration> sample(Rng& rng, std::size_t count) const;

  [[nodiscard]] Json state() const;
  Status restore(const Json& state);

 private:
  std::size_t capacity_;
  std::deque<PooledGeneration> generations_;
};

}  // namespace redqueen::genenv
