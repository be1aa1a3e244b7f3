// What a report shows of self-play: a policy that proposes tasks and solves them (recipe azr).
#pragma once

#include <string>
#include <vector>

#include "redqueen/run/chart.h"
#include "redqueen/run/run_data.h"

namespace redqueen {

struct NamedChart {
  LineChart chart;
  std::string file;  // of its picture, without ending
};

// One chart a measure, one line a type of task; empty for a run without self-play.
std::vector<NamedChart> self_play_charts(const RunData& run);

}  // namespace redqueen
