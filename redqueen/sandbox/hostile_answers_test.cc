// A child may send the host anything. What that costs the host, and those that share it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>

#include "redqueen/base/clock.h"
#include "redqueen/sandbox/sandbox.h"
#include "redqueen/sandbox/testing/attack_corpus.h"

namespace redqueen::sandbox {
namespace {

using ::testing::AnyOf;

std::uint64_t resident_kib() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("VmRSS:")) return std::stoull(line.substr(6));
  }
  return 0;
}

double median_seconds(Sandbox& sandbox, int count) {
  const Job job{open_program("def f(x):\n    return x + 1\n"), {Call::literal("f", "3")}};
  std::vector<double> seconds;
  for (int i = 0; i < count; ++i) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(sandbox.run(job).value, "4");
    seconds.push_back(seconds_since(start));
  }
  std::nth_element(seconds.begin(), seconds.begin() + count / 2, seconds.end());
  return seconds[static_cast<std::size_t>(count / 2)];
}

TEST(SandboxHostileAnswers, LeaveTheHostsMemoryAndOtherJobsWhereTheyWere) {
  SandboxConfig config;
  config.workers = 2;
  Sandbox sandbox = Sandbox::start(config).value();
  std::vector<Job> hostile;
  for (const char* name : {"output_forged_over_limit", "output_forged_bad_utf8",
                           "output_forged_json", "output_channel_flood", "output_forged_length"}) {
    hostile.push_back(job_of(read_attack(attack_folder() / (std::string(name) + ".py")), 0));
    hostile.back().program.limits.output_bytes = 64U << 10;
  }
  sandbox.run_many(hostile);
  const double before = median_seconds(sandbox, 101);
  const std::uint64_t memory = resident_kib();
  std::vector<Job> jobs;
  for (int i = 0; i < 1000; ++i) jobs.push_back(hostile[static_cast<std::size_t>(i) % 5]);
  for (const Outcome& outcome : sandbox.run_many(jobs)) {
    // Noise is over the limit or no frame at all, as it comes.
    EXPECT_THAT(outcome.status, AnyOf(OutcomeStatus::kOutputLimit, OutcomeStatus::kCrashed))
        << outcome.message;
  }
  EXPECT_LE(resident_kib(), memory + (64U << 10));
  // The machine may be busier than it was; one answer of the old kind took half a second.
  EXPECT_LE(median_seconds(sandbox, 101), 10 * before + 0.02);
}

}  // namespace
}  // namespace redqueen::sandbox
