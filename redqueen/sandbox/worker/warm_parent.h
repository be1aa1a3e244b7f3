// The warm interpreter after its start. It forks, kills and reaps children as the broker orders,
// and does nothing else: it is what every child inherits, so it must never see a job.
#pragma once

#include "redqueen/sandbox/worker/child.h"
#include "redqueen/sandbox/worker/sealed_calls.h"

namespace redqueen::sandbox::worker {

// Returns when the broker is gone. Allocates nothing.
void run_warm_parent(int orders, State& state, const ChildOptions& options);

}  // namespace redqueen::sandbox::worker
