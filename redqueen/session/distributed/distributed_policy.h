// One policy in several processes with the same weights: each samples a part of the responses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "redqueen/policy/policy.h"
#include "redqueen/session/distributed/workers.h"

namespace redqueen {

// Predicts the lengths of responses from those that came.
class ResponseLengths {
 public:
  // Tokens of a response to a request of this kind: the mean of the last ones, or `longest` if
  // there were none.
  double expected(const std::string& kind, int longest) const;
  // Responses to one request, in tokens each.
  void note(const std::string& kind, std::span<const std::size_t> responses);

 private:
  struct Sum {
    double tokens = 0;
    double responses = 0;
  };
  std::map<std::string, Sum> sums_;  // by kind; what came before counts less with every note()
};

// Estimates the work of the responses to a request, in tokens through the network: its prompt once,
// and every response as long as `lengths` expects. Texts count a token for four bytes.
std::size_t expected_work(const SampleRequest& request, const SampleParameters& parameters,
                          const ResponseLengths& lengths);

// Remembers the rank that keeps the keys and values of a conversation. Conversations are told apart
// by a hash of their tokens: a mistake sends a request to a rank that has to compute it anew.
class KeptPlaces {
 public:
  // The rank kept what it computed for these responses.
  void note(const CompletionGroup& group, int rank);
  // By request: the rank that keeps what it continues, or -1.
  std::vector<int> of(std::span<const SampleRequest> requests) const;

  bool empty() const { return rank_of_.empty(); }
  void clear() { rank_of_.clear(); }

 private:
  std::map<std::uint64_t, int> rank_of_;
};

// In rank 0. Requests are dealt out so that all ranks have about the same to do (train/batching.h);
// within that, a conversation goes on in the rank that keeps its keys and values, and elsewhere it
// is computed anew. The other ranks hand over their groups in lots while they sample. As every
// response has its own address of randomness, responses are those of `own` alone, up to rounding
// (see generation.h).
class DistributedPolicy final : public Policy {
 public:
  // The policy of the learner of this role; `own` and `workers` outlive it.
  DistributedPolicy(std::string role, Policy& own, Workers& workers)
      : role_(std::move(role)), own_(own), workers_(workers) {}

  Expected<std::vector<CompletionGroup>> sample(std::span<const SampleRequest> requests,
                                                const SampleParameters& parameters) override {
    return collect_each(requests, parameters);
  }
  Status sample_each(std::span<const SampleRequest> requests, const SampleParameters& parameters,
                     const GroupListener& listener) override;
  Expected<ChatLayout> chat_layout(std::span<const ToolSpec> tools, bool thinking) const override {
    return own_.chat_layout(tools, thinking);
  }
  // In all ranks. A failure is that of the next call of sample().
  void drop_kept() override;
  std::string_view name() const override { return own_.name(); }

 private:
  using Shares = std::vector<std::vector<std::size_t>>;

  Status ask_others(std::span<const SampleRequest> requests, const SampleParameters& parameters,
                    const Shares& shares);
  Status drop_kept_elsewhere();

  std::string role_;
  Policy& own_;
  Workers& workers_;
  ResponseLengths lengths_;
  KeptPlaces kept_;
  Status dropped_ = {};  // what came of the last drop_kept()
};

}  // namespace redqueen
