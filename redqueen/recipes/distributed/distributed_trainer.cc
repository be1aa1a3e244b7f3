#include "redqueen/recipes/distributed/distributed_trainer.h"

#include "redqueen/recipes/distributed/messages.h"

namespace redqueen {

Expected<StepReport> DistributedTrainer::step(std::span<const ScoredGroup> groups) {
  Json message{{"do", "step"}, {"groups", Json::array()}};
  for (const ScoredGroup& group : groups) message["groups"].push_back(to_message(group));
  if (Status sent = ranks_.send_all(message); !sent) return tl::make_unexpected(sent.error());
  auto report = own_.step(groups);
  if (!report) return tl::make_unexpected(ranks_.explain(report.error()));
  const auto answers = ranks_.receive_all();
  if (!answers) return tl::make_unexpected(answers.error());
  for (const Json& answer : *answers) {
    // Every rank adds up the same numbers in the same order: these are equal to the bit, or something is broken.
    if (answer.at("updates").get<std::int64_t>() != report->updates ||
        answer.at("gradient_norm").get<double>() != report->gradient_norm) {
      return failure(
          "Step {}: the processes no longer train the same parameters (gradient norms {} and {}). "
          "Go on from the last checkpoint; if it happens again, with --nproc 1.",
          report->step, report->gradient_norm, answer.at("gradient_norm").get<double>());
    }
  }
  return report;
}

Status DistributedTrainer::load(const std::filesystem::path& folder) {
  const Status sent =
      ranks_.send_all({{"do", "load"}, {"folder", std::filesystem::absolute(folder).string()}});
  if (!sent) return sent;
  const Status own = own_.load(folder);
  const auto answers = ranks_.receive_all();
  if (!own) return own;
  if (!answers) return tl::make_unexpected(answers.error());
  return {};
}

}  // namespace redqueen
