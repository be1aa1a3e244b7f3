// All environments of this process by name. Native ones enter by themselves (REDQUEEN_ENVIRONMENT
// in contract.h).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/core/environment.h"
#include "redqueen/core/error.h"

namespace redqueen {

// Filled before main() starts and only read afterwards, so it needs no lock.
class Registry {
 public:
  static Registry& instance();

  // Returns true, for use in the initialiser of a static. A name that is taken is a broken promise.
  bool add(std::unique_ptr<const Environment> environment);

  // All environments in the order of their names.
  std::vector<const Environment*> all() const;

  // nullptr if there is none of this name.
  const Environment* find(std::string_view name) const;

  // As find, with an error that proposes the nearest names.
  Expected<const Environment*> get(std::string_view name) const;

 private:
  std::vector<std::unique_ptr<const Environment>> environments_;  // in the order of their names
};

}  // namespace redqueen
