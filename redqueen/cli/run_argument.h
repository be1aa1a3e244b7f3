// Finds the run of a command: one that it only looks at, or a folder for a new one.
#pragma once

#include <filesystem>
#include <string>

#include "redqueen/base/error.h"
#include "redqueen/run/event_store.h"

namespace redqueen {

// The store of the run in the folder `run`. Takes no lock and writes nothing: the run may be
// training, or somebody else's. Fails if there is no run.
Expected<run::EventStore> open_run_to_read(const std::string& run);

// runs/NAME, or the first of runs/NAME-2, -3, … that is free.
std::filesystem::path free_run(const std::string& name);

}  // namespace redqueen
