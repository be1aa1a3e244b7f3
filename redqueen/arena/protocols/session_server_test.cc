// The session protocol: its answers, its socket, its client, and the end of a search.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "redqueen/arena/agents/command_agent.h"
#include "redqueen/arena/agents/isolation.h"
#include "redqueen/arena/protocols/session_server.h"
#include "redqueen/arena/testing/seats.h"
#include "redqueen/base/rng.h"
#include "redqueen/base/testing/folder.h"

namespace redqueen::arena {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// Keeps the pole up; and one that lets it fall.
constexpr const char* kSessionBalance =
    "class Made:\n    def act(self, obs):\n        x, v, a, s = obs\n"
    "        return int(a + s + 0.05 * x + 0.1 * v > 0)\n"
    "def make_policy(context): return Made()\n";
constexpr const char* kSessionLeft =
    "class Made:\n    def act(self, obs): return 0\ndef make_policy(context): return Made()\n";

class SessionTest : public testing::Test {
 protected:
  void SetUp() override {
    settings_.budget = 6;
    settings_.maximum = 4;
    settings_.sizes = {.train = 20, .validation = 2, .heldout = 2};
    settings_.seed = 1;
    settings_.protocol = Protocol::kSession;
    settings_.fresh_policy_per_episode = true;
    judge_ = open();
  }
  std::unique_ptr<Judge> open() {
    auto judge = Judge::open(folder_ / "run", settings_, {.seats = &shared_seats(), .workers = 2});
    EXPECT_TRUE(judge.has_value()) << judge.error().message;
    return std::move(*judge);
  }
  void write_policy(std::string_view text) { write_file(judge_->program() / "policy.py", text); }
  Json ask(const Json& request) { return answer_session(*judge_, dump_json(request)); }
  Json submit(std::vector<int> cases) {
    return ask(
        {{"protocol", "agent-session/v3"}, {"method", "submit"}, {"episode_indices", cases}});
  }
  Json finish(std::vector<std::string> names) {
    return ask({{"protocol", "agent-session/v3"}, {"method", "finish"}, {"submission_ids", names}});
  }
  static std::string code(const Json& answer) {
    return answer["ok"] == true ? "ok" : answer["error"]["code"].get<std::string>();
  }

  TestFolder folder_;
  RunSettings settings_;
  std::unique_ptr<Judge> judge_;
};

TEST_F(SessionTest, TheAgentEndsItsSearchAndIsJudgedByWhatItChose) {
  write_policy(kSessionBalance);
  const Json best = submit({0, 3});
  ASSERT_EQ(code(best), "ok") << best.dump();
  EXPECT_EQ(best["result"]["submission_id"], "submission-000001");
  EXPECT_EQ(best["result"]["score"], 500.0);
  EXPECT_EQ(best["result"]["episodes_used"], 2);
  EXPECT_EQ(best["result"]["episodes_remaining"], 4);
  const std::string feedback = best["result"]["feedback"];
  EXPECT_TRUE(fs::exists(judge_->workspace() / feedback)) << feedback;
  write_policy(kSessionLeft);
  EXPECT_LT(submit({1})["result"]["score"].get<double>(), 20);
  // It may choose the poorer one; and even after that a killed judge knows what was chosen.
  const Json end = finish({"submission-000002"});
  ASSERT_EQ(code(end), "ok") << end.dump();
  EXPECT_EQ(end["result"]["agent_authority_closed"], true);
  EXPECT_EQ(code(submit({5})), "session_closed");
  EXPECT_EQ(code(finish({"submission-000001"})), "session_closed");
  judge_.reset();
  judge_ = open();
  EXPECT_EQ(judge_->record()["selected_submit"], 1);
  EXPECT_TRUE(judge_->record()["submissions"][0]["validation_mean"].is_null());
}

TEST_F(SessionTest, WhatIsRefusedCostsNothing) {
  write_policy(kSessionLeft);
  const std::string protocol = "agent-session/v3";
  const std::vector<std::pair<Json, std::string>> cases = {
      {Json::parse("[]"), "invalid_request"},
      {{{"protocol", "agent-session/v2"}, {"method", "submit"}, {"episode_indices", {0}}},
       "protocol_mismatch"},
      {{{"protocol", protocol}, {"method", "submit"}}, "invalid_request"},
      {{{"protocol", protocol}, {"method", "submit"}, {"episode_indices", {0}}, {"x", 1}},
       "invalid_request"},
      {{{"protocol", protocol}, {"method", 7}, {"episode_indices", {0}}}, "invalid_request"},
      {{{"protocol", protocol}, {"method", "submit"}, {"episode_indices", {0.5}}},
       "invalid_request"},
      {{{"protocol", protocol}, {"method", "submit"}, {"episode_indices", {UINT64_MAX}}},
       "invalid_request"},
      {{{"protocol", protocol}, {"method", "finish"}, {"submission_ids", {1}}}, "invalid_request"}};
  for (const auto& [request, expected] : cases) EXPECT_EQ(code(ask(request)), expected) << request;
  EXPECT_EQ(code(submit({})), "invalid_request");
  EXPECT_EQ(code(submit({3, 3})), "invalid_request");
  EXPECT_EQ(code(submit({4, 3})), "invalid_request");
  EXPECT_EQ(code(submit({20})), "invalid_request");
  EXPECT_EQ(code(submit({0, 1, 2, 3, 4})), "episode_limit");
  fs::create_symlink("/etc/passwd", judge_->program() / "trick");
  EXPECT_EQ(code(submit({0})), "program_invalid");
  fs::remove(judge_->program() / "trick");
  EXPECT_EQ(judge_->state().remaining_budget, 6);
  EXPECT_EQ(judge_->state().submissions, 0);
  EXPECT_EQ(code(submit({0, 1, 2, 3})), "ok");
  EXPECT_EQ(code(submit({0, 1, 2})), "budget_exhausted");
  EXPECT_EQ(code(finish({"submission-000002"})), "unknown_submission");
  EXPECT_EQ(code(finish({"submission-1"})), "unknown_submission");
  EXPECT_EQ(code(finish({"submission-000001", "submission-000001"})), "duplicate_submission");
  EXPECT_EQ(code(finish({"a", "b", "c", "d"})), "candidate_limit");
  EXPECT_FALSE(judge_->state().chosen);
}

TEST_F(SessionTest, ARunMayWantItsWholeBudgetUsed) {
  settings_.require_budget = true;
  settings_.minimum = 2;
  judge_.reset();
  judge_ =
      Judge::open(folder_ / "strict", settings_, {.seats = &shared_seats(), .workers = 2}).value();
  write_policy(kSessionBalance);
  ASSERT_EQ(code(submit({0, 1, 2})), "ok");
  const Json early = finish({"submission-000001"});
  EXPECT_EQ(code(early), "budget_remaining");
  EXPECT_THAT(early["error"]["message"].get<std::string>(), HasSubstr("3 episodes are left"));
  EXPECT_FALSE(judge_->state().chosen);
  ASSERT_EQ(code(submit({0, 1})), "ok");
  // The one that is left is too few for a submission: nothing more can be asked of the agent.
  EXPECT_EQ(code(finish({"submission-000001"})), "ok");
  EXPECT_THAT(read_file(judge_->workspace() / "TASK.md"), HasSubstr("not before"));
  settings_.protocol = Protocol::kV0;
  EXPECT_EQ(check(settings_).error().kind, ErrorKind::kUsage);
}

// What the socket answers to raw bytes.
std::string say(const fs::path& socket, const std::string& bytes) {
  const int connection = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  socket.string().copy(address.sun_path, sizeof(address.sun_path) - 1);
  std::string answer;
  if (::connect(connection, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) {
    (void)!::send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    ::shutdown(connection, SHUT_WR);
    char buffer[4096];
    for (ssize_t got = 0; (got = ::recv(connection, buffer, sizeof(buffer), 0)) > 0;) {
      answer.append(buffer, static_cast<std::size_t>(got));
    }
  }
  ::close(connection);
  return answer.substr(std::min<std::size_t>(answer.size(), 4));
}

std::string frame(const std::string& text) {
  return {std::string("\0\0", 2) + static_cast<char>(text.size() >> 8) +
          static_cast<char>(text.size()) + text};
}

TEST_F(SessionTest, AThousandBrokenRequestsLeaveTheSocketAnswering) {
  const auto server = SessionServer::start(*judge_).value();
  const fs::path socket = folder_ / "run/control/session.sock";
  Rng rng({.seed = 9});
  const std::string sound = frame(
      R"({"protocol":"agent-session/v3","method":"submit","episode_indices":[9,8,7,6,5,4,3,2,1]})");
  for (int i = 0; i < 1000; ++i) {
    std::string bytes = sound;
    for (std::int64_t n = rng.integer(1, 5); n > 0; --n) {
      bytes[rng.below(bytes.size())] = static_cast<char>(rng.below(256));
    }
    if (rng.below(2) == 0) bytes.resize(rng.below(bytes.size()));
    EXPECT_THAT(say(socket, bytes), HasSubstr("\"ok\":false")) << i;
  }
  EXPECT_THAT(say(socket, frame("{}")), HasSubstr("protocol_mismatch"));
  EXPECT_EQ(judge_->state().remaining_budget, 6);
}

// The whole way: an agent, the client on its path, the socket, the judge.
TEST_F(SessionTest, AnAgentSubmitsAndFinishesWithTheClient) {
  write_file(folder_ / "agent.sh",
             "read prompt\ncd program\ncat > policy.py <<'END'\n" + std::string(kSessionBalance) +
                 "END\nevopolicygym-session submit . --episodes 0:2,7 > ../first\n"
                 "evopolicygym-session submit .. --episodes 0; echo $? > ../wrong\n"
                 "evopolicygym-session submit . --episodes 7,3; echo $? > ../refused\n"
                 "evopolicygym-session finish submission-000001 > ../last\n"
                 "echo '{\"text\": \"done\", \"stop\": true}'\n");
  const auto server = SessionServer::start(*judge_).value();
  const std::atomic<bool> stop = false;
  const auto end = run_command_agent({.words = {"sh", (folder_ / "agent.sh").string()},
                                      .isolated = check_isolation().has_value(),
                                      .paths = {(folder_ / "agent.sh").string()}},
                                     *judge_, {}, stop);
  ASSERT_TRUE(end.has_value()) << end.error().message;
  EXPECT_EQ(end->reason, "done") << read_file(folder_ / "run/logs/agent.stderr.txt");
  const auto said = [&](const char* name) { return read_file(judge_->workspace() / name); };
  EXPECT_EQ((*parse_json(said("first")))["result"]["episode_indices"], Json::parse("[0, 1, 7]"));
  EXPECT_EQ(said("wrong"), "2\n");
  EXPECT_EQ(said("refused"), "1\n");
  EXPECT_THAT(said("last"), HasSubstr("agent_authority_closed"));
  EXPECT_TRUE(judge_->close().has_value());
  EXPECT_EQ(judge_->record()["score"], 500.0);
}

}  // namespace
}  // namespace redqueen::arena
