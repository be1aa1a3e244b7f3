// Writes the report of a run for people: one HTML page that needs no network, and its pictures as
// PNG.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "redqueen/base/error.h"

namespace redqueen::run {

struct ReportFiles {
  std::filesystem::path page;                        // index.html
  std::vector<std::filesystem::path> pictures = {};  // overview.png first
};

// Reads the run, which may still be going on, and writes into `out`, made if need be. Texts of the
// run (prompts, responses, names) are shown as text, whatever they hold.
Expected<ReportFiles> write_report(const std::filesystem::path& run,
                                   const std::filesystem::path& out);

struct LabelledRun {
  std::filesystem::path run;
  std::string label = "";    // in legends; empty: the name of the directory
  std::string variant = "";  // runs of one variant differ in their seed only (variants.h)
};

// Several runs on the same axes: what the same steps brought under different settings. Evaluations
// are compared by each run's last policy of a suite. At least two runs. Where runs have variants, a
// table of these stands first.
Expected<ReportFiles> compare_report(std::span<const LabelledRun> runs,
                                     const std::filesystem::path& out);

// Renders that table for a terminal. Every run has a variant, every variant as many runs.
Expected<std::string> compare_variants(std::span<const LabelledRun> runs);

}  // namespace redqueen::run
