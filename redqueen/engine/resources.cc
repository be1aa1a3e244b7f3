#include "redqueen/engine/resources.h"

#include <cstdlib>
#include <fstream>

#include "redqueen/base/file_queries.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

// The first line of `file`; "" if there is none.
std::string first_line(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

}  // namespace

Expected<Resources> Resources::locate(const fs::path& program, const fs::path& own) {
  std::vector<fs::path> folders;
  const char* variable = std::getenv("REDQUEEN_CONFIGS");
  if (!own.empty()) {
    folders.push_back(own);
  } else if (variable != nullptr && *variable != '\0') {
    folders.emplace_back(variable);
  }
  if (!folders.empty() && !is_there(folders.front())) {
    return usage_error("{} {}: there is no such folder",
                       own.empty() ? "REDQUEEN_CONFIGS" : "--configs", folders.front().string());
  }
  const fs::path bin = program.parent_path();
  const fs::path installed = bin.parent_path() / "share" / "redqueen" / "configs";
  if (is_there(installed)) folders.push_back(installed);
  if (is_there(bin / "configs")) folders.push_back(bin / "configs");
  fs::path source_tree = first_line(bin / "redqueen.source");
  if (!source_tree.empty()) folders.push_back(source_tree / "configs");
  return Resources(std::move(folders), std::move(source_tree));
}

fs::path Resources::find(const fs::path& name) const {
  for (const fs::path& folder : folders_) {
    if (is_there(folder / name)) return folder / name;
  }
  return folders_.empty() ? name : folders_.back() / name;
}

fs::path Resources::given_or_found(const std::string& name) const {
  return is_there(name) ? fs::path(name) : find(name);
}

std::vector<fs::path> Resources::find_all(const fs::path& name) const {
  std::vector<fs::path> found;
  for (const fs::path& folder : folders_) {
    if (is_there(folder / name)) found.push_back(folder / name);
  }
  return found;
}

}  // namespace redqueen
