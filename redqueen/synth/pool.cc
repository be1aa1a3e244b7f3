#include "redqueen/synth/pool.h"

#include <algorithm>
#include <set>

namespace redqueen::synth {
namespace {

template <typename Wanted>
std::vector<std::string> names_of(const std::vector<PoolEntry>& entries, Wanted&& wanted) {
  std::vector<std::string> names;
  for (const PoolEntry& entry : entries) {
    if (wanted(entry)) names.push_back(entry.name);
  }
  return names;
}

bool is_active(const PoolEntry& entry) { return !entry.retired; }

bool is_example(const PoolEntry& entry) {
  return (entry.is_original || entry.retired) && !entry.fault;
}

// The form in which a pool is kept.
struct PoolState {
  std::vector<PoolEntry> entries;
  REDQUEEN_FIELDS(entries)
};

std::optional<std::string> find_repeated(const std::vector<PoolEntry>& entries) {
  std::set<std::string_view> seen;
  for (const PoolEntry& entry : entries) {
    if (!seen.insert(entry.name).second) return entry.name;
  }
  return std::nullopt;
}

}  // namespace

Expected<EnvironmentPool> EnvironmentPool::make(const PoolSettings& settings,
                                                const std::vector<std::string>& originals) {
  if (settings.max_epochs < 1) return usage_error("pool: max_epochs must be at least 1");
  if (settings.rotation_every < 1) return usage_error("pool: rotation_every must be at least 1");
  if (!(settings.original_floor >= 0 && settings.original_floor <= 1)) {
    return usage_error("pool: original_floor must lie between 0 and 1");
  }
  EnvironmentPool pool(settings);
  for (const std::string& name : originals) {
    pool.entries_.push_back({.name = name, .is_original = true});
  }
  if (const auto repeated = find_repeated(pool.entries_)) {
    return usage_error("pool: the seed {} is named twice", *repeated);
  }
  return pool;
}

Status EnvironmentPool::admit(std::string name, std::int64_t step) {
  if (find(name)) return failure("pool: an environment {} is there already", name);
  entries_.push_back({.name = std::move(name), .admitted = step});
  return {};
}

Expected<std::vector<std::string>> EnvironmentPool::draw_active(std::int64_t count,
                                                                std::int64_t step, Rng& rng) {
  std::vector<PoolEntry*> active;
  for (PoolEntry& entry : entries_) {
    if (is_active(entry)) active.push_back(&entry);
  }
  if (active.empty()) return failure("pool: no environment is active; give the run some seeds");
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < count; ++i) {
    PoolEntry& entry = *rng.choice(active);
    if (entry.last_used != step) ++entry.epochs;
    entry.last_used = step;
    names.push_back(entry.name);
  }
  return names;
}

std::vector<std::string> EnvironmentPool::draw_examples(std::int64_t count, Rng& rng) const {
  const std::vector<std::string> all = examples();
  const auto size = static_cast<std::int64_t>(all.size());
  std::vector<std::string> names;
  if (size == 0 || count < 1) return names;
  const auto wanted = static_cast<std::size_t>(std::min(count, size));
  for (const std::int64_t i : rng.sample(0, size - 1, wanted)) {
    names.push_back(all[i]);
  }
  return names;
}

std::vector<std::string> EnvironmentPool::rotate(std::int64_t step) {
  std::vector<std::string> names;
  if (step % settings_.rotation_every != 0) return names;
  auto active = std::count_if(entries_.begin(), entries_.end(), is_active);
  auto originals = std::count_if(entries_.begin(), entries_.end(), [](const PoolEntry& entry) {
    return entry.is_original && is_active(entry);
  });
  for (const bool turn_of_originals : {false, true}) {
    for (PoolEntry& entry : entries_) {
      const bool is_due = is_active(entry) && entry.epochs >= settings_.max_epochs;
      if (!is_due || entry.is_original != turn_of_originals || active == 1) continue;
      const double share_left =
          static_cast<double>(originals - 1) / static_cast<double>(active - 1);
      if (entry.is_original && share_left < settings_.original_floor) continue;
      entry.retired = step;
      --active;
      if (entry.is_original) --originals;
      names.push_back(entry.name);
    }
  }
  return names;
}

bool EnvironmentPool::expel(std::string_view name, std::string fault, std::int64_t step) {
  for (PoolEntry& entry : entries_) {
    if (entry.name != name || !is_active(entry)) continue;
    entry.retired = step;
    entry.fault = std::move(fault);
    return true;
  }
  return false;
}

const PoolEntry* EnvironmentPool::find(std::string_view name) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const PoolEntry& entry) { return entry.name == name; });
  return found == entries_.end() ? nullptr : &*found;
}

std::vector<std::string> EnvironmentPool::active() const { return names_of(entries_, is_active); }

std::vector<std::string> EnvironmentPool::examples() const {
  return names_of(entries_, is_example);
}

Json EnvironmentPool::state() const { return redqueen::to_json(PoolState{entries_}); }

Status EnvironmentPool::restore(const Json& state) {
  auto read = from_json<PoolState>(state);
  if (!read) return failure("the state of the pool: {}", read.error().message);
  if (const auto repeated = find_repeated(read->entries)) {
    return failure("the state of the pool names {} twice", *repeated);
  }
  entries_ = std::move(read->entries);
  return {};
}

}  // namespace redqueen::synth
