// A policy that many requests ask at once.
#pragma once

#include <condition_variable>
#include <functional>
#include <future>
#include <list>
#include <mutex>
#include <span>
#include <string>
#include <thread>

#include "redqueen/policy/policy.h"
#include "redqueen/policy/token_policy.h"

namespace redqueen::serve {

// One thread that asks a policy: requests that come while it is at work wait and are then asked
// together, as far as their parameters are the same. Everything may be called from any thread.
class PolicyQueue {
 public:
  // Hears of the request's responses while they are drawn (DrawListener), on the queue's thread.
  // Without a TokenPolicy nothing is heard.
  using Heard = std::function<void(std::size_t response, const Completion& so_far)>;

  // `token_policy`: the same policy, where it can be heard.
  explicit PolicyQueue(Policy& policy, TokenPolicy* token_policy = nullptr);
  ~PolicyQueue();  // answers what waits
  PolicyQueue(const PolicyQueue&) = delete;
  PolicyQueue& operator=(const PolicyQueue&) = delete;

  // Does not wait: the outcome comes by the future.
  std::future<Expected<CompletionGroup>> submit(SampleRequest request,
                                                const SampleParameters& parameters,
                                                Heard heard = {});

  std::string name() const { return std::string(policy_.name()); }
  // Null where the policy's tokens are not known.
  const Tokenizer* tokenizer() const {
    return token_policy_ == nullptr ? nullptr : &token_policy_->tokenizer();
  }

 private:
  struct Waiting {
    SampleRequest request;
    SampleParameters parameters;
    Heard heard;
    std::promise<Expected<CompletionGroup>> outcome;
  };
  void work();
  // Takes out what waits and has the parameters of the first; empty at the end.
  std::list<Waiting> next_batch();
  Expected<std::vector<CompletionGroup>> ask(std::span<const SampleRequest> requests,
                                             const std::list<Waiting>& batch);

  Policy& policy_;
  TokenPolicy* const token_policy_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Waiting> waiting_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace redqueen::serve
