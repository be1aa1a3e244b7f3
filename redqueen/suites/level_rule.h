// Draws the level of an environment's next problem: the rules behind a curriculum.
#pragma once

#include <cstdint>
#include <memory>

#include "redqueen/base/enum_names.h"
#include "redqueen/base/error.h"
#include "redqueen/base/json.h"
#include "redqueen/base/rng.h"
#include "redqueen/run/event_store.h"

namespace redqueen {

enum class Difficulty {
  kAdaptive,      // a range that rises with the policy (RLVE, algorithm 1)
  kStatic,        // uniform in [low, high], the baseline
  kLearnability,  // p (1 − p), p the share solved (Rutherford et al., 2024, "No Regrets")
  kReplay,        // prioritised level replay (Jiang et al., 2021), a level in the place of a seed
  kBandit,        // where the share solved moves, up or down (Matiisen et al., 2019, "Online")
};

inline constexpr auto kDifficultyNames =
    enum_names<Difficulty>({{"adaptive", Difficulty::kAdaptive},
                            {"static", Difficulty::kStatic},
                            {"learnability", Difficulty::kLearnability},
                            {"replay", Difficulty::kReplay},
                            {"bandit", Difficulty::kBandit}});

struct CurriculumOptions {
  Difficulty difficulty = Difficulty::kAdaptive;
  double accuracy_threshold = 0.9;  // τ_acc: share solved at the upper level that raises it
  int minimum_groups = 8;  // τ_num in groups: attempts at the upper level before it is judged
  int width = 4;           // d_Δ: levels drawn from, at most
  int low = 0;             // first lower level; the lower end where the range does not rise
  int high = 20;           // the upper end where the range does not rise
  double exploration =
      0.1;  // of learnability and bandit: share of uniform draws; of replay: of the
            // draws that prefer what was not drawn for long (ρ)
};

// The rule of one environment. A step is a number of draws, their verdicts, and end_step().
class LevelRule {
 public:
  virtual ~LevelRule() = default;

  virtual int draw(Rng& rng) const = 0;

  // One rollout's verdict at a level that draw() gave, now or in an earlier step.
  virtual void record(int level, bool solved) = 0;

  // After an update of the policy: the place where levels move.
  virtual void end_step() = 0;

  // For the store, without the environment's name: the range drawn from, or the range that holds
  // the middle four fifths of the draws.
  virtual run::CurriculumState row() const = 0;

  // For checkpoints. What state() gave is restored to the bit.
  virtual Json state() const = 0;
  virtual Status restore(const Json& state) = 0;
};

// `max_level`: the environment's highest; no rule passes it.
std::unique_ptr<LevelRule> make_level_rule(const CurriculumOptions& options, int max_level,
                                           int rollouts_per_group);

}  // namespace redqueen
