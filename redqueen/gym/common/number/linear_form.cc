#include "redqueen/gym/common/number/linear_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {

std::string linear_form_text(std::span<const std::int64_t> coefficients) {
  std::string text;
  const auto append = [&](auto number) {
    const fmt::format_int digits(number);
    text.append(digits.data(), digits.size());
  };
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    const std::int64_t c = coefficients[i];
    if (c == 0) continue;
    if (text.empty()) {
      if (c < 0) text += '-';
    } else {
      text += c < 0 ? " - " : " + ";
    }
    if (c != 1 && c != -1) {
      append(c < 0 ? -c : c);
      text += '*';
    }
    text += "x[";
    append(i);
    text += ']';
  }
  return text.empty() ? "0" : text;
}

std::vector<std::int64_t> random_linear_form(int count, std::int64_t largest, bool signs,
                                             Rng& rng) {
  std::vector<std::int64_t> coefficients(static_cast<std::size_t>(count), 0);
  do {
    for (std::int64_t& c : coefficients) {
      c = rng.chance(0.5) ? rng.integer(1, largest) : 0;
      if (signs && c != 0 && rng.chance(0.5)) c = -c;
    }
  } while (std::ranges::all_of(coefficients, [](std::int64_t c) { return c == 0; }));
  return coefficients;
}

std::int64_t form_value(std::span<const std::int64_t> coefficients,
                        std::span<const std::int64_t> x) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += coefficients[i] * x[i];
  return sum;
}

Status check_planted_system(int n, std::span<const std::int64_t> x, std::string_view forms_key,
                            std::span<const std::vector<std::int64_t>> forms,
                            std::span<const std::int64_t> results) {
  constexpr std::int64_t kLargest = 1'000'000;
  if (auto sound = within("N", n, 1, 10'000); !sound) return sound;
  if (std::cmp_not_equal(x.size(), n)) return failure("\"x\": expected {} numbers", n);
  for (const std::int64_t value : x) {
    if (auto sound = within("x", value, -kLargest, kLargest); !sound) return sound;
  }
  if (forms.empty() || forms.size() != results.size()) {
    return failure("\"results\": expected one for each of \"{}\", and at least one", forms_key);
  }
  for (std::size_t m = 0; m < forms.size(); ++m) {
    if (forms[m].size() != x.size()) {
      return failure("\"{}\"[{}]: expected {} numbers", forms_key, m, n);
    }
    for (const std::int64_t coefficient : forms[m]) {
      if (auto sound = within(forms_key, coefficient, -kLargest, kLargest); !sound) return sound;
    }
  }
  return {};
}

IntegerPoint::IntegerPoint(std::vector<BigInt> values) : values_(std::move(values)) {
  static const BigInt kLimit = BigInt(1) << 62;
  const auto fits = [](const BigInt& v) { return v >= -kLimit && v <= kLimit; };
  if (!std::ranges::all_of(values_, fits)) return;
  for (const BigInt& value : values_) small_.push_back(value.convert_to<std::int64_t>());
}

std::strong_ordering IntegerPoint::compare(std::span<const std::int64_t> coefficients,
                                           std::int64_t right) const {
  if (small_.size() == values_.size()) {
    Int128 sum = 0;
    for (std::size_t i = 0; i < small_.size(); ++i) sum += Int128{coefficients[i]} * small_[i];
    return sum <=> Int128{right};
  }
  BigInt sum = 0;
  for (std::size_t i = 0; i < values_.size(); ++i) sum += values_[i] * coefficients[i];
  if (sum == right) return std::strong_ordering::equal;
  return sum < right ? std::strong_ordering::less : std::strong_ordering::greater;
}

}  // namespace redqueen
