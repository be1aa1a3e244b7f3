// Notices a run that teaches nothing: in a group whose rollouts all earn the same there is nothing
// to learn from.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "redqueen/run/event_store.h"

namespace redqueen {

class TeachingWatch {
 public:
  // Takes the metrics of a step. Returns a sentence with the likely cause when the effective prompt
  // ratio was near zero for `kSteps` steps in a row; once in a run.
  std::optional<std::string> take(std::span<const run::MetricValue> metrics);

  static constexpr int kSteps = 10;

 private:
  int steps_ = 0;  // in a row
  double well_formed_ = 0;
  double solved_ = 0;
  bool told_ = false;
};

}  // namespace redqueen
