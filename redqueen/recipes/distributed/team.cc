#include "redqueen/recipes/distributed/team.h"

#include "redqueen/recipes/distributed/process_group.h"

namespace redqueen {

Expected<std::unique_ptr<Team>> Team::start(int size, const std::string& toml,
                                            std::chrono::seconds timeout) {
  auto ranks = RankProcesses::start(size, timeout);
  if (!ranks) return tl::make_unexpected(ranks.error());
  const Status sent = (*ranks)->send_all(
      {{"do", "begin"}, {"toml", toml}, {"meeting", (*ranks)->meeting_point().string()}});
  if (!sent) return tl::make_unexpected(sent.error());
  return std::unique_ptr<Team>(new Team(std::move(*ranks), timeout));
}

Status Team::gather(EmbeddedPolicy& policy, EmbeddedTrainer& trainer) {
  if (const auto ready = ranks_->receive_all(); !ready) return tl::make_unexpected(ready.error());
  if (Status sent = ranks_->send_all({{"do", "meet"}}); !sent) return sent;
  const auto peers = make_process_group({.rank = 0,
                                         .size = ranks_->size(),
                                         .meeting_point = ranks_->meeting_point(),
                                         .timeout = timeout_,
                                         .cuda = policy.transformer().options().device.is_cuda()});
  if (!peers) return tl::make_unexpected(ranks_->explain(peers.error()));
  if (const auto met = ranks_->receive_all(); !met) return tl::make_unexpected(met.error());
  trainer.join(*peers);
  policy_ = std::make_unique<DistributedPolicy>(policy, *ranks_);
  trainer_ = std::make_unique<DistributedTrainer>(trainer, *ranks_);
  return {};
}

}  // namespace redqueen
