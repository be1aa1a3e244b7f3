// redqueen serve, as a user starts and ends it.

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <limits>
#include <memory>
#include <thread>
#include <vector>

#include "redqueen/base/json.h"
#include "redqueen/cli/testing/fixture.h"
#include "redqueen/net/testing/raw_client.h"
#include "redqueen/run/event_store.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Serve : public CliFixture {
 protected:
  // A server process. `words` follow `redqueen serve`.
  pid_t start(const std::string& name, const std::string& words) const {
    const pid_t child = fork();
    if (child == 0) {
      const std::string command =
          fmt::format("exec {} serve --announce {} {} >{} 2>&1", redqueen_binary(), at(name), words,
                      at(name + ".log"));
      execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      _exit(127);
    }
    return child;
  }

  // The port that it tells, once it answers; 0 if it never does.
  std::uint16_t port_of(const std::string& name) const {
    for (int i = 0; i < 600 && !fs::exists(at(name)); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const std::string url = read(at(name));
    const std::size_t colon = url.rfind(':');
    return colon == std::string::npos
               ? 0
               : static_cast<std::uint16_t>(std::stoi(url.substr(colon + 1)));
  }

  static int end(pid_t child) {
    kill(child, SIGTERM);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
};

TEST_F(Serve, HasThePageOfRunsAmongItsRoutes) {
  fs::create_directories(at("runs/first"));
  run::EventStore store = run::EventStore::open(at("runs/first/run.db")).value();
  ASSERT_TRUE(store.append({.step = 3, .time = 10, .seconds = 1, .metrics = {{"reward", 0.5}}}));
  EXPECT_EQ(run("serve --port 0 --runs " + at("none")).code, 2);
  const pid_t child = start("url", "--port 0 --runs " + at("runs"));
  const std::uint16_t port = port_of("url");
  ASSERT_NE(port, 0) << read(at("url.log"));
  EXPECT_THAT(net::get(port, "/runs/").body, HasSubstr("RedQueen runs"));
  EXPECT_THAT(net::get(port, "/v1/runs").body, HasSubstr("\"name\":\"first\""));
  EXPECT_THAT(net::get(port, "/v1/runs/metrics?run=first").body, HasSubstr("0.5"));
  EXPECT_THAT(net::get(port, "/openapi.json").body, HasSubstr("/v1/runs/{view}"));
  EXPECT_EQ(end(child), 0);
}

// Verdicts are bounded, but a batch of them is minutes of work; it ends with the server.
TEST_F(Serve, EndsWhateverIsBeingScored) {
  std::ofstream(at("set.jsonl"))
      << R"({"prompt":"q","answer":"\\sin 99999999^{512}","verifier":"math"})"
      << "\n";
  const pid_t child = start("url", "--port 0 --workers 1 --environments " + at("set.jsonl"));
  const std::uint16_t port = port_of("url");
  ASSERT_NE(port, 0) << read(at("url.log"));
  const std::string hostile = "\\sin 99999998^{512}";  // all of a verdict's work
  Json items = Json::array();
  for (int i = 0; i < 4'000; ++i) {
    items.push_back({{"address", "set@1/0/0"}, {"response", "<answer>" + hostile + "</answer>"}});
  }
  const std::string body = dump_json({{"items", items}});
  std::vector<std::unique_ptr<net::RawClient>> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(std::make_unique<net::RawClient>(port));
    clients.back()->send(
        fmt::format("POST /v1/score HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{}",
                    body.size(), body));
  }
  EXPECT_EQ(net::get(port, "/healthz").status, 200);
  kill(child, SIGTERM);
  int status = 0;
  rusage used{};
  ASSERT_EQ(wait4(child, &status, 0, &used), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_LT(used.ru_utime.tv_sec, 20) << read(at("url.log"));
  EXPECT_THAT(read(at("url.log")), HasSubstr("stopped while requests were still being worked on"));
}

// As in a container that gives no namespaces.
TEST_F(Serve, RunsProgramsWithLessIsolationWhereTheCommandSaysSo) {
  const pid_t child = start("url",
                            "--port 0 --set sandbox.use_namespaces=false "
                            "--set sandbox.workers=1 --set sandbox.require=standard");
  const net::Reply reply = net::post(port_of("url"), "/v1/problems",
                                     R"({"environment":"azr/deduction","level":0,"seed":1})");
  EXPECT_EQ(reply.status, 200) << reply.body;
  EXPECT_THAT(reply.body, HasSubstr("prompt"));
  EXPECT_EQ(end(child), 0);
  EXPECT_THAT(read(at("url.log")), HasSubstr("less isolation than it could have"));
}

// Scores over a connection that lasts, and sends again what was not answered.
class Scorer {
 public:
  explicit Scorer(std::uint16_t port) : port_(port) {}

  // NaN where there is no answer after a hundred attempts.
  double reward(const std::string& address, const std::string& response) {
    const std::string body = dump_json(Json{{"address", address}, {"response", response}});
    for (int attempt = 0; attempt < 100; ++attempt) {
      if (!client_) client_ = std::make_unique<net::RawClient>(port_);
      client_->send(
          fmt::format("POST /v1/score HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{}",
                      body.size(), body));
      const net::Reply reply = client_->read_reply();
      if (reply.status == 200) return (*parse_json(reply.body))["reward"];
      ++failures;
      client_.reset();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return std::numeric_limits<double>::quiet_NaN();
  }

  int failures = 0;

 private:
  std::uint16_t port_;
  std::unique_ptr<net::RawClient> client_;
};

// Two replicas on one port, one of them killed in the middle of the load: every score comes, and
// is what it is.
TEST_F(Serve, LosesNothingWhenAReplicaIsKilled) {
  constexpr int kThreads = 6;
  constexpr int kEach = 100;
  const pid_t first = start("first", "--port 0 --share-port");
  const std::uint16_t port = port_of("first");
  ASSERT_NE(port, 0) << read(at("first.log"));
  const pid_t second = start("second", fmt::format("--port {} --share-port", port));
  ASSERT_EQ(port_of("second"), port) << read(at("second.log"));
  const Json asked{
      {"environment", "Multiplication"}, {"count", kThreads * kEach}, {"references", true}};
  const Json problems =
      (*parse_json(net::post(port, "/v1/problems", dump_json(asked)).body))["problems"];
  ASSERT_EQ(problems.size(), kThreads * kEach);
  std::atomic<int> scored = 0;
  std::atomic<int> wrong = 0;
  std::atomic<int> failures = 0;
  std::vector<std::thread> clients;
  for (int t = 0; t < kThreads; ++t) {
    clients.emplace_back([&, t] {
      Scorer scorer(port);
      for (int i = 0; i < kEach; ++i) {
        const Json& problem = problems[static_cast<std::size_t>(t * kEach + i)];
        const std::string right =
            fmt::format("<answer>{}</answer>", problem["reference"].get<std::string>());
        const bool solves = i % 2 == 0;
        wrong += scorer.reward(problem["address"], solves ? right : "?") != (solves ? 1.0 : -1.0);
        ++scored;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      failures += scorer.failures;
    });
  }
  while (scored < kThreads * kEach / 3) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  kill(second, SIGKILL);
  waitpid(second, nullptr, 0);
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(scored, kThreads * kEach);
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(failures, 2 * kThreads);
  EXPECT_EQ(end(first), 0);
}

}  // namespace
}  // namespace redqueen
