#include "redqueen/data_sets/math_exact.h"

#include <algorithm>

namespace redqueen::data_sets {
namespace {

constexpr long kLargestFactorial = 2000;
constexpr std::uint64_t kNodeWork = 500;  // of a node, at least

std::optional<long> small_integer(const Rational& value, long bound) {
  if (denominator(value) != 1 || abs(numerator(value)) > bound) return std::nullopt;
  return static_cast<long>(numerator(value));
}

// Evaluates what arithmetic alone leads to. The size of every result is bounded before it is
// computed, and the work counted.
class ExactEvaluator {
 public:
  explicit ExactEvaluator(Work& work) : work_(work) {}

  // The value, if it has at most kMostExactBits above and below the line.
  std::optional<Rational> operator()(const Expression& e) {
    using Kind = Expression::Kind;
    if (!work_.spend(kNodeWork)) return std::nullopt;
    if (e.kind == Kind::kNumber) return e.value;
    if (e.kind == Kind::kSymbol || e.kind == Kind::kConstant) return std::nullopt;
    std::vector<Rational> values;
    for (const ExpressionPtr& part : e.parts) {
      auto value = (*this)(*part);
      if (!value) return std::nullopt;
      if (e.kind == Kind::kPower && values.empty() && *value == 1 && is_natural(*e.parts[1]))
        return Rational(1);  // whatever the size of the exponent
      values.push_back(std::move(*value));
    }
    if (e.kind == Kind::kSum) return sum(values);
    if (e.kind == Kind::kProduct) return product(values);
    if (e.kind == Kind::kPower) return power(values[0], values[1]);
    return function(e.name, values);
  }

 private:
  // Whether a result of so many bits may be computed. Sums and products of fractions take greatest
  // common divisors, which are slow.
  bool allows(std::size_t bits) {
    const std::size_t words = bits / 64 + 1;
    return bits <= kMostExactBits && work_.spend(16 * words * words);
  }

  std::optional<Rational> sum(const std::vector<Rational>& values) {
    Rational total = 0;
    for (const Rational& value : values) {
      const std::size_t above = std::max(bits_of(numerator(total)) + bits_of(denominator(value)),
                                         bits_of(numerator(value)) + bits_of(denominator(total)));
      if (!allows(std::max(above + 1, bits_of(denominator(total)) + bits_of(denominator(value)))))
        return std::nullopt;
      total += value;
    }
    return total;
  }

  std::optional<Rational> product(const std::vector<Rational>& values) {
    Rational total = 1;
    for (const Rational& value : values) {
      if (!allows(bits_of(total) + bits_of(value))) return std::nullopt;
      total *= value;
    }
    return total;
  }

  std::optional<Rational> power(const Rational& base, const Rational& exponent) {
    if (exponent == Rational(1, 2)) return square_root(base);
    const auto n = small_integer(exponent, static_cast<long>(kMostExactBits));
    if (!n || (base == 0 && *n <= 0)) return std::nullopt;
    const auto size = static_cast<unsigned>(*n < 0 ? -*n : *n);
    if (!allows(bits_of(base) * size)) return std::nullopt;
    const Rational result(BigInt(pow(numerator(base), size)), BigInt(pow(denominator(base), size)));
    return *n < 0 ? Rational(1) / result : result;
  }

  // The root of the square of a rational number.
  std::optional<Rational> square_root(const Rational& x) {
    if (x < 0 || !allows(bits_of(x))) return std::nullopt;
    const BigInt above = boost::multiprecision::sqrt(numerator(x));
    const BigInt below = boost::multiprecision::sqrt(denominator(x));
    if (above * above != numerator(x) || below * below != denominator(x)) return std::nullopt;
    return Rational(above, below);
  }

  std::optional<Rational> function(const std::string& name, const std::vector<Rational>& values) {
    const Rational& x = values[0];
    if (name == "abs") return x < 0 ? -x : x;
    if (name == "sqrt") return square_root(x);
    if (name == "floor" || name == "ceil") {
      const BigInt above = numerator(x);
      const BigInt below = denominator(x);
      if (!allows(bits_of(x))) return std::nullopt;
      BigInt down = above / below;
      if (above < 0 && down * below != above) --down;
      const bool whole = down * below == above;
      return Rational(name == "ceil" && !whole ? BigInt(down + 1) : down);
    }
    if (name == "factorial") {
      const auto n = small_integer(x, kLargestFactorial);
      if (!n || *n < 0 || !allows(static_cast<std::size_t>(*n) * bits_of(numerator(x))))
        return std::nullopt;
      BigInt result = 1;
      for (long i = 2; i <= *n; ++i) result *= i;
      return Rational(result);
    }
    if (name == "binomial") {
      const auto n = small_integer(x, kLargestFactorial);
      const auto k = small_integer(values[1], kLargestFactorial);
      if (!n || !k || *n < 0 || *k < 0) return std::nullopt;
      if (*k > *n) return Rational(0);
      const long factors = std::min(*k, *n - *k);
      if (!allows(static_cast<std::size_t>(factors) * bits_of(numerator(x)))) return std::nullopt;
      BigInt result = 1;
      for (long i = 1; i <= factors; ++i) result = result * (*n - factors + i) / i;
      return Rational(result);
    }
    return std::nullopt;
  }

  Work& work_;
};

}  // namespace

std::size_t bits_of(const BigInt& value) { return value == 0 ? 1 : msb(abs(value)) + 1; }
std::size_t bits_of(const Rational& value) {
  return std::max(bits_of(numerator(value)), bits_of(denominator(value)));
}

std::optional<Rational> exact_value(const Expression& e, Work& work) {
  return ExactEvaluator(work)(e);
}

bool is_natural(const Expression& e) {
  using Kind = Expression::Kind;
  if (e.kind == Kind::kNumber) return e.value > 0 && denominator(e.value) == 1;
  const bool keeps = e.kind == Kind::kSum || e.kind == Kind::kProduct || e.kind == Kind::kPower ||
                     (e.kind == Kind::kFunction && e.name == "factorial");
  return keeps &&
         std::ranges::all_of(e.parts, [](const ExpressionPtr& part) { return is_natural(*part); });
}

}  // namespace redqueen::data_sets
