#include "redqueen/session/distributed/distributed_policy.h"

#include <functional>

#include "redqueen/policy/token_hash.h"
#include "redqueen/session/distributed/messages.h"
#include "redqueen/train/batching.h"

namespace redqueen {
namespace {

// Receives what the other ranks sample: messages of some groups each, of which one is the last
// (rank_service.cc).
class LotReceiver {
 public:
  // Takes the k-th group of a rank's share.
  using Taker = std::function<void(std::size_t rank, std::size_t k, CompletionGroup group)>;

  LotReceiver(Workers& workers, const Taker& take)
      : workers_(workers), take_(take), is_open_(workers.size(), true) {
    is_open_[0] = false;  // this process
  }

  // Takes what has come by now.
  void receive_waiting() {
    for (int rank = 1; rank < workers_.size(); ++rank) {
      while (is_open_[rank] && workers_.has_message(rank)) receive(rank);
    }
  }

  // Waits for everything that is still to come. Returns the first error of all, by rank.
  Status receive_all() {
    for (int rank = 1; rank < workers_.size(); ++rank) {
      while (is_open_[rank]) {
        receive(rank);
        receive_waiting();
      }
    }
    if (errors_.empty()) return {};
    return tl::make_unexpected(errors_.begin()->second);
  }

 private:
  void receive(int rank) {
    const auto lot = workers_.receive(rank);
    if (!lot) {
      errors_.emplace(rank, lot.error());
      is_open_[rank] = false;
      return;
    }
    is_open_[rank] = !lot->at("last").get<bool>();
    for (const Json& entry : lot->at("groups"))
      take_(rank, entry.at("number").get<std::size_t>(), completion_group(entry.at("group")));
  }

  Workers& workers_;
  const Taker take_;
  std::vector<bool> is_open_;    // by rank: something is to come
  std::map<int, Error> errors_;  // by rank
};

}  // namespace

double ResponseLengths::expected(const std::string& kind, int longest) const {
  const auto sum = sums_.find(kind);
  return sum == sums_.end() ? longest : sum->second.tokens / sum->second.responses;
}

// A group's weight has fallen to a third when ten more have come: the policy changes.
void ResponseLengths::note(const std::string& kind, std::span<const std::size_t> responses) {
  constexpr double kKept = 0.9;
  if (responses.empty()) return;
  Sum& sum = sums_[kind];
  sum.tokens *= kKept;
  sum.responses *= kKept;
  for (const std::size_t tokens : responses) sum.tokens += static_cast<double>(tokens);
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

Status DistributedPolicy::ask_others(std::span<const SampleRequest> requests,
                                     const SampleParameters& parameters, const Shares& shares) {
  for (std::size_t rank = 1; rank < shares.size(); ++rank) {
    Json share = Json::array();
    for (const std::size_t i : shares[rank]) share.push_back(to_message(requests[i]));
    RETURN_IF_ERROR(
        workers_.send(static_cast<int>(rank), {{"do", "sample"},
                                               {"role", role_},
                                               {"requests", std::move(share)},
                                               {"parameters", to_message(parameters)}}));
  }
  return {};
}

Status DistributedPolicy::sample_each(std::span<const SampleRequest> requests,
                                      const SampleParameters& parameters,
                                      const GroupListener& listener) {
  RETURN_IF_ERROR(std::exchange(dropped_, Status()));
  std::vector<std::size_t> work;
  for (const SampleRequest& request : requests)
    work.push_back(expected_work(request, parameters, lengths_));
  const Shares shares = deal(work, workers_.size(), kept_.of(requests));
  RETURN_IF_ERROR(ask_others(requests, parameters, shares));
  std::vector<std::vector<std::size_t>> lengths(requests.size());  // of the responses, in tokens
  const auto take = [&](std::size_t rank, std::size_t k, CompletionGroup group) {
    const std::size_t i = shares[rank][k];
    for (const Completion& response : group.completions)
      lengths[i].push_back(response.tokens.size());
    if (requests[i].keep) kept_.note(group, static_cast<int>(rank));
    listener(i, std::move(group));
  };
  LotReceiver others(workers_, take);
  std::vector<SampleRequest> own;
  for (const std::size_t i : shares[0]) own.push_back(requests[i]);
  const Status mine = own_.sample_each(own, parameters, [&](std::size_t k, CompletionGroup group) {
    take(0, k, std::move(group));
    others.receive_waiting();  // lest a rank wait for room to send
  });
  const Status theirs = others.receive_all();  // in any case: answers must not be left over
  RETURN_IF_ERROR(mine);
  RETURN_IF_ERROR(theirs);
  // In this order, whoever was faster.
  for (const std::vector<std::size_t>& share : shares) {
    for (const std::size_t i : share) lengths_.note(requests[i].kind, lengths[i]);
  }
  return {};
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
