#include "redqueen/train/aggregation.h"

#include <map>

namespace redqueen {
namespace {

struct Counts {
  double tokens = 0;
  double responses = 0;
};

double coefficient(const AggregationOptions& options, const Counts& counts, double length) {
  switch (options.rule) {
    case Aggregation::kTokenMean:
      return 1 / counts.tokens;
    case Aggregation::kSequenceMean:
      return 1 / (counts.responses * length);
    case Aggregation::kConstantLength:
      return 1 / (counts.responses * options.constant_length);
  }
  return 0;
}

}  // namespace

std::vector<double> token_coefficients(std::span<const ScoredGroup> groups,
                                       const AggregationOptions& options) {
  const auto role_of = [&](const ScoredGroup& group) {
    return options.per_role ? std::string_view(group.role) : std::string_view();
  };
  std::map<std::string_view, Counts> counts;
  for (const ScoredGroup& group : groups) {
    Counts& count = counts[role_of(group)];
    for (const ScoredRollout& rollout : group.rollouts) {
      const std::size_t drawn = drawn_tokens(rollout);
      count.tokens += static_cast<double>(drawn);
      count.responses += drawn == 0 ? 0 : 1;
    }
  }
  std::vector<double> result;
  for (const ScoredGroup& group : groups) {
    const Counts& count = counts[role_of(group)];
    for (const ScoredRollout& rollout : group.rollouts) {
      const auto length = static_cast<double>(drawn_tokens(rollout));
      result.push_back(length == 0 ? 0 : coefficient(options, count, length));
    }
  }
  return result;
}

}  // namespace redqueen
