// Charts of the funnel and the pool of written environments, in training and in growing.
#pragma once

#include <vector>

#include "redqueen/run/chart_record.h"

namespace redqueen::evoenv {

std::vector<run::ChartRecord> evoenv_charts();

}  // namespace redqueen::evoenv
