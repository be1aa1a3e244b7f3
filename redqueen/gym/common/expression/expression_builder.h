// Makes formulas in which equal parts are one node. For the .cc files of expression.h.
#pragma once

#include <map>
#include <tuple>

#include "redqueen/gym/common/expression/expression.h"

namespace redqueen {

class ExpressionBuilder {
 public:
  std::int32_t number(const Rational& value);
  std::int32_t leaf(Op op) { return intern({op, -1, -1}); }

  // These leave out zeros and ones, and nothing else.
  std::int32_t negate(std::int32_t a);
  std::int32_t add(std::int32_t a, std::int32_t b);
  std::int32_t subtract(std::int32_t a, std::int32_t b);
  std::int32_t multiply(std::int32_t a, std::int32_t b);
  std::int32_t divide(std::int32_t a, std::int32_t b);
  std::int32_t power(std::int32_t a, std::int32_t b);
  std::int32_t apply(Op function, std::int32_t a) { return intern({function, a, -1}); }

  // Leaves out nothing.
  std::int32_t node_of(const ExpressionNode& node) { return intern(node); }

  // Copies every node of f; returns where each went.
  std::vector<std::int32_t> import(const Expression& f);

  bool is_number(std::int32_t node, int value) const;
  const ExpressionNode& node(std::int32_t index) const { return nodes_[index]; }
  const Rational& value(std::int32_t number) const { return numbers_[node(number).a]; }

  // The formula below `root`, without what it does not use.
  Expression take(std::int32_t root) const;

 private:
  std::int32_t intern(ExpressionNode node);

  std::vector<ExpressionNode> nodes_;
  std::vector<Rational> numbers_;
  std::map<std::tuple<Op, std::int32_t, std::int32_t>, std::int32_t> known_;
  std::map<Rational, std::int32_t> known_numbers_;
};

}  // namespace redqueen
