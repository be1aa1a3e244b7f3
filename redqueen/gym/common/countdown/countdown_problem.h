// Problems of the Countdown game: their ladder, draw, checks and simple rules.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "redqueen/base/field_list.h"
#include "redqueen/base/rng.h"
#include "redqueen/core/answer.h"
#include "redqueen/core/environment.h"
#include "redqueen/gym/common/countdown/countdown.h"
#include "redqueen/gym/common/parameter/redraw.h"
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

// Signs between the numbers in their order, and what that makes from left to right.
struct CountdownWalk {
  std::string signs;
  std::int64_t value;
};

// Each number is joined to what there is by the sign that brings it nearest to the target; of signs
// that bring it as near, the first of + - * / (where it comes out even).
inline CountdownWalk nearest_from_left(const std::vector<std::int64_t>& operands,
                                       std::int64_t target) {
  CountdownWalk walk{.signs = {}, .value = operands[0]};
  for (std::size_t i = 1; i < operands.size(); ++i) {
    const std::int64_t operand = operands[i];
    std::pair<char, std::int64_t> nearest{'+', walk.value + operand};
    const auto consider = [&](char sign, std::int64_t value) {
      if (std::abs(value - target) < std::abs(nearest.second - target)) nearest = {sign, value};
    };
    consider('-', walk.value - operand);
    consider('*', walk.value * operand);
    if (walk.value % operand == 0) consider('/', walk.value / operand);
    walk.signs += nearest.first;
    walk.value = nearest.second;
  }
  return walk;
}

// Numbers that do not make the target in their order by the signs that bring them nearest.
inline CountdownDraw draw_countdown(const CountdownConfig& config, Rng& rng) {
  return first_of_use([&]() -> std::optional<CountdownDraw> {
    CountdownDraw draw{.target = rng.integer(0, config.max_target), .operands = {}};
    for (int i = 0; i < config.num_operands; ++i) {
      draw.operands.push_back(rng.integer(1, config.max_operand));
    }
    if (nearest_from_left(draw.operands, draw.target).value == draw.target) return std::nullopt;
    return draw;
  });
}

// The parameters that countdown_exact and countdown_closest demand, but for the number of operands.
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

// The expression of nearest_from_left().
inline std::string nearest_from_left_text(const std::vector<std::int64_t>& operands,
                                          std::int64_t target) {
  const CountdownWalk walk = nearest_from_left(operands, target);
  std::string text = format_answer(operands[0]);
  for (std::size_t i = 1; i < operands.size(); ++i) {
    text = fmt::format("({} {} {})", text, walk.signs[i - 1], operands[i]);
  }
  return text;
}

inline std::vector<NamedAnswer> countdown_shortcuts(const std::vector<std::int64_t>& operands,
                                                    std::int64_t target) {
  return {{"the sum", joined(operands, " + ")},
          {"the product", joined(operands, " * ")},
          {"from left to right, always by the sign that comes nearest",
           nearest_from_left_text(operands, target)}};
}

}  // namespace redqueen
