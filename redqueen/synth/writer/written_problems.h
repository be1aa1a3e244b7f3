// evoenv/written: a problem of an environment that environment_writer.h writes at random. A policy
// of EvoEnv that had a warm start is evaluated on it: the tasks are of the kind that it knows, the
// problems are new to it.
#pragma once

#include <memory>

#include "redqueen/core/environment.h"
#include "redqueen/sandbox/sandbox_service.h"

namespace redqueen::synth {

// Four seeds in a row share an environment, always a sound one, and are made fastest in their
// order. Salt 0, from which evaluation draws, shares no address with a warm start
// (environment_corpus.h). parameter() holds the source, so that restore() needs nothing else.
std::unique_ptr<const Environment> written_problems(
    std::shared_ptr<sandbox::SandboxService> sandbox);

}  // namespace redqueen::synth
