#include "redqueen/arena/judge/isolated_runs.h"

#include "redqueen/base/json.h"
#include "redqueen/base/text_file.h"

namespace redqueen::arena {

Status check_isolated_runs(const std::vector<std::filesystem::path>& records) {
  std::filesystem::path isolated;
  std::filesystem::path open;
  for (const std::filesystem::path& path : records) {
    ASSIGN_OR_RETURN(const std::string text, read_text_file(path));
    ASSIGN_OR_RETURN(const Json record, parse_json(text));
    const auto told = record.find("isolated");
    const bool is_isolated = told != record.end() && told->is_boolean() && told->get<bool>();
    (is_isolated ? isolated : open) = path;
  }
  if (isolated.empty() || open.empty()) return {};
  return usage_error(
      "{} is of an isolated agent, and {} of one that could read the hidden cases; they cannot be "
      "compared. Run the second again without --no-isolate, or put the two on leaderboards of "
      "their own.",
      isolated.string(), open.string());
}

}  // namespace redqueen::arena
