// A curriculum whose settings and draws are values, so that a server and the Python package can
// give it to other trainers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/fields.h"
#include "redqueen/suites/curriculum.h"
#include "redqueen/suites/split.h"

namespace redqueen {

// A field that is left out is as in CurriculumOptions.
struct CurriculumSettings {
  std::string suite;
  std::optional<std::string> difficulty;  // adaptive, static, … (level_rule.h)
  std::optional<double> accuracy_threshold;
  std::optional<int> minimum_groups;
  std::optional<int> width;
  std::optional<int> low;
  std::optional<int> high;
  std::optional<double> exploration;
  std::optional<int> rollouts;        // of a problem; 8
  std::optional<std::uint64_t> seed;  // of the draws; 0
  std::optional<std::uint64_t> salt;  // of the problems; 1, and never that of evaluation
  REDQUEEN_FIELDS(suite, difficulty, accuracy_threshold, minimum_groups, width, low, high,
                  exploration, rollouts, seed, salt)

  std::uint64_t problem_salt() const { return salt.value_or(kTestSalt + 1); }
};

// A usage error names the setting that cannot be. `environments` are those of settings.suite,
// `weights` theirs.
Expected<Curriculum> make_curriculum(const CurriculumSettings& settings,
                                     std::vector<const Environment*> environments,
                                     std::vector<double> weights = {});

// A problem to make, of the curriculum's environment with this index.
struct DrawnProblem {
  std::size_t environment = 0;
  int level = 0;
  std::uint64_t seed = 0;
  std::uint64_t salt = 0;
};

// The draw after `drawn` others. It depends on the settings, on that number, and on what the
// curriculum has learnt up to now. No two draws have one seed.
DrawnProblem draw_problem(const Curriculum& curriculum, const CurriculumSettings& settings,
                          std::uint64_t drawn);

}  // namespace redqueen
