#include "redqueen/gym/common/expression/calculus_task.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/expression/expression_builder.h"

namespace redqueen {
namespace {

constexpr std::size_t kPoints = 64;
constexpr double kLargestSlope = 1e4;
constexpr std::int64_t kMostOperations = 1000;
// Of a derivative before it is simplified: it shares operands, and its text may be exponentially
// longer than it is, which simplification would write out to order its parts.
constexpr std::int64_t kMostRawOperations = 8 * kMostOperations;

std::array<double, kPoints> even_points() {
  std::array<double, kPoints> points{};
  for (std::size_t i = 0; i < kPoints; ++i) {
    points[i] = -2.0 + 4.0 * (static_cast<double>(i) + 0.5) / kPoints;
  }
  return points;
}

class Tree {
 public:
  explicit Tree(Rng& rng) : rng_(rng) {}

  Expression make(int nodes) { return build_.take(grow(nodes)); }

 private:
  std::int32_t grow(int nodes) {
    if (nodes == 1) return build_.leaf(Op::kX);
    if (nodes == 2 || rng_.chance(0.5)) return unary(grow(nodes - 1));
    const int left = static_cast<int>(rng_.integer(1, nodes - 2));
    const std::int32_t a = grow(left);
    return binary(a, grow(nodes - 1 - left));
  }

  std::int32_t small(std::int64_t low, std::int64_t high) {
    return build_.number(Rational(rng_.integer(low, high)));
  }

  std::int32_t unary(std::int32_t a) {
    constexpr std::array kWeights{0.1, 0.1, 0.05, 0.05, 0.1, 0.25, 0.25, 0.1};
    switch (rng_.weighted(kWeights)) {
      case 0:
        return build_.apply(Op::kSin, a);
      case 1:
        return build_.apply(Op::kCos, a);
      case 2:
        return build_.apply(Op::kExp, a);
      case 3:
        return build_.apply(Op::kLog, a);
      case 4: {
        const bool root = rng_.chance(0.5);
        const Rational q = rng_.integer(2, 4);
        return build_.power(a, build_.number(root ? Rational(1) / q : q));
      }
      case 5: {
        const std::int32_t amount = small(1, 2);
        return rng_.chance(0.5) ? build_.add(a, amount) : build_.subtract(a, amount);
      }
      case 6: {
        const std::int32_t scaled = build_.multiply(small(2, 4), a);
        return rng_.chance(0.5) ? build_.negate(scaled) : scaled;
      }
      default:
        return build_.divide(a, small(2, 4));
    }
  }

  std::int32_t binary(std::int32_t a, std::int32_t b) {
    constexpr std::array kWeights{0.2, 0.2, 0.3, 0.2, 0.1};
    switch (rng_.weighted(kWeights)) {
      case 0:
        return build_.add(a, b);
      case 1:
        return build_.subtract(a, b);
      case 2:
        return build_.multiply(a, b);
      case 3:
        return build_.divide(a, b);
      default:
        return build_.power(a, b);
    }
  }

  Rng& rng_;
  ExpressionBuilder build_;
};

double share_with_value(std::span<const std::optional<double>> values) {
  const auto defined = std::ranges::count_if(values, [](const auto& v) { return v.has_value(); });
  return static_cast<double>(defined) / static_cast<double>(values.size());
}

void demand(bool condition) {
  if (!condition) throw Retry();
}

}  // namespace

Expression random_expression(int nodes, Rng& rng) { return Tree(rng).make(nodes); }

double defined_share(const Expression& f) { return share_with_value(evaluate(f, even_points())); }

FunctionWithDerivative random_function(int nodes, Rng& rng) {
  Expression function = simplified(random_expression(nodes, rng));
  const std::int64_t operations = count_operations(function);
  demand(2 * operations >= nodes && operations <= kMostOperations && contains_x(function));
  demand(defined_share(function) >= 0.5);
  const Expression raw = derivative(function);
  demand(count_operations(raw) <= kMostRawOperations && contains_x(raw));
  Expression slope = simplified(raw);
  demand(count_operations(slope) <= kMostOperations && contains_x(slope));
  const auto values = evaluate(slope, even_points());
  demand(share_with_value(values) >= 0.5);
  demand(std::ranges::all_of(values,
                             [](const auto& v) { return !v || std::abs(*v) <= kLargestSlope; }));
  return {std::move(function), std::move(slope)};
}

}  // namespace redqueen
