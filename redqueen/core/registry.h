// The registry of environments. Native ones enter by themselves (REDQUEEN_ENVIRONMENT in
// contract.h); an Engine adds the others.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/core/environment.h"

namespace redqueen {

// The name of the published form of an environment: "Sorting:published" draws the problems that
// RLVE-Gym draws, where "Sorting" refuses those that a simple rule solves.
inline constexpr std::string_view kPublishedSuffix = ":published";
std::string published_name(std::string_view name);

// The name without that suffix.
std::string_view base_name(std::string_view name);

// Environments by name: a value, built once and read by many threads afterwards. Copies share the
// environments.
class Registry {
 public:
  // The native environments of this program. Complete when main() starts, and never changed.
  static const Registry& native();

  // A name that is taken is a usage error.
  Status add(std::shared_ptr<const Environment> environment);

  // All environments in the order of their names, without published forms.
  std::vector<const Environment*> all() const;

  // The published forms in the order of their names.
  std::vector<const Environment*> published_forms() const;

  // nullptr if there is none of this name.
  const Environment* find(std::string_view name) const;

  // Finds an environment as find() does, or fails and proposes the nearest names.
  Expected<const Environment*> get(std::string_view name) const;

 private:
  // Both in the order of their names.
  std::vector<std::shared_ptr<const Environment>> environments_;
  std::vector<std::shared_ptr<const Environment>> published_forms_;
};

}  // namespace redqueen
