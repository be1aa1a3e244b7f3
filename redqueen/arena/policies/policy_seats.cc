#include "redqueen/arena/policies/policy_seats.h"

#include <algorithm>
#include <utility>

#include "redqueen/base/parallel.h"

namespace redqueen::arena {
namespace {

// The cores that this thread may use, beginning with the one where the kernel has put it, so that
// programs that start at different times do not all sit on the first.
std::vector<int> cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  std::vector<int> found;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return found;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &allowed)) found.push_back(core);
  }
  const auto here = std::find(found.begin(), found.end(), sched_getcpu());
  if (here != found.end()) std::rotate(found.begin(), here, found.end());
  return found;
}

// Besides what any program may want, what policy_host.py imports before it loads a policy.
std::vector<std::string> preloaded(const sandbox::SandboxConfig& config) {
  std::vector<std::string> modules =
      config.preload.empty() ? sandbox::default_preload() : config.preload;
  for (const char* module : {"importlib", "mmap", "threading"}) modules.emplace_back(module);
  return modules;
}

}  // namespace

CoreBinding::CoreBinding(std::optional<int> core) {
  cpu_set_t before;
  if (!core || sched_getaffinity(0, sizeof(before), &before) != 0) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(*core, &one);
  if (sched_setaffinity(0, sizeof(one), &one) == 0) before_ = before;
}

CoreBinding::~CoreBinding() {
  if (before_) sched_setaffinity(0, sizeof(*before_), &*before_);
}

Expected<std::unique_ptr<PolicySeats>> PolicySeats::start(const sandbox::SandboxConfig& config) {
  const std::vector<int> found = cores();
  const std::size_t count =
      config.workers > 0 ? static_cast<std::size_t>(config.workers) : std::max(found.size(), 1UL);
  std::vector<std::optional<Expected<Seat>>> started(count);
  // A thread started by a bound thread is bound as it is.
  parallel_chunks(count, 1, static_cast<int>(count), [&](std::size_t i, std::size_t) {
    const std::optional<int> core = count <= found.size() ? std::optional(found[i]) : std::nullopt;
    const CoreBinding binding(core);
    sandbox::SandboxConfig one = config;
    one.workers = 1;
    one.preload = preloaded(config);
    if (i > 0) one.on_missing_layers = nullptr;  // they are the same for all
    started[i] = sandbox::ChannelSandbox::start(one).map([&](sandbox::ChannelSandbox&& sandbox) {
      return Seat{.core = core, .sandbox = std::move(sandbox)};
    });
  });
  std::vector<Seat> seats;
  for (auto& each : started) {
    if (!*each) return tl::make_unexpected(each->error());
    seats.push_back(std::move(**each));
  }
  return std::unique_ptr<PolicySeats>(new PolicySeats(std::move(seats)));
}

PolicySeats::PolicySeats(std::vector<Seat> seats) : seats_(std::move(seats)) {
  for (Seat& seat : seats_) free_.push_back(&seat);
}

// Seats that are bound to no core leave it to the kernel who runs where, and nobody stays awake.
bool PolicySeats::has_two_for_each(std::size_t at_a_time) const {
  return seats_.front().core && seats_.size() / 2 >= std::max<std::size_t>(at_a_time, 1);
}

std::pair<PolicySeats::Seat*, PolicySeats::Seat*> PolicySeats::wait_for_seats(bool two) {
  std::unique_lock lock(lock_);
  freed_.wait(lock, [this, two] { return free_.size() >= (two ? 2U : 1U); });
  std::pair<Seat*, Seat*> taken{nullptr, nullptr};
  taken.first = free_.back();
  free_.pop_back();
  if (two) {
    taken.second = free_.back();
    free_.pop_back();
  }
  return taken;
}

PolicySeats::Taken::Taken(PolicySeats& seats) : Taken(seats, seats.wait_for_seats(false)) {}

PolicySeats::Taken::Taken(PolicySeats& seats, std::size_t at_a_time)
    : Taken(seats, seats.wait_for_seats(seats.has_two_for_each(at_a_time))) {}

PolicySeats::Taken::Taken(PolicySeats& seats, std::pair<Seat*, Seat*> taken)
    : seats_(seats),
      seat_(taken.first),
      beside_(taken.second),
      binding_(beside_ != nullptr ? beside_->core : seat_->core) {}

PolicySeats::Taken::~Taken() {
  {
    const std::scoped_lock lock(seats_.lock_);
    // The policy's seat last, to be taken first again: its worker has started.
    if (beside_ != nullptr) seats_.free_.push_back(beside_);
    seats_.free_.push_back(seat_);
  }
  seats_.freed_.notify_all();
}

}  // namespace redqueen::arena
