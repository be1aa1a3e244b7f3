#include "redqueen/session/distributed/distributed_trainer.h"

#include "redqueen/base/file_queries.h"
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

// Every rank does `what` with the folder, this one by `own`. Where a rank is gone, the answers name
// it; this process has merely noticed that a connection broke.
Status DistributedTrainer::together(const char* what, const std::filesystem::path& folder,
                                    const std::function<Status()>& own) const {
  RETURN_IF_ERROR(workers_.send_all(
      {{"do", what}, {"role", role_}, {"folder", absolute_path(folder).string()}}));
  const Status done = own();
  const auto others = workers_.receive_all();  // in any case: answers must not be left over
  if (!workers_.lost_any()) RETURN_IF_ERROR(done);
  if (!others) return tl::make_unexpected(others.error());
  return done;
}

Status DistributedTrainer::save(const std::filesystem::path& folder) const {
  if (!own_.is_shared()) return own_.save(folder);
  if (workers_.lost_any()) {
    return failure(
        "What was learnt since the last checkpoint is lost: the process had a part of the "
        "optimizer's state (train.sharding).");
  }
  return together("save", folder, [&] { return own_.save(folder); });
}

Status DistributedTrainer::load(const std::filesystem::path& folder) {
  return together("load", folder, [&] { return own_.load(folder); });
}

}  // namespace redqueen
