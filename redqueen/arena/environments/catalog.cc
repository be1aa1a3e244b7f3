#include "redqueen/arena/environments/catalog.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include "redqueen/arena/environments/box2d/entries.h"
#include "redqueen/arena/environments/hosted.h"
#include "redqueen/arena/environments/packages.h"
#include "redqueen/arena/environments/requirements.h"
#include "redqueen/arena/simulators/python_simulator.h"
#include "redqueen/base/text.h"

namespace redqueen::arena {
namespace {

// Ids that run in Python where they are not native. Sorted.
constexpr std::array<std::string_view, 9> kWanted{"BipedalWalker-v3",
                                                  "BipedalWalkerHardcore-v3",
                                                  "CarRacing-v3",
                                                  "FetchPickAndPlace-v4",
                                                  "FetchPush-v4",
                                                  "LunarLander-v3",
                                                  "LunarLanderContinuous-v3",
                                                  "parking-v0",
                                                  "roundabout-v0"};

std::vector<CatalogEntry> make_catalog() {
  std::vector<CatalogEntry> catalog;
  for (const auto entries :
       {classic_control_entries(), toy_text_entries(), mujoco_entries(),
#ifdef REDQUEEN_BOX2D
        lunar_lander_entries(), bipedal_walker_entries(),
#endif
        minigrid::goal_entries(), minigrid::object_entries(), minigrid::room_grid_entries()}) {
    catalog.insert(catalog.end(), entries.begin(), entries.end());
  }
  std::ranges::sort(catalog, {}, &CatalogEntry::id);
  return catalog;
}

// All entries, sorted by id; made once.
const std::vector<CatalogEntry>& catalog() {
  static const auto* const kCatalog = new std::vector<CatalogEntry>(make_catalog());
  return *kCatalog;
}

bool is_native(std::string_view id) {
  return std::ranges::binary_search(catalog(), id, {}, &CatalogEntry::id);
}

// Returns the id to ask Gymnasium's own Python for: an id behind "python:", or one that is hosted
// without it.
std::optional<std::string_view> hosted_id(std::string_view id) {
  if (id.starts_with(kHostedPrefix)) return id.substr(kHostedPrefix.size());
  if (std::ranges::find(kWanted, id) != kWanted.end() && !is_native(id)) return id;
  return std::nullopt;
}

// Fails if an environment was made of other packages than the published results.
Status check_versions(const SimulatorCard& card, std::string_view profile) {
  for (const auto& [name, version] : card.versions) {
    const auto wanted = insisted_version(name, profile);
    if (!wanted || *wanted == version) continue;
    return failure(
        "{0}: {1} {2} is installed, the profile {3} has {4}: `redqueen arena setup --profile {3} "
        "--environment {0}` installs it",
        card.id, name, version, profile, *wanted);
  }
  return {};
}

Status check_profile(std::string_view profile) {
  constexpr std::array<std::string_view, 2> kProfiles{"paper", "current"};
  if (std::ranges::find(kProfiles, profile) != kProfiles.end()) return {};
  return usage_error("profile \"{}\" does not exist: expected paper or current{}", profile,
                     did_you_mean(profile, kProfiles));
}

// A Python process with the packages of the profile.
Expected<std::unique_ptr<DrawingSimulator>> make_hosted(std::string_view id,
                                                        const SimulatorSettings& settings,
                                                        bool pictures) {
  std::vector<std::string_view> wanted = {"gymnasium"};
  if (const auto all = requirements_of(fmt::format("{}{}", kHostedPrefix, id), settings.profile)) {
    for (const Requirement& each : *all) {
      if (insisted_version(each.distribution, "paper")) wanted.push_back(each.distribution);
    }
  }
  ASSIGN_OR_RETURN(const auto packages, find_packages(settings, wanted));
  ASSIGN_OR_RETURN(const auto python, find_python(packages));
  ASSIGN_OR_RETURN(auto simulator, make_python_simulator(id, python, pictures));
  RETURN_IF_ERROR(check_versions(simulator->card(), settings.profile));
  return simulator;
}

}  // namespace

std::vector<std::string_view> simulator_ids() {
  std::vector<std::string_view> ids;
  for (const CatalogEntry& entry : catalog()) ids.push_back(entry.id);
  return ids;
}

std::vector<std::string_view> hosted_simulator_ids() {
  std::vector<std::string_view> ids;
  std::ranges::remove_copy_if(kWanted, std::back_inserter(ids), is_native);
  return ids;
}

Expected<std::unique_ptr<DrawingSimulator>> make_drawing_simulator(
    std::string_view id, const SimulatorSettings& settings) {
  RETURN_IF_ERROR(check_profile(settings.profile));
  return make_hosted(hosted_id(id).value_or(id), settings, true);
}

Expected<std::unique_ptr<Simulator>> make_simulator(std::string_view id,
                                                    const SimulatorSettings& settings) {
  RETURN_IF_ERROR(check_profile(settings.profile));
  if (const auto hosted = hosted_id(id)) return make_hosted(*hosted, settings, false);
  const auto found = std::ranges::lower_bound(catalog(), id, {}, &CatalogEntry::id);
  if (found == catalog().end() || found->id != id) {
    const auto ids = simulator_ids();
    return usage_error("environment \"{0}\" is not native{1}; python:{0} runs Gymnasium's own", id,
                       did_you_mean(id, ids));
  }
  return found->make(id, settings);
}

}  // namespace redqueen::arena
