#include "redqueen/session/distributed/process_group.h"

#include <ATen/ops/full.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <thread>

#include "redqueen/core/testing/own_process.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFileVariable = "REDQUEEN_PROCESS_GROUP_TEST_FILE";

class RendezvousFolder {
 public:
  RendezvousFolder() {
    std::string name = (fs::temp_directory_path() / "process_group_test_XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~RendezvousFolder() { fs::remove_all(path_); }
  fs::path file() const { return path_ / "rendezvous"; }

 private:
  fs::path path_;
};

ProcessGroupOptions place(const fs::path& file, int rank, int size) {
  return {.rank = rank, .size = size, .rendezvous_file = file, .timeout = std::chrono::seconds(60)};
}

// Ranks in threads of this process: the group does not know the difference.
TEST(ProcessGroup, SumsAndExchanges) {
  const RendezvousFolder folder;
  constexpr int kSize = 3;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < kSize; ++rank) {
    threads.emplace_back([&, rank] {
      const auto communicator = make_process_group(place(folder.file(), rank, kSize));
      ASSERT_TRUE(communicator.has_value()) << communicator.error().message;
      EXPECT_EQ((*communicator)->rank(), rank);
      EXPECT_EQ((*communicator)->size(), kSize);
      for (int round = 0; round < 3; ++round) {
        const std::vector<at::Tensor> tensors{at::full({2, 3}, rank + 1.0, at::kFloat),
                                              at::full({}, 10.0 * rank, at::kFloat)};
        ASSERT_TRUE((*communicator)->sum(tensors));
        EXPECT_EQ(tensors[0].min().item<float>(), 6);
        EXPECT_EQ(tensors[0].max().item<float>(), 6);
        EXPECT_EQ(tensors[1].item<float>(), 30);
        const std::string own(static_cast<std::size_t>(rank * 5), static_cast<char>('a' + rank));
        const auto all = (*communicator)->exchange(own);
        ASSERT_TRUE(all.has_value());
        EXPECT_EQ(*all, (std::vector<std::string>{"", "bbbbb", "cccccccccc"}));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Meets rank 0, then waits to be killed.
TEST(GroupProcess, DISABLED_MeetsAndWaits) {
  const char* file = std::getenv(kFileVariable);
  if (file == nullptr) GTEST_SKIP() << kFileVariable << " names no file";
  const auto communicator = make_process_group(place(file, 1, 2));
  ASSERT_TRUE(communicator.has_value());
  ASSERT_TRUE((*communicator)->exchange("here").has_value());
  std::this_thread::sleep_for(std::chrono::minutes(5));
}

TEST(ProcessGroup, APeerThatDiesIsAnErrorAndNoWait) {
  const RendezvousFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    ::setenv(kFileVariable, folder.file().c_str(), 1);
    become_tests("GroupProcess.*");
  }
  const auto communicator = make_process_group(place(folder.file(), 0, 2));
  ASSERT_TRUE(communicator.has_value()) << communicator.error().message;
  ASSERT_TRUE((*communicator)->exchange("here").has_value());
  std::thread killer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    ::kill(child, SIGKILL);
  });
  const Status summed = (*communicator)->sum({at::full({4}, 1.0, at::kFloat)});
  killer.join();
  ::waitpid(child, nullptr, 0);
  ASSERT_FALSE(summed.has_value());
  EXPECT_NE(summed.error().message.find("between the processes"), std::string::npos);
  EXPECT_FALSE((*communicator)->exchange("again").has_value());
}

}  // namespace
}  // namespace redqueen
