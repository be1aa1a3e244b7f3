// Answers that put the rows and the columns of a matrix into new orders: a line for each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/rng.h"
#include "redqueen/core/answer.h"
#include "redqueen/core/reward.h"
#include "redqueen/core/verdict.h"
#include "redqueen/gym/common/grid/rows.h"
#include "redqueen/gym/common/grid/shape.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/sequence/order.h"

namespace redqueen {

// Two lists: row a[i] comes to place i, and column b[j] to place j. All places count from 0.
using MatrixOrders = std::vector<std::vector<std::int64_t>>;

inline MatrixOrders orders_as_they_are(const GridShape& shape) {
  return {ascending_order(shape.rows), ascending_order(shape.columns)};
}

inline MatrixOrders random_orders(const GridShape& shape, Rng& rng) {
  MatrixOrders orders = orders_as_they_are(shape);
  for (auto& order : orders) rng.shuffle(order);
  return orders;
}

// The reward of orders by what share of some cells they make right: −1 unless there are two lines,
// −0.5 unless both are orders, else (matches/total)^5, where matches = count(orders).
template <typename Count>
double reward_orders(const GridShape& shape, const MatrixOrders& orders, std::int64_t total,
                     Count count) {
  constexpr double kBeta = 5.0;
  if (orders.size() != 2) return kMalformedReward;
  if (!is_order(shape.rows, orders[0]) || !is_order(shape.columns, orders[1])) {
    return kInvalidReward;
  }
  return share_reward(count(orders), total, kBeta);
}

// A stored answer as text. An error unless score(orders) is that of a right one.
template <typename Score>
Status check_stored_orders(const std::string& text, Score score) {
  const auto orders = parse_answer<MatrixOrders>(text);
  return reference_is("reference_answer", orders.has_value() && score(*orders) >= kSolvedReward,
                      true);
}

// The form of these answers, as prompts ask for it.
inline constexpr std::string_view kAskForOrders =
    "Answer with two lines: the order of the rows, then the order of the columns, each separated "
    "by spaces.";

}  // namespace redqueen
