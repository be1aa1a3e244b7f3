// Which environment and level the next problem is drawn from (RLVE, section 2.2 and algorithm 1).
#pragma once

#include <cstdint>
#include <vector>

#include "redqueen/core/environment.h"
#include "redqueen/core/error.h"
#include "redqueen/core/fields.h"
#include "redqueen/core/json.h"
#include "redqueen/core/rng.h"
#include "redqueen/run/event_store.h"

namespace redqueen {

enum class Difficulty {
  kAdaptive,  // follows the policy
  kStatic,    // uniform in [low, high], the baseline
};

struct CurriculumOptions {
  Difficulty difficulty = Difficulty::kAdaptive;
  double accuracy_threshold = 0.9;  // τ_acc: share solved at the upper level that raises it
  int minimum_groups = 8;  // τ_num in groups: attempts at the upper level before it is judged
  int width = 4;           // d_Δ: levels drawn from, at most
  int low = 0;             // first lower level; of a static range, the lower end
  int high = 20;           // of a static range, the upper end
};

// Where a problem is to be drawn from.
struct CurriculumDraw {
  std::size_t environment;  // index into the environments of the curriculum
  int level;
};

// Difficulty ranges [l, h] of environments. Adaptive ones start at [0, 0]. When at least τ_num
// rollouts at level h were recorded, the end of a step judges them: with a share of at least τ_acc
// solved, h rises by one, and l follows so that no more than d_Δ levels are drawn from; either way
// the count starts again. A level never passes the highest of its environment.
class Curriculum {
 public:
  Curriculum(std::vector<const Environment*> environments, const CurriculumOptions& options,
             int rollouts_per_group);

  const std::vector<const Environment*>& environments() const { return environments_; }

  // An environment uniformly, then a level uniformly from its range.
  CurriculumDraw draw(Rng& rng) const;

  // One rollout's verdict. Only those at the upper level count.
  void record(const CurriculumDraw& draw, bool solved);

  // After an update of the policy: judges every environment that has enough rollouts.
  void end_step();

  // For the store: one row an environment.
  std::vector<run::CurriculumState> rows() const;

  // For checkpoints. Restoring matches environments by name; unknown ones are an error.
  Json state() const;
  Status restore(const Json& state);

 private:
  struct Range {
    int low = 0;
    int high = 0;
    std::int64_t attempts = 0;
    std::int64_t solved = 0;
    REDQUEEN_FIELDS(low, high, attempts, solved)
  };

  std::vector<const Environment*> environments_;
  CurriculumOptions options_;
  std::int64_t minimum_attempts_;
  std::vector<Range> ranges_;  // as environments_
};

}  // namespace redqueen
