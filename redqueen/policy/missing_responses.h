// Counts of the responses that a policy could not give.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "redqueen/policy/policy.h"

namespace redqueen {

struct MissingResponses {
  std::int64_t asked = 0;     // responses, those that came included
  std::int64_t too_long = 0;  // to prompts that did not fit into the policy's context
  std::int64_t failed = 0;    // for other reasons
  std::string reason;         // of the first; empty if none is missing

  void count(std::span<const CompletionGroup> groups);
  void add(const MissingResponses& other);

  std::int64_t missing() const { return too_long + failed; }
  // True if responses were asked for and not one came.
  bool none_came() const { return asked > 0 && missing() == asked; }
  // "3 of 8 responses could not be had: " and the first reason.
  std::string sentence() const;
};

}  // namespace redqueen
