#include "redqueen/core/registry.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "redqueen/base/text.h"
#include "redqueen/core/contract.h"

namespace redqueen {
namespace {

using Shared = std::shared_ptr<const Environment>;

constexpr auto kByName = [](const Shared& environment, std::string_view name) {
  return environment->name() < name;
};

Registry& natives() {
  static Registry registry;
  return registry;
}

std::vector<const Environment*> pointers(const std::vector<Shared>& environments) {
  std::vector<const Environment*> list;
  list.reserve(environments.size());
  for (const Shared& environment : environments) list.push_back(environment.get());
  return list;
}

}  // namespace

std::string published_name(std::string_view name) {
  return fmt::format("{}{}", name, kPublishedSuffix);
}

std::string_view base_name(std::string_view name) {
  return name.ends_with(kPublishedSuffix) ? name.substr(0, name.size() - kPublishedSuffix.size())
                                          : name;
}

const Registry& Registry::native() { return natives(); }

Status Registry::add(Shared environment) {
  auto& list = environment->name().ends_with(kPublishedSuffix) ? published_forms_ : environments_;
  const auto place = std::lower_bound(list.begin(), list.end(), environment->name(), kByName);
  if (place != list.end() && (*place)->name() == environment->name()) {
    return usage_error("there are two environments named \"{}\"; rename one", environment->name());
  }
  list.insert(place, std::move(environment));
  return {};
}

bool register_native(std::unique_ptr<const Environment> environment) {
  if (const Status added = natives().add(std::move(environment)); !added) {
    fmt::print(stderr, "redqueen: {}\n", added.error().message);
    std::abort();
  }
  return true;
}

std::vector<const Environment*> Registry::all() const { return pointers(environments_); }

std::vector<const Environment*> Registry::published_forms() const {
  return pointers(published_forms_);
}

const Environment* Registry::find(std::string_view name) const {
  const auto& list = name.ends_with(kPublishedSuffix) ? published_forms_ : environments_;
  const auto place = std::lower_bound(list.begin(), list.end(), name, kByName);
  return place != list.end() && (*place)->name() == name ? place->get() : nullptr;
}

Expected<const Environment*> Registry::get(std::string_view name) const {
  if (const Environment* environment = find(name)) return environment;
  const auto& alike = name.ends_with(kPublishedSuffix) ? published_forms_ : environments_;
  std::vector<std::string_view> names;
  names.reserve(alike.size());
  for (const Shared& environment : alike) names.push_back(environment->name());
  return usage_error("there is no environment \"{}\"{}; `redqueen gym list` shows all {}", name,
                     did_you_mean(name, names), environments_.size());
}

}  // namespace redqueen
