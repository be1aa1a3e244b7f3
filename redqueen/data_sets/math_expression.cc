#include "redqueen/data_sets/math_expression.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <set>

#include "redqueen/base/rng.h"
#include "redqueen/data_sets/math_exact.h"
#include "redqueen/data_sets/math_interval.h"
#include "redqueen/data_sets/math_modular.h"

namespace redqueen::data_sets {
namespace {

using Names = std::set<std::string>;

constexpr int kPrimes = 3;  // that have to agree
constexpr int kTries = 5;   // of which some may divide a denominator
constexpr int kNeeded = 2;  // points at which both must be defined

void collect(const Expression& e, std::set<std::string>& names) {
  if (e.kind == Expression::Kind::kSymbol) names.insert(e.name);
  for (const ExpressionPtr& part : e.parts) collect(*part, names);
}

bool is_infinite(const Expression& e, int* sign, Work& work) {
  if (e.kind == Expression::Kind::kConstant && e.name == "infinity") {
    *sign = 1;
    return true;
  }
  if (e.kind == Expression::Kind::kProduct && e.parts.size() == 2 &&
      is_infinite(*e.parts[1], sign, work)) {
    const auto factor = exact_value(*e.parts[0], work);
    if (!factor || *factor == 0) return false;
    if (*factor < 0) *sign = -*sign;
    return true;
  }
  return false;
}

// Factors of points: signs and sizes that tell |x| from x, and x from rounded forms
// that vanish near 0.
constexpr std::array<std::int64_t, 8> kScales{1, 1, 1, -1, -1, 1'000'000, -100, 1};

// Points that the seed chooses.
MathPoint point_of(const Names& names, std::size_t index, std::uint64_t seed) {
  MathPoint point;
  for (const std::string& name : names) {
    Rng rng({.seed = seed, .purpose = hash_name(name), .index = index});
    const Rational value(rng.integer(1, 4'000'007), 1'000'000);
    point[name] = Rational(value * kScales[index]);
  }
  return point;
}

bool is_same(const Expression& a, const Expression& b) {
  return a.kind == b.kind && a.value == b.value && a.name == b.name &&
         std::ranges::equal(a.parts, b.parts,
                            [](const auto& x, const auto& y) { return x == y || is_same(*x, *y); });
}

std::uint64_t seed_of(const Expression& a, const Expression& b) {
  return hash_of(a) * 3 + hash_of(b);
}

bool has_constant(const Expression& e, std::string_view name) {
  return (e.kind == Expression::Kind::kConstant && e.name == name) ||
         std::ranges::any_of(e.parts,
                             [&](const ExpressionPtr& part) { return has_constant(*part, name); });
}

// nullopt: not both are rational functions, or they are of e or π and seem to differ.
std::optional<bool> same_residues(const Expression& a, const Expression& b, Work& work) {
  int agreed = 0;
  for (std::uint64_t i = 0; i < kTries && agreed < kPrimes; ++i) {
    ModularEvaluator evaluate(seed_of(a, b) + i, work);
    const auto x = evaluate(a);
    const auto y = x ? evaluate(b) : std::nullopt;
    if (!x || !y) {
      if (i == 1 && agreed == 0) return std::nullopt;
      continue;
    }
    if (*x != *y) {
      const bool proves = !has_constant(a, "e") && !has_constant(a, "pi") &&
                          !has_constant(b, "e") && !has_constant(b, "pi");
      return proves ? std::optional(false) : std::nullopt;
    }
    ++agreed;
  }
  return agreed >= kNeeded ? std::optional(true) : std::nullopt;
}

// Compares at points in one domain; nullopt: both are defined at too few.
std::optional<bool> same_at_points(const Expression& a, const Expression& b, const Names& names,
                                   Domain domain, Work& work) {
  int seen = 0;
  bool undecided = false;
  for (std::size_t i = 0; i < (names.empty() ? 1 : kScales.size()); ++i) {
    switch (compare_intervals(a, b, point_of(names, i, seed_of(a, b)), domain, work)) {
      case IntervalRelation::kEqual:
        ++seen;
        break;
      case IntervalRelation::kDifferent:
      case IntervalRelation::kOneIsUndefined:
        return false;
      case IntervalRelation::kBothUndefined:
        break;
      case IntervalRelation::kUndecided:
        undecided = undecided || std::abs(kScales[i]) == 1;  // far away e^x asks for too much
        break;
    }
    if (work.exhausted()) return false;
  }
  if (undecided) {
    work.leave_undecided();
    return false;
  }
  if (seen < (names.empty() ? 1 : kNeeded)) return std::nullopt;
  return true;
}

// Puts numbers in the place of symbols.
ExpressionPtr at_point(const Expression& e, const MathPoint& point) {
  if (e.kind == Expression::Kind::kSymbol) return number(point.at(e.name));
  Expression copy = e;
  for (ExpressionPtr& part : copy.parts) part = at_point(*part, point);
  return std::make_shared<Expression>(std::move(copy));
}

// Whether the ratio of two rational functions is constant; nullopt: they are none.
std::optional<bool> same_ratio_of_residues(const Expression& a, const Expression& b, Work& work) {
  for (std::uint64_t prime = 0; prime < 2; ++prime) {
    ModularEvaluator evaluate(seed_of(a, b) + prime, work);
    std::optional<std::uint64_t> first;
    for (int point = 0; point < 4; ++point) {
      const auto x = evaluate(a, point);
      const auto y = x ? evaluate(b, point) : std::nullopt;
      if (!x || !y) return std::nullopt;
      const auto ratio = evaluate.quotient(*x, *y);
      if (!ratio || *ratio == 0) return false;
      if (first && *first != *ratio) return false;
      first = ratio;
    }
  }
  return true;
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
  work.stand_on(Ground::kExact);
  if (infinite_a || infinite_b) return infinite_a && infinite_b && sign_a == sign_b;
  const auto exact_a = exact_value(a, work);
  const auto exact_b = exact_a ? exact_value(b, work) : std::nullopt;
  if (exact_a && exact_b) return *exact_a == *exact_b;
  if (work.exhausted()) return false;
  if (is_same(a, b)) return true;
  if (const auto same = same_residues(a, b, work); same || work.exhausted()) {
    work.stand_on(Ground::kModular);
    return same.value_or(false);
  }
  work.stand_on(Ground::kInterval);
  Names names;
  collect(a, names);
  collect(b, names);
  if (!names.empty() && !has_constant(a, "i") && !has_constant(b, "i")) {
    if (const auto same = same_at_points(a, b, names, Domain::kReal, work)) return *same;
  }
  return same_at_points(a, b, names, Domain::kComplex, work).value_or(false);
}

Proportion proportion(const Expression& a, const Expression& b, Work& work) {
  Names names;
  collect(a, names);
  collect(b, names);
  const std::uint64_t seed = seed_of(a, b);
  std::optional<bool> same = same_ratio_of_residues(a, b, work);
  work.stand_on(same ? Ground::kModular : Ground::kInterval);
  const ExpressionPtr ratio =
      quotient(std::make_shared<Expression>(a), std::make_shared<Expression>(b));
  int sign = 0;
  std::optional<MathPoint> first;
  int seen = 0;
  for (std::size_t i = 0; i < kScales.size(); ++i) {
    const MathPoint point = point_of(names, i, seed);
    if (same) {
      if (!*same) return Proportion::kNone;
      if (sign == 0) sign = interval_sign(*ratio, point, work);
      continue;
    }
    const int here = interval_sign(*ratio, point, work);
    if (here == 0) continue;
    if (sign != 0 && here != sign) return Proportion::kNone;
    sign = here;
    if (!first) {
      first = point;
      continue;
    }
    const auto left = product({at_point(a, point), at_point(b, *first)});
    const auto right = product({at_point(a, *first), at_point(b, point)});
    if (compare_intervals(*left, *right, {}, Domain::kReal, work) != IntervalRelation::kEqual)
      return Proportion::kNone;
    ++seen;
  }
  if (work.exhausted() || sign == 0 || (!same && seen + 1 < kNeeded)) return Proportion::kNone;
  return sign > 0 ? Proportion::kPositive : Proportion::kNegative;
}

int compare(const Expression& a, const Expression& b, Work& work) {
  int sign_a = 0;
  int sign_b = 0;
  is_infinite(a, &sign_a, work);
  is_infinite(b, &sign_b, work);
  if (sign_a != 0 || sign_b != 0) return sign_a == sign_b ? 0 : (sign_a < sign_b ? -1 : 1);
  if (same_value(a, b, work)) return 0;
  const auto apart =
      sum({std::make_shared<Expression>(a), negated(std::make_shared<Expression>(b))});
  const int sign = interval_sign(*apart, {}, work);
  return sign == 0 ? 2 : sign;
}

bool has_symbols(const Expression& expression) {
  Names names;
  collect(expression, names);
  return !names.empty();
}

}  // namespace redqueen::data_sets
