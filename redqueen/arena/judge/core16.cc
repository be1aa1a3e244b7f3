#include "redqueen/arena/judge/core16.h"

#include <array>

namespace redqueen::arena {
namespace {

constexpr std::string_view kControl = "Control and Box2D";
constexpr std::string_view kMujoco = "MuJoCo";
constexpr std::string_view kGrids = "MiniGrid";
constexpr std::string_view kGoals = "Driving and Robotics";

constexpr std::array<Core16Entry, 16> kEntries = {{
    {"Acrobot-v1", "gym/acrobot", "acrobot", kControl, false},
    {"MountainCarContinuous-v0", "gym/continuouscar", "continuouscar", kControl, false},
    {"BipedalWalker-v3", "gym/bipedal", "bipedal", kControl, false},
    {"CarRacing-v3", "gym/racing", "racing", kControl, true},
    {"Reacher-v5", "gym/reacher5", "reacher5", kMujoco, false},
    {"HalfCheetah-v5", "gym/halfcheetah5", "halfcheetah5", kMujoco, false},
    {"Ant-v5", "gym/ant5", "ant5", kMujoco, false},
    {"Pusher-v5", "gym/pusher5", "pusher5", kMujoco, false},
    {"MiniGrid-DoorKey-16x16-v0", "gymnasium/MiniGrid-DoorKey-16x16-v0", "minigrid_doorkey", kGrids,
     true},
    {"MiniGrid-KeyCorridorS4R3-v0", "gymnasium/MiniGrid-KeyCorridorS4R3-v0", "minigrid_keycorridor",
     kGrids, true},
    {"MiniGrid-FourRooms-v0", "gymnasium/MiniGrid-FourRooms-v0", "minigrid_fourrooms", kGrids,
     true},
    {"MiniGrid-ObstructedMaze-1Q-v1", "gymnasium/MiniGrid-ObstructedMaze-1Q-v1",
     "minigrid_obstructedmaze", kGrids, true},
    {"parking-v0", "gymnasium/parking-v0", "parking", kGoals, false},
    {"roundabout-v0", "gymnasium/roundabout-v0", "roundabout", kGoals, false},
    {"FetchPush-v4", "gymnasium/FetchPush-v4", "fetch_push", kGoals, false},
    {"FetchPickAndPlace-v4", "gymnasium/FetchPickAndPlace-v4", "fetch_pickandplace", kGoals, false},
}};

}  // namespace

std::span<const Core16Entry> core16() { return kEntries; }

const Core16Entry* find_core16(std::string_view name) {
  for (const Core16Entry& entry : kEntries) {
    if (name == entry.id || name == entry.program || name == entry.site) return &entry;
  }
  return nullptr;
}

std::string simulator_id_of(std::string_view name) {
  if (const Core16Entry* entry = find_core16(name)) return std::string(entry->id);
  if (name == "cartpole" || name == "gym/cartpole") return "CartPole-v1";
  const std::size_t slash = name.find('/');
  const std::string_view space = name.substr(0, slash);
  const bool prefixed = slash != std::string_view::npos && (space == "gym" || space == "gymnasium");
  return std::string(prefixed ? name.substr(slash + 1) : name);
}

}  // namespace redqueen::arena
