// Certifies an admitted environment, on its card, for whoever trains on it: the layers
// that it passed, what second authors found, whether several answers were right, the share of
// problems that models solve at each level, and shortcuts that do not solve it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/json.h"
#include "redqueen/core/problem.h"

namespace redqueen::synth {

struct EnvironmentCandidate;

// A way to answer without solving anything, and what came of it.
struct Shortcut {
  std::string name;  // "the largest number of the prompt", …
  int tried = 0;     // problems to which it has an answer
  int solved = 0;
};

// Tries every shortcut on the problems, which are of one environment: constants, numbers of the
// prompt by place and by size, their sum and count, the list as given and sorted, and the most
// frequent reference of the other problems. In the order of the share solved, the best first.
std::vector<Shortcut> try_shortcuts(std::span<const ProblemPtr> problems);

// {"layers", "review", "second_authors", "answers", "pass_rates", "shortcuts"}; what was not asked
// is null. "answers" is "several" where second programs gave different right answers to a problem,
// "one" where two or more programs agreed on all of them, and "unknown" otherwise.
Json certificate_of(const EnvironmentCandidate& candidate, std::string_view model);

// The certificate for people, a line each: what, and the text. Empty for a card without one.
std::vector<std::pair<std::string, std::string>> certificate_lines(const Json& certificate);

}  // namespace redqueen::synth
