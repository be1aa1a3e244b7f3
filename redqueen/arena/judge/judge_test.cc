// The judge as a whole: submissions, closing, cheats, deaths.
#include "redqueen/arena/judge/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fcntl.h>

#include <csignal>
#include <fstream>

#include "redqueen/arena/judge/case_commitment.h"
#include "redqueen/arena/judge/judge_folder.h"
#include "redqueen/arena/protocols/protocol_v0.h"
#include "redqueen/arena/testing/seats.h"
#include "redqueen/base/rng.h"
#include "redqueen/base/sha256.h"
#include "redqueen/base/testing/folder.h"
#include "redqueen/base/testing/source_dir.h"

namespace redqueen::arena {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

// The textbook controller: push towards where the pole falls.
constexpr const char* kJudgeBalance = R"python(
class Policy:
    def __init__(self, obs_space, action_space, env_meta):
        self.meta = env_meta
    def reset(self, episode_index):
        print('episode', episode_index)
    def act(self, obs):
        x, v, angle, spin = obs
        return 1 if angle + spin + 0.05 * x + 0.1 * v > 0 else 0
)python";
// Falls after some forty steps.
constexpr const char* kJudgeTilt =
    "class Policy:\n    def __init__(self, *a): pass\n"
    "    def act(self, obs): return int(obs[2] > 0)\n";
constexpr const char* kJudgeLeft =
    "class Policy:\n    def __init__(self, *a): pass\n"
    "    def act(self, obs): return 0\n";

RunSettings small_settings() {
  RunSettings settings;
  settings.budget = 6;
  settings.sizes = {.train = 20, .validation = 3, .heldout = 4};
  settings.seed = 1;
  settings.limits.step_seconds = 2;
  settings.limits.load_seconds = 5;
  settings.limits.episode_seconds = 5;
  settings.limits.memory_bytes = 256U << 20;
  settings.limits.output_bytes = 1U << 20;
  return settings;
}

class JudgeTest : public testing::Test {
 protected:
  std::unique_ptr<Judge> open(const RunSettings& settings = small_settings(), int workers = 2) {
    auto judge = Judge::open(folder_ / "run", settings, tools(workers));
    EXPECT_TRUE(judge.has_value()) << judge.error().message;
    return std::move(*judge);
  }
  static JudgeTools tools(int workers = 2) {
    return {.seats = &shared_seats(), .numpy = false, .packages = {}, .workers = workers};
  }
  void write_policy(std::string_view text) {
    fs::create_directories(system());
    write_file(system() / "policy.py", text);
  }
  fs::path system() const { return folder_ / "run/workspace/system"; }
  fs::path feedback(const std::string& name) const {
    return folder_ / "run/workspace/feedback" / name;
  }
  // What the judge's record says of a policy that is submitted for one episode.
  Json submit_one(std::string_view policy) {
    auto judge = open();
    write_policy(policy);
    const SubmitAnswer answer = judge->submit({0});
    EXPECT_EQ(answer.kind, SubmitAnswer::Kind::kAccepted) << answer.message;
    EXPECT_EQ(judge->state().remaining_budget, 5);  // charged once
    return answer.summary;
  }

  TestFolder folder_;
};

TEST_F(JudgeTest, PlaysSubmissionsAndClosesWithTheBest) {
  auto judge = open();
  write_policy(kJudgeLeft);
  const SubmitAnswer poor = judge->submit({3, 3, 0});
  ASSERT_EQ(poor.kind, SubmitAnswer::Kind::kAccepted) << poor.message;
  EXPECT_EQ(poor.summary["returns"][0], poor.summary["returns"][1]);  // the same case
  EXPECT_LT(poor.summary["mean_return"].get<double>(), 12);
  EXPECT_EQ(poor.summary["first_global_episode"], 0);
  write_policy(kJudgeBalance);
  const SubmitAnswer good = judge->submit({1, 2});
  EXPECT_EQ(good.summary["mean_return"], 500.0);
  EXPECT_EQ(good.summary["first_global_episode"], 3);
  const std::string lines = read_file(feedback("submit_001/episodes/ep_003/trajectory.jsonl"));
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 500);
  const Json first = *parse_json(lines.substr(0, lines.find('\n')));
  std::vector<std::string> keys;
  for (const auto& [key, value] : first.items()) keys.push_back(key);
  EXPECT_THAT(keys, testing::ElementsAre("t", "obs", "action", "reward", "terminated", "truncated",
                                         "info"));
  EXPECT_EQ(read_file(feedback("submit_001/episodes/ep_003/stdout.txt")), "episode 0\n");
  EXPECT_EQ(read_file(feedback("submit_001/episodes/ep_004/stdout.txt")), "episode 1\n");
  EXPECT_TRUE(judge->record().is_null());
  write_policy(kJudgeLeft);
  EXPECT_EQ(judge->submit({5}).kind, SubmitAnswer::Kind::kAccepted);
  const Json record = judge->record();
  EXPECT_EQ(record["status"], "ok");
  EXPECT_EQ(record["selected_submit"], 1);
  EXPECT_EQ(record["score"], 500.0);
  EXPECT_EQ(record["cases"], "drawn");
  EXPECT_EQ(*parse_json(read_file(folder_ / "run/run.json")), record);
  EXPECT_EQ(judge->submit({0}).kind, SubmitAnswer::Kind::kClosed);
}

TEST_F(JudgeTest, OfEqualMeansTheLatestWins) {
  auto judge = open();
  write_policy(kJudgeBalance);
  judge->submit({0, 1, 2});
  judge->submit({0, 1, 2});
  EXPECT_EQ(judge->record()["selected_submit"], 1);
}

TEST_F(JudgeTest, ChargesNothingForWhatCannotBe) {
  auto judge = open();
  write_policy(kJudgeBalance);
  EXPECT_EQ(judge->submit({}).status, "budget_invalid");
  EXPECT_EQ(judge->submit({0, 1, 2, 3, 4, 5, 6}).status, "budget_invalid");
  EXPECT_EQ(judge->submit({20}).status, "invalid_env_instance");
  EXPECT_EQ(judge->submit({-1}).status, "invalid_env_instance");
  EXPECT_EQ(judge->state().remaining_budget, 6);
  EXPECT_EQ(judge->state().submissions, 0);
}

TEST_F(JudgeTest, TellsTheAgentWhyItsPolicyDidNotLoad) {
  auto judge = open();
  fs::create_directories(system());
  EXPECT_EQ(judge->submit({0}).status, "missing_policy");
  write_policy("import no_such_module\n");
  const SubmitAnswer import = judge->submit({0});
  EXPECT_EQ(import.status, "import_error");
  EXPECT_THAT(import.message, HasSubstr("system/policy.py\", line 1"));
  EXPECT_THAT(import.message, HasSubstr("no_such_module"));
  EXPECT_TRUE(import.summary["returns"].is_null());
  EXPECT_FALSE(fs::exists(feedback("submit_001/episodes")));
  EXPECT_THAT(read_file(feedback("submit_001/errors.txt")), HasSubstr("no_such_module"));
  write_policy("class Policy:\n    def __init__(self, *a): raise ValueError('why')\n");
  EXPECT_EQ(judge->submit({0}).status, "init_error");
  write_policy("x = 1\n");
  EXPECT_EQ(judge->submit({0}).status, "missing_policy");
  write_policy(kJudgeBalance);
  const SubmitAnswer fine = judge->submit({0});
  EXPECT_EQ(fine.summary["first_global_episode"], 0);  // failures have used up no numbers
  EXPECT_EQ(judge->state().remaining_budget, 1);
}

TEST_F(JudgeTest, AfterAnExceptionTheEpisodeIsPlayedOnWithTheNullAction) {
  const char* policy =
      "class Policy:\n    def __init__(self, *a): self.n = 0\n"
      "    def reset(self, index): self.n = index; 1 / (0 if index == 0 else 1)\n"
      "    def act(self, obs):\n        if self.n == 1: raise RuntimeError('tired')\n"
      "        return 1\n";
  auto judge = open();
  write_policy(policy);
  const Json summary = judge->submit({0, 1, 2}).summary;
  EXPECT_EQ(summary["status"], "ok");
  EXPECT_EQ(summary["errors"], Json::parse("[0, 1]"));
  write_policy(kJudgeLeft);  // the null action of CartPole
  const Json null = judge->submit({0, 1, 2}).summary;
  EXPECT_EQ(summary["returns"][0], null["returns"][0]);
  EXPECT_EQ(summary["returns"][1], null["returns"][1]);
  EXPECT_GT(summary["episode_lengths"][2].get<int>(), 5);
  const std::string lines = read_file(feedback("submit_000/episodes/ep_000/trajectory.jsonl"));
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), null["episode_lengths"][0].get<int>());
  EXPECT_THAT(lines, HasSubstr("\"action_invalid\":true"));
  const std::string error = read_file(feedback("submit_000/episodes/ep_001/error.txt"));
  EXPECT_THAT(error, HasSubstr("tired"));
  EXPECT_THAT(error, HasSubstr("\"t\":0"));
  const Json faults = judge->record()["faults"];
  EXPECT_EQ(faults["training"]["reset"], 1);
  EXPECT_EQ(faults["training"]["act"], 1);
  EXPECT_EQ(faults["validation"]["reset"], 1);  // the first episode of three
  EXPECT_EQ(faults["validation"]["act"], 1);
  EXPECT_EQ(judge->record()["submissions"][0]["faults"]["act"], 1);
}

// A policy that raises earns, case by case, the same as one that returns the null action from that
// step on.
TEST_F(JudgeTest, AnExceptionEarnsWhatTheNullActionEarns) {
  const auto run = [&](const std::string& name, bool fresh, const std::string& end) {
    RunSettings settings = small_settings();
    settings.budget = 1;
    settings.fresh_policy_per_episode = fresh;
    auto judge = Judge::open(folder_ / name, settings, tools()).value();
    write_file(folder_ / name / "workspace/system/policy.py",
               "class Policy:\n    def __init__(self, *a): self.over = False\n"
               "    def reset(self, index): self.over = False\n"
               "    def act(self, obs):\n"
               "        self.over = self.over or abs(obs[2]) > 0.05\n"
               "        if self.over:\n            " +
                   end + "\n        return int(obs[2] > 0)\n");
    judge->submit({0});
    return judge->record();
  };
  for (const bool fresh : {false, true}) {
    const Json raises = run(fmt::format("raises-{}", fresh), fresh, "raise ValueError");
    const Json stops = run(fmt::format("stops-{}", fresh), fresh, "return 0");
    EXPECT_EQ(raises["status"], "ok");
    EXPECT_EQ(raises["score"], stops["score"]);
    EXPECT_EQ(raises["heldout"]["returns"], stops["heldout"]["returns"]);
    EXPECT_EQ(raises["heldout"]["lengths"], stops["heldout"]["lengths"]);
    EXPECT_EQ(raises["faults"]["heldout"]["act"], 4);
    EXPECT_EQ(raises["faults"]["heldout"]["reset"], 0);
    EXPECT_EQ(stops["faults"]["heldout"]["act"], 0);
    EXPECT_THAT(raises["heldout"]["first_exception"].get<std::string>(), HasSubstr("ValueError"));
    EXPECT_EQ(stops["heldout"]["first_exception"], "");
  }
}

TEST_F(JudgeTest, StrictV0LetsAnExceptionSpoilTheSubmission) {
  RunSettings settings = small_settings();
  settings.strict_v0 = true;
  auto judge = open(settings);
  write_policy("class Policy:\n    def __init__(self, *a): pass\n    def act(self, obs): 1 / 0\n");
  EXPECT_EQ(judge->submit({0, 1, 2, 3, 4, 5}).status, "rollout_timeout");
  EXPECT_EQ(judge->record()["status"], "no_ok_submit");
  EXPECT_TRUE(judge->record()["score"].is_null());
  EXPECT_EQ(judge->record()["faults"]["training"]["act"], 6);
}

// Only the held-out cases are four: a policy that counts them may behave until the last.
TEST_F(JudgeTest, AHiddenExceptionUnderStrictV0LeavesNoScore) {
  RunSettings settings = small_settings();
  settings.strict_v0 = true;
  settings.budget = 1;
  auto judge = open(settings);
  write_policy(
      "class Policy:\n    def __init__(self, *a): pass\n"
      "    def reset(self, index): self.index = index\n"
      "    def act(self, obs): return 0 if self.index < 3 else 1 / 0\n");
  EXPECT_EQ(judge->submit({0}).status, "ok");
  const Json record = judge->record();
  EXPECT_EQ(record["status"], "heldout_failed");
  EXPECT_TRUE(record["score"].is_null());
  EXPECT_EQ(record["faults"]["heldout"]["act"], 1);
  EXPECT_THAT(record["heldout"]["fault"].get<std::string>(), HasSubstr("ZeroDivisionError"));
}

TEST_F(JudgeTest, FaultsAreCountedByKind) {
  RunSettings settings = small_settings();
  settings.budget = 5;
  settings.limits.step_seconds = 0.5;
  auto judge = open(settings);
  write_policy("class Policy:\n    def __init__(self, *a): raise ValueError\n");
  judge->submit({0});
  write_policy(
      "import time\nclass Policy:\n    def __init__(self, *a): pass\n"
      "    def act(self, obs): time.sleep(9)\n");
  judge->submit({0});
  write_policy(
      "import os\nclass Policy:\n    def __init__(self, *a): pass\n"
      "    def act(self, obs): os._exit(3)\n");
  judge->submit({0});
  write_policy(
      "class Policy:\n    def __init__(self, *a): pass\n    def reset(self, index): 1 / 0\n");
  judge->submit({0});
  write_policy(
      "class Policy:\n    def __init__(self, *a): pass\n    def act(self, obs): return 7\n");
  const int steps = judge->submit({0}).summary["episode_lengths"][0].get<int>();
  const Json training = judge->record()["faults"]["training"];
  EXPECT_EQ(training["init"], 1);
  EXPECT_EQ(training["timeout"], 1);
  EXPECT_EQ(training["ended"], 1);
  EXPECT_EQ(training["reset"], 1);
  EXPECT_EQ(training["act"], 0);
  EXPECT_EQ(training["invalid_actions"], steps);
  EXPECT_EQ(training["actions"], steps);
}

TEST_F(JudgeTest, PoliciesMayBeModulesWithDataAndMakePolicy) {
  auto judge = open();
  fs::create_directories(system() / "parts/deep");
  write_file(system() / "parts/__init__.py", "");
  write_file(system() / "parts/deep/gain.txt", "0.05");
  write_file(system() / "parts/rule.py",
             "import pathlib\ngain = float((pathlib.Path(__file__).parent / 'deep/gain.txt')"
             ".read_text())\n");
  write_policy(
      "from parts.rule import gain\nimport random\n"
      "class Made:\n    def __init__(self, context): self.seed = context.policy_seed\n"
      "    def act(self, obs):\n        x, v, a, s = obs\n"
      "        return int(a + s + gain * x + 0.1 * v > 0)\n"
      "def make_policy(context):\n    print(context.policy_seed, random.random())\n"
      "    return Made(context)\n");
  const Json summary = judge->submit({0, 0}).summary;
  EXPECT_EQ(summary["mean_return"], 500.0) << summary.dump();
  const std::string printed = read_file(feedback("submit_000/episodes/ep_000/stdout.txt"));
  EXPECT_EQ(read_file(feedback("submit_000/episodes/ep_001/stdout.txt")), printed);
}

TEST_F(JudgeTest, ActionsThatAreNoneAreMadeToFit) {
  auto judge = open();
  write_policy(
      "class Policy:\n    def __init__(self, *a): self.t = 0\n    def act(self, obs):\n"
      "        self.t += 1\n"
      "        return ['x', 7, -3, 1.9, float('nan'), [1, 2], {}, 10 ** 15, True][self.t % 9]\n");
  const Json summary = judge->submit({0}).summary;
  EXPECT_EQ(summary["status"], "ok");
  const std::string lines = read_file(feedback("submit_000/episodes/ep_000/trajectory.jsonl"));
  EXPECT_THAT(lines, HasSubstr("\"action\":7,"));
  EXPECT_THAT(lines, HasSubstr("\"action_invalid\":true"));
}

// --- cheats: each fails, and the record names it -------------------------------------------------

TEST_F(JudgeTest, HiddenCasesAreInNoObjectOfThePolicysProcess) {
  const Json summary = submit_one(
      "import gc, sys\n"
      "class Policy:\n    def __init__(self, *a):\n"
      "        names = {type(o).__name__ for o in gc.get_objects()}\n"
      "        print('CHEAT' if names & {'Judge', 'Service', 'Simulator', 'Pool', 'Run'} else "
      "'none')\n"
      "        frame = sys._getframe()\n"
      "        while frame:\n            for v in list(frame.f_locals.values()):\n"
      "                if type(v).__name__ in ('World', 'Env', 'Judge') : print('CHEAT')\n"
      "            frame = frame.f_back\n"
      "    def reset(self, index): print(sorted(m for m in sys.modules if 'gym' in m or 'arena' in "
      "m))\n"
      "    def act(self, obs): return 0\n");
  EXPECT_EQ(summary["status"], "ok");
  const std::string printed = read_file(feedback("submit_000/episodes/ep_000/stdout.txt"));
  EXPECT_THAT(printed, Not(HasSubstr("CHEAT")));
  EXPECT_THAT(printed, HasSubstr("[]"));
}

TEST_F(JudgeTest, EnvironmentsCanNeitherBeImportedNorCopied) {
  const Json summary = submit_one(
      "found = []\n"
      "for name in ('mujoco', 'minigrid', 'highway_env', 'Box2D', 'pygame', "
      "'gymnasium_robotics'):\n"
      "    try:\n        __import__(name)\n        found.append(name)\n"
      "    except ImportError: pass\n"
      "assert not found, found\nimport gymnasium\nclass Policy: pass\n");
  EXPECT_EQ(summary["status"], "import_error");
  EXPECT_THAT(summary["reason"].get<std::string>(), HasSubstr("No module named 'gymnasium'"));
}

TEST_F(JudgeTest, NothingOfTheJudgeCanBePatched) {
  const Json summary = submit_one(
      "import os, json, builtins\n"
      "class Policy:\n    def __init__(self, *a): self.t = 0\n"
      "    def act(self, obs):\n        self.t += 1\n"
      "        self._score = lambda: 1e6\n"
      "        builtins.sum = max = lambda *a: 1e6\n"
      "        json.dumps = lambda *a: '{\"reward\": 1e6}'\n"
      "        return 0\n");
  EXPECT_LT(summary["mean_return"].get<double>(), 12);
}

TEST_F(JudgeTest, ExitEndsTheSubmissionAndNotTheJudge) {
  const Json summary = submit_one(
      "import os\nclass Policy:\n    def __init__(self, *a): pass\n"
      "    def act(self, obs): os._exit(3)\n");
  EXPECT_EQ(summary["status"], "rollout_timeout");
  EXPECT_THAT(summary["reason"].get<std::string>(), HasSubstr("exit code 3"));
}

TEST_F(JudgeTest, FeedbackHasTheEpisodesThatWerePlayedToTheirEnd) {
  auto judge = open();
  write_policy(kJudgeLeft);
  ASSERT_EQ(judge->submit({0}).kind, SubmitAnswer::Kind::kAccepted);
  write_policy(
      "import os\nclass Policy:\n    def __init__(self, *a): pass\n"
      "    def reset(self, index): self.index = index\n"
      "    def act(self, obs):\n        if self.index == 1: os._exit(3)\n        return 0\n");
  const SubmitAnswer lost = judge->submit({0, 1, 2});
  EXPECT_EQ(lost.summary["status"], "rollout_timeout");
  std::vector<std::string> folders;
  for (const auto& entry : fs::directory_iterator(feedback("submit_001/episodes")))
    folders.push_back(entry.path().filename().string());
  EXPECT_THAT(folders, testing::ElementsAre("ep_001")) << "the first of three, the second overall";
}

TEST_F(JudgeTest, FilesOfTheRunAndTheMachineAreNotThere) {
  const fs::path run = folder_ / "run";
  const Json summary = submit_one(fmt::format(
      "import os\n"
      "class Policy:\n    def __init__(self, *a): pass\n    def reset(self, index):\n"
      "        for path in ('{0}', '{0}/judge/ledger.jsonl', '{0}/judge/cases/heldout.json', "
      "'/proc/1/mem',\n"
      "                     '/proc/self/mem', '/etc/passwd', '/tmp', '{1}'):\n"
      "            try:\n                os.listdir(path) if os.path.isdir(path) else "
      "open(path).read()\n"
      "                print('CHEAT', path)\n            except OSError as error:\n"
      "                print(type(error).__name__)\n"
      "        try:\n            import ctypes\n"
      "            print('CHEAT' if ctypes.CDLL(None).process_vm_readv is None else 'lib')\n"
      "        except (OSError, AttributeError) as error: print('none')\n"
      "    def act(self, obs): return 0\n",
      run.string(), source_dir().string()));
  EXPECT_EQ(summary["status"], "ok") << summary.dump();
  EXPECT_THAT(read_file(feedback("submit_000/episodes/ep_000/stdout.txt")),
              Not(HasSubstr("CHEAT")));
}

TEST_F(JudgeTest, ReadingTheJudgesMemoryKillsThePolicy) {
  const Json summary = submit_one(
      "import ctypes, os\nclass Policy:\n    def __init__(self, *a): pass\n"
      "    def act(self, obs):\n"
      "        buffer = ctypes.create_string_buffer(8)\n"
      "        class Vec(ctypes.Structure): _fields_ = [('b', ctypes.c_void_p), ('n', "
      "ctypes.c_size_t)]\n"
      "        local = Vec(ctypes.addressof(buffer), 8)\n"
      "        ctypes.CDLL(None).process_vm_readv(os.getppid(), ctypes.byref(local), 1,"
      " ctypes.byref(local), 1, 0)\n        return 0\n");
  EXPECT_EQ(summary["status"], "rollout_timeout");
  EXPECT_THAT(summary["reason"].get<std::string>(),
              HasSubstr("system call that the sandbox forbids"));
}

TEST_F(JudgeTest, SilenceFloodsAndForkBombsEndTheSubmissionWithAReason) {
  struct Attack {
    const char* act;
    const char* status;
    const char* reason;
  };
  RunSettings settings = small_settings();
  settings.limits.step_seconds = 0.5;
  settings.budget = 10;
  auto judge = open(settings);
  const std::vector<Attack> attacks = {
      {"while True: pass", "rollout_timeout", "no answer within 0.5 seconds"},
      {"while True: print('x' * 1000)", "rollout_timeout", "output"},
      {"os.write(4, b'q'); time.sleep(0.1)", "rollout_timeout", "no answer"},
      {"os.write(4, b'x' * 200000); time.sleep(0.1)", "rollout_timeout", "no answer"},
      {"return [0.5] * 40000", "rollout_timeout", "160 KiB"},
      // It writes into the memory that carries frames: a size without end, then nonsense.
      {"words[1 + (1 << 18)] = 2 ** 32 - 1; words[1 << 18] += 1; os.write(4, b'!'); time.sleep(9)",
       "rollout_timeout", "160 KiB"},
      {"memory[8 + (1 << 20):12 + (1 << 20)] = b'am!!'; words[1 + (1 << 18)] = 4\n"
       "        words[1 << 18] += 1; os.write(4, b'!'); time.sleep(9)",
       "rollout_timeout", "no answer"},
      {"x = [0] * 10 ** 9", "ok", ""},  // a MemoryError is an exception
  };
  int left = settings.budget;
  for (const Attack& attack : attacks) {
    write_policy(
        fmt::format("import mmap, os, time\nmemory = mmap.mmap(5, 0)\n"
                    "words = memoryview(memory).cast('I')\n"
                    "class Policy:\n    def __init__(self, *a): pass\n"
                    "    def act(self, obs):\n        {}\n",
                    attack.act));
    const SubmitAnswer answer = judge->submit({0});
    EXPECT_EQ(answer.status, attack.status) << attack.act << answer.message;
    EXPECT_THAT(answer.message, HasSubstr(attack.reason)) << attack.act;
    EXPECT_EQ(judge->state().remaining_budget, --left);
  }
  write_policy(
      "import os\nclass Policy:\n    def __init__(self, *a): pass\n"
      "    def act(self, obs):\n        while True: os.fork()\n");
  const SubmitAnswer bomb = judge->submit({0});
  EXPECT_EQ(bomb.summary["errors"], Json::parse("[0]")) << bomb.message;  // PermissionError
  EXPECT_THAT(read_file(folder_ / "run/logs/harness.log"), HasSubstr("no answer within 0.5"));
}

TEST_F(JudgeTest, LinksAndSpecialFilesAreRefused) {
  auto judge = open();
  write_policy(kJudgeBalance);
  const fs::path trick = system() / "trick";
  const auto refused = [&](const char* kind) {
    const SubmitAnswer answer = judge->submit({0});
    EXPECT_EQ(answer.status, "snapshot_refused") << kind;
    EXPECT_THAT(answer.message, HasSubstr(kind));
    EXPECT_THAT(answer.message, HasSubstr("system/trick"));
    fs::remove_all(trick);
  };
  fs::create_symlink(folder_ / "run/judge/cases/heldout.json", trick);
  refused("a symbolic link");
  fs::create_directory_symlink(folder_ / "run/judge", trick);
  refused("a symbolic link");
  ASSERT_EQ(mkfifo(trick.c_str(), 0600), 0);
  refused("a FIFO");
  if (mknod(trick.c_str(), S_IFCHR | 0600, 0x0103) == 0) refused("a device");
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{.sun_family = AF_UNIX};
  trick.string().copy(address.sun_path, sizeof(address.sun_path) - 1);
  ASSERT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  refused("a socket");
  ::close(socket);
  EXPECT_EQ(judge->state().remaining_budget, 6);
  EXPECT_THAT(read_file(folder_ / "run/logs/harness.log"), HasSubstr("a symbolic link"));
}

// --- same results however many workers, and after any death --------------------------------------

TEST_F(JudgeTest, ResultsDoNotDependOnTheNumberOfWorkers) {
  const auto result = [&](const std::string& name, int workers, bool fresh) {
    RunSettings settings = small_settings();
    settings.fresh_policy_per_episode = fresh;
    auto judge = Judge::open(folder_ / name, settings, tools(workers)).value();
    // Draws from the global generator, so that its seeding shows.
    const char* noisy =
        "import random\nclass Policy:\n    def __init__(self, *a): pass\n"
        "    def act(self, obs): return int(obs[2] + random.uniform(-.1, .1) > 0)\n";
    write_file(folder_ / name / "workspace/system/policy.py", noisy);
    judge->submit({0, 1, 2});
    judge->submit({3, 4, 5});
    const Json record = judge->record();
    return dump_json(record["heldout"]) + dump_json(record["submissions"][0]["mean_return"]) +
           dump_json(record["submissions"][1]["validation_mean"]);
  };
  const std::string one = result("one", 1, true);
  EXPECT_EQ(result("three", 3, true), one);
  EXPECT_EQ(result("same", 1, false), result("other", 3, false));
}

TEST_F(JudgeTest, ASecondJudgeIsTurnedAway) {
  auto judge = open();
  const pid_t child = fork();
  if (child == 0) {
    const auto second = Judge::open(folder_ / "run", small_settings(), tools());
    const bool told = !second && second.error().message.find("another judge") != std::string::npos;
    _exit(told ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(JudgeTest, AnotherEnvironmentOrBudgetIsRefusedOnAnOldFolder) {
  open();
  RunSettings settings = small_settings();
  settings.budget = 7;
  const auto other = Judge::open(folder_ / "run", settings, tools());
  ASSERT_FALSE(other.has_value());
  EXPECT_EQ(other.error().kind, ErrorKind::kUsage);
}

// Every state that the disk can be in when the judge is killed: the ledger cut after any record, or
// within it; feedback there or not. The run goes on to the same end, and charges once.
TEST_F(JudgeTest, GoesOnFromEveryPointOfItsLedger) {
  {
    auto judge = open();
    write_policy(kJudgeTilt);
    judge->submit({0, 1, 2});
    write_policy(kJudgeLeft);
    judge->submit({3, 4, 5});
  }
  const Json whole = *parse_json(read_file(folder_ / "run/run.json"));
  const std::string ledger = read_file(folder_ / "run/judge/ledger.jsonl");
  std::vector<std::size_t> cuts;
  for (std::size_t at = ledger.find('\n'); at != std::string::npos;
       at = ledger.find('\n', at + 1)) {
    cuts.push_back(at + 1);
    if (at + 20 < ledger.size()) cuts.push_back(at + 20);  // within the next record
  }
  for (const std::size_t cut : cuts) {
    write_file(folder_ / "run/judge/ledger.jsonl", ledger.substr(0, cut));
    fs::remove(folder_ / "run/run.json");
    fs::remove_all(folder_ / "run/workspace/feedback");
    auto judge = open();
    // Where no charge was kept, the agent submits again: the same policies.
    while (!judge->state().finalized) {
      const bool first = judge->state().submissions == 0;
      write_policy(first ? kJudgeTilt : kJudgeLeft);
      const auto cases =
          first ? std::vector<std::int64_t>{0, 1, 2} : std::vector<std::int64_t>{3, 4, 5};
      ASSERT_EQ(judge->submit(cases).kind, SubmitAnswer::Kind::kAccepted) << cut;
    }
    const Json record = judge->record();
    EXPECT_EQ(record["score"], whole["score"]) << cut;
    EXPECT_EQ(record["heldout"], whole["heldout"]) << cut;
    EXPECT_EQ(record["submissions"].size(), 2U) << cut;
    EXPECT_TRUE(fs::exists(feedback("submit_000/summary.json"))) << cut;
    EXPECT_TRUE(fs::exists(feedback("submit_001/summary.json"))) << cut;
  }
}

// A judge that is really killed, at moments that nobody chose.
TEST_F(JudgeTest, SurvivesBeingKilled) {
  fs::create_directories(system());
  write_policy(kJudgeTilt);
  Rng rng({.seed = 5});
  bool closed = false;
  for (int attempt = 0; attempt < 12 && !closed; ++attempt) {
    const pid_t child = fork();
    if (child == 0) {
      sandbox::SandboxConfig config;
      config.workers = 1;
      config.preludes = {policy_host_text()};
      const auto seats = PolicySeats::start(config).value();
      JudgeTools own = tools(1);
      own.seats = seats.get();
      auto judge = Judge::open(folder_ / "run", small_settings(), own);
      if (!judge) _exit(1);
      while (!(*judge)->state().finalized) (*judge)->submit({0, 1});
      _exit(0);
    }
    const bool patient = attempt >= 6;
    if (!patient) {
      usleep(static_cast<useconds_t>(rng.integer(100'000, 1'500'000)));
      kill(child, SIGKILL);
    }
    int status = 0;
    waitpid(child, &status, 0);
    closed = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  ASSERT_TRUE(closed);
  const Json record = *parse_json(read_file(folder_ / "run/run.json"));
  EXPECT_EQ(record["status"], "ok");
  EXPECT_GT(record["score"].get<double>(), 20);
  int charged = 0;
  for (const Json& each : record["submissions"]) charged += each["episodes"].get<int>();
  EXPECT_EQ(charged, 6);
}

// Leaves `bytes` free on the file system of `folder`, in whole blocks; "filler" there holds the
// rest.
void fill_disk(const fs::path& folder, std::uintmax_t bytes) {
  std::ofstream filler(folder / "filler", std::ios::binary);
  const std::string block(4096, 'x');
  while (fs::space(folder).available > bytes && filler << block << std::flush) {
  }
}

// In a separate process, whose mounts nobody else sees. 0: all went as it should; 77: this
// machine lets us mount nothing.
int play_on_a_full_disk(const fs::path& disk) {
  if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=1m") != 0) {
    return 77;
  }
  sandbox::SandboxConfig config;
  config.workers = 1;
  config.preludes = {policy_host_text()};
  const auto seats = PolicySeats::start(config).value();
  const JudgeTools tools = {.seats = seats.get(), .workers = 1};
  auto judge = Judge::open(disk / "run", small_settings(), tools).value();
  write_file(disk / "run/workspace/system/policy.py", kJudgeBalance);
  int failed = 0;
  for (const std::uintmax_t left : {0U, 8U << 10, 40U << 10, 100U << 10}) {
    fill_disk(disk, left);
    const int before = judge->state().remaining_budget;
    const SubmitAnswer answer = judge->submit({0});
    if (answer.kind == SubmitAnswer::Kind::kFailed) {
      ++failed;
      if (answer.message.find("disk full") == std::string::npos &&
          answer.message.find("No space") == std::string::npos) {
        return 2;
      }
    }
    if (judge->state().remaining_budget < before - 1) return 3;
    fs::remove(disk / "filler");
    fs::remove_all(disk / "run/workspace/feedback/submit_000/episodes");  // the agent makes room
  }
  if (failed < 2) return 4;
  while (!judge->state().finalized) {
    if (judge->submit({0}).kind != SubmitAnswer::Kind::kAccepted) return 5;
    for (const auto& entry : fs::directory_iterator(disk / "run/workspace/feedback")) {
      fs::remove_all(entry.path() / "episodes");
    }
  }
  // Submissions charged while the disk was full got their feedback when it had room again.
  for (int i = 0; i < judge->state().submissions; ++i) {
    if (!judge->files().is_file("feedback/" + judge->feedback_name(i) + "/summary.json")) return 7;
  }
  const Json record = judge->record();
  int charged = 0;
  for (const Json& each : record["submissions"]) charged += each["episodes"].get<int>();
  if (charged == 6 && record["status"] == "ok") return 0;
  fmt::print(stderr, "{}\n", dump_json(record));
  return 6;
}

TEST_F(JudgeTest, AFullDiskIsSaidAndChargesNothingTwice) {
  const fs::path disk = folder_ / "disk";
  fs::create_directories(disk);
  const pid_t child = fork();
  if (child == 0) _exit(play_on_a_full_disk(disk));
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "no small disk can be mounted here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

// --- the same cases for all ----------------------------------------------------------------------

// Returns what its place in the order decides, and a draw of the global generator.
constexpr const char* kJudgeByPlace =
    "import random\nclass Policy:\n    def __init__(self, *a): pass\n"
    "    def reset(self, index): self.place = index; self.t = 0; self.flip = random.random() < "
    "0.5\n"
    "    def act(self, obs):\n        self.t += 1\n"
    "        return (self.t * 7 // (self.place + 2)) % 2\n";

// The same without a judge: the simulator, case after case, `each` of them for an instance.
std::vector<double> returns_by_place(const std::vector<std::uint64_t>& cases, std::size_t each) {
  const auto simulator = make_simulator("CartPole-v1").value();
  std::vector<double> returns;
  for (std::size_t place = 0; place < cases.size(); ++place) {
    Transition now;
    double total = 0;
    EXPECT_TRUE(simulator->reset(cases[place], now));
    for (std::size_t t = 1; !now.done(); ++t) {
      const auto action = static_cast<std::int64_t>((t * 7 / (place % each + 2)) % 2);
      EXPECT_TRUE(simulator->step(Value{action}, now));
      total += now.reward;
    }
    returns.push_back(total);
  }
  return returns;
}

TEST_F(JudgeTest, PublishedCasesComeInThePublishedOrderInEveryRun) {
  RunSettings settings = small_settings();
  settings.paper_cases = true;
  settings.seed.reset();
  settings.budget = 1;
  const auto expected = returns_by_place(published_pools(settings.sizes).value().heldout, 4);
  for (const char* name : {"one", "two"}) {
    auto judge = Judge::open(folder_ / name, settings, tools()).value();
    write_file(folder_ / name / "workspace/system/policy.py", kJudgeByPlace);
    judge->submit({0});
    EXPECT_EQ(judge->record()["heldout"]["returns"].get<std::vector<double>>(), expected);
    EXPECT_EQ(judge->record()["cases"], "published");
  }
}

TEST_F(JudgeTest, GivenCasesAreTheSameForEveryAgent) {
  const CasePools pools = draw_pools(5, {.train = 6, .validation = 2, .heldout = 9});
  ASSERT_TRUE(write_pools(pools, folder_ / "cases"));
  RunSettings settings = small_settings();
  settings.cases_folder = folder_ / "cases";
  settings.seed.reset();
  settings.budget = 3;
  std::vector<Json> records;
  for (const char* name : {"one", "two"}) {
    {
      auto judge = Judge::open(folder_ / name, settings, tools()).value();
      EXPECT_EQ(judge->settings().sizes.heldout, 9);
      write_file(folder_ / name / "workspace/system/policy.py", kJudgeByPlace);
      judge->submit({0});
    }
    // It goes on without the folder.
    RunSettings later = settings;
    later.cases_folder.clear();
    auto judge = Judge::open(folder_ / name, later, tools()).value();
    judge->submit({5, 0});
    records.push_back(judge->record());
  }
  EXPECT_EQ(records[0]["cases"], "given");
  // Nor does a run go on with others.
  ASSERT_TRUE(
      write_pools(draw_pools(6, {.train = 6, .validation = 2, .heldout = 9}), folder_ / "others"));
  RunSettings others = settings;
  others.cases_folder = folder_ / "others";
  const auto refused = Judge::open(folder_ / "one", others, tools());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUsage);
  EXPECT_FALSE(fs::exists(folder_ / "one/cases.json"));  // others still have to play them
  EXPECT_EQ(records[0]["hashes"]["heldout"], records[1]["hashes"]["heldout"]);
  EXPECT_EQ(records[0]["heldout"]["returns"].get<std::vector<double>>(),
            returns_by_place(pools.heldout, 2));  // the second submission's, of two episodes
  EXPECT_EQ(records[0]["heldout"], records[1]["heldout"]);
  EXPECT_EQ(records[0]["submissions"][0]["mean_return"],
            records[1]["submissions"][0]["mean_return"]);
}

TEST_F(JudgeTest, CasesThatAreNoneOrWereChangedAreRefused) {
  RunSettings settings = small_settings();
  settings.cases_folder = folder_ / "cases";
  EXPECT_EQ(Judge::open(folder_ / "run", settings, tools()).error().kind, ErrorKind::kUsage);
  CasePools pools = draw_pools(5, {.train = 3, .validation = 2, .heldout = 2});
  pools.heldout[0] = pools.train[0];  // it could be trained on
  ASSERT_TRUE(write_pools(pools, folder_ / "cases"));
  const auto twice = Judge::open(folder_ / "run", settings, tools());
  ASSERT_FALSE(twice);
  EXPECT_THAT(twice.error().message, HasSubstr("comes twice"));
  pools.heldout[0] = 1;
  ASSERT_TRUE(write_pools(pools, folder_ / "cases"));
  ASSERT_TRUE(Judge::open(folder_ / "run", settings, tools()));
  pools.heldout[0] = 2;
  ASSERT_TRUE(write_pools(pools, folder_ / "run/judge/cases"));
  const auto changed = Judge::open(folder_ / "run", settings, tools());
  ASSERT_FALSE(changed);
  EXPECT_THAT(changed.error().message, HasSubstr("not the cases with which the run began"));
}

// --- audit signals -------------------------------------------------------------------------------

TEST_F(JudgeTest, TheRecordHasWhatAnAuditWantsToKnow) {
  auto judge = open();
  write_policy(kJudgeBalance);
  judge->submit({0});
  judge->submit({99});
  judge->submit({});
  write_policy(
      "class Policy:\n    def __init__(self, *a): self.t = 0\n"
      "    def act(self, obs):\n        self.t += 1\n        return 0 if self.t % 2 else 'no'\n");
  judge->submit({1, 2});
  write_policy(kJudgeTilt);
  judge->submit({3, 4, 5});
  const Json record = judge->record();
  const Json audit = record["audit"];
  EXPECT_EQ(audit["accepted"], 3);
  EXPECT_EQ(audit["rejected"], Json::parse(R"({"invalid_env_instance": 1, "budget_invalid": 1})"));
  const Json& list = record["submissions"];
  const double first = list[0]["validation_mean"].get<double>();
  const double second = list[1]["validation_mean"].get<double>();
  EXPECT_EQ(audit["score_drops"]["count"], 1);
  EXPECT_EQ(audit["score_drops"]["largest"].get<double>(), first - second);
  // Counted from the files: every second action of the second policy was none.
  std::int64_t invalid = 0;
  std::int64_t actions = 0;
  for (const char* pool : {"training", "validation", "heldout"}) {
    invalid += record["faults"][pool]["invalid_actions"].get<std::int64_t>();
    actions += record["faults"][pool]["actions"].get<std::int64_t>();
  }
  EXPECT_NEAR(audit["invalid_action_rate"].get<double>(),
              static_cast<double>(invalid) / static_cast<double>(actions), 1e-12);
  std::int64_t seen = 0;
  for (const char* episode : {"ep_001", "ep_002"}) {
    const std::string lines =
        read_file(feedback(fmt::format("submit_001/episodes/{}/trajectory.jsonl", episode)));
    for (std::size_t at = lines.find("action_invalid"); at != std::string::npos;
         at = lines.find("action_invalid", at + 1)) {
      ++seen;
    }
  }
  EXPECT_EQ(record["submissions"][1]["faults"]["invalid_actions"], seen);
  EXPECT_EQ(audit["sources"]["last"]["lines"], 3);
  EXPECT_GT(audit["sources"]["first"]["lines"], 3);
  EXPECT_GE(audit["wall_seconds"].get<double>(), 0.0);
  EXPECT_LT(audit["wall_seconds"].get<double>(), 3600.0);
}

// --- the workspace belongs to the agent ---------------------------------------------------------

TEST_F(JudgeTest, ALinkInTheWorkspaceLeadsTheJudgeNowhere) {
  auto judge = open();
  write_policy(kJudgeLeft);
  fs::create_directories(folder_ / "other/submit_000");
  write_file(folder_ / "other/submit_000/precious.txt", "precious");
  write_file(folder_ / "file", "precious");
  const fs::path workspace = folder_ / "run/workspace";
  fs::remove_all(workspace / "feedback");
  fs::create_directory_symlink(folder_ / "other", workspace / "feedback");
  for (const char* name : {"AGENTS.md.draft", ".AGENTS.md.draft"}) {
    fs::create_symlink(folder_ / "file", workspace / name);
  }
  EXPECT_EQ(judge->submit({0}).kind, SubmitAnswer::Kind::kAccepted);
  EXPECT_TRUE(judge->files().is_file("feedback/submit_000/summary.json"));
  judge.reset();
  fs::remove(workspace / "AGENTS.md");
  fs::create_symlink(folder_ / "file", workspace / "AGENTS.md");
  judge = open();  // writes AGENTS.md again
  EXPECT_THAT(read_file(workspace / "AGENTS.md"), HasSubstr("# Rules"));
  EXPECT_EQ(read_file(folder_ / "file"), "precious");
  EXPECT_EQ(read_file(folder_ / "other/submit_000/precious.txt"), "precious");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "other/submit_000"), {}), 1);
}

TEST_F(JudgeTest, FeedbackThatCouldNotBeGivenIsGivenLater) {
  auto judge = open();
  write_policy(kJudgeLeft);
  // A folder on whose place nothing can be put, as on a disk that is full.
  const fs::path feedback_folder = folder_ / "run/workspace/feedback";
  fs::remove_all(feedback_folder);
  write_file(feedback_folder, "a file");
  EXPECT_EQ(judge->submit({0}).kind, SubmitAnswer::Kind::kAccepted);
  EXPECT_TRUE(fs::exists(feedback("submit_000/summary.json")));
  // One that was played and not told: the judge died in between.
  fs::rename(feedback("submit_000"), folder_ / "run/judge/feedback_000");
  EXPECT_EQ(judge->submit({1}).kind, SubmitAnswer::Kind::kAccepted);
  EXPECT_TRUE(fs::exists(feedback("submit_000/episodes")));
  EXPECT_TRUE(fs::exists(feedback("submit_001/summary.json")));
}

TEST_F(JudgeTest, CasesAreCommittedToBeforeAndRevealedAfterwards) {
  auto judge = open();
  const std::string commitment = judge->commitment();
  EXPECT_EQ(commitment.size(), 64U);
  const Json info = *parse_json(answer_v0(*judge, "GET", "/info", "", false).body);
  EXPECT_EQ(info["case_commitment"], commitment);
  EXPECT_FALSE(fs::exists(folder_ / "run/cases.json"));
  judge.reset();
  judge = open();
  EXPECT_EQ(judge->commitment(), commitment);
  write_policy(kJudgeLeft);
  ASSERT_EQ(judge->submit({0, 1, 2, 3, 4, 5}).kind, SubmitAnswer::Kind::kAccepted);
  const std::string revealed = read_file(folder_ / "run/cases.json");
  EXPECT_EQ(sha256(revealed), commitment);
  EXPECT_EQ(judge->record()["commitment"], commitment);
  EXPECT_EQ((*parse_json(revealed))["heldout"].size(), 4U);
  // Nobody finds them by trying out the cases that they may be: the file has a secret as well.
  const CasePools pools = draw_pools(1, small_settings().sizes);
  EXPECT_NE(sha256(revealed_cases(pools, 0)), commitment);
  EXPECT_EQ((*parse_json(revealed))["heldout"], Json(pools.heldout));
}

TEST_F(JudgeTest, AnOpenAgentDoesNotGoOnWithAnIsolatedRun) {
  RunSettings settings = small_settings();
  settings.isolated = true;
  open(settings).reset();
  const auto refused = Judge::open(folder_ / "run", small_settings(), tools());
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(refused.error().message, HasSubstr("without --no-isolate"));
  auto judge = open(settings);
  write_policy(kJudgeLeft);
  judge->submit({0, 1, 2, 3, 4, 5});
  EXPECT_EQ(judge->record()["isolated"], true);
  EXPECT_EQ(judge->record()["settings"]["isolated"], true);
}

// Writes down all that it can see, and raises with the difference where it sees anything else than
// what is in KNOWN. The numbers of its process and its folder, its core and the clock are not among
// it: docs/arena.md.
constexpr const char* kJudgeWitness = R"python(
import json, os, re, signal, stat, sys, threading
KNOWN = None
def attempt(what):
    try:
        return what()
    except Exception as error:
        return type(error).__name__
def descriptors():
    found = {}
    for number in range(64):
        try:
            found[number] = stat.S_IFMT(os.fstat(number).st_mode)
        except OSError:
            pass
    return found
def limits():
    import resource
    return [resource.getrlimit(kind) for kind in range(16)]
def frames():
    names, frame = [], sys._getframe()
    while frame is not None:
        names.append([frame.f_code.co_name, sorted(frame.f_locals)])
        frame = frame.f_back
    return names
def look():
    return {
        'argv': sys.argv, 'environment': dict(os.environ), 'folder': os.getcwd(),
        'here': attempt(lambda: sorted(os.listdir('.'))), 'above': attempt(lambda: sorted(os.listdir('..'))),
        'root': attempt(lambda: sorted(os.listdir('/'))), 'process': attempt(lambda: open('/proc/self/cmdline').read()),
        'ids': attempt(lambda: [os.getuid(), os.getgid()]), 'host': attempt(lambda: list(os.uname())),
        'limits': attempt(limits), 'descriptors': descriptors(), 'frames': frames(), 'modules': sorted(sys.modules),
        'path': sys.path, 'flags': str(sys.flags), 'threads': [each.name for each in threading.enumerate()],
        'mask': attempt(lambda: sorted(signal.pthread_sigmask(signal.SIG_BLOCK, []))), 'cores': attempt(lambda: len(os.sched_getaffinity(0))),
        'nice': attempt(lambda: os.getpriority(os.PRIO_PROCESS, 0)), 'memory': attempt(lambda: os.fstat(5).st_size)}
class Policy:
    def __init__(self, *told):
        self.told, self.begun, self.count = told, look(), 0
        self.home = re.match(r'/[a-z]+/[0-9]+', os.getcwd())[0]
    def reset(self, index):
        self.count += 1
        self.seen = {'told': self.told, 'begun': self.begun, 'reset': look(), 'index': index, 'count': self.count}
        self.first = True
    def act(self, obs):
        if self.first:
            self.first = False
            self.seen.update({'act': look(), 'observation': [type(each).__name__ for each in obs]})
            seen = json.loads(json.dumps(self.seen).replace(self.home, 'HOME'))
            if KNOWN is None:
                print(json.dumps(seen))
            else:
                known = json.loads(KNOWN[self.seen['index']])
                known['told'][2].update({key: seen['told'][2][key] for key in ('submit_index', 'remaining_budget_after')})
                for key in sorted(seen.keys() | known.keys()):
                    if seen.get(key) != known.get(key):
                        raise RuntimeError('%s: %s is not %s' % (key, seen.get(key), known.get(key)))
        return 0
)python";

// Plays as KNOWN the records of a submission of two episodes; then over hidden cases.
TEST_F(JudgeTest, APolicySeesTheSameInTrainingAndOverHiddenCases) {
  for (const bool fresh : {false, true}) {
    const std::string name = fmt::format("run-{}", fresh);
    RunSettings settings = small_settings();
    settings.fresh_policy_per_episode = fresh;
    auto judge = Judge::open(folder_ / name, settings, tools()).value();
    const fs::path workspace = folder_ / name / "workspace";
    const std::string witness = kJudgeWitness;
    write_file(workspace / "system/policy.py", witness);
    ASSERT_EQ(judge->submit({0, 1}).summary["status"], "ok");
    std::vector<std::string> known;
    for (const char* episode : {"ep_000", "ep_001"}) {
      const fs::path text = workspace / "feedback/submit_000/episodes" / episode / "stdout.txt";
      known.push_back(read_file(text));
      ASSERT_THAT(known.back(), HasSubstr("\"index\""));
    }
    std::string judging = witness;
    judging.replace(judging.find("KNOWN = None"), 12,
                    "KNOWN = [" + Json(known[0]).dump() + ", " + Json(known[1]).dump() + "]");
    write_file(workspace / "system/policy.py", judging);
    const SubmitAnswer second = judge->submit({2, 3});
    EXPECT_EQ(second.summary["errors"], Json::array());
    ASSERT_TRUE(judge->close());
    const Json record = judge->record();
    EXPECT_EQ(record["selected_submit"], 1);
    EXPECT_EQ(record["heldout"]["first_exception"], "") << fresh;
    EXPECT_EQ(record["faults"]["validation"]["act"], 0);
    EXPECT_EQ(record["faults"]["heldout"]["act"], 0);
    EXPECT_EQ(record["heldout"]["returns"].size(), 4U);
    const std::string python = record["versions"]["python"];
    EXPECT_EQ(std::count(python.begin(), python.end(), '.'), 2) << python;
  }
}

// Under --strict-v0 one instance plays them all, as in v0.1.0, and can tell by counting.
TEST_F(JudgeTest, StrictV0PlaysHiddenCasesWithOneInstance) {
  for (const bool strict : {false, true}) {
    const std::string name = fmt::format("run-{}", strict);
    RunSettings settings = small_settings();
    settings.strict_v0 = strict;
    settings.budget = 2;
    auto judge = Judge::open(folder_ / name, settings, tools()).value();
    write_file(
        folder_ / name / "workspace/system/policy.py",
        "class Policy:\n    def __init__(self, *a): self.n = 0\n"
        "    def reset(self, index):\n        self.n += 1\n        assert index == self.n - 1\n"
        "    def act(self, obs):\n"
        "        return 0 if self.n > 2 else int(obs[2] + obs[3] > 0)\n");
    judge->submit({0, 1});
    const auto returns = judge->record()["heldout"]["returns"].get<std::vector<double>>();
    ASSERT_EQ(returns.size(), 4U);
    EXPECT_GT(returns[1], 50);
    EXPECT_EQ(returns[2] < 12, strict);
    EXPECT_EQ(judge->record()["settings"]["one_hidden_instance"], strict);
  }
}

// A policy could fill the disk with its actions: for a long one the feedback holds what was done
// instead.
TEST_F(JudgeTest, ActionsDoNotFillTheDisk) {
  auto judge = open();
  write_policy(
      "class Policy:\n    def __init__(self, *a): pass\n    def reset(self, index): self.n = "
      "index\n"
      "    def act(self, obs): return ['x' * 150000, [1] * 18000, {'y' * 150000: 1}][self.n]\n");
  ASSERT_EQ(judge->submit({0, 1, 2}).summary["status"], "ok");
  for (const char* episode : {"ep_000", "ep_001", "ep_002"}) {
    const fs::path lines = feedback("submit_000/episodes") / episode / "trajectory.jsonl";
    EXPECT_LT(fs::file_size(lines), 20'000U) << episode;
    EXPECT_THAT(read_file(lines), HasSubstr("\"action\":0"));
    EXPECT_THAT(read_file(lines), HasSubstr("action_invalid"));
  }
}

// The judge's folder, when another program of root's without capabilities comes to it.
TEST_F(JudgeTest, ItsFolderIsShutToProgramsOfRootWithoutCapabilities) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  auto judge = open();
  if (!is_shut_to_this_user(folder_ / "run/judge")) GTEST_SKIP() << "this root cannot either";
  const fs::path secret = folder_ / "run/judge/cases/heldout.json";
  EXPECT_THAT(read_file(secret), HasSubstr("seed"));  // the judge itself
  const pid_t child = fork();
  if (child == 0) {
    __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, 0};
    const __user_cap_data_struct none[2] = {};
    if (::syscall(SYS_capset, &head, none) != 0) _exit(3);
    const bool reads = ::open(secret.c_str(), O_RDONLY) >= 0;
    const bool lists = ::open((folder_ / "run/judge").c_str(), O_RDONLY) >= 0;
    const std::string memory = fmt::format("/proc/{}/mem", ::getppid());
    _exit(reads || lists || ::open(memory.c_str(), O_RDONLY) >= 0 ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  judge.reset();
  EXPECT_EQ(open()->state().remaining_budget, 6);  // and it goes on
}

// --- the protocol --------------------------------------------------------------------------------

class ProtocolTest : public JudgeTest {};

TEST_F(ProtocolTest, AnswersAsV010Does) {
  auto judge = open();
  write_policy(kJudgeTilt);
  const auto ask = [&](std::string_view method, std::string_view target,
                       std::string_view body = "") {
    return answer_v0(*judge, method, target, body, false);
  };
  const Json info = *parse_json(ask("GET", "/info").body);
  EXPECT_EQ(info["state"]["remaining_budget"], 6);
  EXPECT_EQ(info["env_meta"]["n_env_instances"], 20);
  EXPECT_EQ(info["protocol_version"], "protocol/v2.0-draft");
  EXPECT_THAT(ask("GET", "/task").body, HasSubstr("\"Box\""));
  EXPECT_EQ(ask("GET", "/submit").code, 404);
  EXPECT_EQ(ask("GET", "/nothing").code, 404);
  EXPECT_EQ(ask("POST", "/finalize").code, 405);
  EXPECT_EQ(ask("PUT", "/submit").code, 501);
  for (const char* bad :
       {"", "{", "[]", "{}", "{\"env_instances\": null}", "{\"env_instances\": 5}",
        "{\"env_instances\": [true]}", "{\"env_instances\": [1.5]}", "{\"env_instances\": \"3-1\"}",
        "{\"env_instances\": \"\"}", "{\"env_instances\": \"0-100000\"}",
        "{\"env_instances\": [99999]}", "{\"env_instances\": [18446744073709551615]}"}) {
    EXPECT_EQ(ask("POST", "/submit", bad).code, 400) << bad;
  }
  EXPECT_EQ(judge->state().remaining_budget, 6);
  const V0Answer done = ask("POST", "/submit", R"({"env_instances": "2,0-1,2"})");
  ASSERT_EQ(done.code, 200) << done.body;
  const Json answer = *parse_json(done.body);
  EXPECT_EQ(answer["status"], "ok");
  EXPECT_EQ(answer["submit_id"], 0);
  EXPECT_EQ(answer["summary"]["env_instances"], Json::parse("[2, 0, 1, 2]"));
  EXPECT_EQ(*parse_json(read_file(feedback("submit_000/summary.json"))), answer["summary"]);
  EXPECT_EQ(ask("POST", "/submit", R"({"env_instances": [0, 1]})").code, 200);  // and closes
  EXPECT_EQ(ask("POST", "/submit", R"({"env_instances": [0]})").code, 409);
  EXPECT_EQ(parse_json(ask("GET", "/info").body).value()["state"]["is_finalized"], true);
}

TEST_F(ProtocolTest, AThousandMutatedRequestsLeaveItAnswering) {
  auto judge = open();
  Rng rng({.seed = 11});
  const std::vector<std::string> seeds = {R"({"env_instances": [0, 1, 2, 3, 4, 5, 6]})",
                                          R"({"env_instances": "7-90,16"})",
                                          "{}",
                                          "[[[[",
                                          "\"\\u00",
                                          R"({"env_instances": {"a": [1, null, -5]}})"};
  const std::vector<std::string> methods = {"GET", "POST", "PUT", "", "P\0ST"};
  const std::vector<std::string> targets = {"/info", "/task",     "/submit",    "/finalize",
                                            "",      "/../judge", "/submit?x=1"};
  for (int i = 0; i < 1000; ++i) {
    std::string body = seeds[rng.below(seeds.size())];
    for (std::int64_t changes = rng.integer(1, 4); changes > 0 && !body.empty(); --changes) {
      body[rng.below(body.size())] = static_cast<char>(rng.below(256));
    }
    const V0Answer answer = answer_v0(*judge, methods[rng.below(methods.size())],
                                      targets[rng.below(targets.size())], body, false);
    EXPECT_GE(answer.code, 200);
    EXPECT_LT(answer.code, 600);
  }
  EXPECT_EQ(answer_v0(*judge, "GET", "/info", "", false).code, 200);
}

}  // namespace
}  // namespace redqueen::arena
