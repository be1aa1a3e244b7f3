// `redqueen arena` as a user meets it: what is wrong with a command line, a run from start to page,
// and a judge on its port.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>

#include "redqueen/base/json.h"
#include "redqueen/base/rng.h"
#include "redqueen/cli/testing/fixture.h"
#include "redqueen/policy/testing/server.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// A judge that waits for submissions, in a separate process.
class Waiting {
 public:
  Waiting(const std::string& run, const std::string& log) : log_(log) {
    child_ = fork();
    if (child_ == 0) {
      const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      dup2(out, 1);
      dup2(out, 2);
      const std::string binary = redqueen_binary();
      execl(binary.c_str(), binary.c_str(), "arena", "run", "--env", "CartPole-v1", "--run",
            run.c_str(), "--budget", "4", "--agent", "none", "--workers", "1", "--validation", "2",
            "--heldout", "2", nullptr);
      _exit(127);
    }
    for (int tries = 0; tries < 600 && port_ == 0; ++tries) {
      usleep(100'000);
      const std::string text = read_file(log);
      const std::size_t at = text.find("http://127.0.0.1:");
      if (at != std::string::npos && text.find('\n', at) != std::string::npos) {
        port_ = std::stoi(text.substr(at + 17));
      }
    }
  }
  ~Waiting() { stop(); }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

  int stop() {
    int status = 0;
    if (child_ > 0) {
      kill(child_, SIGINT);
      waitpid(child_, &status, 0);
    }
    child_ = -1;
    return status;
  }

  [[nodiscard]] int port() const { return port_; }

  // What the server says to these bytes, up to the end of the connection.
  [[nodiscard]] std::string ask(const std::string& bytes) const {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port_));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    std::string answer;
    if (connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) {
      (void)!::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      ::shutdown(socket, SHUT_WR);
      char buffer[4096];
      for (ssize_t got = 0; (got = ::recv(socket, buffer, sizeof(buffer), 0)) > 0;) {
        answer.append(buffer, static_cast<std::size_t>(got));
      }
    }
    ::close(socket);
    return answer;
  }

 private:
  std::string log_;
  pid_t child_ = -1;
  int port_ = 0;
};

class ArenaCli : public CliFixture {};

TEST_F(ArenaCli, SaysWhatIsWrongWithACommandLine) {
  write_file(folder_ / "results.json", "{\"agents\": 3}");
  const std::string results = at("results.json");
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"arena", "subcommand is required"},
      {"arena run --run x", "--env is required"},
      {"arena run --env CartPole-v1", "--run is required"},
      {"arena run --env CartPol-v1 --run " + at("x"), "did you mean CartPole-v1?"},
      {"arena run --env CartPole-v1 --run x --budget 0", "--budget"},
      {"arena run --env CartPole-v1 --run x --budget 4 --minimum 5", "minimum"},
      {"arena run --env CartPole-v1 --run x --agent mine", "mine"},
      {"arena run --env CartPole-v1 --run x --agent command", "name the program after --"},
      {"arena run --env CartPole-v1 --run x --profile old", "old"},
      {"arena run --env CartPole-v1 --run x --seed -1", "--seed"},
      {"arena run --env CartPole-v1 --run " + at("x") + " --paper-cases --heldout 257",
       "256 held out"},
      {"arena run --env CartPole-v1 --run x --port 70000", "--port"},
      {"arena run --env CartPole-v1 --run x --agent model", "--policy"},
      {"arena run --env CartPole-v1 --run x --agent model --policy DIR --turns 1", "2 or more"},
      {"arena run --env CartPole-v1 --run x --protocol session", "v0 only"},
      {"arena run --env CartPole-v1 --run x --agent none --require-budget", "only sessions"},
      {"arena suite CartPole-v1", "--out is required"},
      {"arena run --env CartPole-v1 --run " + at("y") + " --cases /nowhere", "/nowhere"},
      {"arena run --env CartPole-v1 --run x --cases y --paper-cases", "not both"},
      {"arena cases make " + at("cases"), "--env is required"},
      {"arena cases make " + at("cases") + " --env ../x", "no environment"},
      {"arena random --env CartPole-v1", "--out is required"},
      {"arena study /nowhere", "/nowhere"},
      {"arena close /nowhere", "/nowhere"},
      {"arena check CartPol-v1", "did you mean CartPole-v1?"},
      {"arena check CartPole-v1 --episodes 0", "--episodes"},
      {"arena setup --profile old", "old"},
      {"arena setup --environment CarRacin-v3", "no environment \"CarRacin-v3\""},
      {"arena setup --environment python:Tetris-v9", "REDQUEEN_ARENA_PACKAGES"},
      {"arena setup --environment CarRacing-v3 --wheels /nowhere --to " + at("env"), "/nowhere"},
      {"arena setup --environment CarRacing-v3 --to " + at("results.json"), "is no folder"},
      {"arena report", "run is required"},
      {"arena leaderboard", "path is required"}};
  for (const auto& [words, message] : cases) {
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.code, 2) << words << "\n" << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(message)) << words;
  }
  for (const std::string& words :
       {"arena report " + at("none"), "arena leaderboard " + results,
        "arena leaderboard " + at("none"), std::string("arena leaderboard /dev/null")}) {
    const Outcome outcome = run(words);
    EXPECT_NE(outcome.code, 0) << words;
    EXPECT_THAT(outcome.err, HasSubstr("redqueen: ")) << words;
    EXPECT_THAT(outcome.err, testing::Not(HasSubstr("terminate"))) << words;
  }
}

TEST_F(ArenaCli, ARunGoesFromItsFirstSubmissionToItsPage) {
  const std::string terms =
      "--env CartPole-v1 --budget 4 --episodes 2 --validation 2 --heldout 2 --seed 3 --workers 1";
  const std::string folder = at("runs/mine/CartPole-v1/1");
  const Outcome done = run("arena run " + terms + " --run " + folder);
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("\"done\":true"));
  EXPECT_EQ(run("arena run " + terms + " --run " + folder).code, 0);  // it has closed
  const Outcome other = run("arena run " + terms + " --budget 5 --run " + folder);
  EXPECT_EQ(other.code, 2);
  EXPECT_EQ(run("arena close " + folder).code, 0);
  const Outcome page = run("arena report " + folder);
  EXPECT_EQ(page.code, 0) << page.err;
  EXPECT_TRUE(fs::exists(folder + "/report/index.html"));
  const Outcome found = run("arena diagnose --json " + folder);
  EXPECT_EQ(found.code, 0) << found.err;
  EXPECT_EQ((*parse_json(found.out))["edits"][0]["kind"], "first");
  const Outcome board = run("arena leaderboard --json " + at("runs"));
  EXPECT_EQ(board.code, 2);
  EXPECT_THAT(board.err, HasSubstr("two agents or more"));
}

// Two agents and the reference on the same cases, to the leaderboard and the page.
TEST_F(ArenaCli, AgentsAreComparedOnTheSameCases) {
  ASSERT_EQ(run("arena cases make " + at("cases") +
                " --env CartPole-v1 --train 8 --validation 2 --heldout 8 --seed 3")
                .code,
            0);
  const Outcome again = run("arena cases make " + at("cases") + " --env CartPole-v1");
  EXPECT_EQ(again.code, 2);
  EXPECT_THAT(again.err, HasSubstr("cases lie there already"));
  const std::string terms =
      " --budget 4 --workers 1 --cases " + at("cases") + " --out " + at("runs");
  for (const char* name : {"ann", "bob"}) {
    const Outcome played =
        run("arena suite CartPole-v1 --name " + std::string(name) + " --episodes 2" + terms);
    ASSERT_EQ(played.code, 0) << played.err;
  }
  const Outcome random = run("arena random --env CartPole-v1" + terms);
  ASSERT_EQ(random.code, 0) << random.err;
  const Outcome board = run("arena leaderboard --json " + at("runs"));
  ASSERT_EQ(board.code, 0) << board.err;
  const Json first = *parse_json(board.out.substr(0, board.out.find('\n')));
  EXPECT_EQ(first["rank_score"], 1.0);
  EXPECT_EQ(first["differences"][0]["cases"], 8);
  // The same agent on the same cases has the same score.
  const Json ann = *parse_json(read(at("runs/ann/CartPole-v1/1/run.json")));
  const Json bob = *parse_json(read(at("runs/bob/CartPole-v1/1/run.json")));
  EXPECT_EQ(ann["heldout"]["returns"], bob["heldout"]["returns"]);
  EXPECT_EQ(first["clear_wins"], 0);
  const Outcome page = run("arena study " + at("runs"));
  ASSERT_EQ(page.code, 0) << page.err;
  EXPECT_TRUE(fs::exists(at("runs/study/index.html")));
  const std::string other = " --run " + at("runs/cat/CartPole-v1/1");
  ASSERT_EQ(run("arena run --env CartPole-v1 --agent random --budget 4 --workers 1 --validation 2"
                " --heldout 8" +
                other)
                .code,
            0);
  const Outcome refused = run("arena leaderboard " + at("runs"));
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("train 8"));  // its pools have other sizes
}

TEST_F(ArenaCli, SetupSaysWhatIsThereAndWhatIsMissing) {
  const Outcome native = run("arena setup --environment acrobot --to " + at("packages"));
  EXPECT_EQ(native.code, 0) << native.err;
  EXPECT_THAT(native.out, HasSubstr("Acrobot-v1               native, needs nothing"));
  EXPECT_FALSE(fs::exists(at("packages")));
  const Outcome missing = run("arena setup --check --to " + at("packages"));
  EXPECT_EQ(missing.code, 1);
  EXPECT_THAT(missing.out, HasSubstr("HalfCheetah-v5"));
  EXPECT_THAT(missing.out, HasSubstr("highway-env 1.11"));
  EXPECT_THAT(missing.err, HasSubstr("lack packages"));
  EXPECT_FALSE(fs::exists(at("packages")));
  const std::string wheels = at("wheels");
  ASSERT_EQ(run_program("python3",
                        "redqueen/arena/testdata/make_wheels.py " + wheels + " gymnasium==1.4.0")
                .code,
            0);
  const Outcome half = run("arena setup --profile current --environment python:CartPole-v1 --to " +
                           at("packages") + " --wheels " + wheels);
  EXPECT_EQ(half.code, 1);
  EXPECT_THAT(half.out,
              HasSubstr("gymnasium 1.4.0, pygame-ce 2.5.8: No matching distribution found for "));
}

TEST_F(ArenaCli, ASecondJudgeOnOneFolderIsTurnedAway) {
  Waiting first(at("run"), at("log"));
  ASSERT_NE(first.port(), 0) << read(at("log"));
  const Outcome second = run("arena run --env CartPole-v1 --run " + at("run") +
                             " --budget 4 --validation 2 --heldout 2 --workers 1");
  EXPECT_EQ(second.code, 1);
  EXPECT_THAT(second.err, HasSubstr("another judge"));
  EXPECT_THAT(first.ask("GET /info HTTP/1.0\r\n\r\n"), HasSubstr("\"remaining_budget\":4"));
}

// Another program on this machine can ask, and cannot spend the budget.
TEST_F(ArenaCli, SubmittingTakesTheTokenOfTheRun) {
  Waiting judge(at("run"), at("log"));
  ASSERT_NE(judge.port(), 0) << read(at("log"));
  const std::string log = read(at("log"));
  const std::size_t begin = log.find("token=");
  ASSERT_NE(begin, std::string::npos) << log;
  const std::string token = log.substr(begin + 6, 32);
  EXPECT_EQ(token.find_first_not_of("0123456789abcdef"), std::string::npos) << token;
  const auto submit = [&](const std::string& query, const std::string& header) {
    const std::string body = R"({"env_instances": [0]})";
    return judge.ask(fmt::format("POST /submit{} HTTP/1.0\r\n{}Content-Length: {}\r\n\r\n{}", query,
                                 header, body.size(), body));
  };
  std::string wrong = token;
  wrong.back() = wrong.back() == '0' ? '1' : '0';
  for (const std::string& answer :
       {submit("", ""), submit("?token=", ""), submit("?token=" + wrong, ""),
        submit("?token=" + token.substr(1), ""), submit("", "Authorization: Bearer \r\n"),
        submit("", "Authorization: Bearer " + wrong + "\r\n")}) {
    EXPECT_THAT(answer, HasSubstr(" 401 ")) << answer;
    EXPECT_THAT(answer, HasSubstr("EVOPOLICYGYM_SUBMIT_URL")) << answer;
  }
  const std::string info = "GET /info HTTP/1.0\r\n\r\n";
  EXPECT_THAT(judge.ask(info), HasSubstr("\"remaining_budget\":4"));
  EXPECT_THAT(judge.ask(info), testing::Not(HasSubstr(token)));
  EXPECT_THAT(submit("?token=" + token, ""), HasSubstr("missing_policy"));
  EXPECT_THAT(submit("", "Authorization: Bearer " + token + "\r\n"), HasSubstr("missing_policy"));
  EXPECT_THAT(judge.ask(info), HasSubstr("\"remaining_budget\":2"));
}

TEST_F(ArenaCli, AMachineWithoutIsolationRefusesAndSaysHowToGoOn) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nowhere", 1);
  const std::string words =
      "arena run --env CartPole-v1 --budget 2 --validation 1 --heldout 1 --run ";
  const Outcome refused = run(words + at("sealed") + " --agent command -- /bin/true");
  const Outcome open = run(words + at("open") + " --no-isolate --agent command -- /bin/true");
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err, HasSubstr("--no-isolate"));
  EXPECT_FALSE(fs::exists(at("sealed")));
  EXPECT_THAT(open.out, HasSubstr("\"reason\":\"agent_ended\"")) << open.err;
  EXPECT_THAT(read(at("open/judge/ledger.jsonl")), HasSubstr("\"isolated\":false"));
}

TEST_F(ArenaCli, AThousandBrokenRequestsLeaveTheJudgeAnswering) {
  Waiting judge(at("run"), at("log"));
  ASSERT_NE(judge.port(), 0) << read(at("log"));
  Rng rng({.seed = 4});
  const std::vector<std::string> sound = {
      "GET /info HTTP/1.1\r\nHost: x\r\n\r\n",
      "GET /task HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
      "POST /submit HTTP/1.1\r\nHost: x\r\nContent-Length: 24\r\n\r\n{\"env_instances\": \"9-1\"}"};
  for (int i = 0; i < 1000; ++i) {
    std::string bytes = sound[rng.below(sound.size())];
    if (rng.below(4) == 0) {  // nothing but noise
      for (char& each : bytes) each = static_cast<char>(rng.below(256));
    } else {
      for (std::int64_t n = rng.integer(1, 6); n > 0; --n) {
        bytes[rng.below(bytes.size())] = static_cast<char>(rng.below(256));
      }
      bytes.resize(rng.below(bytes.size()) + 1);
    }
    (void)judge.ask(bytes);
  }
  const std::string answer = judge.ask("GET /info HTTP/1.0\r\n\r\n");
  EXPECT_THAT(answer, HasSubstr("200 OK"));
  EXPECT_THAT(answer, HasSubstr("\"remaining_budget\":4"));
}

// A real server plays the model: it writes, looks, mends, and spends what is left.
TEST_F(ArenaCli, AModelBehindAnEndpointImprovesAPolicy) {
  const TestServer server("redqueen/arena/testdata/model_server.py", at("last.json"));
  const Outcome done =
      run("arena run --env CartPole-v1 --budget 3 --validation 2 --heldout 2 --seed 3 --workers 1"
          " --agent model --policy openai:" +
          server.url() + " --model scripted --run " + at("run"));
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("\"selected_submit\":1"));
  EXPECT_THAT(done.out, HasSubstr("\"score\":500.0"));
  const std::string log = read(at("run/logs/agent.jsonl"));
  EXPECT_THAT(log, HasSubstr("no file ../judge/ledger.jsonl"));
  EXPECT_THAT(log, HasSubstr("completion_tokens"));
  EXPECT_FALSE(fs::exists("/tmp/escape"));
  const Json last = *parse_json(read(at("last.json")));
  EXPECT_EQ(last["tools"].size(), 6U);
}

TEST_F(ArenaCli, ItsProblemsAreThoseOfAnEnvironmentLikeAnyOther) {
  const Outcome made = run("gym generate arena/cartpole --level 3 --seed 2");
  ASSERT_EQ(made.code, 0) << made.err;
  Json problem = *parse_json(made.out);
  problem["response"] = problem["reference"];
  write_file(folder_ / "responses.jsonl", dump_json(problem) + "\n");
  const Outcome scored = run("gym score --raw <" + at("responses.jsonl"));
  ASSERT_EQ(scored.code, 0) << scored.err;
  EXPECT_EQ((*parse_json(scored.out))["solved"], true) << scored.out;
}

}  // namespace
}  // namespace redqueen
