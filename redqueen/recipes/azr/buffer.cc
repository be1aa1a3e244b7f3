#include "redqueen/recipes/azr/buffer.h"

#include <algorithm>

namespace redqueen::azr {
namespace {

void change_count(std::map<std::string, int>& counts, const std::string& key, int change) {
  const int count = counts[key] += change;
  if (count == 0) counts.erase(key);
}

std::vector<std::string> outputs_of(const code_tasks::CodeTask& task) {
  if (task.type != code_tasks::TaskType::kInduction) return {task.output};
  std::vector<std::string> outputs;
  for (const code_tasks::InputOutput& pair : task.pairs) outputs.push_back(pair.output);
  return outputs;
}

}  // namespace

std::string novelty_of(const code_tasks::CodeTask& task) {
  return task.type == code_tasks::TaskType::kInduction ? task.name() : task.source();
}

void TaskBuffer::count(const code_tasks::CodeTask& task, int change) {
  change_count(novelties_, novelty_of(task), change);
  for (const std::string& output : outputs_of(task)) {
    change_count(outputs_, output, change);
    output_count_ += change;
  }
}

void TaskBuffer::add(code_tasks::CodeTask task) {
  count(task, 1);
  tasks_.push_back(std::move(task));
  if (tasks_.size() <= capacity_) return;
  count(tasks_.front(), -1);
  tasks_.pop_front();
}

void TaskBuffer::remove(const code_tasks::CodeTask& task) {
  const auto removed = std::erase(tasks_, task);
  for (std::size_t i = 0; i < removed; ++i) count(task, -1);
}

bool TaskBuffer::contains(const code_tasks::CodeTask& task) const {
  return novelties_.contains(novelty_of(task));
}

const code_tasks::CodeTask& TaskBuffer::draw(Rng& rng) const { return rng.choice(tasks_); }

std::vector<code_tasks::CodeTask> TaskBuffer::sample(Rng& rng, std::size_t count) const {
  const std::size_t wanted = std::min(count, tasks_.size());
  std::vector<code_tasks::CodeTask> drawn;
  if (wanted == 0) return drawn;
  for (const std::int64_t i : rng.sample(0, static_cast<std::int64_t>(tasks_.size()) - 1, wanted))
    drawn.push_back(tasks_[i]);
  return drawn;
}

double TaskBuffer::output_share(const std::string& output) const {
  const auto found = outputs_.find(output);
  if (found == outputs_.end()) return 0.0;
  return static_cast<double>(found->second) / static_cast<double>(output_count_);
}

Json TaskBuffer::state() const {
  Json tasks = Json::array();
  for (const code_tasks::CodeTask& task : tasks_) tasks.push_back(task.write_json());
  return tasks;
}

Status TaskBuffer::restore(const Json& state) {
  if (!state.is_array()) return failure("a buffer is a list of tasks, found {}", state.type_name());
  TaskBuffer restored(capacity_);
  for (const Json& json : state) {
    auto task = code_tasks::CodeTask::read_json(json);
    if (!task) return failure("task {}: {}", restored.size(), task.error().message);
    restored.add(std::move(*task));
  }
  *this = std::move(restored);
  return {};
}

}  // namespace redqueen::azr
