// A policy behind the chat endpoint that evaluation harnesses and our own remote policy speak:
// /v1/models, /v1/chat/completions, /v1/completions.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <future>
#include <list>
#include <mutex>
#include <string>
#include <thread>

#include "redqueen/net/router.h"
#include "redqueen/policy/policy.h"

namespace redqueen::serve {

// One thread that asks a policy: requests that come while it is at work wait and are then asked
// together, as far as their parameters are the same.
class PolicyQueue {
 public:
  explicit PolicyQueue(Policy& policy);
  ~PolicyQueue();  // answers what waits
  PolicyQueue(const PolicyQueue&) = delete;
  PolicyQueue& operator=(const PolicyQueue&) = delete;

  // Waits for the outcome. From any thread.
  Expected<CompletionGroup> sample(SampleRequest request, const SampleParameters& parameters);

  std::string name() const { return std::string(policy_.name()); }

 private:
  struct Waiting {
    SampleRequest request;
    SampleParameters parameters;
    std::promise<Expected<CompletionGroup>> outcome;
  };
  void work();

  Policy& policy_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Waiting> waiting_;
  bool ending_ = false;
  std::thread thread_;
};

// `queue` outlives the router. A request waits on a worker thread: the server has as many workers
// as requests are to be asked together. Streams are sent in one piece, once the response is there.
void add_policy_routes(net::Router& router, PolicyQueue& queue);

}  // namespace redqueen::serve
