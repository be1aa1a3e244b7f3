#include "redqueen/session/distributed/distributed_policy.h"

#include "redqueen/policy/token_hash.h"
#include "redqueen/session/distributed/messages.h"
#include "redqueen/train/batching.h"

namespace redqueen {
double ResponseLengths::expected(const std::string& kind, int longest) const {
  const auto sum = sums_.find(kind);
  return sum == sums_.end() ? longest : sum->second.tokens / sum->second.responses;
}

// A group's weight has fallen to a third when ten more have come: the policy changes.
void ResponseLengths::note(const std::string& kind, std::span<const Completion> responses) {
  constexpr double kKept = 0.9;
  if (responses.empty()) return;
  Sum& sum = sums_[kind];
  sum.tokens *= kKept;
  sum.responses *= kKept;
  for (const Completion& response : responses)
    sum.tokens += static_cast<double>(response.tokens.size());
  sum.responses += static_cast<double>(responses.size());
}

std::size_t expected_work(const SampleRequest& request, const SampleParameters& parameters,
                          const ResponseLengths& lengths) {
  constexpr std::size_t kBytesOfToken = 4;
  std::size_t bytes = request.prompt.size();
  for (const Message& message : request.messages) bytes += message.content.size();
  const double drawn = static_cast<double>(request.addresses.size()) *
                       lengths.expected(request.kind, parameters.max_new_tokens);
  return request.prompt_tokens.size() + bytes / kBytesOfToken + static_cast<std::size_t>(drawn);
}

void KeptPlaces::note(const CompletionGroup& group, int rank) {
  for (const Completion& completion : group.completions) {
    if (completion.is_missing()) continue;
    std::vector<Token> conversation = group.prompt_tokens;
    conversation.insert(conversation.end(), completion.tokens.begin(), completion.tokens.end());
    rank_of_[hash_tokens(conversation)] = rank;
  }
}

std::vector<int> KeptPlaces::of(std::span<const SampleRequest> requests) const {
  std::vector<int> ranks;
  for (const SampleRequest& request : requests) {
    const auto found = rank_of_.find(hash_tokens(request.prompt_tokens));
    ranks.push_back(found == rank_of_.end() ? -1 : found->second);
  }
  return ranks;
}

Expected<std::vector<CompletionGroup>> DistributedPolicy::sample(
    std::span<const SampleRequest> requests, const SampleParameters& parameters) {
  RETURN_IF_ERROR(std::exchange(dropped_, Status()));
  std::vector<std::size_t> work;
  for (const SampleRequest& request : requests)
    work.push_back(expected_work(request, parameters, lengths_));
  const auto shares = deal(work, workers_.size(), kept_.of(requests));
  for (std::size_t rank = 1; rank < shares.size(); ++rank) {
    Json share = Json::array();
    for (const std::size_t i : shares[rank]) share.push_back(to_message(requests[i]));
    RETURN_IF_ERROR(
        workers_.send(static_cast<int>(rank), {{"do", "sample"},
                                               {"role", role_},
                                               {"requests", std::move(share)},
                                               {"parameters", to_message(parameters)}}));
  }
  std::vector<SampleRequest> own;
  for (const std::size_t i : shares[0]) own.push_back(requests[i]);
  auto mine = own_.sample(own, parameters);
  const auto others = workers_.receive_all();  // in any case: answers must not be left over
  if (!mine) return mine;
  if (!others) return tl::make_unexpected(others.error());
  std::vector<CompletionGroup> groups(requests.size());
  for (std::size_t k = 0; k < own.size(); ++k) groups[shares[0][k]] = std::move((*mine)[k]);
  for (std::size_t rank = 1; rank < shares.size(); ++rank) {
    const Json& made = (*others)[rank - 1].at("groups");
    for (std::size_t k = 0; k < shares[rank].size(); ++k) {
      groups[shares[rank][k]] = completion_group(made.at(k));
    }
  }
  for (std::size_t rank = 0; rank < shares.size(); ++rank) {
    for (const std::size_t i : shares[rank]) {
      lengths_.note(requests[i].kind, groups[i].completions);
      if (requests[i].keep) kept_.note(groups[i], static_cast<int>(rank));
    }
  }
  return groups;
}

void DistributedPolicy::drop_kept() {
  own_.drop_kept();
  if (!kept_.empty()) dropped_ = drop_kept_elsewhere();
  kept_.clear();
}

Status DistributedPolicy::drop_kept_elsewhere() {
  RETURN_IF_ERROR(workers_.send_all({{"do", "drop_kept"}, {"role", role_}}));
  const auto answers = workers_.receive_all();
  return answers ? Status() : tl::make_unexpected(answers.error());
}

}  // namespace redqueen
