#include "redqueen/gym/common/expression/expression_builder.h"

namespace redqueen {

std::int32_t ExpressionBuilder::intern(ExpressionNode node) {
  const auto [place, fresh] =
      known_.try_emplace({node.op, node.a, node.b}, static_cast<std::int32_t>(nodes_.size()));
  if (fresh) nodes_.push_back(node);
  return place->second;
}

std::int32_t ExpressionBuilder::number(const Rational& value) {
  const auto [place, fresh] =
      known_numbers_.try_emplace(value, static_cast<std::int32_t>(numbers_.size()));
  if (fresh) numbers_.push_back(value);
  return intern({Op::kNumber, place->second, -1});
}

bool ExpressionBuilder::is_number(std::int32_t index, int wanted) const {
  return node(index).op == Op::kNumber && value(index) == wanted;
}

std::int32_t ExpressionBuilder::negate(std::int32_t a) {
  return is_number(a, 0) ? a : intern({Op::kNegate, a, -1});
}

std::int32_t ExpressionBuilder::add(std::int32_t a, std::int32_t b) {
  if (is_number(a, 0)) return b;
  if (is_number(b, 0)) return a;
  return intern({Op::kAdd, a, b});
}

std::int32_t ExpressionBuilder::subtract(std::int32_t a, std::int32_t b) {
  if (is_number(a, 0)) return negate(b);
  if (is_number(b, 0)) return a;
  return intern({Op::kSubtract, a, b});
}

std::int32_t ExpressionBuilder::multiply(std::int32_t a, std::int32_t b) {
  if (is_number(a, 0) || is_number(b, 1)) return a;
  if (is_number(b, 0) || is_number(a, 1)) return b;
  return intern({Op::kMultiply, a, b});
}

std::int32_t ExpressionBuilder::divide(std::int32_t a, std::int32_t b) {
  if (is_number(b, 1)) return a;
  if (is_number(a, 0) && !is_number(b, 0)) return a;
  return intern({Op::kDivide, a, b});
}

std::int32_t ExpressionBuilder::power(std::int32_t a, std::int32_t b) {
  if (is_number(b, 1)) return a;
  if (is_number(b, 0)) return number(1);
  return intern({Op::kPower, a, b});
}

std::vector<std::int32_t> ExpressionBuilder::import(const Expression& f) {
  std::vector<std::int32_t> place;
  place.reserve(f.nodes.size());
  for (const ExpressionNode& node : f.nodes) {
    if (node.op == Op::kNumber) {
      place.push_back(number(f.numbers[node.a]));
    } else {
      const auto moved = [&](std::int32_t child) { return child < 0 ? child : place[child]; };
      place.push_back(intern({node.op, moved(node.a), moved(node.b)}));
    }
  }
  return place;
}

Expression ExpressionBuilder::take(std::int32_t root) const {
  std::vector<char> used(nodes_.size(), 0);
  used[root] = 1;
  for (std::int32_t i = root; i >= 0; --i) {
    const ExpressionNode& node = nodes_[i];
    if (!used[i] || node.op == Op::kNumber) continue;
    if (node.a >= 0) used[node.a] = 1;
    if (node.b >= 0) used[node.b] = 1;
  }
  Expression f;
  std::vector<std::int32_t> place(nodes_.size(), -1);
  for (std::int32_t i = 0; i <= root; ++i) {
    if (!used[i]) continue;
    ExpressionNode node = nodes_[i];
    if (node.op == Op::kNumber) {
      f.numbers.push_back(value(i));
      node.a = static_cast<std::int32_t>(f.numbers.size()) - 1;
    } else {
      if (node.a >= 0) node.a = place[node.a];
      if (node.b >= 0) node.b = place[node.b];
    }
    place[i] = static_cast<std::int32_t>(f.nodes.size());
    f.nodes.push_back(node);
  }
  return f;
}

}  // namespace redqueen
