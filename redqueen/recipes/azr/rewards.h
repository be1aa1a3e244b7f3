// Rewards of proposers (section 3.1 and appendix D.4 of the paper).
#pragma once

#include <cstdint>
#include <span>

namespace redqueen::azr {

// Equation 4: 0 for a task that the solver always or never solves, else 1 − its success rate.
double learnability(double success_rate);

// Rules that join the reward for a task's difficulty with intrinsic ones (equations 11 to 14). r is
// learnability, r_i are the intrinsic rewards, each in [0, weight].
enum class RewardAggregation : std::uint8_t {
  kSum,            // r + Σ r_i
  kProduct,        // r · Π r_i
  kSumAndProduct,  // r + Π r_i
  kProductOfSums,  // r · Σ r_i
};

// Without intrinsic rewards it is r.
double aggregate(RewardAggregation rule, double r, std::span<const double> intrinsic);

// Equation 6: the reward if positive, −0.5 for what is well-formed but earns nothing, −1 for the
// rest. A proposal is well-formed if a valid task came out.
double wrap_by_form(double reward, bool well_formed);

// value / (value + scale): a measure without bound as a reward in [0, 1).
double saturating(double value, double scale);

}  // namespace redqueen::azr
