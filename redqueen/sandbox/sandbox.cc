#include "redqueen/sandbox/sandbox.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "redqueen/base/clock.h"
#include "redqueen/sandbox/outcome_text.h"
#include "redqueen/sandbox/pool.h"

namespace redqueen::sandbox {
namespace {

constexpr double kPairCpuSeconds = 0.2;  // to read and compare two values
constexpr std::size_t kLeastPairs = 64;  // that are worth a child
constexpr std::size_t kMostPairs = 4096;

wire::JobFrame frame_of(Program program, std::vector<Call> calls) {
  wire::JobFrame frame;
  frame.program = std::move(program);
  frame.calls = std::move(calls);
  return frame;
}

// Where the caller pays for what a child made him check.
std::vector<Outcome> await(Pool& pool, const Pool::Handle& ticket) {
  std::vector<Outcome> outcomes;
  for (const wire::Result& result : pool.wait(*ticket)) {
    outcomes.push_back(make_outcome(result, ticket->output_bytes));
  }
  return outcomes;
}

Equality equality_of(const Outcome& outcome) {
  if (!outcome.ok()) return Equality::kNotComparable;
  return outcome.value == "True" ? Equality::kEqual : Equality::kDifferent;
}

}  // namespace

// --- sessions -----------------------------------------------------------------------------------

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

std::shared_ptr<void> Session::begin(const Call& call) {
  if (!alive_) return nullptr;
  return pool_->call(id_, call);
}

Outcome Session::finish(const std::shared_ptr<void>& ticket) {
  if (!ticket) {
    Outcome outcome;
    outcome.message = "the session has ended";
    return outcome;
  }
  Outcome outcome =
      std::move(await(*pool_, std::static_pointer_cast<Pool::Ticket>(ticket)).front());
  // An exception is an answer; everything else took the child with it.
  alive_ = outcome.ok() || !outcome.exception.empty() ||
           (outcome.status == OutcomeStatus::kOutputLimit && outcome.cpu_seconds > 0 &&
            outcome.message.starts_with("the text of the value"));
  return outcome;
}

Outcome Session::call(const Call& call) { return finish(begin(call)); }

// --- the sandbox --------------------------------------------------------------------------------

Sandbox::Sandbox(std::shared_ptr<Pool> pool) : pool_(std::move(pool)) {}
Sandbox::Sandbox(Sandbox&&) noexcept = default;
Sandbox& Sandbox::operator=(Sandbox&& other) noexcept {
  std::swap(pool_, other.pool_);
  return *this;
}
Sandbox::~Sandbox() {
  if (pool_) pool_->stop();
}

Expected<Sandbox> Sandbox::start(const SandboxConfig& config) {
  ASSIGN_OR_RETURN(auto pool, Pool::start(config));
  return Sandbox(std::move(pool));
}

Pending::Pending(std::shared_ptr<Pool> pool, std::shared_ptr<void> ticket)
    : pool_(std::move(pool)), ticket_(std::move(ticket)) {}

std::vector<Outcome> Pending::get() {
  const auto ticket = std::static_pointer_cast<Pool::Ticket>(std::exchange(ticket_, nullptr));
  return await(*std::exchange(pool_, nullptr), ticket);
}

bool Pending::ready() const {
  return pool_->is_done(*std::static_pointer_cast<Pool::Ticket>(ticket_));
}

bool Pending::wait_for(double seconds) const {
  const auto until = std::chrono::steady_clock::now() + duration_of(seconds);
  return pool_->wait_until(*std::static_pointer_cast<Pool::Ticket>(ticket_), until);
}

void Pending::call_off() const {
  pool_->call_off(*std::static_pointer_cast<Pool::Ticket>(ticket_));
}

Pending Sandbox::submit(Batch batch, bool in_background) {
  return {pool_,
          pool_->submit(frame_of(std::move(batch.program), std::move(batch.calls)), in_background)};
}

Outcome Sandbox::run(const Job& job) {
  return std::move(await(*pool_, pool_->submit(frame_of(job.program, job.calls))).front());
}

std::vector<Outcome> Sandbox::run(const Batch& batch) {
  return await(*pool_, pool_->submit(frame_of(batch.program, batch.calls)));
}

std::vector<Outcome> Sandbox::run_many(std::span<const Job> jobs) {
  std::vector<Pool::Handle> tickets;
  tickets.reserve(jobs.size());
  for (const Job& job : jobs) tickets.push_back(pool_->submit(frame_of(job.program, job.calls)));
  std::vector<Outcome> outcomes;
  outcomes.reserve(jobs.size());
  for (const auto& ticket : tickets) outcomes.push_back(std::move(await(*pool_, ticket).front()));
  return outcomes;
}

std::vector<std::vector<Outcome>> Sandbox::run_many(std::span<const Batch> batches) {
  std::vector<Pool::Handle> tickets;
  tickets.reserve(batches.size());
  for (const Batch& batch : batches) {
    tickets.push_back(pool_->submit(frame_of(batch.program, batch.calls)));
  }
  std::vector<std::vector<Outcome>> outcomes;
  outcomes.reserve(batches.size());
  for (const auto& ticket : tickets) outcomes.push_back(await(*pool_, ticket));
  return outcomes;
}

std::pair<Session, int> Sandbox::open_session(Program program, bool channel) {
  std::uint64_t id = 0;
  const auto ticket = pool_->open(std::move(program), id, channel);
  Session session(pool_, id, std::move(await(*pool_, ticket).front()));
  return {std::move(session), std::exchange(ticket->channel, -1)};
}

Session Sandbox::open(Program program) {
  return std::move(open_session(std::move(program), false).first);
}

// Every worker gets a share, each in a fresh child.
std::vector<Equality> Sandbox::compare_many(std::span<const Comparison> pairs, bool strict) {
  const std::size_t share = (pairs.size() + static_cast<std::size_t>(workers()) - 1) /
                            static_cast<std::size_t>(workers());
  const std::size_t most = std::clamp(share, kLeastPairs, kMostPairs);
  std::vector<Pool::Handle> tickets;
  for (std::size_t first = 0; first < pairs.size(); first += most) {
    wire::JobFrame frame;
    frame.mode = wire::Mode::kCompare;
    frame.strict = strict;
    frame.program.limits = config().limits;
    frame.program.limits.cpu_seconds = kPairCpuSeconds;
    for (const auto& [left, right] : pairs.subspan(first, std::min(most, pairs.size() - first))) {
      frame.calls.push_back({Call::Kind::kExpression, left, right});
    }
    tickets.push_back(pool_->submit(std::move(frame)));
  }
  std::vector<Equality> equalities;
  equalities.reserve(pairs.size());
  for (const auto& ticket : tickets) {
    for (const Outcome& outcome : await(*pool_, ticket)) {
      equalities.push_back(equality_of(outcome));
    }
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
  for (const Outcome& outcome : await(*pool_, pool_->submit(std::move(frame)))) {
    seconds.push_back(outcome.wall_seconds);
  }
  return seconds;
}

const SandboxConfig& Sandbox::config() const { return pool_->config(); }
const std::vector<LayerState>& Sandbox::layers() const { return pool_->layers(); }
int Sandbox::workers() const { return pool_->size(); }
std::vector<int> Sandbox::worker_pids() const { return pool_->worker_pids(); }

}  // namespace redqueen::sandbox
