// The problems of the environments azr/deduction, azr/abduction, azr/induction and azr/error:
// random programs.
#pragma once

#include <memory>

#include "redqueen/code_tasks/code_environment.h"
#include "redqueen/core/registry.h"
#include "redqueen/sandbox/sandbox_service.h"

namespace redqueen::code_tasks {

// Salt 0, from which evaluation draws, has programs of ProgramSplit::kHeldOut; every other salt
// those of kTraining. So no held-out program was part of a warm start, not even under other names.
// The types are different addresses.
//
// Asked for many at once, it draws their programs side by side. Asked for one, it draws a run of
// seeds and keeps the latest runs: asking for seeds in order is many times faster than asking at
// random.
TaskSource random_program_tasks(std::shared_ptr<sandbox::SandboxService> sandbox);

// Adds the environments azr/* of random programs.
Status add_code_environments(const std::shared_ptr<sandbox::SandboxService>& sandbox,
                             CodeEnvironmentOptions options, Registry& registry);

}  // namespace redqueen::code_tasks
