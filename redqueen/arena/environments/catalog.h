// The list of native environments, by family.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "redqueen/arena/simulators/simulator.h"
#include "redqueen/base/error.h"

namespace redqueen::arena {

// The id of an environment, and the function that makes it.
struct CatalogEntry {
  std::string_view id;
  Expected<std::unique_ptr<Simulator>> (*make)(std::string_view id,
                                               const SimulatorSettings& settings);
};

std::span<const CatalogEntry> classic_control_entries();
std::span<const CatalogEntry> toy_text_entries();
std::span<const CatalogEntry> mujoco_entries();
namespace minigrid {
std::span<const CatalogEntry> goal_entries();
std::span<const CatalogEntry> object_entries();
std::span<const CatalogEntry> room_grid_entries();
}  // namespace minigrid

}  // namespace redqueen::arena
