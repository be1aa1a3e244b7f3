// Lists of segments of a line with integer ends, both of which belong to the segment.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/format.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {

using Segment = std::pair<int, int>;                       // left end, right end
using PricedSegment = std::tuple<int, int, std::int64_t>;  // left end, right end, price

// An error that names the key unless low ≤ left ≤ right ≤ high.
inline Status check_segment(std::string_view key, int left, int right, int low, int high) {
  RETURN_IF_ERROR(within(key, left, low, high));
  return within(key, right, left, high);
}

// There are `count` segments, all of them within low … high.
inline Status check_segments(std::string_view key, const std::vector<Segment>& segments,
                             std::int64_t count, int low, int high) {
  RETURN_IF_ERROR(within(key, std::ssize(segments), count, count));
  for (const auto& [left, right] : segments) {
    RETURN_IF_ERROR(check_segment(key, left, right, low, high));
  }
  return {};
}

// The same, with prices of 1 … most.
inline Status check_segments(std::string_view key, const std::vector<PricedSegment>& segments,
                             std::int64_t count, int low, int high, std::int64_t most) {
  RETURN_IF_ERROR(within(key, std::ssize(segments), count, count));
  for (const auto& [left, right, price] : segments) {
    RETURN_IF_ERROR(check_segment(key, left, right, low, high));
    RETURN_IF_ERROR(within(key, price, 1, most));
  }
  return {};
}

// "0 2 5\n1 3 3": a segment a line, its number (from 0) and its ends; then its price, if it has
// one.
inline std::string format_segments(const std::vector<Segment>& segments) {
  std::string text;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    append_format(text, "{}{} {} {}", i == 0 ? "" : "\n", i, segments[i].first, segments[i].second);
  }
  return text;
}
inline std::string format_segments(const std::vector<PricedSegment>& segments) {
  std::string text;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const auto& [left, right, price] = segments[i];
    append_format(text, "{}{} {} {} {}", i == 0 ? "" : "\n", i, left, right, price);
  }
  return text;
}

}  // namespace redqueen
