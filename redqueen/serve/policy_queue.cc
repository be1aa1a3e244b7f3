#include "redqueen/serve/policy_queue.h"

#include <algorithm>

namespace redqueen::serve {
namespace {

bool is_same(const SampleParameters& a, const SampleParameters& b) {
  return a.max_new_tokens == b.max_new_tokens && a.temperature == b.temperature &&
         a.top_k == b.top_k && a.top_p == b.top_p && a.min_p == b.min_p && a.stop == b.stop;
}

}  // namespace

PolicyQueue::PolicyQueue(Policy& policy, TokenPolicy* token_policy)
    : policy_(policy), token_policy_(token_policy), thread_([this] { work(); }) {}

PolicyQueue::~PolicyQueue() {
  {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::future<Expected<CompletionGroup>> PolicyQueue::submit(SampleRequest request,
                                                           const SampleParameters& parameters,
                                                           Heard heard) {
  std::future<Expected<CompletionGroup>> outcome;
  {
    const std::scoped_lock lock(mutex_);
    waiting_.push_back({std::move(request), parameters, std::move(heard), {}});
    outcome = waiting_.back().outcome.get_future();
  }
  changed_.notify_all();
  return outcome;
}

std::list<PolicyQueue::Waiting> PolicyQueue::next_batch() {
  std::list<Waiting> batch;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
  if (waiting_.empty()) return batch;
  const SampleParameters parameters = waiting_.front().parameters;
  for (auto next = waiting_.begin(); next != waiting_.end();) {
    const auto current = next++;
    if (is_same(current->parameters, parameters)) batch.splice(batch.end(), waiting_, current);
  }
  return batch;
}

Expected<std::vector<CompletionGroup>> PolicyQueue::ask(std::span<const SampleRequest> requests,
                                                        const std::list<Waiting>& batch) {
  std::vector<const Heard*> listeners;
  for (const Waiting& waiting : batch) listeners.push_back(&waiting.heard);
  const bool is_heard =
      std::ranges::any_of(listeners, [](const Heard* heard) { return bool(*heard); });
  const SampleParameters& parameters = batch.front().parameters;
  if (token_policy_ == nullptr || !is_heard) return policy_.sample(requests, parameters);
  const auto listen = [&](std::size_t request, std::size_t response, const Completion& so_far) {
    if (const Heard& heard = *listeners[request]; heard) heard(response, so_far);
  };
  return token_policy_->sample_aloud(requests, parameters, listen);
}

void PolicyQueue::work() {
  while (true) {
    std::list<Waiting> batch = next_batch();
    if (batch.empty()) return;
    std::vector<SampleRequest> requests;
    for (Waiting& waiting : batch) requests.push_back(std::move(waiting.request));
    auto groups = ask(requests, batch);
    std::size_t i = 0;
    for (Waiting& waiting : batch) {
      if (groups) {
        waiting.outcome.set_value(std::move((*groups)[i++]));
      } else {
        waiting.outcome.set_value(tl::make_unexpected(groups.error()));
      }
    }
  }
}

}  // namespace redqueen::serve
