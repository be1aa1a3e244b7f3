#include "redqueen/serve/policy_queue.h"

#include <algorithm>
#include <utility>

namespace redqueen::serve {
namespace {

bool is_same(const SampleParameters& a, const SampleParameters& b) {
  return a.max_new_tokens == b.max_new_tokens && a.temperature == b.temperature &&
         a.top_k == b.top_k && a.top_p == b.top_p && a.min_p == b.min_p && a.stop == b.stop &&
         a.max_prompt_tokens == b.max_prompt_tokens;
}

}  // namespace

PolicyQueue::PolicyQueue(Policy& policy, TokenPolicy* token_policy, LoadWeights load_weights)
    : policy_(policy),
      token_policy_(token_policy),
      load_weights_(std::move(load_weights)),
      thread_([this] { work(); }) {}

PolicyQueue::~PolicyQueue() {
  {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::future<Expected<PolicyQueue::Drawn>> PolicyQueue::submit(SampleRequest request,
                                                              const SampleParameters& parameters,
                                                              Heard heard) {
  std::future<Expected<Drawn>> outcome;
  {
    const std::scoped_lock lock(mutex_);
    waiting_.push_back({std::move(request), parameters, std::move(heard), {}});
    outcome = waiting_.back().outcome.get_future();
  }
  changed_.notify_all();
  return outcome;
}

std::future<Status> PolicyQueue::load(std::filesystem::path folder, std::string version) {
  std::future<Status> outcome;
  {
    const std::scoped_lock lock(mutex_);
    loading_.push_back({std::move(folder), std::move(version), {}});
    outcome = loading_.back().outcome.get_future();
  }
  changed_.notify_all();
  return outcome;
}

std::list<PolicyQueue::Waiting> PolicyQueue::next_batch() {
  std::list<Waiting> batch;
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

void PolicyQueue::answer(std::list<Waiting>& batch) {
  std::vector<SampleRequest> requests;
  for (Waiting& waiting : batch) requests.push_back(std::move(waiting.request));
  auto groups = ask(requests, batch);
  std::size_t i = 0;
  for (Waiting& waiting : batch) {
    if (groups) {
      waiting.outcome.set_value(Drawn{std::move((*groups)[i++]), version_});
    } else {
      waiting.outcome.set_value(tl::make_unexpected(groups.error()));
    }
  }
}

void PolicyQueue::load_now(Loading& loading) {
  Status loaded = load_weights_(loading.folder);
  if (loaded) version_ = loading.version;
  loading.outcome.set_value(std::move(loaded));
}

void PolicyQueue::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ending_ || !waiting_.empty() || !loading_.empty(); });
    if (waiting_.empty() && loading_.empty()) return;
    std::list<Loading> loading = std::exchange(loading_, {});
    std::list<Waiting> batch;
    if (loading.empty()) batch = next_batch();
    lock.unlock();
    for (Loading& one : loading) load_now(one);
    if (!batch.empty()) answer(batch);
    lock.lock();
  }
}

}  // namespace redqueen::serve
