// Spaces and observations that are an array of float32 with one axis.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "redqueen/arena/environments/native_simulator.h"

namespace redqueen::arena {

// A Box of them; its bounds are rounded as Gymnasium rounds them.
inline Space float_box(std::vector<double> low, std::vector<double> high,
                       std::vector<std::string> fields) {
  for (double& bound : low) bound = static_cast<float>(bound);
  for (double& bound : high) bound = static_cast<float>(bound);
  const auto size = static_cast<std::int64_t>(low.size());
  return {Box{.type = ElementType::kFloat32,
              .shape = {size},
              .low = std::move(low),
              .high = std::move(high),
              .fields = std::move(fields)}};
}

// Writes numbers as float32.
template <std::size_t N>
void observe(const std::array<double, N>& numbers, Value& observation) {
  const auto out = elements<float>(observation);
  for (std::size_t i = 0; i < N; ++i) out[i] = static_cast<float>(numbers[i]);
}

}  // namespace redqueen::arena
