#include "redqueen/recipes/genenv/pools.h"

#include <algorithm>

namespace redqueen::genenv {
namespace {

// `count` different entries in random order, or as many as there are.
template <typename Entry>
std::vector<Entry> sample_of(const std::deque<Entry>& entries, Rng& rng, std::size_t count) {
  std::vector<Entry> drawn;
  const std::size_t wanted = std::min(count, entries.size());
  if (wanted == 0) return drawn;
  for (const std::int64_t i : rng.sample(0, std::ssize(entries) - 1, wanted))
    drawn.push_back(entries[static_cast<std::size_t>(i)]);
  return drawn;
}

bool is_list_of_integers(const Json& json) {
  return json.is_array() &&
         std::ranges::all_of(json, [](const Json& entry) { return entry.is_number_integer(); });
}

bool is_list_of_numbers(const Json& json) {
  return json.is_array() &&
         std::ranges::all_of(json, [](const Json& entry) { return entry.is_number(); });
}

}  // namespace

void TaskPool::add(PooledTask task) {
  keys_.insert(task.key);
  tasks_.push_back(std::move(task));
  if (tasks_.size() <= capacity_) return;
  keys_.erase(keys_.find(tasks_.front().key));
  tasks_.pop_front();
}

std::vector<PooledTask> TaskPool::sample(Rng& rng, std::size_t count) const {
  return sample_of(tasks_, rng, count);
}

const PooledTask& TaskPool::draw_recent(Rng& rng, std::size_t among) const {
  const std::size_t newest = std::min(std::max<std::size_t>(among, 1), tasks_.size());
  return tasks_[tasks_.size() - 1 - rng.below(newest)];
}

Json TaskPool::state() const {
  Json state = Json::array();
  for (const PooledTask& task : tasks_) {
    state.push_back(
        {{"task", task.task}, {"key", task.key}, {"success", task.success}, {"step", task.step}});
  }
  return state;
}

Status TaskPool::restore(const Json& state) {
  if (!state.is_array()) return failure("the pool of tasks: expected a list");
  TaskPool restored(capacity_);
  for (const Json& json : state) {
    const bool whole = json.is_object() && json.contains("task") && json["task"].is_object() &&
                       json.contains("key") && json["key"].is_number_unsigned() &&
                       json.contains("success") && json["success"].is_number() &&
                       json.contains("step") && json["step"].is_number_integer();
    if (!whole) return failure("the pool of tasks: entry {} is none", restored.size());
    restored.add({json["task"], json["key"].get<std::uint64_t>(), json["success"].get<double>(),
                  json["step"].get<std::int64_t>()});
  }
  *this = std::move(restored);
  return {};
}

void GenerationPool::add(PooledGeneration generation) {
  generations_.push_back(std::move(generation));
  if (generations_.size() > capacity_) generations_.pop_front();
}

std::vector<PooledGeneration> GenerationPool::sample(Rng& rng, std::size_t count) const {
  return sample_of(generations_, rng, count);
}

Json GenerationPool::state() const {
  Json state = Json::array();
  for (const PooledGeneration& generation : generations_) {
    state.push_back({{"prompt", generation.prompt},
                     {"tokens", generation.completion.tokens},
                     {"log_probs", generation.completion.log_probs},
                     {"reward", generation.reward}});
  }
  return state;
}

Status GenerationPool::restore(const Json& state) {
  if (!state.is_array()) return failure("the pool of generations: expected a list");
  GenerationPool restored(capacity_);
  for (const Json& json : state) {
    const auto has = [&](const char* key, auto holds) {
      return json.is_object() && json.contains(key) && holds(json[key]);
    };
    const bool whole = has("prompt", is_list_of_integers) && has("tokens", is_list_of_integers) &&
                       has("log_probs", is_list_of_numbers) &&
                       has("reward", [](const Json& value) { return value.is_number(); });
    if (!whole) return failure("the pool of generations: entry {} is none", restored.size());
    PooledGeneration generation;
    generation.prompt = json["prompt"].get<std::vector<Token>>();
    generation.completion.tokens = json["tokens"].get<std::vector<Token>>();
    generation.completion.log_probs = json["log_probs"].get<std::vector<float>>();
    generation.reward = json["reward"].get<double>();
    restored.add(std::move(generation));
  }
  *this = std::move(restored);
  return {};
}

}  // namespace redqueen::genenv
