// Seats for policies that the tests of a binary share: starting them takes longer than most tests.
#pragma once

#include <memory>

#include "redqueen/arena/policies/policy_process.h"
#include "redqueen/arena/policies/policy_seats.h"

namespace redqueen::arena {

inline PolicySeats& shared_seats() {
  static const std::unique_ptr<PolicySeats> seats = [] {
    sandbox::SandboxConfig config;
    config.workers = 2;
    config.preludes = {policy_host_text()};
    return PolicySeats::start(config).value();
  }();
  return *seats;
}

}  // namespace redqueen::arena
