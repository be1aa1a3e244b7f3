// Writes and names the files of a report, for `report` and `compare`.
#pragma once

#include <fmt/format.h>

#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/run/report/report.h"
#include "redqueen/watch/carried_data.h"

namespace redqueen {

// Writes the page that follows runs, carrying what they are now, beside the page without scripts,
// and names all files.
inline Status finish_report(const std::vector<run::LabelledRun>& runs,
                            const run::ReportFiles& files) {
  std::vector<watch::RunPlace> places;
  places.reserve(runs.size());
  for (const run::LabelledRun& run : runs) places.push_back({run.label, run.run});
  const std::filesystem::path page = files.page.parent_path() / "page.html";
  RETURN_IF_ERROR(watch::write_carried_page(std::move(places), page));
  fmt::print("{}\n{}\n", files.page.string(), page.string());
  for (const auto& picture : files.pictures) fmt::print("{}\n", picture.string());
  return {};
}

}  // namespace redqueen
