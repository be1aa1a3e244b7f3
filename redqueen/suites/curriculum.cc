#include "redqueen/suites/curriculum.h"

#include <utility>

namespace redqueen {

Curriculum::Curriculum(std::vector<const Environment*> environments,
                       const CurriculumOptions& options, int rollouts_per_group,
                       std::vector<double> weights)
    : environments_(std::move(environments)), weights_(std::move(weights)) {
  for (const Environment* environment : environments_) {
    rules_.push_back(make_level_rule(options, environment->card().max_level, rollouts_per_group));
  }
}

CurriculumDraw Curriculum::draw(Rng& rng) const {
  const std::size_t environment = weights_.empty()
                                      ? static_cast<std::size_t>(rng.below(environments_.size()))
                                      : rng.weighted(weights_);
  return {environment, rules_[environment]->draw(rng)};
}

void Curriculum::record(const CurriculumDraw& draw, bool solved) {
  rules_[draw.environment]->record(draw.level, solved);
}

void Curriculum::end_step() {
  for (const auto& rule : rules_) rule->end_step();
}

std::vector<run::CurriculumState> Curriculum::rows() const {
  std::vector<run::CurriculumState> rows;
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    rows.push_back(rules_[i]->row());
    rows.back().environment = environments_[i]->name();
  }
  return rows;
}

Json Curriculum::state() const {
  Json state = Json::object();
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    state[std::string(environments_[i]->name())] = rules_[i]->state();
  }
  return state;
}

Status Curriculum::restore(const Json& state) {
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    const std::string name(environments_[i]->name());
    if (!state.contains(name)) {
      return failure("the checkpoint's curriculum does not know the environment {}", name);
    }
    if (const Status restored = rules_[i]->restore(state[name]); !restored)
      return failure("the checkpoint's curriculum of {}: {}", name, restored.error().message);
  }
  return {};
}

}  // namespace redqueen
