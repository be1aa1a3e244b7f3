#include "redqueen/arena/environments/catalog.h"

#include <algorithm>
#include <array>

#include "redqueen/core/text.h"

namespace redqueen::arena {
namespace {

std::vector<CatalogEntry> make_catalog() {
  std::vector<CatalogEntry> catalog;
  for (const auto entries :
       {classic_control_entries(), toy_text_entries(), mujoco_entries(), minigrid::goal_entries(),
        minigrid::object_entries(), minigrid::room_grid_entries()}) {
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

}  // namespace

std::vector<std::string_view> simulator_ids() {
  std::vector<std::string_view> ids;
  for (const CatalogEntry& entry : catalog()) ids.push_back(entry.id);
  return ids;
}

Expected<std::unique_ptr<Simulator>> make_simulator(std::string_view id,
                                                    const SimulatorSettings& settings) {
  constexpr std::array<std::string_view, 2> kProfiles{"paper", "current"};
  if (std::ranges::find(kProfiles, settings.profile) == kProfiles.end()) {
    return usage_error("profile \"{}\" does not exist: expected paper or current{}",
                       settings.profile, did_you_mean(settings.profile, kProfiles));
  }
  const auto found = std::ranges::lower_bound(catalog(), id, {}, &CatalogEntry::id);
  if (found == catalog().end() || found->id != id) {
    const auto ids = simulator_ids();
    return usage_error("environment \"{}\" does not exist{}", id, did_you_mean(id, ids));
  }
  return found->make(id, settings);
}

}  // namespace redqueen::arena
