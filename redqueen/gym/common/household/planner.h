// The shortest way to fulfil a household task for somebody who knows where everything is.
#pragma once

#include <vector>

#include "redqueen/gym/common/household/house.h"

namespace redqueen {

// A plan of the fewest commands; of equally short ones always the same. The house has passed
// check_house().
//
// It is exact because nothing else can help: hands hold one thing, so a task is a chain of visits
// (fetch, care, bring) that differ only in which thing, which device and which place are chosen;
// what is shut is opened once, on the first visit, and nothing has to be closed. All choices are
// tried. household_test.cc holds it against a breadth-first search over whole states.
std::vector<HouseCommand> shortest_plan(const House& house);

}  // namespace redqueen
