// Opens a run that a command only looks at.
#pragma once

#include <string>

#include "redqueen/core/error.h"
#include "redqueen/run/event_store.h"

namespace redqueen {

// The store of the run in the folder `run`. Takes no lock and writes nothing: the run may be
// training, or somebody else's. Fails if there is no run.
Expected<run::EventStore> open_run_to_read(const std::string& run);

}  // namespace redqueen
