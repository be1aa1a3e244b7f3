#include "redqueen/suites/level_rule.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "redqueen/base/fields.h"

namespace redqueen {
namespace {

// ------------------------------------------------------------------------------------------------
// A range [l, h]

struct Range {
  int low = 0;
  int high = 0;
  std::int64_t attempts = 0;
  std::int64_t solved = 0;
  REDQUEEN_FIELDS(low, high, attempts, solved)
};

class RangeRule : public LevelRule {
 public:
  RangeRule(int low, int high) : range_{.low = low, .high = high} {}

  int draw(Rng& rng) const override {
    return static_cast<int>(rng.integer(range_.low, range_.high));
  }

  void record(int level, bool solved) override {
    if (level != range_.high) return;
    ++range_.attempts;
    range_.solved += solved;
  }

  void end_step() override {}

  run::CurriculumState row() const override {
    return {.lower_level = range_.low,
            .upper_level = range_.high,
            .attempts = range_.attempts,
            .solved = range_.solved};
  }

  Json state() const override { return to_json(range_); }
  Status restore(const Json& state) override {
    ASSIGN_OR_RETURN(range_, from_json<Range>(state));
    return {};
  }

 protected:
  Range range_;
};

// The range is the configuration's, also of a run that goes on with another one.
class StaticRule final : public RangeRule {
 public:
  using RangeRule::RangeRule;

  Json state() const override {
    Json state = RangeRule::state();
    state["static"] = true;
    return state;
  }
  Status restore(const Json& state) override {
    ASSIGN_OR_RETURN(const Range saved, from_json<Range>(state));
    if (saved.low == range_.low && saved.high == range_.high) range_ = saved;
    return {};
  }
};

// Starts at [low, low]. When at least τ_num rollouts at level h were recorded, the end of a step
// judges them: with a share of at least τ_acc solved, h rises by one, and l follows so that no more
// than d_Δ levels are drawn from; either way the count starts again.
class AdaptiveRule final : public RangeRule {
 public:
  AdaptiveRule(const CurriculumOptions& options, int max_level, int rollouts_per_group)
      : RangeRule(std::min(options.low, max_level), std::min(options.low, max_level)),
        options_(options),
        max_level_(max_level),
        minimum_attempts_(std::int64_t{options.minimum_groups} * rollouts_per_group) {}

  // Levels begin anew where the state is a static range's: nobody climbed to it.
  Status restore(const Json& state) override {
    if (state.is_object() && state.contains("static")) return {};
    return RangeRule::restore(state);
  }

  void end_step() override {
    if (range_.attempts < minimum_attempts_) return;
    const double accuracy =
        static_cast<double>(range_.solved) / static_cast<double>(range_.attempts);
    if (accuracy >= options_.accuracy_threshold && range_.high < max_level_) {
      ++range_.high;
      range_.low = std::max(range_.low, range_.high - options_.width + 1);
    }
    range_.attempts = 0;
    range_.solved = 0;
  }

 private:
  CurriculumOptions options_;
  int max_level_;
  std::int64_t minimum_attempts_;
};

// ------------------------------------------------------------------------------------------------
// A weight for every level of [low, high]

// What is known of one level. A visit is a step in which verdicts came.
struct LevelRecord {
  std::int64_t visits = 0;
  std::int64_t last_visit = 0;  // step, from 1
  double solved = 0;            // share solved, newer visits weigh more
  double progress = 0;          // by how much a visit's share differs from the last one's, likewise
  std::int64_t attempts = 0;    // of this step
  std::int64_t right = 0;
  REDQUEEN_FIELDS(visits, last_visit, solved, progress, attempts, right)
};

struct LevelRecords {
  std::int64_t step = 0;
  std::vector<LevelRecord> levels;  // from `low` on
  REDQUEEN_FIELDS(step, levels)
};

class WeightedRule : public LevelRule {
 public:
  WeightedRule(const CurriculumOptions& options, int max_level)
      : exploration_(options.exploration), low_(std::min(options.low, max_level)) {
    const int high = std::max(low_, std::min(options.high, max_level));
    records_.levels.resize(static_cast<std::size_t>(high - low_) + 1);
  }

  int draw(Rng& rng) const override {
    return low_ + static_cast<int>(rng.weighted(probabilities(records_)));
  }

  void record(int level, bool solved) override {
    const auto i = static_cast<std::size_t>(level - low_);
    if (level < low_ || i >= records_.levels.size()) return;  // of a run with another range
    ++records_.levels[i].attempts;
    records_.levels[i].right += solved;
  }

  void end_step() override {
    constexpr double kNewest = 0.5;  // weight of the newest visit in the means
    ++records_.step;
    for (LevelRecord& level : records_.levels) {
      if (level.attempts == 0) continue;
      const double share = static_cast<double>(level.right) / static_cast<double>(level.attempts);
      if (level.visits == 0) {
        level.solved = share;
      } else {
        level.progress += kNewest * (share - level.solved - level.progress);
        level.solved += kNewest * (share - level.solved);
      }
      ++level.visits;
      level.last_visit = records_.step;
      level.attempts = level.right = 0;
    }
  }

  run::CurriculumState row() const override {
    const std::vector<double> p = probabilities(records_);
    const auto quantile = [&](double share) {
      double sum = 0;
      std::size_t i = 0;
      while (i + 1 < p.size() && (sum += p[i]) < share) ++i;
      return low_ + static_cast<int>(i);
    };
    run::CurriculumState row{.lower_level = quantile(0.1), .upper_level = quantile(0.9)};
    for (const LevelRecord& level : records_.levels) {
      row.attempts += level.attempts;
      row.solved += level.right;
    }
    return row;
  }

  Json state() const override {
    Json state = to_json(records_);
    state["low"] = low_;
    return state;
  }
  Status restore(const Json& state) override {
    ASSIGN_OR_RETURN(LevelRecords records, from_json<LevelRecords>(state));
    const Json low = state.value("low", Json(low_));  // older states do not say it
    if (records.levels.size() != records_.levels.size() || low != low_) {
      return failure("it has {} levels from {} on where the configuration has {} from {} on",
                     records.levels.size(), dump_json(low), records_.levels.size(), low_);
    }
    records_ = std::move(records);
    return {};
  }

 protected:
  // One for every level; none negative, their sum positive.
  virtual std::vector<double> probabilities(const LevelRecords& records) const = 0;

  // `weights` scaled to 1 − exploration, the rest uniform; all uniform where no weight is positive.
  std::vector<double> explored(std::vector<double> weights) const {
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    const double uniform = 1.0 / static_cast<double>(weights.size());
    for (double& weight : weights) {
      weight = sum > 0 ? (1 - exploration_) * weight / sum + exploration_ * uniform : uniform;
    }
    return weights;
  }

  double exploration_;

 private:
  int low_;
  LevelRecords records_;
};

class LearnabilityRule final : public WeightedRule {
 public:
  using WeightedRule::WeightedRule;

 protected:
  std::vector<double> probabilities(const LevelRecords& records) const override {
    std::vector<double> weights;
    for (const LevelRecord& level : records.levels) {
      const double p = level.visits > 0 ? level.solved : 0.5;  // the best, until it is known
      weights.push_back(p * (1 - p));
    }
    return explored(std::move(weights));
  }
};

class BanditRule final : public WeightedRule {
 public:
  using WeightedRule::WeightedRule;

 protected:
  std::vector<double> probabilities(const LevelRecords& records) const override {
    std::vector<double> weights;
    weights.reserve(records.levels.size());
    for (const LevelRecord& level : records.levels) weights.push_back(std::abs(level.progress));
    return explored(std::move(weights));
  }
};

// Levels not yet seen are drawn with the probability of their share among all. Of the seen ones
// P = (1 − ρ) P_score + ρ P_staleness: P_score ∝ rank^(−1/β) of 2 p (1 − p), the mean absolute
// difference between a reward of 0 or 1 and its mean; P_staleness ∝ steps since the last visit.
class ReplayRule final : public WeightedRule {
 public:
  using WeightedRule::WeightedRule;

 protected:
  std::vector<double> probabilities(const LevelRecords& records) const override {
    constexpr double kBeta = 0.3;
    const std::vector<LevelRecord>& levels = records.levels;
    std::vector<std::size_t> ranked;
    double staleness = 0;
    for (std::size_t i = 0; i < levels.size(); ++i) {
      if (levels[i].visits == 0) continue;
      ranked.push_back(i);
      staleness += static_cast<double>(records.step - levels[i].last_visit);
    }
    const auto score = [&](std::size_t i) { return levels[i].solved * (1 - levels[i].solved); };
    std::ranges::stable_sort(ranked, [&](auto a, auto b) { return score(a) > score(b); });
    double ranks = 0;
    for (std::size_t r = 0; r < ranked.size(); ++r)
      ranks += std::pow(static_cast<double>(r + 1), -1 / kBeta);

    const auto count = static_cast<double>(levels.size());
    const double seen = static_cast<double>(ranked.size()) / count;
    const double stale = staleness > 0 ? exploration_ : 0;
    std::vector<double> p(levels.size(), 1 / count);  // of those not seen
    for (std::size_t r = 0; r < ranked.size(); ++r) {
      const LevelRecord& level = levels[ranked[r]];
      p[ranked[r]] = seen * (1 - stale) * std::pow(static_cast<double>(r + 1), -1 / kBeta) / ranks;
      if (stale > 0) {
        p[ranked[r]] +=
            seen * stale * static_cast<double>(records.step - level.last_visit) / staleness;
      }
    }
    return p;
  }
};

}  // namespace

std::unique_ptr<LevelRule> make_level_rule(const CurriculumOptions& options, int max_level,
                                           int rollouts_per_group) {
  switch (options.difficulty) {
    case Difficulty::kAdaptive:
      return std::make_unique<AdaptiveRule>(options, max_level, rollouts_per_group);
    case Difficulty::kLearnability:
      return std::make_unique<LearnabilityRule>(options, max_level);
    case Difficulty::kReplay:
      return std::make_unique<ReplayRule>(options, max_level);
    case Difficulty::kBandit:
      return std::make_unique<BanditRule>(options, max_level);
    case Difficulty::kStatic:
      break;
  }
  return std::make_unique<StaticRule>(std::min(options.low, max_level),
                                      std::min(options.high, max_level));
}

}  // namespace redqueen
