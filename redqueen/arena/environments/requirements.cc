#include "redqueen/arena/environments/requirements.h"

#include <algorithm>
#include <array>
#include <ranges>

#include "redqueen/arena/environments/catalog.h"
#include "redqueen/arena/environments/hosted.h"
#include "redqueen/arena/simulators/simulator.h"
#include "redqueen/base/ascii.h"
#include "redqueen/base/text.h"

namespace redqueen::arena {
namespace {

struct Package {
  std::string_view distribution;
  std::string_view paper;
  std::string_view current;
  std::string_view needs;        // distributions, separated by spaces
  bool decides_numbers = false;  // profile "paper" insists on it before an environment is made
};

// The versions of v0.1.0's lock file, and the newest. Both profiles have the MuJoCo whose headers
// the program is built with; Gymnasium-Robotics does not load with 4.0. Both draw with pygame-ce,
// though highway-env 1.11 names pygame: the two have files of the same names, and whichever came
// last would decide how a frame of CarRacing looks.
constexpr auto kPackages = std::to_array<Package>({
    {"absl-py", "2.4.0", "2.4.0", ""},
    {"Box2D", "2.3.10", "2.3.10", "", true},
    {"cloudpickle", "3.1.2", "3.1.2", ""},
    {"contourpy", "1.3.3", "1.3.3", ""},
    {"cycler", "0.12.1", "0.12.1", ""},
    {"etils", "1.14.0", "1.14.0", "fsspec typing-extensions zipp"},
    {"farama-notifications", "0.0.6", "0.0.6", ""},
    {"fonttools", "4.63.0", "4.63.0", ""},
    {"fsspec", "2026.4.0", "2026.4.0", ""},
    {"glfw", "2.10.0", "2.10.0", ""},
    {"gymnasium", "1.3.0", "1.4.0", "cloudpickle farama-notifications numpy typing-extensions",
     true},
    {"gymnasium-robotics", "1.4.2", "1.4.2", "gymnasium imageio mujoco pettingzoo", true},
    {"highway-env", "1.11", "1.12.1", "gymnasium matplotlib pandas pygame-ce scipy", true},
    {"imageio", "2.37.2", "2.37.2", "numpy pillow"},
    {"kiwisolver", "1.5.0", "1.5.0", ""},
    {"matplotlib", "3.10.9", "3.10.9",
     "contourpy cycler fonttools kiwisolver numpy packaging pillow pyparsing python-dateutil"},
    {"minigrid", "3.1.0", "3.2.0", "gymnasium pygame-ce", true},
    {"mujoco", "3.9.0", "3.9.0", "absl-py etils glfw numpy pyopengl", true},
    {"numpy", "2.4.6", "2.4.6", ""},
    {"packaging", "26.2", "26.2", ""},
    {"pandas", "3.0.3", "3.0.3", "numpy python-dateutil"},
    {"pettingzoo", "1.26.1", "1.26.1", "gymnasium"},
    {"pillow", "12.2.0", "12.2.0", ""},
    {"pygame-ce", "2.5.8", "2.5.8", ""},
    {"pyopengl", "3.1.10", "3.1.10", ""},
    {"pyparsing", "3.3.2", "3.3.2", ""},
    {"python-dateutil", "2.9.0.post0", "2.9.0.post0", "six"},
    {"scipy", "1.17.1", "1.17.1", "numpy"},
    {"six", "1.17.0", "1.17.0", ""},
    {"typing-extensions", "4.15.0", "4.15.0", ""},
    {"zipp", "4.1.0", "4.1.0", ""},
});

// Families of environments that run in Python, by the beginning of an id; with it an environment
// draws as well.
struct Family {
  std::string_view prefix;
  std::string_view needs;
};
constexpr auto kHosted = std::to_array<Family>({
    {"Acrobot-", "gymnasium pygame-ce"},
    {"Ant-", "gymnasium mujoco"},
    {"BabyAI-", "minigrid"},
    {"BipedalWalker", "gymnasium Box2D pygame-ce"},
    {"Blackjack-", "gymnasium pygame-ce"},
    {"CarRacing-", "gymnasium Box2D pygame-ce"},
    {"CartPole-", "gymnasium pygame-ce"},
    {"CliffWalking", "gymnasium pygame-ce"},
    {"Fetch", "gymnasium-robotics"},
    {"FrozenLake", "gymnasium pygame-ce"},
    {"HalfCheetah-", "gymnasium mujoco"},
    {"Hopper-", "gymnasium mujoco"},
    {"Humanoid", "gymnasium mujoco"},
    {"InvertedDoublePendulum-", "gymnasium mujoco"},
    {"InvertedPendulum-", "gymnasium mujoco"},
    {"LunarLander", "gymnasium Box2D pygame-ce"},
    {"MiniGrid-", "minigrid"},
    {"MountainCar", "gymnasium pygame-ce"},
    {"Pendulum-", "gymnasium pygame-ce"},
    {"Pusher-", "gymnasium mujoco"},
    {"Reacher-", "gymnasium mujoco"},
    {"Swimmer-", "gymnasium mujoco"},
    {"Taxi-", "gymnasium pygame-ce"},
    {"Walker2d-", "gymnasium mujoco"},
    {"highway-", "highway-env"},
    {"intersection-", "highway-env"},
    {"parking-", "highway-env"},
    {"roundabout-", "highway-env"},
});

const Package* find_package(std::string_view distribution) {
  const std::string name = normalized_distribution(distribution);
  const auto found = std::ranges::find(kPackages, name, [](const Package& package) {
    return normalized_distribution(package.distribution);
  });
  return found != kPackages.end() ? &*found : nullptr;
}

// The named packages after what they need, each once.
void add_closure(std::string_view names, std::vector<const Package*>& found) {
  for (const auto part : std::views::split(names, ' ')) {
    const Package* package = find_package(std::string_view(part.begin(), part.end()));
    if (package == nullptr || std::ranges::find(found, package) != found.end()) continue;
    add_closure(package->needs, found);
    found.push_back(package);
  }
}

bool is_native(std::string_view id) { return std::ranges::binary_search(simulator_ids(), id); }

// The distributions at the top, for add_closure().
Expected<std::string_view> needs_of(std::string_view id) {
  const bool hosted = id.starts_with(kHostedPrefix);
  if (!hosted && is_native(id)) {
    const bool has_engine =
        std::ranges::find(mujoco_entries(), id, &CatalogEntry::id) != mujoco_entries().end();
    return has_engine ? "gymnasium mujoco" : "";
  }
  const auto in_python = hosted_simulator_ids();
  if (!hosted && std::ranges::find(in_python, id) == in_python.end()) {
    return usage_error("there is no environment \"{}\"{}", id, did_you_mean(id, simulator_ids()));
  }
  if (hosted) id.remove_prefix(kHostedPrefix.size());
  const auto family = std::ranges::find_if(
      kHosted, [id](const Family& each) { return id.starts_with(each.prefix); });
  if (family != kHosted.end()) return family->needs;
  return usage_error(
      "what {0}{1} needs is not known here: install it with pip into a virtual environment, and "
      "name that in REDQUEEN_ARENA_PACKAGES",
      kHostedPrefix, id);
}

}  // namespace

std::string normalized_distribution(std::string_view name) {
  std::string normal;
  for (const char each : name) {
    const bool separates = each == '-' || each == '_' || each == '.';
    normal += separates ? '_' : ascii_lower(each);
  }
  return normal;
}

std::optional<std::string_view> insisted_version(std::string_view distribution,
                                                 std::string_view profile) {
  const Package* package = find_package(distribution);
  if (package == nullptr || !package->decides_numbers || profile != "paper") return std::nullopt;
  return package->paper;
}

Expected<std::vector<Requirement>> requirements_of(std::string_view id, std::string_view profile) {
  ASSIGN_OR_RETURN(const std::string_view needs, needs_of(id));
  std::vector<const Package*> packages;
  add_closure(needs, packages);
  std::vector<Requirement> requirements;
  requirements.reserve(packages.size());
  for (const Package* package : packages) {
    requirements.push_back(
        {package->distribution, profile == "paper" ? package->paper : package->current});
  }
  return requirements;
}

std::vector<std::string_view> ids_with_requirements() {
  std::vector<std::string_view> ids = hosted_simulator_ids();
  for (const CatalogEntry& entry : mujoco_entries()) ids.push_back(entry.id);
  std::ranges::sort(ids);
  return ids;
}

}  // namespace redqueen::arena
