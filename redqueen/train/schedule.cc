#include "redqueen/train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace redqueen {

double learning_rate(const Schedule& schedule, std::int64_t update) {
  if (update < schedule.warmup) {
    return schedule.peak * static_cast<double>(update + 1) / static_cast<double>(schedule.warmup);
  }
  if (schedule.shape == ScheduleShape::kConstant) return schedule.peak;
  const std::int64_t length = std::max<std::int64_t>(schedule.total - schedule.warmup, 1);
  const double progress =
      std::min(1.0, static_cast<double>(update - schedule.warmup) / static_cast<double>(length));
  const double left = schedule.shape == ScheduleShape::kLinear
                          ? 1 - progress
                          : 0.5 * (1 + std::cos(std::numbers::pi * progress));
  return schedule.peak * (schedule.floor + (1 - schedule.floor) * left);
}

}  // namespace redqueen
