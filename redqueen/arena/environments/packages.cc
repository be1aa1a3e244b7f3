#include "redqueen/arena/environments/packages.h"

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <vector>

#include "redqueen/arena/environments/requirements.h"

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

// Finds the packages that a user named: in a virtual environment, or in the folder of packages
// itself.
Expected<fs::path> named_packages(const fs::path& named) {
  if (auto packages = packages_of_venv(named); !packages.empty()) return packages;
  std::error_code error;
  if (fs::is_directory(named, error)) return named;
  return usage_error("{}: there is no such folder of Python packages", named.string());
}

// Folders of packages that are found without being named, the nearest first.
std::vector<fs::path> found_packages(std::string_view profile) {
  std::vector<fs::path> found;
  const auto add = [&found](const fs::path& venv) {
    if (auto packages = packages_of_venv(venv); !packages.empty()) {
      found.push_back(std::move(packages));
    }
  };
  add(default_setup_folder(profile));
  std::error_code error;
  for (fs::path folder = fs::current_path(error); !folder.empty(); folder = folder.parent_path()) {
    add(folder / ".venv");
    if (folder == folder.root_path()) break;
  }
  return found;
}

}  // namespace

fs::path packages_of_venv(const fs::path& folder) {
  if (folder.empty()) return {};
  for (const fs::path& python : entries_of(folder / "lib")) {
    std::error_code error;
    if (fs::is_directory(python / "site-packages", error)) return python / "site-packages";
  }
  return {};
}

fs::path default_setup_folder(std::string_view profile) {
  const auto variable = [](const char* name) -> fs::path {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
  };
  fs::path data = variable("XDG_DATA_HOME");
  // Its specification has relative paths ignored.
  if (!data.is_absolute()) data = variable("HOME");
  if (data.empty()) return {};
  if (data == variable("HOME")) data /= ".local/share";
  return data / "redqueen" / "arena" / profile;
}

Expected<fs::path> find_packages(const SimulatorSettings& settings,
                                 std::span<const std::string_view> distributions) {
  if (!settings.packages.empty()) return named_packages(settings.packages);
  const char* variable = std::getenv("REDQUEEN_ARENA_PACKAGES");
  if (variable != nullptr && *variable != '\0') return named_packages(variable);
  const std::vector<fs::path> found = found_packages(settings.profile);
  const auto holds_all = [&](const fs::path& packages) {
    return std::ranges::all_of(distributions, [&](std::string_view distribution) {
      return installed_version(packages, distribution).has_value();
    });
  };
  if (const auto first = std::ranges::find_if(found, holds_all); first != found.end()) {
    return *first;
  }
  if (!found.empty()) return found.front();
  return failure(
      "there is no folder of Python packages: `redqueen arena setup --profile {}` makes one, or "
      "REDQUEEN_ARENA_PACKAGES names a virtual environment",
      settings.profile);
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
  const std::string wanted = normalized_distribution(distribution);
  constexpr std::string_view kSuffix = ".dist-info";
  for (const fs::path& entry : entries_of(packages)) {
    // NAME-VERSION.dist-info; neither name nor version has a dash.
    const std::string name = entry.filename().string();
    const std::size_t dash = name.find('-');
    if (dash == std::string::npos || !name.ends_with(kSuffix)) continue;
    if (normalized_distribution(name.substr(0, dash)) != wanted) continue;
    return name.substr(dash + 1, name.size() - dash - 1 - kSuffix.size());
  }
  return failure(
      "{}: {} is not installed there: `redqueen arena setup` installs what an "
      "environment needs, pip install {} this one",
      packages.string(), distribution, distribution);
}

}  // namespace redqueen::arena
