#include "redqueen/recipes/distributed/distributed_policy.h"

#include "redqueen/recipes/distributed/messages.h"

namespace redqueen {

Expected<std::vector<CompletionGroup>> DistributedPolicy::sample(
    std::span<const SampleRequest> requests, const SampleParameters& parameters) {
  const auto size = static_cast<std::size_t>(ranks_.size());
  std::vector<Json> shares(size, Json::array());
  std::vector<SampleRequest> own;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (i % size == 0) {
      own.push_back(requests[i]);
    } else {
      shares[i % size].push_back(to_message(requests[i]));
    }
  }
  for (std::size_t rank = 1; rank < size; ++rank) {
    const Status sent =
        ranks_.send(static_cast<int>(rank), {{"do", "sample"},
                                             {"requests", std::move(shares[rank])},
                                             {"parameters", to_message(parameters)}});
    if (!sent) return tl::make_unexpected(sent.error());
  }
  auto mine = own_.sample(own, parameters);
  const auto others = ranks_.receive_all();  // in any case: answers must not be left over
  if (!mine) return mine;
  if (!others) return tl::make_unexpected(others.error());
  std::vector<CompletionGroup> groups(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const std::size_t rank = i % size;
    groups[i] = rank == 0 ? std::move((*mine)[i / size])
                          : completion_group((*others)[rank - 1].at("groups").at(i / size));
  }
  return groups;
}

}  // namespace redqueen
