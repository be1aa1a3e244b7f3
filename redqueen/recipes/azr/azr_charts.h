// Charts of the numbers of self-play.
#pragma once

#include <vector>

#include "redqueen/run/chart_record.h"

namespace redqueen::azr {

// One chart a measure of add_azr_metrics(), one line a type of task.
std::vector<run::ChartRecord> azr_charts();

}  // namespace redqueen::azr
