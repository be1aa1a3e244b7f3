#include "redqueen/run/report/statistics.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numeric>

namespace redqueen::run {

namespace {

// Of a share p of n trials, which need not be a whole number.
Interval wilson(double p, double n, double z) {
  const double denominator = 1 + z * z / n;
  const double centre = (p + z * z / (2 * n)) / denominator;
  const double margin = z / denominator * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n));
  // Exact at the ends, where rounding could leave 1e-17.
  return {p <= 0 ? 0 : std::max(0.0, centre - margin), p >= 1 ? 1 : std::min(1.0, centre + margin)};
}

}  // namespace

Interval wilson_interval(std::int64_t successes, std::int64_t trials, double z) {
  if (trials <= 0) return {0, 1};
  const auto n = static_cast<double>(trials);
  return wilson(static_cast<double>(std::clamp<std::int64_t>(successes, 0, trials)) / n, n, z);
}

Interval clustered_interval(std::int64_t right, std::int64_t squares, std::int64_t problems,
                            int samples, double z) {
  const std::int64_t responses = problems * samples;
  if (samples <= 1 || problems < 2) return wilson_interval(right, responses, z);
  const auto n = static_cast<double>(problems);
  const auto k = static_cast<double>(samples);
  const double p = static_cast<double>(right) / (n * k);
  const double spread = static_cast<double>(squares) / (k * k) - n * p * p;  // Σ (share − p)²
  const double variance = std::max(0.0, spread) / (n - 1) / n;               // of p
  if (p <= 0 || p >= 1 || variance <= 0) return wilson(p, n, z);
  return wilson(p, std::clamp(p * (1 - p) / variance, 1.0, n * k), z);
}

Interval difference_interval(double p, const Interval& of_p, double q, const Interval& of_q) {
  return {p - q - std::hypot(p - of_p.low, of_q.high - q),
          p - q + std::hypot(of_p.high - p, q - of_q.low)};
}

Interval mean_interval(std::span<const double> values) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (values.size() < 2) return {-kInfinity, kInfinity};
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double t = boost::math::quantile(boost::math::students_t(n - 1), 0.975);
  const double margin = t * std::sqrt(squares / (n - 1) / n);
  return {mean - margin, mean + margin};
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
