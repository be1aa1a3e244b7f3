#include "redqueen/data_sets/math_expression.h"

#include <boost/multiprecision/cpp_complex.hpp>
#include <map>
#include <optional>
#include <set>

#include "redqueen/base/rng.h"

namespace redqueen::data_sets {
namespace {

using Complex = boost::multiprecision::cpp_complex_50;
using Real = boost::multiprecision::cpp_bin_float_50;
using Point = std::map<std::string, Complex>;

constexpr int kPoints = 6;
constexpr int kNeeded = 2;             // points at which both must be defined
constexpr int kLargestExponent = 512;  // of a power by products
constexpr long kLargestFactorial = 2000;
constexpr std::size_t kLargestBits = 1 << 14;
constexpr std::uint64_t kNodeWork = 500;         // of a node of an expression, at least
constexpr std::uint64_t kFunctionWork = 50'000;  // of a function or power to 50 digits

const Real& tolerance() {
  static const Real kTolerance("1e-35");
  return kTolerance;
}

std::size_t bits_of(const BigInt& value) { return value == 0 ? 1 : msb(abs(value)) + 1; }
std::size_t bits_of(const Rational& value) {
  return std::max(bits_of(numerator(value)), bits_of(denominator(value)));
}

std::optional<long> small_integer(const Rational& value, long bound) {
  if (denominator(value) != 1 || abs(numerator(value)) > bound) return std::nullopt;
  return static_cast<long>(numerator(value));
}

// Evaluates what arithmetic alone leads to. The size of every result is bounded before it is
// computed, and the work counted.
class ExactEvaluator {
 public:
  explicit ExactEvaluator(Work& work) : work_(work) {}

  // The value, if it has at most kLargestBits above and below the line.
  std::optional<Rational> operator()(const Expression& e) {
    using Kind = Expression::Kind;
    if (!work_.spend(kNodeWork)) return std::nullopt;
    if (e.kind == Kind::kNumber) return e.value;
    if (e.kind == Kind::kSymbol || e.kind == Kind::kConstant) return std::nullopt;
    std::vector<Rational> values;
    for (const ExpressionPtr& part : e.parts) {
      auto value = (*this)(*part);
      if (!value) return std::nullopt;
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
    return bits <= kLargestBits && work_.spend(16 * words * words);
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
    const auto n = small_integer(exponent, static_cast<long>(kLargestBits));
    if (!n || (base == 0 && *n <= 0)) return std::nullopt;
    const auto size = static_cast<unsigned>(*n < 0 ? -*n : *n);
    if (!allows(bits_of(base) * size)) return std::nullopt;
    const Rational result(BigInt(pow(numerator(base), size)), BigInt(pow(denominator(base), size)));
    return *n < 0 ? Rational(1) / result : result;
  }

  std::optional<Rational> function(const std::string& name, const std::vector<Rational>& values) {
    const Rational& x = values[0];
    if (name == "abs") return x < 0 ? -x : x;
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

std::optional<Rational> exact(const Expression& e, Work& work) { return ExactEvaluator(work)(e); }

Complex to_complex(const Rational& value) {
  return Complex(Real(numerator(value)) / Real(denominator(value)));
}

bool is_finite(const Complex& value) {
  using boost::multiprecision::isfinite;
  return isfinite(Real(value.real())) && isfinite(Real(value.imag()));
}

std::optional<Complex> evaluate(const Expression& e, const Point& point, Work& work);

std::optional<Complex> evaluate_function(const std::string& name, const std::vector<Complex>& x) {
  const Complex one(1);
  const auto real = [&](std::size_t i) -> std::optional<Real> {
    const Real size = abs(x[i]);
    if (abs(Real(x[i].imag())) > tolerance() * (Real(1) + size)) return std::nullopt;
    return Real(x[i].real());
  };
  if (name == "sqrt") return Complex(sqrt(x[0]));
  if (name == "root") {  // real roots of negative numbers where the degree is odd
    const auto radicand = real(0);
    const auto degree = real(1);
    if (!degree || *degree == 0) return std::nullopt;
    const Real half = *degree / 2;
    const bool odd = *degree == floor(*degree) && half != floor(half);
    if (radicand && *radicand < 0 && odd) {
      return Complex(-pow(-*radicand, Real(1) / *degree));
    }
    return Complex(pow(x[0], one / x[1]));
  }
  if (name == "exp") return Complex(exp(x[0]));
  if (name == "ln" || name == "log") {
    if (abs(x[0]) == 0) return std::nullopt;
    if (name == "ln") return Complex(log(x[0]));
    if (abs(x[1]) == 0 || abs(Complex(x[1] - one)) == 0) return std::nullopt;
    return Complex(log(x[0]) / log(x[1]));
  }
  if (name == "sin") return Complex(sin(x[0]));
  if (name == "cos") return Complex(cos(x[0]));
  if (name == "sinh") return Complex(sinh(x[0]));
  if (name == "cosh") return Complex(cosh(x[0]));
  if (name == "tanh") return Complex(tanh(x[0]));
  if (name == "arcsin") return Complex(asin(x[0]));
  if (name == "arccos") return Complex(acos(x[0]));
  if (name == "arctan") return Complex(atan(x[0]));
  const auto ratio = [](const Complex& above, const Complex& below) -> std::optional<Complex> {
    if (abs(below) < tolerance()) return std::nullopt;
    return Complex(above / below);
  };
  if (name == "tan") return ratio(sin(x[0]), cos(x[0]));
  if (name == "cot") return ratio(cos(x[0]), sin(x[0]));
  if (name == "sec") return ratio(one, cos(x[0]));
  if (name == "csc") return ratio(one, sin(x[0]));
  if (name == "abs") return Complex(abs(x[0]));
  if (name == "floor" || name == "ceil") {
    const auto value = real(0);
    if (!value) return std::nullopt;
    return Complex(name == "floor" ? Real(floor(*value)) : Real(ceil(*value)));
  }
  return std::nullopt;  // a factorial or binomial coefficient of what is no number
}

std::optional<Complex> evaluate_power(const Complex& base, const Complex& exponent) {
  if (abs(base) == 0) {
    if (Real(exponent.real()) <= 0) return std::nullopt;
    return Complex(0);
  }
  const Real e = exponent.real();
  if (exponent.imag() == 0 && e == floor(e) && abs(e) <= kLargestExponent) {
    Complex result(1);
    Complex square = base;
    for (auto size = static_cast<int>(abs(e)); size > 0; size /= 2) {
      if (size % 2 == 1) result *= square;
      square *= square;
    }
    return e < 0 ? Complex(Complex(1) / result) : result;
  }
  return Complex(exp(exponent * log(base)));
}

std::optional<Complex> evaluate_node(const Expression& e, const Point& point, Work& work) {
  using Kind = Expression::Kind;
  const bool slow = e.kind == Kind::kPower || e.kind == Kind::kFunction;
  if (!work.spend(slow ? kFunctionWork : kNodeWork)) return std::nullopt;
  if (e.kind == Kind::kNumber) return to_complex(e.value);
  if (e.kind == Kind::kSymbol) {
    const auto found = point.find(e.name);
    if (found == point.end()) return std::nullopt;
    return found->second;
  }
  if (e.kind == Kind::kConstant) {
    if (e.name == "pi") return Complex(boost::math::constants::pi<Real>());
    if (e.name == "e") return Complex(boost::math::constants::e<Real>());
    if (e.name == "i") return Complex(0, 1);
    return std::nullopt;
  }
  if (const auto value = e.kind == Kind::kFunction ? exact(e, work) : std::nullopt) {
    return to_complex(*value);
  }
  std::vector<Complex> values;
  for (const ExpressionPtr& part : e.parts) {
    const auto value = evaluate(*part, point, work);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  if (e.kind == Kind::kSum) {
    Complex total(0);
    for (const Complex& value : values) total += value;
    return total;
  }
  if (e.kind == Kind::kProduct) {
    Complex total(1);
    for (const Complex& value : values) total *= value;
    return total;
  }
  if (e.kind == Kind::kPower) return evaluate_power(values[0], values[1]);
  return evaluate_function(e.name, values);
}

std::optional<Complex> evaluate(const Expression& e, const Point& point, Work& work) {
  const auto value = evaluate_node(e, point, work);
  if (!value || !is_finite(*value)) return std::nullopt;
  return value;
}

void collect(const Expression& e, std::set<std::string>& names) {
  if (e.kind == Expression::Kind::kSymbol) names.insert(e.name);
  for (const ExpressionPtr& part : e.parts) collect(*part, names);
}

// The same points for every call: positive ones first, then any.
Point point_of(const std::set<std::string>& names, int index) {
  Point point;
  for (const std::string& name : names) {
    Rng rng({.seed = 1, .purpose = hash_name(name), .index = static_cast<std::uint64_t>(index)});
    const Rational value(rng.integer(1, 4'000'000'007), 1'000'000'000);
    const bool negative = index >= kPoints / 2 && rng.chance(0.6);
    point[name] = to_complex(negative ? Rational(-value) : value);
  }
  return point;
}

bool near(const Complex& a, const Complex& b) {
  const Real scale = Real(1) + abs(a) + abs(b);
  return abs(Complex(a - b)) <= tolerance() * scale;
}

bool is_infinite(const Expression& e, int* sign, Work& work) {
  if (e.kind == Expression::Kind::kConstant && e.name == "infinity") {
    *sign = 1;
    return true;
  }
  if (e.kind == Expression::Kind::kProduct && e.parts.size() == 2 &&
      is_infinite(*e.parts[1], sign, work)) {
    const auto factor = exact(*e.parts[0], work);
    if (!factor || *factor == 0) return false;
    if (*factor < 0) *sign = -*sign;
    return true;
  }
  return false;
}

}  // namespace

ExpressionPtr number(Rational value) {
  return std::make_shared<Expression>(Expression{.value = std::move(value)});
}

ExpressionPtr symbol(std::string name) {
  return std::make_shared<Expression>(
      Expression{.kind = Expression::Kind::kSymbol, .name = std::move(name)});
}

ExpressionPtr constant(std::string name) {
  return std::make_shared<Expression>(
      Expression{.kind = Expression::Kind::kConstant, .name = std::move(name)});
}

ExpressionPtr sum(std::vector<ExpressionPtr> parts) {
  if (parts.size() == 1) return parts[0];
  return std::make_shared<Expression>(
      Expression{.kind = Expression::Kind::kSum, .parts = std::move(parts)});
}

ExpressionPtr product(std::vector<ExpressionPtr> parts) {
  if (parts.size() == 1) return parts[0];
  return std::make_shared<Expression>(
      Expression{.kind = Expression::Kind::kProduct, .parts = std::move(parts)});
}

ExpressionPtr power(ExpressionPtr base, ExpressionPtr exponent) {
  return std::make_shared<Expression>(Expression{.kind = Expression::Kind::kPower,
                                                 .parts = {std::move(base), std::move(exponent)}});
}

ExpressionPtr function(std::string name, std::vector<ExpressionPtr> parts) {
  return std::make_shared<Expression>(Expression{
      .kind = Expression::Kind::kFunction, .name = std::move(name), .parts = std::move(parts)});
}

ExpressionPtr negated(ExpressionPtr value) { return product({number(-1), std::move(value)}); }

ExpressionPtr quotient(ExpressionPtr above, ExpressionPtr below) {
  return product({std::move(above), power(std::move(below), number(-1))});
}

bool same_value(const Expression& a, const Expression& b, Work& work) {
  int sign_a = 0;
  int sign_b = 0;
  const bool infinite_a = is_infinite(a, &sign_a, work);
  const bool infinite_b = is_infinite(b, &sign_b, work);
  if (infinite_a || infinite_b) return infinite_a && infinite_b && sign_a == sign_b;
  const auto exact_a = exact(a, work);
  const auto exact_b = exact(b, work);
  if (exact_a && exact_b) return *exact_a == *exact_b;
  if (work.exhausted()) return false;
  std::set<std::string> names;
  collect(a, names);
  std::set<std::string> names_b;
  collect(b, names_b);
  names.insert(names_b.begin(), names_b.end());
  int seen = 0;
  for (int i = 0; i < kPoints; ++i) {
    const Point point = point_of(names, i);
    const auto x = evaluate(a, point, work);
    const auto y = evaluate(b, point, work);
    if (x.has_value() != y.has_value()) return false;
    if (!x) continue;
    if (!near(*x, *y)) return false;
    ++seen;
    if (names.empty()) return true;
  }
  return seen >= kNeeded;
}

Proportion proportion(const Expression& a, const Expression& b, Work& work) {
  std::set<std::string> names;
  collect(a, names);
  collect(b, names);
  std::optional<Complex> first;
  int seen = 0;
  for (int i = 0; i < kPoints; ++i) {
    const Point point = point_of(names, i);
    const auto x = evaluate(a, point, work);
    const auto y = evaluate(b, point, work);
    if (x.has_value() != y.has_value()) return Proportion::kNone;
    if (!x || abs(*y) < tolerance() || abs(*x) < tolerance()) continue;
    const Complex ratio = *x / *y;
    if (first && !near(*first, ratio)) return Proportion::kNone;
    first = ratio;
    ++seen;
  }
  if (seen < kNeeded || abs(Real(first->imag())) > tolerance()) return Proportion::kNone;
  return Real(first->real()) > 0 ? Proportion::kPositive : Proportion::kNegative;
}

int compare(const Expression& a, const Expression& b, Work& work) {
  int sign_a = 0;
  int sign_b = 0;
  is_infinite(a, &sign_a, work);
  is_infinite(b, &sign_b, work);
  if (sign_a != 0 || sign_b != 0) return sign_a == sign_b ? 0 : (sign_a < sign_b ? -1 : 1);
  if (same_value(a, b, work)) return 0;
  const auto x = evaluate(a, {}, work);
  const auto y = evaluate(b, {}, work);
  if (!x || !y || abs(Real(x->imag())) > tolerance() || abs(Real(y->imag())) > tolerance())
    return 2;
  return Real(x->real()) < Real(y->real()) ? -1 : 1;
}

bool has_symbols(const Expression& expression) {
  std::set<std::string> names;
  collect(expression, names);
  return !names.empty();
}

}  // namespace redqueen::data_sets
