// A learner as one process holds it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/embedded/embedded_policy.h"
#include "redqueen/session/distributed/rank_place.h"
#include "redqueen/train/embedded_trainer.h"

namespace redqueen {

// Every process of a run has the same learners, in the same order.
struct LocalLearner {
  std::string role;  // as in ScoredGroup::role; may be empty if it is the only one
  std::unique_ptr<EmbeddedPolicy> policy;
  std::unique_ptr<EmbeddedTrainer> trainer;  // of the policy's weights
};

// Loads the learners of the run that `toml` configures, for the process at `place`.
using LoadLearners = std::function<Expected<std::vector<LocalLearner>>(const std::string& toml,
                                                                       const RankPlace& place)>;

}  // namespace redqueen
