// Draws and checks lists of numbers in parameters.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "redqueen/base/rng.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {

// The longest list that a prompt of 256 KiB shows, roughly.
inline constexpr std::int64_t kMaxShownNumbers = 50'000;

// `count` numbers, uniform in low … high.
inline std::vector<std::int64_t> draw_numbers(std::int64_t count, std::int64_t low,
                                              std::int64_t high, Rng& rng) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
  for (std::int64_t& number : numbers) number = rng.integer(low, high);
  return numbers;
}

// An error that names the key unless there are `count` numbers, all of them in low … high.
inline Status check_numbers(std::string_view key, const std::vector<std::int64_t>& numbers,
                            std::int64_t count, std::int64_t low, std::int64_t high) {
  if (std::ssize(numbers) != count) {
    return failure("\"{}\": expected {} numbers, found {}", key, count, numbers.size());
  }
  for (const std::int64_t number : numbers) RETURN_IF_ERROR(within(key, number, low, high));
  return {};
}

}  // namespace redqueen
