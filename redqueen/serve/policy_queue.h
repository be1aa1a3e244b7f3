// A policy that many requests ask at once.
#pragma once

#include <condition_variable>
#include <filesystem>
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

  // A request's responses, and the version of the weights that drew them.
  struct Drawn {
    CompletionGroup group;
    std::string version;  // as load() named them; empty: those that the policy began with
  };

  // Puts the weights of a checkpoint folder into the policy.
  using LoadWeights = std::function<Status(const std::filesystem::path& folder)>;

  // `token_policy`: the same policy, where it can be heard. `load_weights`: where it can be given
  // other weights.
  explicit PolicyQueue(Policy& policy, TokenPolicy* token_policy = nullptr,
                       LoadWeights load_weights = {});
  ~PolicyQueue();  // answers what waits
  PolicyQueue(const PolicyQueue&) = delete;
  PolicyQueue& operator=(const PolicyQueue&) = delete;

  // Does not wait: the outcome comes by the future.
  std::future<Expected<Drawn>> submit(SampleRequest request, const SampleParameters& parameters,
                                      Heard heard = {});

  // Calls load_weights between two calls of the policy; requests that wait are answered after it.
  // Only where there is one.
  std::future<Status> load(std::filesystem::path folder, std::string version);
  bool can_load() const { return load_weights_ != nullptr; }

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
    std::promise<Expected<Drawn>> outcome;
  };
  struct Loading {
    std::filesystem::path folder;
    std::string version;
    std::promise<Status> outcome;
  };
  void work();
  // Takes out what waits and has the parameters of the first. There is one.
  std::list<Waiting> next_batch();
  void answer(std::list<Waiting>& batch);
  void load_now(Loading& loading);
  Expected<std::vector<CompletionGroup>> ask(std::span<const SampleRequest> requests,
                                             const std::list<Waiting>& batch);

  Policy& policy_;
  TokenPolicy* const token_policy_;
  const LoadWeights load_weights_;
  std::string version_;  // of the queue's thread alone
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Waiting> waiting_;
  std::list<Loading> loading_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace redqueen::serve
