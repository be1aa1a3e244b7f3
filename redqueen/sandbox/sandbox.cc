#include "redqueen/sandbox/sandbox.h"

#include <algorithm>
#include <utility>

#include "redqueen/sandbox/pool.h"

namespace redqueen {
namespace {

wire::JobFrame frame_of(Program program, std::vector<Call> calls) {
  wire::JobFrame frame;
  frame.program = std::move(program);
  frame.calls = std::move(calls);
  return frame;
}

std::future<Pool::Outcomes> submit_to(Pool& pool, wire::JobFrame frame) {
  auto promise = std::make_shared<std::promise<Pool::Outcomes>>();
  auto future = promise->get_future();
  pool.submit(std::move(frame),
              [promise](Pool::Outcomes outcomes) { promise->set_value(std::move(outcomes)); });
  return future;
}

Outcome await(const std::function<void(Pool::Done)>& ask) {
  std::promise<Pool::Outcomes> promise;
  auto future = promise.get_future();
  ask([&promise](Pool::Outcomes outcomes) { promise.set_value(std::move(outcomes)); });
  return std::move(future.get().front());
}

Equality equality_of(const Outcome& outcome) {
  if (!outcome.ok()) return Equality::kNotComparable;
  return outcome.value == "True" ? Equality::kEqual : Equality::kDifferent;
}

}  // namespace

// --- sessions ------------------------------------------------------------------------------------

Session::Session(std::shared_ptr<Pool> pool, std::uint64_t id, Outcome loaded)
    : pool_(std::move(pool)), id_(id), loaded_(std::move(loaded)), alive_(loaded_.ok()) {}

Session::Session(Session&& other) noexcept
    : pool_(std::move(other.pool_)),
      id_(other.id_),
      loaded_(std::move(other.loaded_)),
      alive_(std::exchange(other.alive_, false)) {}

Session& Session::operator=(Session&& other) noexcept {
  if (this == &other) return *this;
  close();
  pool_ = std::move(other.pool_);
  id_ = other.id_;
  loaded_ = std::move(other.loaded_);
  alive_ = std::exchange(other.alive_, false);
  return *this;
}

Session::~Session() { close(); }

void Session::close() {
  if (pool_) pool_->close(id_);
  pool_.reset();
  alive_ = false;
}

Outcome Session::call(const Call& call) {
  if (!alive_) {
    Outcome outcome;
    outcome.message = "the session has ended";
    return outcome;
  }
  Outcome outcome = await([&](Pool::Done done) { pool_->call(id_, call, std::move(done)); });
  // An exception is an answer; everything else took the child with it.
  alive_ = outcome.ok() || !outcome.exception.empty() ||
           (outcome.status == OutcomeStatus::kOutputLimit && outcome.cpu_seconds > 0 &&
            outcome.message.starts_with("the text of the value"));
  return outcome;
}

// --- the sandbox ---------------------------------------------------------------------------------

Sandbox::Sandbox(std::shared_ptr<Pool> pool) : pool_(std::move(pool)) {}
Sandbox::Sandbox(Sandbox&&) noexcept = default;
Sandbox& Sandbox::operator=(Sandbox&&) noexcept = default;
Sandbox::~Sandbox() = default;

Expected<Sandbox> Sandbox::start(const SandboxConfig& config) {
  auto pool = Pool::start(config);
  if (!pool) return tl::make_unexpected(pool.error());
  return Sandbox(std::move(*pool));
}

std::future<std::vector<Outcome>> Sandbox::submit(Batch batch) {
  return submit_to(*pool_, frame_of(std::move(batch.program), std::move(batch.calls)));
}

Outcome Sandbox::run(const Job& job) {
  return std::move(submit_to(*pool_, frame_of(job.program, job.calls)).get().front());
}

std::vector<Outcome> Sandbox::run(const Batch& batch) { return submit(batch).get(); }

std::vector<Outcome> Sandbox::run_many(std::span<const Job> jobs) {
  std::vector<std::future<std::vector<Outcome>>> futures;
  futures.reserve(jobs.size());
  for (const Job& job : jobs)
    futures.push_back(submit_to(*pool_, frame_of(job.program, job.calls)));
  std::vector<Outcome> outcomes;
  outcomes.reserve(jobs.size());
  for (auto& future : futures) outcomes.push_back(std::move(future.get().front()));
  return outcomes;
}

std::vector<std::vector<Outcome>> Sandbox::run_many(std::span<const Batch> batches) {
  std::vector<std::future<std::vector<Outcome>>> futures;
  futures.reserve(batches.size());
  for (const Batch& batch : batches) futures.push_back(submit(batch));
  std::vector<std::vector<Outcome>> outcomes;
  outcomes.reserve(batches.size());
  for (auto& future : futures) outcomes.push_back(future.get());
  return outcomes;
}

Session Sandbox::open(Program program) {
  std::uint64_t id = 0;
  Outcome loaded =
      await([&](Pool::Done done) { id = pool_->open(std::move(program), std::move(done)); });
  return {pool_, id, std::move(loaded)};
}

std::vector<Equality> Sandbox::compare_many(std::span<const Comparison> pairs, bool strict) {
  if (pairs.empty()) return {};
  wire::JobFrame frame;
  frame.mode = wire::Mode::kCompare;
  frame.strict = strict;
  frame.program.limits = config().limits;
  for (const auto& [left, right] : pairs) {
    frame.calls.push_back({Call::Kind::kExpression, left, right});
  }
  std::vector<Equality> equalities;
  for (const Outcome& outcome : submit_to(*pool_, std::move(frame)).get()) {
    equalities.push_back(equality_of(outcome));
  }
  return equalities;
}

Equality Sandbox::compare(std::string left, std::string right, bool strict) {
  const Comparison pair{std::move(left), std::move(right)};
  return compare_many({&pair, 1}, strict).front();
}

std::vector<double> Sandbox::time_forks(int count) {
  wire::JobFrame frame;
  frame.mode = wire::Mode::kForks;
  frame.calls.resize(static_cast<std::size_t>(std::max(count, 1)));
  std::vector<double> seconds;
  for (const Outcome& outcome : submit_to(*pool_, std::move(frame)).get()) {
    seconds.push_back(outcome.wall_seconds);
  }
  return seconds;
}

const SandboxConfig& Sandbox::config() const { return pool_->config(); }
const std::vector<LayerState>& Sandbox::layers() const { return pool_->layers(); }
int Sandbox::workers() const { return pool_->size(); }
std::vector<int> Sandbox::worker_pids() const { return pool_->worker_pids(); }

}  // namespace redqueen
