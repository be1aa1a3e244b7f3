// Problems of the Countdown game: their ladder, draw, checks and simple rules.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "redqueen/core/answer.h"
#include "redqueen/core/environment.h"
#include "redqueen/core/fields.h"
#include "redqueen/core/rng.h"
#include "redqueen/gym/common/countdown/countdown.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {

struct CountdownConfig {
  int num_operands = 0;
  std::int64_t max_operand = 0;
  std::int64_t max_target = 0;
  REDQUEEN_FIELDS(num_operands, max_operand, max_target)
};

// The published ladder: 3 operands and one more a level, each up to one of six bounds.
inline CountdownConfig countdown_at_level(int level, Rng& rng) {
  const std::int64_t most = 8 * rng.integer(1, 6);
  return {.num_operands = 3 + level, .max_operand = most, .max_target = 10 * most};
}

struct CountdownDraw {
  std::int64_t target;
  std::vector<std::int64_t> operands;
};

inline CountdownDraw draw_countdown(const CountdownConfig& config, Rng& rng) {
  CountdownDraw draw{.target = rng.integer(0, config.max_target), .operands = {}};
  for (int i = 0; i < config.num_operands; ++i) {
    draw.operands.push_back(rng.integer(1, config.max_operand));
  }
  return draw;
}

// What countdown_exact and countdown_closest demand, but for the number of operands.
inline Status check_countdown(int num_operands, const std::vector<std::int64_t>& operands,
                              std::int64_t target) {
  if (auto sound = within("num_operands", num_operands, 1, 100); !sound) return sound;
  if (operands.size() != static_cast<std::size_t>(num_operands)) {
    return failure("\"operands\": expected {} numbers", num_operands);
  }
  for (const std::int64_t operand : operands) {
    if (auto sound = within("operands", operand, 1, 100); !sound) return sound;
  }
  return within("target", target, 0, 1'000'000);
}

inline std::string joined(const std::vector<std::int64_t>& operands, std::string_view sign) {
  std::string text;
  for (const std::int64_t operand : operands) {
    if (!text.empty()) text += sign;
    text += format_answer(operand);
  }
  return text;
}

// The best that can be said where no solution is known: well formed.
inline CountdownAnswer nothing_better(const std::vector<std::int64_t>& operands) {
  return *read_countdown(joined(operands, " + "), operands);
}

inline std::vector<NamedAnswer> countdown_shortcuts(const std::vector<std::int64_t>& operands) {
  return {{"the sum", joined(operands, " + ")}, {"the product", joined(operands, " * ")}};
}

}  // namespace redqueen
