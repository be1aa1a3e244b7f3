#include "redqueen/serve/weight_folder.h"

#include <algorithm>
#include <system_error>

#include "redqueen/base/file_queries.h"

namespace redqueen::serve {

namespace fs = std::filesystem;

Expected<fs::path> folder_within(const fs::path& root, const fs::path& asked) {
  std::error_code error;
  fs::path top = fs::weakly_canonical(absolute_path(root), error);
  if (error) return failure("{}: cannot be looked up ({})", root.string(), error.message());
  if (!top.has_filename()) top = top.parent_path();  // "runs/" is "runs"
  const fs::path folder = asked.is_absolute() ? fs::weakly_canonical(asked, error) : fs::path();
  const auto [rest, unused] = std::mismatch(top.begin(), top.end(), folder.begin(), folder.end());
  const bool has_nul = asked.native().find('\0') != std::string::npos;
  if (error || has_nul || rest != top.end())
    return usage_error("weights are taken from {} alone, and folders named in full", top.string());
  return folder;
}

}  // namespace redqueen::serve
