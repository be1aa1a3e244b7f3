// The environments on Box2D. They are there if the program was built with its sources
// (cmake/Box2d.cmake); else Gymnasium's own run in Python (hosted_simulator_ids()).
#pragma once

#include <span>

#include "redqueen/arena/environments/catalog.h"

namespace redqueen::arena {

std::span<const CatalogEntry> lunar_lander_entries();
std::span<const CatalogEntry> bipedal_walker_entries();

}  // namespace redqueen::arena
