#include "redqueen/session/teaching_watch.h"

namespace redqueen {
namespace {

constexpr double kNearZero = 0.02;
constexpr double kFew = 0.1;  // of the answers
constexpr double kNearlyAll = 0.95;

std::string cause(double well_formed, double solved) {
  if (well_formed < kFew) {
    return fmt::format(
        "only {:.0f} % of the answers have the form that is asked for: the policy may have been "
        "taught in another prompt format (policy.prompt_format), or its responses are cut "
        "(sampling.max_new_tokens)",
        100 * well_formed);
  }
  if (solved > kNearlyAll)
    return "nearly all answers are right: the problems are too easy for this policy";
  if (solved < 1 - kNearlyAll) {
    return "hardly an answer is right: the problems are too hard for this policy; begin at lower "
           "levels (curriculum.low), or give it a warm start";
  }
  return "the answers to a prompt are all alike: sample at a higher temperature "
         "(sampling.temperature), or more of them (batch.rollouts)";
}

}  // namespace

std::optional<std::string> TeachingWatch::take(std::span<const run::MetricValue> metrics) {
  const auto effective = run::value_of(metrics, run::metric::kEffectivePrompts);
  if (!effective || told_) return std::nullopt;
  if (*effective > kNearZero) {
    *this = {};
    return std::nullopt;
  }
  well_formed_ += run::value_of(metrics, run::metric::kWellFormed).value_or(1);
  solved_ += run::value_of(metrics, run::metric::kSolved).value_or(0);
  if (++steps_ < kSteps) return std::nullopt;
  told_ = true;
  return fmt::format(
      "nothing is learnt: for {} steps, hardly any prompt had answers of different rewards; {}",
      kSteps, cause(well_formed_ / kSteps, solved_ / kSteps));
}

}  // namespace redqueen
