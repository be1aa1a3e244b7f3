#include "redqueen/arena/environments/packages.h"

#include <cstdlib>
#include <system_error>
#include <vector>

namespace redqueen::arena {
namespace {

namespace fs = std::filesystem;

// Entries of a folder; none if it cannot be read.
std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (auto it = fs::directory_iterator(folder, error); !error && it != fs::directory_iterator();
       it.increment(error)) {
    entries.push_back(it->path());
  }
  return entries;
}

fs::path packages_of_venv(const fs::path& folder) {
  for (const fs::path& python : entries_of(folder / ".venv" / "lib")) {
    std::error_code error;
    if (fs::is_directory(python / "site-packages", error)) return python / "site-packages";
  }
  return {};
}

}  // namespace

Expected<fs::path> find_packages(const SimulatorSettings& settings) {
  std::error_code error;
  fs::path named = settings.packages;
  if (const char* variable = std::getenv("REDQUEEN_ARENA_PACKAGES");
      named.empty() && variable != nullptr) {
    named = variable;
  }
  if (!named.empty()) {
    if (fs::is_directory(named, error)) return named;
    return usage_error("{}: there is no such folder of Python packages", named.string());
  }
  for (fs::path folder = fs::current_path(error); !folder.empty(); folder = folder.parent_path()) {
    if (auto packages = packages_of_venv(folder); !packages.empty()) return packages;
    if (folder == folder.root_path()) break;
  }
  return failure(
      "there is no folder of Python packages: make one (python3 -m venv .venv, then .venv/bin/pip "
      "install gymnasium==1.3.0 mujoco==3.9.0) or name one in REDQUEEN_ARENA_PACKAGES");
}

Expected<fs::path> find_python(const fs::path& packages) {
  // …/lib/pythonX.Y/site-packages
  const fs::path python = packages.parent_path().parent_path().parent_path() / "bin" / "python";
  std::error_code error;
  if (fs::exists(python, error)) return python;
  return failure(
      "{}: there is no {}: the packages have to be those of a virtual environment (python3 -m "
      "venv)",
      packages.string(), python.string());
}

Expected<std::string> installed_version(const fs::path& packages, std::string_view distribution) {
  const std::string prefix = std::string(distribution) + "-";
  constexpr std::string_view kSuffix = ".dist-info";
  for (const fs::path& entry : entries_of(packages)) {
    const std::string name = entry.filename().string();
    if (name.starts_with(prefix) && name.ends_with(kSuffix)) {
      return name.substr(prefix.size(), name.size() - prefix.size() - kSuffix.size());
    }
  }
  return failure("{}: {} is not installed there: pip install {}", packages.string(), distribution,
                 distribution);
}

}  // namespace redqueen::arena
