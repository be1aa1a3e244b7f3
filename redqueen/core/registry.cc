#include "redqueen/core/registry.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "redqueen/base/text.h"
#include "redqueen/core/contract.h"

namespace redqueen {
namespace {

constexpr auto kByName = [](const auto& environment, std::string_view name) {
  return environment->name() < name;
};

Registry& natives() {
  static Registry registry;
  return registry;
}

}  // namespace

const Registry& Registry::native() { return natives(); }

Status Registry::add(std::shared_ptr<const Environment> environment) {
  const auto place =
      std::lower_bound(environments_.begin(), environments_.end(), environment->name(), kByName);
  if (place != environments_.end() && (*place)->name() == environment->name()) {
    return usage_error("there are two environments named \"{}\"; rename one", environment->name());
  }
  environments_.insert(place, std::move(environment));
  return {};
}

bool register_native(std::unique_ptr<const Environment> environment) {
  if (const Status added = natives().add(std::move(environment)); !added) {
    fmt::print(stderr, "redqueen: {}\n", added.error().message);
    std::abort();
  }
  return true;
}

std::vector<const Environment*> Registry::all() const {
  std::vector<const Environment*> list;
  list.reserve(environments_.size());
  for (const auto& environment : environments_) list.push_back(environment.get());
  return list;
}

const Environment* Registry::find(std::string_view name) const {
  const auto place = std::lower_bound(environments_.begin(), environments_.end(), name, kByName);
  return place != environments_.end() && (*place)->name() == name ? place->get() : nullptr;
}

Expected<const Environment*> Registry::get(std::string_view name) const {
  if (const Environment* environment = find(name)) return environment;
  std::vector<std::string_view> names;
  names.reserve(environments_.size());
  for (const auto& environment : environments_) names.push_back(environment->name());
  return usage_error("there is no environment \"{}\"{}; `redqueen gym list` shows all {}", name,
                     did_you_mean(name, names), names.size());
}

}  // namespace redqueen
