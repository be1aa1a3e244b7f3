#include "redqueen/gym/common/sequence/chain.h"

#include <algorithm>

namespace redqueen {
namespace {

// The length of the longest chain that ends with `value`, which then counts as seen. ends[k]: the
// least last value of the chains of length k + 1 among the values seen; ascending.
int extend(std::vector<std::int64_t>& ends, std::int64_t value, Equal equal) {
  const auto place = equal == Equal::kBreaks ? std::ranges::lower_bound(ends, value)
                                             : std::ranges::upper_bound(ends, value);
  const auto length = static_cast<int>(place - ends.begin()) + 1;
  if (place == ends.end()) {
    ends.push_back(value);
  } else {
    *place = value;
  }
  return length;
}

}  // namespace

std::vector<int> chain_lengths(std::span<const std::int64_t> values, Equal equal) {
  std::vector<std::int64_t> ends;
  ends.reserve(values.size());
  std::vector<int> lengths(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) lengths[i] = extend(ends, values[i], equal);
  return lengths;
}

std::int64_t longest_chain_length(std::span<const std::int64_t> values, Equal equal) {
  std::vector<std::int64_t> ends;
  ends.reserve(values.size());
  for (const std::int64_t value : values) extend(ends, value, equal);
  return std::ssize(ends);
}

// Of places with the same length, a later one has no greater value (kKeeps: a smaller one), or it
// would prolong the chain of the earlier. So the latest with the length wanted always fits.
std::vector<std::int64_t> longest_chain(std::span<const std::int64_t> values, Equal equal) {
  const std::vector<int> lengths = chain_lengths(values, equal);
  if (lengths.empty()) return {};
  int wanted = *std::ranges::max_element(lengths);
  std::vector<std::int64_t> places(static_cast<std::size_t>(wanted));
  for (std::int64_t i = std::ssize(lengths) - 1; wanted > 0; --i) {
    if (lengths[i] == wanted) places[--wanted] = i;
  }
  return places;
}

}  // namespace redqueen
