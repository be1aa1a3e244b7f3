// Agents, end to end: a program over HTTP, the scripted one, and the page of a run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <sstream>

#include "redqueen/arena/agents/cli_agents.h"
#include "redqueen/arena/agents/command_agent.h"
#include "redqueen/arena/agents/isolation.h"
#include "redqueen/arena/agents/scripted_agent.h"
#include "redqueen/arena/judge/judge_folder.h"
#include "redqueen/arena/judge/run_files.h"
#include "redqueen/arena/judge/run_report.h"
#include "redqueen/arena/protocols/v0_server.h"
#include "redqueen/arena/simulators/simulator_check.h"
#include "redqueen/base/testing/folder.h"

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
    return run_command_agent({.words = words,
                              .environment = {"NAMED"},
                              .isolated = false,
                              .turns = turns,
                              .turn_seconds = seconds},
                             *judge_, server.address(), stop_)
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
  const auto missing =
      run_command_agent({.words = {"/no/such/program"}, .isolated = false}, *judge_, {}, stop_);
  EXPECT_THAT(missing.error().message, HasSubstr("does not start"));
}

// An agent without isolation runs as the user of the judge. Root's agent has no capabilities, and
// the judge's folder belongs to another user then, so that it cannot be read.
TEST_F(AgentsTest, AnOpenAgentOfRootsDoesNotReadTheJudgesFolder) {
  const AgentEnd end =
      run({"sh", "-c",
           "read x; cat ../judge/ledger.jsonl ../judge/cases/heldout.json /proc/$PPID/environ > "
           "found; ls ../judge >> found; grep Cap /proc/self/status > capabilities; echo '{}'; "
           "read x"},
          1);
  EXPECT_EQ(end.reason, "turn_limit");
  const fs::path workspace = folder_ / "run/workspace";
  if (!is_shut_to_this_user(folder_ / "run/judge")) {
    EXPECT_THAT(read_file(workspace / "found"),
                HasSubstr("master_seed"));  // as the first line says
    GTEST_SKIP() << "the judge's folder is this user's own here";
  }
  EXPECT_EQ(read_file(workspace / "found"), "");
  EXPECT_THAT(read_file(workspace / "capabilities"), HasSubstr("CapEff:\t0000000000000000"));
  EXPECT_THAT(read_file(workspace / "capabilities"), HasSubstr("CapBnd:\t0000000000000000"));
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

// The table of faults, number by number, and the first exception as text.
TEST_F(AgentsTest, ThePageCountsFaultsByPoolAndKind) {
  fs::create_directories(folder_ / "run/workspace/system");
  write_file(folder_ / "run/workspace/system/policy.py",
             "class Policy:\n    def __init__(self, *a): pass\n"
             "    def reset(self, index): self.index = index; self.t = 0\n"
             "    def act(self, obs):\n        self.t += 1\n"
             "        if self.t == 3 and self.index == 0: raise ValueError('<b>no</b>')\n"
             "        return 7 if self.t == 2 else 0\n");
  ASSERT_EQ(judge_->submit({0, 1}).summary["status"], "ok");
  ASSERT_TRUE(judge_->close());
  const std::string text = read_file(write_run_report(folder_ / "run", folder_ / "page").value());
  // Two episodes of each pool: one raises, each has one action that does not fit.
  for (const char* pool : {"training", "validation", "heldout"}) {
    EXPECT_THAT(text, HasSubstr(fmt::format(
                          "<tr><td>{}</td><td>0</td><td>0</td><td>1</td><td>0</td><td>0</td>"
                          "<td>0</td><td>2</td></tr>",
                          pool)));
  }
  EXPECT_THAT(text, HasSubstr("ValueError: &lt;b&gt;no&lt;/b&gt;"));
  EXPECT_THAT(text, testing::Not(HasSubstr("<b>no</b>")));
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

// A coding program as each of the four is: takes a prompt a call, prints JSON lines, and goes on
// with what it said before when it is told to. It writes down how it was called.
constexpr const char* kCodingProgram = R"python(#!/usr/bin/env python3
import json, os, pathlib, sys, urllib.request
with open('calls', 'a') as file:
    file.write(json.dumps([pathlib.Path(sys.argv[0]).name, sys.argv[1:], sorted(os.environ)]) + '\n')
policy = 'class Policy:\n    def __init__(self, *a): pass\n    def act(self, obs): return 1\n'
pathlib.Path('system/policy.py').write_text(policy)
urllib.request.urlopen(os.environ['EVOPOLICYGYM_SUBMIT_URL'], b'{"env_instances": "0-1"}').read()
events = {'codex': [{'type': 'item.completed', 'item': {'type': 'agent_message', 'text': 'submitted'}},
                    {'type': 'turn.completed', 'usage': {'input_tokens': 10, 'cached_input_tokens': 9, 'output_tokens': 2}}],
          'kimi': [{'role': 'assistant', 'content': 'submitted'}]}
for event in events.get(pathlib.Path(sys.argv[0]).name) or [
        {'type': 'result', 'result': 'submitted',
         'usage': {'input_tokens': 4, 'cache_read_input_tokens': 6, 'output_tokens': 2}}]:
    print('noise', json.dumps(event), sep='\n')
)python";

class CliAgentsTest : public AgentsTest, public testing::WithParamInterface<const char*> {
 protected:
  void install(const std::string& program, std::string_view text) {
    fs::create_directories(folder_ / "bin");
    write_file(folder_ / "bin" / program, text);
    fs::permissions(folder_ / "bin" / program, fs::perms::owner_all);
    setenv("PATH", (folder_ / "bin").string().append(":").append(path_).c_str(), 1);
  }
  void TearDown() override { setenv("PATH", path_.c_str(), 1); }
  // Of the program's calls: its name, its arguments, the names of its variables.
  std::vector<Json> calls() const {
    std::vector<Json> found;
    std::istringstream lines(read_file(judge_->workspace() / "calls"));
    for (std::string line; std::getline(lines, line);) found.push_back(*parse_json(line));
    return found;
  }

  const std::string path_ = std::getenv("PATH");
};

TEST_P(CliAgentsTest, IsCalledOnceATurnWithItsOwnVariables) {
  const std::string name = GetParam();
  const std::string program = name == "qoder" ? "qodercli" : name;
  install(program, kCodingProgram);
  const std::string key = name == "claude"  ? "ANTHROPIC_API_KEY"
                          : name == "codex" ? "CODEX_API_KEY"
                          : name == "kimi"  ? "KIMI_API_KEY"
                                            : "QODER_PERSONAL_ACCESS_TOKEN";
  for (const std::string each : {"ANTHROPIC_API_KEY", "CODEX_API_KEY", "KIMI_API_KEY",
                                 "QODER_PERSONAL_ACCESS_TOKEN", "SECRET", "HTTPS_PROXY"}) {
    setenv(each.c_str(), "", 1);
  }
  const V0Server server = V0Server::start(*judge_, false).value();
  auto agent = cli_agent(name, "small", {"--verbose-too"});
  ASSERT_TRUE(agent.has_value()) << agent.error().message;
  agent->isolated = check_isolation().has_value();
  const auto end = run_command_agent(*agent, *judge_, server.address(), stop_);
  EXPECT_EQ(end->reason, "done") << read_file(folder_ / "run/logs/agent.stderr.txt");
  ASSERT_EQ(calls().size(), 2U);  // 4 episodes, 2 a call
  for (const Json& call : calls()) {
    EXPECT_EQ(call[0], program);
    EXPECT_THAT(dump_json(call[1]), HasSubstr(R"("--model","small","--verbose-too")"));
    EXPECT_THAT(dump_json(call[2]), HasSubstr('"' + key + '"'));
    EXPECT_THAT(dump_json(call[2]), HasSubstr("\"HTTPS_PROXY\""));
    EXPECT_THAT(dump_json(call[2]), testing::Not(HasSubstr("\"SECRET\"")));
    int keys = 0;
    for (const Json& variable : call[2]) {
      keys += variable.get<std::string>().ends_with("_API_KEY") ||
              variable.get<std::string>().ends_with("_ACCESS_TOKEN");
    }
    EXPECT_EQ(keys, 1);
  }
  const auto goes_on = [&](const Json& call) {
    const std::string words = dump_json(call[1]);
    return words.find(name == "codex" ? R"("resume","--last")" : R"("--continue")") !=
           std::string::npos;
  };
  EXPECT_FALSE(goes_on(calls()[0]));
  EXPECT_TRUE(goes_on(calls()[1]));
  EXPECT_THAT(calls()[0][1].back().get<std::string>(), HasSubstr("Read AGENTS.md"));
  const std::string log = read_file(folder_ / "run/logs/agent.jsonl");
  EXPECT_THAT(log, HasSubstr(R"("text":"submitted")"));
  if (name != "kimi") {
    EXPECT_THAT(log, HasSubstr(R"("input_tokens":10)"));
    EXPECT_THAT(log, HasSubstr(R"("output_tokens":2)"));
  }
}

// As Claude Code and Codex end where nobody has logged in.
TEST_P(CliAgentsTest, SaysWhyTheProgramFailed) {
  const std::string name = GetParam();
  install(name == "qoder" ? "qodercli" : name, R"python(#!/usr/bin/env python3
import json, pathlib, sys
name = pathlib.Path(sys.argv[0]).name
events = {'codex': [{'type': 'thread.started'}, {'type': 'error', 'message': 'Not logged in'},
                    {'type': 'turn.failed', 'error': {'message': 'Not logged in,\nplease log in'}}],
          'kimi': []}
for event in events.get(name, [{'type': 'result', 'is_error': True, 'result': 'Not logged in,\nplease log in'}]):
    print(json.dumps(event))
sys.exit(1)
)python");
  const V0Server server = V0Server::start(*judge_, false).value();
  auto agent = cli_agent(name, "", {});
  ASSERT_TRUE(agent.has_value()) << agent.error().message;
  agent->isolated = check_isolation().has_value();
  const auto end = run_command_agent(*agent, *judge_, server.address(), stop_);
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->reason, "agent_failed");
  EXPECT_EQ(end->said, name == "kimi" ? "" : "Not logged in, please log in");
  EXPECT_EQ(judge_->state().remaining_budget, 4);  // and the run goes on
}

INSTANTIATE_TEST_SUITE_P(Programs, CliAgentsTest,
                         testing::Values("claude", "codex", "kimi", "qoder"));

TEST_F(AgentsTest, ACodingProgramThatFailsEndsTheTurns) {
  EXPECT_THAT(cli_agent("cursor").error().message, HasSubstr("expected claude, codex, kimi"));
  const std::string path = std::getenv("PATH");
  setenv("PATH", folder_.path().c_str(), 1);
  EXPECT_THAT(cli_agent("kimi").error().message, HasSubstr("no program kimi on PATH"));
  write_file(folder_ / "kimi", "#!/bin/sh\necho not logged in\nexit 3\n");
  fs::permissions(folder_ / "kimi", fs::perms::owner_all);
  setenv("PATH", (folder_.path().string() + ":" + path).c_str(), 1);
  CommandAgent kimi = cli_agent("kimi").value();
  kimi.isolated = false;
  const auto end = run_command_agent(kimi, *judge_, {}, stop_);
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(end->reason, "agent_failed");
  EXPECT_THAT(end->said, HasSubstr("not logged in"));
  EXPECT_EQ(end->turns, 1);
  EXPECT_THAT(read_file(folder_ / "run/logs/agent.jsonl"), HasSubstr("not logged in"));
}

// What an agent finds of the machine. The same script without isolation finds all of it, so that
// the test cannot pass by asking for what is nowhere.
TEST_F(AgentsTest, AnIsolatedAgentSeesTheWorkspaceAndTheAddressOnly) {
  if (const Status offered = check_isolation(); !offered) {
    GTEST_SKIP() << offered.error().message;
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
    const auto end = run_command_agent(
        {.words = {"/usr/bin/python3", script}, .environment = {}, .isolated = isolated}, *judge_,
        server.address(), stop_);
    EXPECT_EQ(end->reason, "session_stop") << read_file(folder_ / "run/logs/agent.stderr.txt");
    return *parse_json(read_file(judge_->workspace() / "found"));
  };
  // Root's has no capabilities and reads neither the ledger nor the judge's environment; another
  // user's reads both, and cannot write to /usr.
  EXPECT_GE(look(false)[0].size(), 4U);
  EXPECT_EQ(read_file(secret), "CHANGED");
  write_file(secret, "SECRET");
  const Json isolated = look(true);
  EXPECT_EQ(isolated[0], Json::array()) << isolated;
  EXPECT_EQ(isolated[1], 4);
  EXPECT_EQ(read_file(secret), "SECRET");
}

// A program behind a link, beside its libraries, with its user's settings.
TEST_F(AgentsTest, AnIsolatedAgentHasItsInstallationAndAHomeOfItsOwn) {
  if (const Status offered = check_isolation(); !offered) {
    GTEST_SKIP() << offered.error().message;
  }
  for (const char* name : {"home/.tool", "opt/bin", "opt/share", "links"}) {
    fs::create_directories(folder_ / name);
  }
  write_file(folder_ / "home/.tool/key", "KEY");
  write_file(folder_ / "home/diary", "private");
  write_file(folder_ / "opt/share/words", "LIBRARY");
  write_file(folder_ / "opt/bin/tool", fmt::format(R"(#!/bin/sh
read line
cat {0}/opt/share/words > found
cat "$HOME/.tool/key" >> found
echo changed > "$HOME/.tool/key" && cat "$HOME/.tool/key" >> found
cat {0}/home/diary {0}/run/judge/ledger.jsonl "$HOME/diary" >> found
ls {0} >> found
test "$TMPDIR" = /tmp && touch /tmp/x && echo tmp >> found
echo '{{"text": "", "stop": true}}'
)",
                                                   folder_.path().string()));
  fs::permissions(folder_ / "opt/bin/tool", fs::perms::owner_all);
  fs::create_symlink(folder_ / "opt/bin/tool", folder_ / "links/tool");
  const std::string path = std::getenv("PATH");
  const std::string home = std::getenv("HOME");
  setenv("PATH", ((folder_ / "links").string() + ":" + path).c_str(), 1);
  setenv("HOME", (folder_ / "home").c_str(), 1);
  const auto end = run_command_agent({.words = {"tool"}, .home_files = {".tool/key", ".tool/none"}},
                                     *judge_, {}, stop_);
  setenv("PATH", path.c_str(), 1);
  setenv("HOME", home.c_str(), 1);
  ASSERT_TRUE(end.has_value()) << end.error().message;
  EXPECT_EQ(end->reason, "session_stop") << read_file(folder_ / "run/logs/agent.stderr.txt");
  EXPECT_EQ(read_file(judge_->workspace() / "found"),
            "LIBRARYKEYchanged\nhome\nlinks\nopt\nrun\ntmp\n");
  EXPECT_EQ(read_file(folder_ / "home/.tool/key"), "KEY");
}

TEST_F(AgentsTest, NoPathMayShowAnIsolatedAgentTheRun) {
  const fs::path run_folder = folder_ / "run";
  fs::create_directory_symlink(folder_.path(), folder_ / "way");
  for (const fs::path& path : {folder_.path(), run_folder, run_folder / "judge", fs::path("/"),
                               run_folder / "judge/ledger.jsonl", folder_ / "way"}) {
    const auto refused =
        isolation_command({.words = {"true"}, .run = run_folder, .paths = {path.string()}});
    ASSERT_FALSE(refused.has_value()) << path;
    EXPECT_EQ(refused.error().kind, ErrorKind::kUsage);
    EXPECT_THAT(refused.error().message, HasSubstr("the judge's cases")) << path;
  }
  EXPECT_TRUE(isolation_command({.words = {"true"}, .run = run_folder, .paths = {"/etc"}}));
  // Nor does it see the folder in which its program lies where the run lies below that.
  write_file(folder_ / "tool", "");
  const auto command =
      isolation_command({.words = {(folder_ / "tool").string()}, .run = run_folder}).value();
  EXPECT_THAT(command.words, testing::Not(testing::Contains(folder_.path().string())));
}

TEST(Isolation, SaysWhatIsMissingAndHowToGoOn) {
  const TestFolder folder;
  const std::string path = std::getenv("PATH");
  setenv("PATH", folder.path().c_str(), 1);
  const Status missing = check_isolation();
  write_file(folder / "bwrap",
             "#!/bin/sh\necho bwrap: No permissions to create a namespace\nexit 1\n");
  fs::permissions(folder / "bwrap", fs::perms::owner_all);
  const Status refused = check_isolation();
  setenv("PATH", path.c_str(), 1);
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("apt-get install bubblewrap"));
  EXPECT_THAT(missing.error().message, HasSubstr("--no-isolate"));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("No permissions to create a namespace"));
  EXPECT_THAT(refused.error().message, HasSubstr("--no-isolate"));
}

}  // namespace
}  // namespace redqueen::arena
