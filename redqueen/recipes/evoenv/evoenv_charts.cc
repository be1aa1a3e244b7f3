#include "redqueen/recipes/evoenv/evoenv_charts.h"

#include "redqueen/recipes/evoenv/candidate_records.h"

namespace redqueen::evoenv {

std::vector<run::ChartRecord> evoenv_charts() {
  using namespace run::chart_unit;
  const std::string share(kShare);
  std::vector<run::ChartRecord> charts = {
      {.id = "candidates",
       .title = "What became of the candidates",
       .note = "by steps: the layer at which they fell, or what refused them afterwards",
       .kind = std::string(run::chart_kind::kFates),
       .items = std::string(kCandidateItem),
       .series = {{"L*", ""}, {"*", ""}, {"admitted", ""}}},
      {.id = "tags",
       .title = "What the admitted environments are about",
       .note = "by steps: how many have a tag; an environment may have several",
       .kind = std::string(run::chart_kind::kTags),
       .items = std::string(kCandidateItem),
       .series = {{"admitted", ""}}},
      {.id = "funnel",
       .title = "Funnel",
       .note = "share of the candidates that came so far",
       .unit = share,
       .series = {{"funnel/layer_1", "layer 1"},
                  {"funnel/layer_2", "2"},
                  {"funnel/layer_3", "3"},
                  {"funnel/layer_4", "4"},
                  {"funnel/layer_5", "5"},
                  {"funnel/admitted", "admitted"}}},
      {.id = "pool",
       .title = "Pool",
       .note = "environments, the seeds included, and clusters that differ in tags",
       .unit = std::string(kCount),
       .series = {{"pool/all", "all"},
                  {"pool/active", "active"},
                  {"pool/accepted", "accepted"},
                  {"pool/clusters", "clusters of tags"}}},
      {.id = "similarity",
       .title = "Similarity",
       .note = "to the environments admitted before",
       .series = {{"similarity_average", "similarity, moving average"},
                  {"novelty", "novelty of candidates"}}},
      {.id = "novelty_weight",
       .title = "Weight of novelty",
       .note = "in the generator's reward",
       .series = {{"novelty_weight", "novelty weight"}}},
      {.id = "review",
       .title = "The review on environments of known truth",
       .note = "precision: of those rejected, the share that is faulty; recall: of the faulty, the "
               "share rejected; trusted: better than chance",
       .unit = share,
       .series = {{"review/precision", "precision"},
                  {"review/recall", "recall"},
                  {"review/trusted", "trusted"}}},
      {.id = "calibration",
       .title = "Calibration and review",
       .note = "of candidates that passed layer 5",
       .unit = share,
       .series = {{"calibrated_rate", "solved in calibration"},
                  {"funnel/review_passed", "passed by the review"}}},
  };
  for (run::ChartRecord& chart : charts) chart.section = "Environments that the policy wrote";
  return charts;
}

}  // namespace redqueen::evoenv
