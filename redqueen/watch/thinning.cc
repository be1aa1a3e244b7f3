#include "redqueen/watch/thinning.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace redqueen::watch {
namespace {

// The four points that tell of a column, by step, each once.
void append_column(std::span<const run::MetricPoint> column, std::vector<run::MetricPoint>& out) {
  const auto [low, high] =
      std::ranges::minmax_element(column, std::ranges::less(), &run::MetricPoint::value);
  std::array<std::ptrdiff_t, 4> chosen = {0, low - column.begin(), high - column.begin(),
                                          std::ssize(column) - 1};
  std::ranges::sort(chosen);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (i == 0 || chosen[i] != chosen[i - 1])
      out.push_back(column[static_cast<std::size_t>(chosen[i])]);
  }
}

}  // namespace

std::vector<run::MetricPoint> thinned(const std::vector<run::MetricPoint>& points,
                                      std::size_t budget) {
  std::vector<run::MetricPoint> finite;
  std::ranges::copy_if(points, std::back_inserter(finite),
                       [](const run::MetricPoint& point) { return std::isfinite(point.value); });
  if (finite.size() <= budget) return finite;
  const auto columns = static_cast<std::int64_t>(budget / 4);
  const std::int64_t first = finite.front().step;
  const std::int64_t length = finite.back().step - first + 1;
  std::vector<run::MetricPoint> out;
  for (std::size_t begin = 0; begin < finite.size();) {
    const std::int64_t column = (finite[begin].step - first) * columns / length;
    std::size_t end = begin;
    while (end < finite.size() && (finite[end].step - first) * columns / length == column) ++end;
    append_column(std::span(finite).subspan(begin, end - begin), out);
    begin = end;
  }
  return out;
}

}  // namespace redqueen::watch
