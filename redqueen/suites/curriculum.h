// Draws the environment and level of the next problem (RLVE, section 2.2 and algorithm 1). The
// rules of the levels are those of level_rule.h.
#pragma once

#include <memory>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/json.h"
#include "redqueen/base/rng.h"
#include "redqueen/core/environment.h"
#include "redqueen/run/event_store.h"
#include "redqueen/suites/level_rule.h"

namespace redqueen {

// The environment and the level that a problem is to be drawn from.
struct CurriculumDraw {
  std::size_t environment;  // index into the environments of the curriculum
  int level;
};

// A level rule for each environment. No level passes the highest of its environment.
class Curriculum {
 public:
  // `weights` of the environments are positive; none: all the same.
  Curriculum(std::vector<const Environment*> environments, const CurriculumOptions& options,
             int rollouts_per_group, std::vector<double> weights = {});

  const std::vector<const Environment*>& environments() const { return environments_; }

  // An environment by its weight, then a level by its rule.
  CurriculumDraw draw(Rng& rng) const;

  // One rollout's verdict.
  void record(const CurriculumDraw& draw, bool solved);

  // After an update of the policy: levels move.
  void end_step();

  // For the store: one row an environment.
  std::vector<run::CurriculumState> rows() const;

  // For checkpoints. Restoring matches environments by name; unknown ones are an error.
  Json state() const;
  Status restore(const Json& state);

 private:
  std::vector<const Environment*> environments_;
  std::vector<double> weights_;                    // as environments_, or empty
  std::vector<std::unique_ptr<LevelRule>> rules_;  // as environments_
};

}  // namespace redqueen
