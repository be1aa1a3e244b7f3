#include "redqueen/train/available_memory.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

namespace redqueen {
namespace {

namespace fs = std::filesystem;

// Names of the files of a control group.
struct GroupFiles {
  const char* limit;
  const char* usage;
  const char* prefix;  // of the entries of memory.stat that count a group's children too
};

constexpr GroupFiles kVersion1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_"};
constexpr GroupFiles kVersion2{"memory.max", "memory.current", ""};

std::optional<std::int64_t> number_in(const fs::path& file) {
  std::ifstream in(file);
  std::int64_t value = 0;
  if (in >> value) return value;
  return std::nullopt;  // no such file, or "max"
}

// Of a file of lines "key value" or "key: value kB".
std::int64_t entry_of(const fs::path& file, const std::string& key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string name;
    std::int64_t value = 0;
    if (words >> name >> value && (name == key || name == key + ":")) return value;
  }
  return -1;
}

std::optional<std::int64_t> left_in_group(const fs::path& folder, const GroupFiles& files) {
  const auto limit = number_in(folder / files.limit);
  const auto usage = number_in(folder / files.usage);
  if (!limit || !usage) return std::nullopt;
  std::int64_t cache = 0;
  for (const char* kind : {"inactive_file", "active_file"}) {
    cache += std::max<std::int64_t>(
        0, entry_of(folder / "memory.stat", std::string(files.prefix) + kind));
  }
  return std::max<std::int64_t>(0, *limit - std::max<std::int64_t>(0, *usage - cache));
}

std::optional<std::int64_t> least(std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

// Over a group and those that it lies in. In a container the group's path may be that of the
// machine outside; what of it is not there is passed over.
std::optional<std::int64_t> left_up_to_root(const fs::path& mount, fs::path group,
                                            const GroupFiles& files) {
  std::optional<std::int64_t> left;
  for (group = group.relative_path();; group = group.parent_path()) {
    left = least(left, left_in_group(mount / group, files));
    if (group.empty()) return left;
  }
}

}  // namespace

std::optional<std::int64_t> available_memory(const fs::path& root) {
  std::optional<std::int64_t> left;
  if (const auto free = entry_of(root / "proc/meminfo", "MemAvailable"); free >= 0) {
    left = free * 1024;
  }
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // "hierarchy:controllers:path"
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const fs::path group = line.substr(second + 1);
    if (controllers == ",,") {
      left = least(left, left_up_to_root(root / "sys/fs/cgroup", group, kVersion2));
    } else if (controllers.find(",memory,") != std::string::npos) {
      left = least(left, left_up_to_root(root / "sys/fs/cgroup/memory", group, kVersion1));
    }
  }
  return left;
}

}  // namespace redqueen
