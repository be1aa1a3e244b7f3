#include "redqueen/session/distributed/distributed_trainer.h"

#include "redqueen/session/distributed/messages.h"

namespace redqueen {

Expected<StepReport> DistributedTrainer::step(std::span<const ScoredGroup> groups) {
  Json message{{"do", "step"}, {"role", role_}, {"groups", Json::array()}};
  for (const ScoredGroup& group : groups) message["groups"].push_back(to_message(group));
  RETURN_IF_ERROR(workers_.send_all(message));
  auto report = own_.step(groups);
  if (!report) return tl::make_unexpected(workers_.explain(report.error()));
  ASSIGN_OR_RETURN(const std::vector<Json> answers, workers_.receive_all());
  for (const Json& answer : answers) {
    // Every rank adds up the same numbers in the same order: these are equal to the bit, or
    // something is broken.
    if (answer.at("updates").get<std::int64_t>() != report->updates ||
        answer.at("gradient_norm").get<double>() != report->gradient_norm) {
      return failure(
          "step {}: the processes no longer train the same parameters (gradient norms {} and {}). "
          "Go on from the last checkpoint; if it happens again, with --nproc 1.",
          report->step, report->gradient_norm, answer.at("gradient_norm").get<double>());
    }
  }
  return report;
}

Status DistributedTrainer::load(const std::filesystem::path& folder) {
  RETURN_IF_ERROR(workers_.send_all(
      {{"do", "load"}, {"role", role_}, {"folder", std::filesystem::absolute(folder).string()}}));
  const Status own = own_.load(folder);
  const auto others = workers_.receive_all();  // in any case: answers must not be left over
  RETURN_IF_ERROR(own);
  if (!others) return tl::make_unexpected(others.error());
  return {};
}

}  // namespace redqueen
