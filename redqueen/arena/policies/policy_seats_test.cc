#include "redqueen/arena/policies/policy_seats.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "redqueen/arena/policies/policy_process.h"

namespace redqueen::arena {
namespace {

sandbox::SandboxConfig config(int seats) {
  sandbox::SandboxConfig config;
  config.workers = seats;
  config.preludes = {policy_host_text()};
  return config;
}

cpu_set_t allowed() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  sched_getaffinity(0, sizeof(cores), &cores);
  return cores;
}

// The cores that a policy on this seat may use, as its process sees them.
Array cores_of_policy(const PolicySeats::Taken& seat) {
  const std::vector<SystemFile> files = {
      {.path = "policy.py",
       .bytes = "import os\nclass Policy:\n    def __init__(self, *a): pass\n"
                "    def act(self, obs): return sorted(os.sched_getaffinity(0))\n"}};
  PolicyProcess policy(seat, files, {}, {}, false);
  EXPECT_EQ(policy.load_status(), LoadStatus::kOk) << policy.load_error();
  EXPECT_FALSE(policy.begin_episode(0, 1));
  Value action;
  EXPECT_FALSE(policy.act(Value{}, action));
  return std::get<Array>(action.form);
}

TEST(PolicySeats, JudgeAndPolicyShareOneCore) {
  const cpu_set_t before = allowed();
  const auto seats = PolicySeats::start(config(1)).value();
  {
    const PolicySeats::Taken seat(*seats);
    const cpu_set_t mine = allowed();
    EXPECT_EQ(CPU_COUNT(&mine), 1);
    const Array theirs = cores_of_policy(seat);
    ASSERT_EQ(theirs.size(), 1U);
    EXPECT_TRUE(CPU_ISSET(static_cast<std::size_t>(theirs.elements<std::int64_t>()[0]), &mine));
  }
  const cpu_set_t after = allowed();
  EXPECT_TRUE(CPU_EQUAL(&after, &before));
}

// One policy where there are two seats: each side has a core, and the seats are taken together.
TEST(PolicySeats, WhoPlaysAloneSitsApart) {
  const cpu_set_t before = allowed();
  if (CPU_COUNT(&before) < 2) GTEST_SKIP() << "one core only";
  const auto seats = PolicySeats::start(config(2)).value();
  std::thread late;
  std::atomic<bool> seated = false;
  {
    const PolicySeats::Taken seat(*seats, 1);
    EXPECT_TRUE(seat.apart());
    const cpu_set_t mine = allowed();
    EXPECT_EQ(CPU_COUNT(&mine), 1);
    const Array theirs = cores_of_policy(seat);
    ASSERT_EQ(theirs.size(), 1U);
    EXPECT_FALSE(CPU_ISSET(static_cast<std::size_t>(theirs.elements<std::int64_t>()[0]), &mine));
    late = std::thread([&] {
      const PolicySeats::Taken next(*seats);
      seated = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_FALSE(seated);
  }
  late.join();
  const PolicySeats::Taken one_of_two(*seats, 2);
  EXPECT_FALSE(one_of_two.apart());
  const cpu_set_t mine = allowed();
  EXPECT_TRUE(CPU_ISSET(
      static_cast<std::size_t>(cores_of_policy(one_of_two).elements<std::int64_t>()[0]), &mine));
}

// Starting the worker of the other seat would take longer than many a policy plays.
TEST(PolicySeats, WhoPlaysAloneTakesTheSeatThatWasPlayedOn) {
  const cpu_set_t before = allowed();
  if (CPU_COUNT(&before) < 2) GTEST_SKIP() << "one core only";
  const auto seats = PolicySeats::start(config(2)).value();
  const auto core = [&seats] { return cores_of_policy(PolicySeats::Taken(*seats, 1)); };
  const Array first = core();
  EXPECT_EQ(core(), first);
  EXPECT_EQ(core(), first);
}

TEST(PolicySeats, SeatsOfOneMachineHaveDifferentCores) {
  const cpu_set_t before = allowed();
  if (CPU_COUNT(&before) < 2) GTEST_SKIP() << "one core only";
  const auto seats = PolicySeats::start(config(2)).value();
  cpu_set_t first;
  cpu_set_t second;
  std::thread other([&] {
    const PolicySeats::Taken seat(*seats);
    first = allowed();
    std::thread last([&] {
      const PolicySeats::Taken next(*seats);
      second = allowed();
    });
    last.join();
  });
  other.join();
  EXPECT_FALSE(CPU_EQUAL(&first, &second));
}

TEST(PolicySeats, MoreSeatsThanCoresAreBoundToNone) {
  const cpu_set_t before = allowed();
  const auto seats = PolicySeats::start(config(CPU_COUNT(&before) + 1)).value();
  EXPECT_EQ(seats->size(), static_cast<std::size_t>(CPU_COUNT(&before)) + 1);
  const PolicySeats::Taken seat(*seats);
  const cpu_set_t mine = allowed();
  EXPECT_TRUE(CPU_EQUAL(&mine, &before));
  EXPECT_EQ(cores_of_policy(seat).size(), static_cast<std::size_t>(CPU_COUNT(&before)));
}

TEST(PolicySeats, WhoComesLateWaits) {
  const auto seats = PolicySeats::start(config(1)).value();
  std::atomic<bool> seated = false;
  std::thread late;
  {
    const PolicySeats::Taken seat(*seats);
    late = std::thread([&] {
      const PolicySeats::Taken next(*seats);
      seated = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_FALSE(seated);
  }
  late.join();
  EXPECT_TRUE(seated);
}

}  // namespace
}  // namespace redqueen::arena
