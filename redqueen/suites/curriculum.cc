#include "redqueen/suites/curriculum.h"

#include <algorithm>

namespace redqueen {

Curriculum::Curriculum(std::vector<const Environment*> environments,
                       const CurriculumOptions& options, int rollouts_per_group)
    : environments_(std::move(environments)),
      options_(options),
      minimum_attempts_(std::int64_t{options.minimum_groups} * rollouts_per_group) {
  for (const Environment* environment : environments_) {
    const int highest = environment->card().max_level;
    const int low = std::min(options.low, highest);
    const bool adaptive = options.difficulty == Difficulty::kAdaptive;
    ranges_.push_back({.low = low, .high = adaptive ? low : std::min(options.high, highest)});
  }
}

CurriculumDraw Curriculum::draw(Rng& rng) const {
  const auto environment = static_cast<std::size_t>(rng.below(environments_.size()));
  const Range& range = ranges_[environment];
  return {environment, static_cast<int>(rng.integer(range.low, range.high))};
}

void Curriculum::record(const CurriculumDraw& draw, bool solved) {
  Range& range = ranges_[draw.environment];
  if (draw.level != range.high) return;
  ++range.attempts;
  range.solved += solved;
}

void Curriculum::end_step() {
  if (options_.difficulty == Difficulty::kStatic) return;
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    Range& range = ranges_[i];
    if (range.attempts < minimum_attempts_) continue;
    const double accuracy = static_cast<double>(range.solved) / static_cast<double>(range.attempts);
    if (accuracy >= options_.accuracy_threshold &&
        range.high < environments_[i]->card().max_level) {
      ++range.high;
      range.low = std::max(range.low, range.high - options_.width + 1);
    }
    range.attempts = 0;
    range.solved = 0;
  }
}

std::vector<run::CurriculumState> Curriculum::rows() const {
  std::vector<run::CurriculumState> rows;
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    const Range& range = ranges_[i];
    rows.push_back({.environment = std::string(environments_[i]->name()),
                    .lower_level = range.low,
                    .upper_level = range.high,
                    .attempts = range.attempts,
                    .solved = range.solved});
  }
  return rows;
}

Json Curriculum::state() const {
  Json state = Json::object();
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    state[std::string(environments_[i]->name())] = to_json(ranges_[i]);
  }
  return state;
}

Status Curriculum::restore(const Json& state) {
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    const std::string name(environments_[i]->name());
    if (!state.contains(name)) {
      return failure("the checkpoint's curriculum does not know the environment {}", name);
    }
    auto range = from_json<Range>(state[name]);
    if (!range)
      return failure("the checkpoint's curriculum of {}: {}", name, range.error().message);
    ranges_[i] = *range;
  }
  return {};
}

}  // namespace redqueen
