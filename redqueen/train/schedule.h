// The learning rate as a function of the update's number.
#pragma once

#include <cstdint>

#include "redqueen/base/enum_names.h"

namespace redqueen {

enum class ScheduleShape {
  kConstant,
  kLinear,  // straight down to the floor
  kCosine,  // half a cosine down to the floor (Loshchilov & Hutter, SGDR, 2017, eq. 5)
};

// With w warm-up updates, update s (from 0) has the rate peak · (s + 1) / w while s < w: the first
// update already moves, and update w − 1 is the first at the peak. From there the shape falls to
// peak · floor, reached at update `total`, and stays there.
struct Schedule {
  ScheduleShape shape = ScheduleShape::kConstant;
  double peak = 1e-6;
  std::int64_t warmup = 0;  // updates
  std::int64_t total = 0;   // updates, warm-up included; of no effect for kConstant
  double floor = 0;         // share of the peak that remains
};

inline constexpr auto kScheduleShapeNames =
    enum_names<ScheduleShape>({{"constant", ScheduleShape::kConstant},
                               {"linear", ScheduleShape::kLinear},
                               {"cosine", ScheduleShape::kCosine}});

double learning_rate(const Schedule& schedule, std::int64_t update);

}  // namespace redqueen
