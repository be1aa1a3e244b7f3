// Charts of the two players (figures 4, 6, 7 and 8 of the paper).
#pragma once

#include <vector>

#include "redqueen/run/chart_record.h"

namespace redqueen::genenv {

std::vector<run::ChartRecord> genenv_charts();

}  // namespace redqueen::genenv
