// The arena as something to train on: a problem is a small run of a judge, its turns are those of
// the built-in coding agent (coding_episode.h), and its reward is the score of the run.
#pragma once

#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "redqueen/arena/policies/policy_seats.h"
#include "redqueen/base/error.h"
#include "redqueen/core/environment.h"
#include "redqueen/sandbox/config.h"

namespace redqueen::arena {

// Seats that start when they are first needed. May be called from any thread.
class SeatService {
 public:
  explicit SeatService(sandbox::SandboxConfig config);

  // A start that failed is tried again at the next call.
  Expected<PolicySeats*> get();
  [[nodiscard]] bool numpy() const { return numpy_; }

 private:
  sandbox::SandboxConfig config_;
  bool numpy_ = false;
  std::mutex mutex_;
  std::unique_ptr<PolicySeats> seats_;
};

// The names of all coding environments: "arena/cartpole", …
std::vector<std::string_view> coding_environment_names();

// The environment of this name; a usage error names those that there are. Its problems work in
// memory and leave nothing on the disk.
Expected<std::shared_ptr<const Environment>> coding_environment(std::string_view name,
                                                                std::shared_ptr<SeatService> seats);

}  // namespace redqueen::arena
