#include "redqueen/session/distributed/rank_group.h"

#include <algorithm>

#include "redqueen/session/distributed/messages.h"
#include "redqueen/session/distributed/process_group.h"

namespace redqueen {

Expected<std::unique_ptr<RankGroup>> RankGroup::start(const RankGroupOptions& options) {
  ASSIGN_OR_RETURN(auto workers, Workers::start(options.size, options.timeout, options.command));
  RETURN_IF_ERROR(workers->send_all({{"do", "begin"},
                                     {"toml", options.toml},
                                     {"rendezvous", workers->rendezvous_file().string()},
                                     {"timeout", options.timeout.count()}}));
  return std::unique_ptr<RankGroup>(new RankGroup(std::move(workers), options.timeout));
}

// Roles and sizes: ranks that differ in them would wait for each other's sums, or add up what does
// not belong together.
Status RankGroup::compare_learners(std::span<const LocalLearner> learners) {
  ASSIGN_OR_RETURN(const std::vector<Json> loaded, workers_->receive_all());
  const Json own = learners_message(learners);
  for (std::size_t i = 0; i < loaded.size(); ++i) {
    if (loaded[i] == own) continue;
    return failure(
        "rank {} of {} has other learners than rank 0: {} instead of {}; all ranks must be able to "
        "read the same configuration and policies, and have a GPU each or none",
        i + 1, workers_->size(), learners_text(loaded[i]), learners_text(own));
  }
  return {};
}

Status RankGroup::gather(std::span<const LocalLearner> learners) {
  RETURN_IF_ERROR(compare_learners(learners));
  RETURN_IF_ERROR(workers_->send_all({{"do", "join"}}));
  // One group for all learners: they make their steps one after another, in the same order in every
  // rank.
  const auto communicator = make_process_group({.rank = 0,
                                                .size = workers_->size(),
                                                .rendezvous_file = workers_->rendezvous_file(),
                                                .timeout = timeout_,
                                                .cuda = std::ranges::any_of(learners, uses_gpu)});
  if (!communicator) return tl::make_unexpected(workers_->explain(communicator.error()));
  RETURN_IF_ERROR(workers_->receive_all());
  for (const LocalLearner& learner : learners) {
    learner.trainer->join(*communicator);
    policies_.push_back(
        std::make_unique<DistributedPolicy>(learner.role, *learner.policy, *workers_));
    trainers_.push_back(
        std::make_unique<DistributedTrainer>(learner.role, *learner.trainer, *workers_));
  }
  return {};
}

}  // namespace redqueen
