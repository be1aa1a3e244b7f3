// redqueen watch, as a user starts and ends it.

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "redqueen/cli/testing/fixture.h"
#include "redqueen/run/event_store.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Watch : public CliFixture {
 protected:
  void SetUp() override {
    fs::create_directories(at("runs/first"));
    run::EventStore store = run::EventStore::open(at("runs/first/run.db")).value();
    ASSERT_TRUE(store.append({.step = 3, .time = 10, .seconds = 1, .metrics = {{"reward", 0.5}}}));
  }

  // The process that `words` of a shell become; `exec` lets it have the shell's place.
  pid_t start(const std::string& words) const {
    const pid_t child = fork();
    if (child == 0) {
      const std::string command = fmt::format("{{ {}; }} >{} 2>&1", words, at("watched"));
      execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      _exit(127);
    }
    return child;
  }

  // The address that it prints, once it does; "" if it never does.
  std::string address() const {
    for (int i = 0; i < 600; ++i) {
      const std::string text = read(at("watched"));
      const std::size_t begin = text.find("http");
      const std::size_t end = text.find(" (", begin == std::string::npos ? 0 : begin);
      if (begin != std::string::npos && end != std::string::npos)
        return text.substr(begin, end - begin);
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return "";
  }

  std::string fetch(const std::string& url) const {
    const std::string command = fmt::format(
        "python3 -c 'import sys, urllib.request; "
        "print(urllib.request.urlopen(sys.argv[1]).read().decode())' {} > {}",
        url, at("fetched"));
    EXPECT_EQ(std::system(command.c_str()), 0) << url;
    return read(at("fetched"));
  }
};

TEST_F(Watch, ServesThePageUntilItIsStopped) {
  const pid_t child =
      start(fmt::format("exec {} watch {} --port 0", redqueen_binary(), at("runs")));
  const std::string page = address();
  ASSERT_FALSE(page.empty()) << read(at("watched"));
  EXPECT_THAT(fetch(page), HasSubstr("RedQueen runs"));
  const std::string server = page.substr(0, page.find("/runs/"));
  EXPECT_THAT(fetch(server + "/v1/runs"), HasSubstr("\"name\":\"first\""));
  kill(child, SIGINT);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);  // the usual end, no interruption
}

// A training that is killed leaves no server behind.
TEST_F(Watch, EndsWithItsParent) {
  const pid_t shell = start(fmt::format("{} watch {} --port 0 --with-parent & echo $! > {}; wait",
                                        redqueen_binary(), at("runs"), at("pid")));
  ASSERT_FALSE(address().empty()) << read(at("watched"));
  const auto server = static_cast<pid_t>(std::stol(read(at("pid"))));
  EXPECT_EQ(kill(server, 0), 0);
  kill(shell, SIGKILL);
  waitpid(shell, nullptr, 0);
  bool is_gone = false;
  for (int i = 0; i < 200 && !is_gone; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const std::string stat = read(fmt::format("/proc/{}/stat", server));
    is_gone = stat.empty() || stat.find(") Z") != std::string::npos;
  }
  EXPECT_TRUE(is_gone);
}

TEST_F(Watch, SaysWhatIsWrong) {
  const Outcome none = run("watch " + at("none"));
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("there is no such folder"));
  EXPECT_EQ(run("watch --port 70000 " + at("runs")).code, 2);
}

}  // namespace
}  // namespace redqueen
