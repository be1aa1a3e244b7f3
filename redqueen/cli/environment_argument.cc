#include "redqueen/cli/environment_argument.h"

#include <filesystem>

#include "redqueen/base/file_queries.h"

namespace redqueen {

Expected<FoundEnvironment> find_environment(const Engine& engine, const std::string& name) {
  if (const Environment* known = engine.registry().find(name)) return FoundEnvironment{known, {}};
  if (!is_there(name)) {
    return tl::make_unexpected(engine.registry().get(name).error());
  }
  ASSIGN_OR_RETURN(auto suite, engine.load_suite(name));
  if (suite.environments.size() != 1) {
    return usage_error("{}: this holds {} environments; name one of them", name,
                       suite.environments.size());
  }
  const Environment* only = suite.environments.front();
  return FoundEnvironment{only, std::move(suite)};
}

}  // namespace redqueen
