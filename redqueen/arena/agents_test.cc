// Agents, end to end: a program over HTTP, the scripted one, and the page of a run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "redqueen/arena/command_agent.h"
#include "redqueen/arena/run_files.h"
#include "redqueen/arena/run_report.h"
#include "redqueen/arena/scripted_agent.h"
#include "redqueen/arena/simulator_check.h"
#include "redqueen/arena/v0_server.h"
#include "redqueen/core/testing/folder.h"

namespace redqueen::arena {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kAgent = R"python(
import json, os, sys, urllib.request
def ask(url, body=None):
    return urllib.request.urlopen(urllib.request.Request(url, body)).read().decode()
for line in sys.stdin:
    turn = json.loads(line)['turn']
    info = json.loads(ask(os.environ['EVOPOLICYGYM_INFO_URL']))
    assert 'CartPole-v1' in ask(os.environ['EVOPOLICYGYM_TASK_URL'])
    assert os.path.exists('AGENTS.md') and 'SECRET' not in os.environ and os.environ['NAMED'] == 'yes'
    with open('system/policy.py', 'w') as file:
        file.write('class Policy:\n    def __init__(self, *a): pass\n    def act(self, obs): return int(obs[2] > 0)\n')
    answer = json.loads(ask(os.environ['EVOPOLICYGYM_SUBMIT_URL'], b'{"env_instances": "0-1"}'))
    summary = json.load(open('feedback/submit_%03d/summary.json' % answer['submit_id']))
    assert summary == answer['summary'] and summary['status'] == 'ok'
    left = summary['remaining_budget']
    print(json.dumps({'text': 'left %d' % left, 'stop': turn == 9}), flush=True)
)python";

class AgentsTest : public testing::Test {
 protected:
  void SetUp() override {
    sandbox::SandboxConfig config;
    config.workers = 1;
    config.preludes = {policy_host_text()};
    seats_ = PolicySeats::start(config).value();
    RunSettings settings;
    settings.budget = 4;
    settings.sizes = {.train = 10, .validation = 2, .heldout = 2};
    settings.seed = 3;
    judge_ = Judge::open(folder_ / "run", settings,
                         {.seats = seats_.get(), .numpy = false, .packages = {}, .workers = 1})
                 .value();
    write_file(folder_ / "agent.py", kAgent);
  }
  AgentEnd run(const std::vector<std::string>& words, int turns = 0, double seconds = 60) {
    const V0Server server = V0Server::start(*judge_, false).value();
    return run_command_agent(
               {.words = words, .environment = {"NAMED"}, .turns = turns, .turn_seconds = seconds},
               *judge_, server.url(), stop_)
        .value();
  }

  TestFolder folder_;
  std::unique_ptr<PolicySeats> seats_;
  std::unique_ptr<Judge> judge_;
  std::atomic<bool> stop_ = false;
};

TEST_F(AgentsTest, AProgramSubmitsOverHttpUntilTheRunCloses) {
  setenv("NAMED", "yes", 1);
  setenv("SECRET", "key", 1);
  const AgentEnd end = run({"python3", (folder_ / "agent.py").string()});
  EXPECT_EQ(end.reason, "done") << read_file(folder_ / "run/logs/agent.stderr.txt");
  EXPECT_EQ(end.turns, 2);
  EXPECT_EQ(judge_->record()["status"], "ok");
  EXPECT_THAT(read_file(folder_ / "run/logs/agent.jsonl"), HasSubstr("left 2"));
}

TEST_F(AgentsTest, SaysHowAProgramEndedThatDidNotFinish) {
  EXPECT_EQ(run({"true"}).reason, "agent_ended");
  EXPECT_EQ(run({"cat"}, 3).reason, "turn_limit");  // what it echoes is an object
  EXPECT_EQ(run({"sh", "-c", "read x; echo nonsense"}).reason, "malformed_answer");
  EXPECT_EQ(run({"sh", "-c", "read x; echo '{\"stop\": true}'"}).reason, "session_stop");
  EXPECT_EQ(run({"sleep", "60"}, 0, 0.2).reason, "turn_timeout");
  EXPECT_EQ(judge_->state().remaining_budget, 4);
  const auto missing = run_command_agent({.words = {"/no/such/program"}}, *judge_, "", stop_);
  EXPECT_THAT(missing.error().message, HasSubstr("does not start"));
}

TEST_F(AgentsTest, TheScriptedOneSpendsTheBudgetAndLeavesAPage) {
  int submissions = 0;
  ScriptedAgent agent{.seed = 1, .episodes = 2};
  agent.on_submission = [&](int, double mean, double best) {
    ++submissions;
    EXPECT_LE(mean, best);
  };
  ASSERT_TRUE(run_scripted_agent(agent, *judge_, false, stop_).has_value());
  EXPECT_EQ(submissions, 2);
  EXPECT_EQ(judge_->record()["status"], "ok");
  const fs::path page = write_run_report(folder_ / "run", folder_ / "page").value();
  const std::string text = read_file(page);
  EXPECT_THAT(text, HasSubstr("<svg"));
  EXPECT_THAT(text, HasSubstr("+CONSTANTS = ["));
  EXPECT_FALSE(write_run_report(folder_ / "nothing", folder_ / "page").has_value());
}

TEST(DiffLines, KeepsWhatIsCommon) {
  const LineDiff diff = diff_lines("a\nb\nc\n", "a\nx\nc\n");
  EXPECT_EQ(diff.added, 1);
  EXPECT_EQ(diff.removed, 1);
  EXPECT_THAT(diff.lines, ElementsAre(" a", "-b", "+x", " c"));
  EXPECT_TRUE(diff_lines("same", "same").lines.empty());
}

// Every native environment keeps its promises.
TEST(CheckSimulator, PassesEveryNativeEnvironment) {
  for (const std::string_view id : simulator_ids()) {
    const auto simulator = make_simulator(id);
    if (!simulator) continue;  // needs packages that are not installed
    const auto checked = check_simulator(**simulator, 1, 7);
    EXPECT_TRUE(checked.has_value()) << id << ": " << checked.error().message;
  }
}

// What an agent finds of the machine. The same script without isolation finds all of it, so that
// the test cannot pass by asking for what is nowhere.
TEST_F(AgentsTest, AnIsolatedAgentSeesTheWorkspaceAndTheAddressOnly) {
  if (std::system("bwrap --unshare-user --ro-bind / / true 2>/dev/null") != 0) {
    GTEST_SKIP() << "no bubblewrap here";
  }
  write_file(folder_ / "secret", "SECRET");
  const std::string secret = (folder_ / "secret").string();
  write_file(folder_ / "look.py", fmt::format(R"python(
import json, os, pathlib, sys, urllib.request
sys.stdin.readline()
found = []
for path in ('{0}', '../judge/ledger.jsonl', '../logs/harness.log', '/proc/{1}/environ'):
    try:
        open(path).read(1)
        found.append(path)
    except OSError:
        pass
for path in ('../checkpoints/new', '/usr/new'):
    try:
        open(path, 'w').close()
        os.remove(path)
        found.append(path)
    except OSError:
        pass
told = json.load(urllib.request.urlopen(os.environ['EVOPOLICYGYM_INFO_URL']))
try:
    pathlib.Path('{0}').write_text('CHANGED')
except OSError:
    pass
pathlib.Path('system/policy.py').write_text('')
pathlib.Path('found').write_text(json.dumps([found, told['episode_budget']]))
print(json.dumps({{'text': '', 'stop': True}}), flush=True)
)python",
                                              secret, getpid()));
  const std::string script = (folder_ / "look.py").string();
  const auto look = [&](bool isolated) {
    const V0Server server = V0Server::start(*judge_, false).value();
    const auto end = run_command_agent({.words = {"/usr/bin/python3", script},
                                        .environment = {},
                                        .isolated = isolated,
                                        .paths = {script}},
                                       *judge_, server.url(), stop_);
    EXPECT_EQ(end->reason, "session_stop") << read_file(folder_ / "run/logs/agent.stderr.txt");
    return *parse_json(read_file(judge_->workspace() / "found"));
  };
  EXPECT_GE(look(false)[0].size(), 5U);
  EXPECT_EQ(read_file(secret), "CHANGED");
  write_file(secret, "SECRET");
  const Json isolated = look(true);
  EXPECT_EQ(isolated[0], Json::array()) << isolated;
  EXPECT_EQ(isolated[1], 4);
  EXPECT_EQ(read_file(secret), "SECRET");
}

}  // namespace
}  // namespace redqueen::arena
