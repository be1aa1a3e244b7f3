// The game of making a number from others by + - * / and parentheses, each of them used once.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "redqueen/base/rng.h"
#include "redqueen/gym/common/number/rational.h"

namespace redqueen {

// An answer that is written well enough to be judged.
struct CountdownAnswer {
  std::string text;
  std::optional<Rational> value;  // nullopt: other numbers than the given ones
};

// First the numbers are held against `operands`, then the expression is read; the published
// verifiers go in this order, so that any text without the right numbers is a rule broken rather
// than malformed. nullopt: malformed (anything but digits + - * / ( ) and white space, faulty
// syntax, division by 0). operands: 0 … 10^9 each.
std::optional<CountdownAnswer> read_countdown(std::string_view text,
                                              std::span<const std::int64_t> operands);

// The operands in random order with random signs between them.
std::string random_countdown(std::span<const std::int64_t> operands, Rng& rng);

// The values that may occur on the way.
enum class CountdownNumbers {
  kWhole,      // integers from 0 on; divisions come out even
  kFractions,  // any fraction, negative ones too
};

// An expression with exactly the value `target`. Up to 6 operands: nullopt if there is none. More:
// found by joining operands at random until 6 are left; nullopt if a hundred attempts fail. 1 to
// 100 operands of 1 … 100; 0 ≤ target ≤ 10^6.
std::optional<std::string> countdown_exact(std::span<const std::int64_t> operands,
                                           std::int64_t target, CountdownNumbers numbers);

struct CountdownClosest {
  std::string expression;
  double value;      // as near to the target as any
  double runner_up;  // distance of the next nearest value from the target
};

// The value nearest to `target` that fractions can reach, by trying all. 1 to 6 operands of 1 …
// 100, 0 ≤ target ≤ 10^6.
CountdownClosest countdown_closest(std::span<const std::int64_t> operands, std::int64_t target);

}  // namespace redqueen
