#include "redqueen/recipes/fitting_policy.h"

namespace redqueen {

Expected<std::vector<CompletionGroup>> FittingPolicy::sample(
    std::span<const SampleRequest> requests, const SampleParameters& parameters) {
  std::vector<SampleRequest> fitting;
  std::vector<bool> fits;
  for (const SampleRequest& request : requests) {
    fits.push_back(inner_.fits(request.prompt));
    if (fits.back()) fitting.push_back(request);
  }
  has_fitted_ = has_fitted_ || !fitting.empty();
  if (fitting.size() == requests.size() || !has_fitted_) return inner_.sample(requests, parameters);
  tell(static_cast<std::int64_t>(requests.size() - fitting.size()));
  std::vector<CompletionGroup> sampled;
  if (!fitting.empty()) {
    auto groups = inner_.sample(fitting, parameters);
    if (!groups) return groups;
    sampled = std::move(*groups);
  }
  std::vector<CompletionGroup> result(requests.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (fits[i]) {
      result[i] = std::move(sampled[next++]);
    } else {
      result[i].completions.assign(requests[i].rollouts.size(), {.finish = FinishReason::kLength});
    }
  }
  return result;
}

void FittingPolicy::tell(std::int64_t more) {
  too_long_ += more;
  if (too_long_ < told_at_) return;
  progress_.note(
      fmt::format("prompts so far that did not fit into the context of {}: {}; their answers count "
                  "as wrong, and nothing is learnt from them",
                  name(), too_long_));
  while (told_at_ <= too_long_) told_at_ *= 2;
}

}  // namespace redqueen
