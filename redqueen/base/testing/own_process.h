// Tests that need a process of their own: one that is killed, or whose memory is measured.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace redqueen {

// Lets processes that this one starts run any test, whatever share of the tests this process was to
// run (GTEST_TOTAL_SHARDS).
inline void forget_test_shares() {
  ::unsetenv("GTEST_TOTAL_SHARDS");
  ::unsetenv("GTEST_SHARD_INDEX");
  ::unsetenv("GTEST_SHARD_STATUS_FILE");
}

// Replaces this process, a fork of a test binary's, by the same binary running the tests of
// `filter`, disabled ones too, with its output thrown away; all of them, whatever its share was.
[[noreturn]] inline void become_tests(const std::string& filter) {
  forget_test_shares();
  ::dup2(::open("/dev/null", O_WRONLY), STDOUT_FILENO);
  ::execl("/proc/self/exe", "tests", "--gtest_also_run_disabled_tests",
          ("--gtest_filter=" + filter).c_str(), "--gtest_brief=1", nullptr);
  ::_exit(1);
}

}  // namespace redqueen
