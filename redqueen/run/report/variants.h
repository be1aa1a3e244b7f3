// Compares settings: runs that differ in their seed only are one variant, and variants are compared
// by the share that their last policies solve of the problems that all runs were asked.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "redqueen/run/report/run_data.h"
#include "redqueen/run/report/statistics.h"

namespace redqueen::run {

struct Variant {
  std::string label;
  std::vector<const RunData*> runs;  // one for each seed, the same seeds in every variant
};

// Shares are of 0 … 1; NaN where there is nothing to compare.
struct VariantRow {
  std::string label;
  double solved = 0;  // mean over the runs
  // 95 %: of one run its problems' (statistics.h, clustered_interval), of several that of the mean
  // over seeds (Student's t).
  Interval interval;
  double difference = 0;         // to the first variant, seed by seed
  Interval difference_interval;  // Newcombe's of one run, Student's t over the seeds of several
  double effective_prompts = 0;  // mean over steps and runs
};

struct VariantTable {
  std::string suite;  // empty: no run was evaluated
  std::vector<VariantRow> rows;
};

// One table for each suite that a run was evaluated on. At least one variant; each has as many
// runs.
std::vector<VariantTable> variant_tables(std::span<const Variant> variants);

// For a terminal; ends with a line end.
std::string variant_text(const VariantTable& table);

// For a page.
std::string variant_html(const VariantTable& table);

}  // namespace redqueen::run
