#include "redqueen/run/report/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace redqueen::run {

Interval wilson_interval(std::int64_t successes, std::int64_t trials, double z) {
  if (trials <= 0) return {0, 1};
  const auto n = static_cast<double>(trials);
  const double p = static_cast<double>(successes) / n;
  const double denominator = 1 + z * z / n;
  const double centre = (p + z * z / (2 * n)) / denominator;
  const double margin = z / denominator * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n));
  // Exact at the ends, where rounding could leave 1e-17.
  return {successes <= 0 ? 0 : std::max(0.0, centre - margin),
          successes >= trials ? 1 : std::min(1.0, centre + margin)};
}

std::vector<double> trailing_mean(std::span<const double> values, std::size_t window) {
  std::vector<double> means;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t first = i + 1 > window ? i + 1 - window : 0;
    means.push_back(finite_mean(values.subspan(first, i + 1 - first)));
  }
  return means;
}

double finite_mean(std::span<const double> values) {
  double sum = 0;
  int count = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    sum += value;
    ++count;
  }
  return count == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / count;
}

}  // namespace redqueen::run
