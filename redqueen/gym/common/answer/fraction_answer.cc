#include "redqueen/gym/common/answer/fraction_answer.h"

#include "redqueen/core/answer.h"

namespace redqueen {

std::optional<FractionAnswer> parse_fraction(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  auto numerator = parse_integer(text.substr(0, slash));
  if (!numerator) return std::nullopt;
  auto denominator = parse_integer(text.substr(slash + 1));  // a second slash is not an integer
  if (!denominator) return std::nullopt;
  return FractionAnswer{std::move(*numerator), std::move(*denominator)};
}

std::string format_fraction(const FractionAnswer& fraction) {
  return format_answer(fraction.numerator) + "/" + format_answer(fraction.denominator);
}

FractionAnswer reduced_fraction(const BigInt& numerator, const BigInt& denominator) {
  const BigInt shared = gcd(numerator, denominator);
  return {numerator / shared, denominator / shared};
}

}  // namespace redqueen
