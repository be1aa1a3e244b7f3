#include "redqueen/recipes/distributed/process_group.h"

#include <ATen/ops/full.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <thread>

namespace redqueen {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPlaceVariable = "REDQUEEN_PROCESS_GROUP_TEST_MEETING";

class MeetingFolder {
 public:
  MeetingFolder() {
    std::string name = (fs::temp_directory_path() / "process_group_test_XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~MeetingFolder() { fs::remove_all(path_); }
  fs::path file() const { return path_ / "meeting"; }

 private:
  fs::path path_;
};

ProcessGroupOptions place(const fs::path& file, int rank, int size) {
  return {.rank = rank, .size = size, .meeting_point = file, .timeout = std::chrono::seconds(60)};
}

// Ranks in threads of this process: the group does not know the difference.
TEST(ProcessGroup, SumsAndExchanges) {
  const MeetingFolder folder;
  constexpr int kSize = 3;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < kSize; ++rank) {
    threads.emplace_back([&, rank] {
      const auto peers = make_process_group(place(folder.file(), rank, kSize));
      ASSERT_TRUE(peers.has_value()) << peers.error().message;
      EXPECT_EQ((*peers)->rank(), rank);
      EXPECT_EQ((*peers)->size(), kSize);
      for (int round = 0; round < 3; ++round) {
        const std::vector<at::Tensor> tensors{at::full({2, 3}, rank + 1.0, at::kFloat),
                                              at::full({}, 10.0 * rank, at::kFloat)};
        ASSERT_TRUE((*peers)->sum(tensors));
        EXPECT_EQ(tensors[0].min().item<float>(), 6);
        EXPECT_EQ(tensors[0].max().item<float>(), 6);
        EXPECT_EQ(tensors[1].item<float>(), 30);
        const std::string own(static_cast<std::size_t>(rank * 5), static_cast<char>('a' + rank));
        const auto all = (*peers)->exchange(own);
        ASSERT_TRUE(all.has_value());
        EXPECT_EQ(*all, (std::vector<std::string>{"", "bbbbb", "cccccccccc"}));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Meets rank 0, then waits to be killed.
TEST(GroupProcess, DISABLED_MeetsAndWaits) {
  const char* file = std::getenv(kPlaceVariable);
  if (file == nullptr) GTEST_SKIP() << kPlaceVariable << " names no file";
  const auto peers = make_process_group(place(file, 1, 2));
  ASSERT_TRUE(peers.has_value());
  ASSERT_TRUE((*peers)->exchange("here").has_value());
  std::this_thread::sleep_for(std::chrono::minutes(5));
}

TEST(ProcessGroup, APeerThatDiesIsAnErrorAndNoWait) {
  const MeetingFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    ::setenv(kPlaceVariable, folder.file().c_str(), 1);
    ::execl("/proc/self/exe", "recipes_test", "--gtest_also_run_disabled_tests",
            "--gtest_filter=GroupProcess.*", "--gtest_brief=1", nullptr);
    ::_exit(1);
  }
  const auto peers = make_process_group(place(folder.file(), 0, 2));
  ASSERT_TRUE(peers.has_value()) << peers.error().message;
  ASSERT_TRUE((*peers)->exchange("here").has_value());
  std::thread killer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    ::kill(child, SIGKILL);
  });
  const Status summed = (*peers)->sum({at::full({4}, 1.0, at::kFloat)});
  killer.join();
  ::waitpid(child, nullptr, 0);
  ASSERT_FALSE(summed.has_value());
  EXPECT_NE(summed.error().message.find("between the processes"), std::string::npos);
  EXPECT_FALSE((*peers)->exchange("again").has_value());
}

}  // namespace
}  // namespace redqueen
