// The problems of the environments azr/deduction, azr/abduction, azr/induction and azr/error: random programs.
#pragma once

#include <memory>

#include "redqueen/recipes/azr/code_environment.h"
#include "redqueen/recipes/sandbox_service.h"

namespace redqueen {

// Salt 0, from which evaluation draws, has programs of ProgramSplit::kHeldOut; every other salt those of kTraining. So no
// held-out program was part of a warm start, not even under other names. The types are different addresses.
//
// Problems come in runs of seeds, drawn and run together, of which the latest are kept: asking for seeds in order is
// many times faster than asking at random.
TaskSource random_program_tasks(std::shared_ptr<SandboxService> sandbox);

}  // namespace redqueen
