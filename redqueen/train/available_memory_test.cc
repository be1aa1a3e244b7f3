#include "redqueen/train/available_memory.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>

#include "redqueen/base/testing/folder.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kKib = 1024;

// What the kernel would show under these paths.
std::optional<std::int64_t> available_with(const std::map<std::string, std::string>& files) {
  const TestFolder root;
  for (const auto& [name, text] : files) {
    fs::create_directories((root.path() / name).parent_path());
    std::ofstream(root.path() / name) << text;
  }
  return available_memory(root.path());
}

const std::string kMeminfo = "MemTotal: 9000 kB\nMemFree: 1 kB\nMemAvailable:    8000 kB\n";

TEST(AvailableMemory, IsWhatTheKernelSays) {
  EXPECT_EQ(available_with({{"proc/meminfo", kMeminfo}}), 8000 * kKib);
  EXPECT_EQ(available_with({}), std::nullopt);
  EXPECT_EQ(available_with({{"proc/meminfo", "nonsense"}, {"proc/self/cgroup", "0::"}}),
            std::nullopt);
}

TEST(AvailableMemory, IsWhatTheTightestGroupLeaves) {
  std::map<std::string, std::string> files{
      {"proc/meminfo", kMeminfo},
      {"proc/self/cgroup", "0::/user/job\n"},
      {"sys/fs/cgroup/user/job/memory.max", "max\n"},
      {"sys/fs/cgroup/user/job/memory.current", "500000\n"},
      {"sys/fs/cgroup/user/memory.max", "3000000\n"},
      {"sys/fs/cgroup/user/memory.current", "1000000\n"},
      {"sys/fs/cgroup/user/memory.stat", "anon 5\ninactive_file 200000\nactive_file 100000\n"}};
  EXPECT_EQ(available_with(files), 3000000 - (1000000 - 300000));
  files["sys/fs/cgroup/user/memory.current"] = "4000000";  // beyond its limit
  files["sys/fs/cgroup/user/memory.stat"] = "";
  EXPECT_EQ(available_with(files), 0);
  files["proc/meminfo"] = "MemAvailable: 0 kB\n";
  EXPECT_EQ(available_with(files), 0);
}

TEST(AvailableMemory, KnowsTheFirstVersionOfGroupsAndContainers) {
  const std::map<std::string, std::string> files{
      {"proc/meminfo", kMeminfo},
      {"proc/self/cgroup", "5:cpu,cpuacct:/docker/abc\n3:memory,hugetlb:/docker/abc\n"},
      {"sys/fs/cgroup/memory/memory.limit_in_bytes", "2000000\n"},
      {"sys/fs/cgroup/memory/memory.usage_in_bytes", "600000\n"},
      {"sys/fs/cgroup/memory/memory.stat", "inactive_file 7\ntotal_inactive_file 100000\n"}};
  EXPECT_EQ(available_with(files), 2000000 - (600000 - 100000));
}

TEST(AvailableMemory, IsKnownHere) { EXPECT_GT(available_memory().value_or(0), 0); }

}  // namespace
}  // namespace redqueen
