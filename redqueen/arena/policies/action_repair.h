// Repairs a policy's return value into a legal action, as EvoPolicyGym v0.1.0 does, so that a slip
// costs a step and not a submission.
#pragma once

#include "redqueen/arena/simulators/space.h"
#include "redqueen/arena/simulators/value.h"

namespace redqueen::arena {

struct RepairedAction {
  Value action;           // conforms to the space, and lies within its bounds
  bool repaired = false;  // it was not such an action
};

// Discrete: numbers are cut to integers and clamped, all else is the least action. Box,
// MultiDiscrete, MultiBinary: broadcast to the shape, cut to the type, clipped; what does not fit
// is zeros (or the least values), NaN is zero. Tuples and dictionaries: part by part.
RepairedAction repair_action(const Space& space, const Value& value);

}  // namespace redqueen::arena
