// What training and growing have in common: the funnel of their settings, and what they write down of candidates.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "redqueen/core/error.h"
#include "redqueen/core/prompt_format.h"
#include "redqueen/recipes/settings.h"
#include "redqueen/run/event_store.h"
#include "redqueen/synth/environment_folder.h"
#include "redqueen/synth/funnel.h"

namespace redqueen {

// Means of one step, by name.
class MetricMeans {
 public:
  void add(const std::string& name, double value) {
    auto& [sum, count] = sums_[name];
    sum += value;
    ++count;
  }
  void write(std::vector<MetricValue>& metrics) const {
    for (const auto& [name, sum] : sums_)
      metrics.push_back({name, sum.first / static_cast<double>(sum.second)});
  }

 private:
  std::map<std::string, std::pair<double, std::int64_t>> sums_;
};

// Reads the review's template if there is a review.
Expected<FunnelSettings> funnel_settings(const TrainSettings& settings, PromptFormat format,
                                         PromptFormat text_format);

// Reward, layers reached, novelty, review, calibration.
void add_candidate(const EnvironmentCandidate& candidate, MetricMeans& means);

// For the store. `environment`: its name in the pool, if it was admitted.
ItemRecord candidate_item(const EnvironmentCandidate& candidate,
                          const std::optional<std::string>& environment);

// For its folder in the pool. `recipe` and `policy` are for its provenance.
EnvironmentRecord candidate_record(const EnvironmentCandidate& candidate, std::string_view recipe,
                                   std::string_view policy, std::int64_t step);

}  // namespace redqueen
