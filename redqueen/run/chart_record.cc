#include "redqueen/run/chart_record.h"

#include "redqueen/run/event_store.h"

namespace redqueen::run {
namespace {

ChartRecord of_one(std::string id, std::string_view metric, std::string title, std::string note,
                   std::string_view unit) {
  return {.id = std::move(id),
          .title = std::move(title),
          .note = std::move(note),
          .unit = std::string(unit),
          .series = {{std::string(metric), ""}}};
}

std::vector<ChartRecord> top_of_page() {
  using namespace chart_unit;
  std::vector<ChartRecord> charts = {
      of_one("reward", metric::kReward, "Reward", "mean over sampled rollouts", kNumber),
      of_one("solved", metric::kSolved, "Solved",
             "share of sampled rollouts, at the levels of the moment", kShare),
      {.id = "difficulty",
       .title = "Difficulty",
       .note = "upper level, mean over environments",
       .kind = std::string(chart_kind::kLevels)},
      of_one("effective_prompts", metric::kEffectivePrompts, "Effective prompt ratio",
             "share of sampled prompts whose rollouts differ in reward: only these teach", kShare),
  };
  for (ChartRecord& chart : charts) chart.overview = true;
  charts.push_back(of_one("response_tokens", metric::kResponseTokens, "Response length",
                          "mean tokens of a response", kCount));
  charts.push_back(of_one("throughput", metric::kTokensPerSecond, "Throughput",
                          "tokens per second, sampling and training together", kCount));
  charts.push_back(of_one("well_formed", metric::kWellFormed, "Well-formed",
                          "share of sampled rollouts with an answer of the asked form", kShare));
  return charts;
}

// Whether sampler, trainer and optimizer compute soundly.
std::vector<ChartRecord> numerics(const std::vector<std::string>& roles) {
  using namespace chart_unit;
  std::vector<ChartRecord> charts = {
      {.id = "mismatch",
       .title = "Sampler against trainer",
       .note = "log-probabilities of the sampled tokens by the same parameters, nats",
       .series = {{"sampler_mismatch_mean", "mean difference"}, {"sampler_kl", "KL estimate"}}},
      of_one("mismatch_max", "sampler_mismatch_max", "Sampler against trainer, worst token", "nats",
             kNumber),
      of_one("gradient_norm", metric::kGradientNorm, "Gradient norm",
             "before clipping, mean over a step's updates", kNumber),
      of_one("loss", metric::kLoss, "Loss", "mean over a step's updates", kNumber),
  };
  for (ChartRecord& chart : charts) {
    chart.section = "Numerics";
    if (roles.size() < 2) continue;
    std::vector<ChartSeries> series;
    for (const ChartSeries& one : chart.series) {
      for (const std::string& role : roles) {
        series.push_back(
            {one.metric + "/" + role, one.label.empty() ? role : one.label + ", " + role});
      }
    }
    chart.series = std::move(series);
  }
  return charts;
}

}  // namespace

std::vector<ChartRecord> charts_of_run(const std::vector<ChartRecord>& recipe,
                                       const std::vector<std::string>& roles) {
  std::vector<ChartRecord> charts = top_of_page();
  charts.insert(charts.end(), recipe.begin(), recipe.end());
  const std::vector<ChartRecord> last = numerics(roles);
  charts.insert(charts.end(), last.begin(), last.end());
  return charts;
}

}  // namespace redqueen::run
