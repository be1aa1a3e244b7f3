#include "redqueen/session/distributed/visible_gpu.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "redqueen/base/testing/own_process.h"
#include "redqueen/session/distributed/workers.h"

namespace redqueen {
namespace {

TEST(VisibleGpu, IsTheRanksOwn) {
  EXPECT_EQ(visible_gpu(nullptr, 0), "0");
  EXPECT_EQ(visible_gpu(nullptr, 7), "7");
  EXPECT_EQ(visible_gpu("4,6,1", 0), "4");
  EXPECT_EQ(visible_gpu("4,6,1", 2), "1");
  EXPECT_EQ(visible_gpu("GPU-8a1b,GPU-77", 1), "GPU-77");
  // CUDA sees nothing behind what is no device.
  for (const char* none : {"", "-1", "4,6,1", "4,,6,2", "0,-1,2,3"}) {
    EXPECT_EQ(visible_gpu(none, 3), "") << none;
  }
}

// What a rank runs in the test below: it tells which GPUs it sees. Its command line names the
// channel last.
TEST(VisibleGpuProcess, DISABLED_Tells) {
  std::ifstream file("/proc/self/cmdline");
  std::string word, last;
  while (std::getline(file, word, '\0')) last = word;
  const Channel channel(std::atoi(last.c_str()));
  const char* seen = std::getenv("CUDA_VISIBLE_DEVICES");
  ASSERT_TRUE(channel.send({{"sees", seen == nullptr ? "all" : seen}}));
}

// Ranks on a machine that says it has four GPUs: no two see the same one, rank 0 included.
TEST(VisibleGpu, EveryRankSeesOneOfItsOwn) {
  const char* before = std::getenv("CUDA_VISIBLE_DEVICES");
  const std::string kept = before == nullptr ? "" : before;
  forget_test_shares();
  const std::vector<std::string> command{"session_test", "--gtest_also_run_disabled_tests",
                                         "--gtest_filter=VisibleGpuProcess.DISABLED_Tells",
                                         "--gtest_brief=1"};
  for (const bool restricted : {false, true}) {
    for (const char* machine : {"", "3,2,GPU-5,0"}) {
      if (*machine == '\0') {
        ::unsetenv("CUDA_VISIBLE_DEVICES");
      } else {
        ::setenv("CUDA_VISIBLE_DEVICES", machine, 1);
      }
      if (restricted) {
        see_first_gpu();
        EXPECT_STREQ(std::getenv("CUDA_VISIBLE_DEVICES"), *machine == '\0' ? "0" : "3");
      }
      const auto workers = Workers::start(4, std::chrono::seconds(120), command);
      ASSERT_TRUE(workers) << workers.error().message;
      const auto answers = (*workers)->receive_all();
      ASSERT_TRUE(answers) << answers.error().message;
      std::string seen;
      for (const Json& answer : *answers) seen += answer["sees"].get<std::string>() + " ";
      EXPECT_EQ(seen, *machine == '\0' ? "1 2 3 " : "2 GPU-5 0 ");
    }
  }
  ::unsetenv(kGpusOfRanks.data());
  if (before == nullptr) {
    ::unsetenv("CUDA_VISIBLE_DEVICES");
  } else {
    ::setenv("CUDA_VISIBLE_DEVICES", kept.c_str(), 1);
  }
}

// A rank knows its own GPU only, so that nothing that it starts takes another for its own.
TEST(VisibleGpu, ARankKnowsOfNoOthers) {
  const char* environment[] = {"REDQUEEN_GPUS_OF_RANKS=1,2", "HOME=/", "CUDA_VISIBLE_DEVICES=1",
                               nullptr};
  EXPECT_EQ(environment_of_rank(environment, "1,2", 1),
            (std::vector<std::string>{"HOME=/", "CUDA_VISIBLE_DEVICES=2"}));
}

}  // namespace
}  // namespace redqueen
