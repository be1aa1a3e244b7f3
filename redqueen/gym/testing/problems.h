// Makes problems from the registry, with the data they were generated from, for tests of
// environments.
#pragma once

#include <gtest/gtest.h>

#include <string_view>

#include "redqueen/base/fields.h"
#include "redqueen/core/contract.h"
#include "redqueen/core/environment.h"
#include "redqueen/core/registry.h"

namespace redqueen {

// A generated problem; the test fails if there is none.
inline ProblemPtr make_problem(std::string_view environment, int level, std::uint64_t seed) {
  const Environment* found = Registry::native().find(environment);
  EXPECT_NE(found, nullptr) << environment;
  if (found == nullptr) return nullptr;
  auto problem = found->generate(level, seed);
  EXPECT_TRUE(problem.has_value()) << problem.error().message;
  return problem ? std::move(*problem) : nullptr;
}

// The problem that a parameter in JSON text describes; the test fails if it cannot be restored.
inline ProblemPtr restore_problem(std::string_view environment, std::string_view parameter) {
  const Environment* found = Registry::native().find(environment);
  EXPECT_NE(found, nullptr) << environment;
  const auto json = parse_json(parameter);
  EXPECT_TRUE(json.has_value()) << parameter;
  if (found == nullptr || !json) return nullptr;
  auto problem = found->restore(*json);
  EXPECT_TRUE(problem.has_value()) << problem.error().message;
  return problem ? std::move(*problem) : nullptr;
}

}  // namespace redqueen
