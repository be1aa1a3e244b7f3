// Thins a long series to the points that a small screen can show.
#pragma once

#include <cstddef>
#include <vector>

#include "redqueen/run/event_store.h"

namespace redqueen::watch {

// At most about `budget` points of a series by step, such that a line through them, drawn on a
// screen of budget / 4 columns, covers the pixels of the line through all: of every column's points
// the first, the last, the lowest and the highest (Jugel et al., "M4: A visualization-oriented time
// series data aggregation", VLDB 2014). Values that are no number are left out. budget ≥ 4.
std::vector<run::MetricPoint> thinned(const std::vector<run::MetricPoint>& points,
                                      std::size_t budget);

}  // namespace redqueen::watch
