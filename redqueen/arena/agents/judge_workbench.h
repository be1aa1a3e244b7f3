// The built-in coding agent's way to a judge: its tools work on the run's workspace, and on nothing
// else of this machine.
#pragma once

#include <memory>

#include "redqueen/arena/agents/coding_episode.h"
#include "redqueen/arena/judge/judge.h"
#include "redqueen/core/environment.h"

namespace redqueen::arena {

// The judge and the seats must live longer. What submissions are worth is told when the run has
// closed, so worth() says nothing.
std::unique_ptr<Workbench> judge_workbench(Judge& judge, PolicySeats& seats, bool numpy);

// The run as a problem that is asked once, for those who play episodes: its episode works on the
// judge itself. `turns`: after which it ends.
std::unique_ptr<const Problem> judge_problem(Judge& judge, PolicySeats& seats, bool numpy,
                                             int turns);

}  // namespace redqueen::arena
