// The few statistics that reports and evaluations need.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace redqueen::run {

struct Interval {
  double low = 0;
  double high = 0;
  bool operator==(const Interval&) const = default;
};

// Two-sided 95 % of the normal distribution.
inline constexpr double kZ95 = 1.959963984540054;

// Score interval of a proportion (Wilson, "Probable inference, the law of succession, and
// statistical inference", 1927). 0 ≤ successes ≤ trials. [0, 1] without trials.
Interval wilson_interval(std::int64_t successes, std::int64_t trials, double z = kZ95);

// The share of responses that are right, where each problem was answered `samples` times: the
// Wilson interval of as many independent responses as would make the variance that the problems'
// own shares show. `squares` is the sum over problems of (right responses)². Problems ≥ 1.
Interval clustered_interval(std::int64_t right, std::int64_t squares, std::int64_t problems,
                            int samples, double z = kZ95);

// p − q of two independent proportions from their own intervals (Newcombe, "Interval estimation for
// the difference between independent proportions", 1998, method 10).
Interval difference_interval(double p, const Interval& of_p, double q, const Interval& of_q);

// 95 % interval of a mean by Student's t. Of fewer than two values: unbounded.
Interval mean_interval(std::span<const double> values);

// Mean of each value and up to `window` − 1 before it. Values that are not finite are left out;
// where none is left the result is NaN. window ≥ 1.
std::vector<double> trailing_mean(std::span<const double> values, std::size_t window);

// Mean of the finite values; NaN if there are none.
double finite_mean(std::span<const double> values);

}  // namespace redqueen::run
