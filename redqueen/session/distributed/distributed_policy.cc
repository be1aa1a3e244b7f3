#include "redqueen/session/distributed/distributed_policy.h"

#include "redqueen/session/distributed/messages.h"

namespace redqueen {

Expected<std::vector<CompletionGroup>> DistributedPolicy::sample(
    std::span<const SampleRequest> requests, const SampleParameters& parameters) {
  const std::size_t size = workers_.size();
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
    RETURN_IF_ERROR(
        workers_.send(static_cast<int>(rank), {{"do", "sample"},
                                               {"role", role_},
                                               {"requests", std::move(shares[rank])},
                                               {"parameters", to_message(parameters)}}));
  }
  auto mine = own_.sample(own, parameters);
  const auto others = workers_.receive_all();  // in any case: answers must not be left over
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
