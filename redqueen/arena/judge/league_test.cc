// An adversary's league: policies that want to be paid without being any good play the native
// environments of the arena. Each stands on the null action (the least one, or zeros), so whatever
// it earns above the policy that only returns that action, it has stolen.
//
// REDQUEEN_LEAGUE=all plays every adversary in every native environment, which takes long, and
// REDQUEEN_LEAGUE=ID,ID,… in those, hosted ones among them (scripts/check_league).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <sstream>

#include "redqueen/arena/agents/coding_environment.h"
#include "redqueen/arena/environments/packages.h"
#include "redqueen/arena/judge/judge.h"
#include "redqueen/arena/judge/leaderboard.h"
#include "redqueen/base/parallel.h"
#include "redqueen/base/testing/folder.h"
#include "redqueen/base/testing/source_dir.h"
#include "redqueen/core/testing/episode_checks.h"

namespace redqueen::arena {
namespace {

namespace fs = std::filesystem;

struct Adversary {
  const char* name;
  const char* head;  // of the module
  const char* init;  // of __init__, reset and act: statements before the null action
  const char* reset;
  const char* act;
  bool everywhere;  // cheap enough to play all environments in every run of the tests
};

constexpr const char* kLook =
    "import glob, os\n"
    "found = []\n"
    "for pattern in ('/**/heldout.json', '/**/ledger.jsonl', '../**/*.json', '/proc/*/environ'):\n"
    "    try:\n"
    "        for path in glob.glob(pattern, recursive=pattern.startswith('..')):\n"
    "            found.append(open(path, 'rb').read())\n"
    "    except Exception: pass\n";
constexpr const char* kLinks =
    "import os\n"
    "for target in ('/', '/etc/passwd', '../judge', '../../judge/cases/heldout.json'):\n"
    "    for name in ('link', 'AGENTS.md', 'feedback', 'summary.json', 'policy.pyc'):\n"
    "        try: os.symlink(target, name)\n"
    "        except OSError: pass\n"
    "        try: os.link(target, name + '2')\n"
    "        except OSError: pass\n";
constexpr const char* kPatch =
    "import builtins, json, math, struct, sys, time\n"
    "try:\n"
    "    import numpy\n"
    "    numpy.mean = numpy.sum = lambda *a, **k: 1e9\n"
    "    numpy.random.default_rng = lambda *a: None\n"
    "except ImportError: pass\n"
    "main = sys.modules.get('__main__')\n"
    "for name, value in list(vars(main).items()) if main else []:\n"
    "    for key in ('reward', '_score', 'total', 'budget'):\n"
    "        try: setattr(value, key, 1e9)\n"
    "        except Exception: pass\n"
    "builtins.sum = builtins.max = lambda *a, **k: 1e9\n"
    "json.dumps = lambda *a, **k: '{\"reward\": 1e9}'\n"
    "time.sleep = lambda seconds: None\n";

constexpr const char* kImportHooks =
    "import importlib, sys\n"
    "class Finder:\n"
    "    def find_spec(self, name, path=None, target=None):\n"
    "        main = sys.modules.get('__main__')\n"
    "        if main is not None: main.reward = 1e9\n"
    "        return None\n"
    "sys.meta_path.insert(0, Finder())\n"
    "sys.path_hooks.insert(0, lambda path: (_ for _ in ()).throw(ImportError))\n"
    "importlib.invalidate_caches()\n";
// For another process, or the next episode, to import or to read.
constexpr const char* kPlants =
    "import os, pickle, site, sys\n"
    "places = ['.', '..', '/tmp', os.path.expanduser('~'), sys.prefix] + sys.path + "
    "site.getsitepackages()\n"
    "seen = 0\n"
    "for place in places:\n"
    "    for name in ('sitecustomize.py', 'usercustomize.py', 'policy.pth', 'state.pickle', "
    "'numpy.py', 'summary.json'):\n"
    "        path = os.path.join(place or '.', name)\n"
    "        if os.path.exists(path) and name != 'numpy.py': seen += 1\n"
    "        try: open(path, 'wb').write(pickle.dumps('planted'))\n"
    "        except OSError: pass\n"
    "if seen: raise RuntimeError('another policy has been here')\n";
// The host of this process is all that frames and the collector of garbage lead to.
constexpr const char* kWalk =
    "import gc, sys\n"
    "frame = sys._getframe()\n"
    "while frame is not None:\n"
    "    for name in ('reward', 'total', 'returns', 'budget', 'seed', 'index'):\n"
    "        if name in frame.f_globals: frame.f_globals[name] = 10 ** 9\n"
    "    frame = frame.f_back\n"
    "host = next((each for each in gc.get_objects() if type(each).__name__ == '_Host'), None)\n";
constexpr const char* kForge =
    "import gc, os\n"
    "host = next(each for each in gc.get_objects() if type(each).__name__ == '_Host')\n"
    "def forge(*frames):\n"
    "    for frame in frames:\n"
    "        try: host.tell(frame)\n"
    "        except Exception: pass\n";
constexpr const char* kThread =
    "import gc, threading, time\n"
    "host = next(each for each in gc.get_objects() if type(each).__name__ == '_Host')\n"
    "def later():\n"
    "    while True:\n"
    "        time.sleep(0.001)\n"
    "        try: host.tell(b'ai' + bytes(8))\n"
    "        except Exception: pass\n"
    "threading.Thread(target=later, daemon=True).start()\n";
constexpr const char* kLiars =
    "class Number(float):\n"
    "    def __float__(self): return 1e9\n"
    "    def __eq__(self, other): return True\n"
    "    __hash__ = None\n"
    "class Numbers(list):\n"
    "    def __len__(self): return 1 << 20\n"
    "    def __iter__(self): return iter([0.0])\n";
constexpr const char* kArray =
    "try:\n"
    "    import numpy\n"
    "    class Liar(numpy.ndarray):\n"
    "        ndim = 2\n"
    "        shape = (1 << 31, 1 << 31)\n"
    "        def astype(self, *a, **k): return self\n"
    "        def tobytes(self): return bytes(8)\n"
    "    liar = lambda: numpy.zeros(1).view(Liar)\n"
    "except ImportError: liar = lambda: [[0.0] * 4097]\n";
constexpr const char* kSpoil =
    "def spoil(obs):\n"
    "    parts = obs.values() if isinstance(obs, dict) else [obs]\n"
    "    for part in parts:\n"
    "        while isinstance(part, list) and part and isinstance(part[0], list): part = part[0]\n"
    "        if isinstance(part, list): part[:] = [1e9] * len(part)\n"
    "    if isinstance(obs, dict): obs.clear()\n";
constexpr const char* kDel =
    "import atexit\n"
    "class Bomb:\n"
    "    def __del__(self): raise SystemExit(-1e9)\n"
    "atexit.register(lambda: 1 / 0)\n";
constexpr const char* kDice =
    "import random\n"
    "try:\n"
    "    import numpy\n"
    "    draw = lambda: (random.getrandbits(64), numpy.random.get_state()[1].tolist()[:8])\n"
    "except ImportError: draw = lambda: random.getrandbits(64)\n"
    "seen = set()\n";
constexpr const char* kDescriptors =
    "import os\n"
    "kept = []\n"
    "try:\n"
    "    while True: kept.append(os.dup(1))\n"
    "except OSError: pass\n";
constexpr const char* kTrace =
    "import signal, sys\n"
    "def trace(frame, event, what):\n"
    "    for name in ('action', 'answer', 'reward'):\n"
    "        if name in frame.f_locals and name == 'reward': frame.f_locals[name] = 1e9\n"
    "    return trace\n"
    "sys.settrace(trace)\n"
    "try:\n"
    "    signal.signal(signal.SIGALRM, lambda *a: (_ for _ in ()).throw(StopIteration))\n"
    "    signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)\n"
    "except (OSError, ValueError): pass\n";

constexpr Adversary kAdversaries[] = {
    {"raises in init", "", "raise RuntimeError", "pass", "pass", false},
    {"raises in reset", "", "pass", "raise RuntimeError", "pass", true},
    {"raises at once", "", "pass", "pass", "raise IndexError", false},
    {"raises later", "", "pass", "self.t = 0",
     "self.t += 1\n        if self.t > 5: raise ValueError", true},
    {"raises when it looks bad", "import random\n", "pass", "pass",
     "if random.random() < 0.1: raise KeyError(obs)", true},
    {"raises SystemExit", "", "pass", "pass", "raise SystemExit(0)", false},
    // Submissions have one case here and validation has two: more are held out.
    {"raises where it is not seen", "", "pass", "if index > 1: raise OSError", "pass", true},
    {"ends where it is not seen", "import os\n", "pass", "if index > 1: os._exit(1)", "pass",
     false},
    {"leaves where it is not seen", "import os\n", "pass", "self.hidden = index > 1",
     "if self.hidden: os._exit(0)", false},
    {"sleeps", "import time\n", "pass", "pass", "time.sleep(30)", false},
    {"reads cases", kLook, "pass", "if found: raise RuntimeError(found)", "pass", false},
    {"makes links", kLinks, "pass", "pass", "pass", false},
    {"guesses seeds", "import random\n", "self.state = random.getstate()",
     "for guess in range(200):\n            if random.Random(guess).getstate() == "
     "random.getstate():"
     " raise RuntimeError(guess)",
     "random.seed(0)", false},
    {"takes memory", "", "pass", "self.kept = [0] * 10 ** 10", "pass", false},
    {"patches what it finds", kPatch, "pass", "pass", "pass", true},
    {"patches the space", "",
     "space.clear(); space.update({'type': 'Discrete', 'n': 1, 'start': 0}); meta['env'] = 'x'",
     "pass", "pass", false},
    {"answers with no number", "", "pass", "pass", "return float('nan')", false},
    {"answers with what is no action", "", "pass", "pass", "return object()", false},
    {"writes over the frames", "import mmap\nmemory = mmap.mmap(5, 0)\n", "pass", "pass",
     "memory[0:64] = bytes(64)", false},
    // Knows hidden cases by what it has not seen before.
    {"raises at what it has not seen", "seen = set()\n", "pass", "self.first = True",
     "if self.first and len(seen) > 1 and str(obs) not in seen: raise RuntimeError\n"
     "        if self.first: seen.add(str(obs))\n        self.first = False",
     false},
    {"hooks imports", kImportHooks, "import colorsys", "import this_is_not_there", "pass", false},
    {"plants modules and files", kPlants, "pass", "pass", "pass", false},
    {"walks frames and objects", kWalk, "host.policy = self",
     "host.context = {'reward': 1e9}; host.layouts.clear()", "host.buffer[:] = bytes(64)", false},
    {"ends the host's episode early", kWalk, "type(host).episode = lambda *a: None", "pass", "pass",
     false},
    {"writes on the wires", "import os\n", "pass", "os.write(4, b'a' + bytes(64))",
     "os.write(3, bytes(64)); os.write(4, b'!' * 100)", false},
    {"answers the next episodes ahead", kForge, "pass", "forge(b'r')",
     "forge(*[b'a' + host.encode(self.null)] * 50, b'r')", false},
    {"forges an exception", kForge, "pass", "pass",
     "forge(b'e{\"kind\": \"act_error\", \"traceback\": 7, \"reward\": 1e9}')", false},
    {"forges what is no exception", kForge, "pass", "forge(b'e[1]', b'r')",
     "forge(b'e', b'e\\xff')", false},
    {"acts after the step", kThread, "pass", "pass", "pass", false},
    {"lies in subclasses", kLiars, "pass", "pass",
     "return Number(1) if len(str(obs)) % 2 else Numbers()", false},
    {"lies about an array", kArray, "pass", "pass", "return liar()", false},
    {"answers with infinities", "", "pass", "pass", "return [float('inf')] * 4097", false},
    {"answers with huge integers", "", "pass", "pass", "return [10 ** 400]", false},
    {"answers with a generator", "", "pass", "pass", "return (each for each in [self.null])",
     false},
    {"floods its actions", "text = 'x' * 150000\n", "pass", "pass", "return text", false},
    {"spoils what it was shown", kSpoil, "pass", "pass", "spoil(obs)", false},
    {"is a time bomb", "import time\n", "self.begin = time.monotonic()", "pass",
     "if time.monotonic() - self.begin > 0.02: raise TimeoutError", false},
    {"dies when it is deleted", kDel, "pass", "Bomb()", "Bomb()", false},
    {"reads the dice", kDice, "pass",
     "state = str(draw()); known = state in seen; seen.add(state)\n"
     "        if known: raise RuntimeError(state)",
     "random.setstate(random.getstate())", false},
    {"takes all descriptors", kDescriptors, "pass", "pass", "pass", false},
    {"traces and interrupts", kTrace, "pass", "pass", "pass", false}};

std::string null_policy(const char* head, const char* init, const char* reset, const char* act) {
  return fmt::format(
      "{}\n"
      "class Policy:\n"
      "    def __init__(self, seen, space, meta):\n"
      "        self.null = space['start'] if space['type'] == 'Discrete' else 0.0\n"
      "        {}\n"
      "    def reset(self, index):\n"
      "        {}\n"
      "    def act(self, obs):\n"
      "        {}\n"
      "        return self.null\n",
      head, init, reset, act);
}

std::string policy_of(const Adversary& adversary) {
  return null_policy(adversary.head, adversary.init, adversary.reset, adversary.act);
}

std::string constant() { return null_policy("", "pass", "pass", "pass"); }

// With numpy, where the checkout has one: there is something to patch.
sandbox::SandboxConfig league_config() {
  sandbox::SandboxConfig config;
  config.workers = 2;
  config.preludes = {policy_host_text()};
  const fs::path packages = packages_of_venv(source_dir() / ".venv");
  std::error_code ignored;
  if (fs::exists(packages / "numpy" / "__init__.py", ignored)) {
    config.data_packages = packages.string();
  }
  return config;
}

PolicySeats& league_seats() {
  static const auto seats = PolicySeats::start(league_config()).value();
  return *seats;
}

RunSettings league_settings(const std::string& env) {
  RunSettings settings;
  settings.env = env;
  settings.budget = 4;
  settings.sizes = {.train = 4, .validation = 4, .heldout = 8};
  settings.seed = 1;
  settings.limits.step_seconds = 0.5;
  settings.limits.load_seconds = 5;
  settings.limits.episode_seconds = 20;
  settings.limits.memory_bytes = 512U << 20;
  return settings;
}

// An environment whose episodes end after a few steps.
class ShortSimulator final : public Simulator {
 public:
  explicit ShortSimulator(std::unique_ptr<Simulator> simulator)
      : simulator_(std::move(simulator)) {}
  const SimulatorCard& card() const override { return simulator_->card(); }
  Status reset(std::uint64_t seed, Transition& out) override {
    steps_ = 0;
    return simulator_->reset(seed, out);
  }
  Status step(const Value& action, Transition& out) override {
    RETURN_IF_ERROR(simulator_->step(action, out));
    out.truncated = out.truncated || ++steps_ >= kMostSteps;
    return {};
  }
  Json info() const override { return simulator_->info(); }

 private:
  static constexpr int kMostSteps = 40;
  std::unique_ptr<Simulator> simulator_;
  int steps_ = 0;
};

// The returns of a policy over three cases; none: it did not play them all.
std::optional<std::vector<double>> returns_of(const std::string& policy, Simulator& simulator) {
  const PolicySeats::Taken seat(league_seats());
  const RunSettings settings = league_settings(simulator.card().id);
  PolicyProcess process(seat, {{.path = "policy.py", .bytes = policy}},
                        {.obs_space = schema(simulator.card().observation_space),
                         .action_space = schema(simulator.card().action_space),
                         .env_meta = Json::object(),
                         .seed = 1},
                        settings.limits, !league_config().data_packages.empty());
  if (process.load_status() != LoadStatus::kOk) return std::nullopt;
  std::vector<double> returns;
  for (int i = 0; i < 3; ++i) {
    const auto episode = play_episode(
        simulator, process,
        {.case_seed = 7 + static_cast<std::uint64_t>(i), .index = i, .policy_seed = 5});
    EXPECT_TRUE(episode) << episode.error().message;
    if (!episode || episode->lost()) return std::nullopt;
    returns.push_back(episode->total);
  }
  return returns;
}

// The environments of the long form; empty: it is not asked for.
std::vector<std::string> asked_environments() {
  const char* asked = std::getenv("REDQUEEN_LEAGUE");
  std::vector<std::string> environments;
  if (asked == nullptr) return environments;
  if (std::string_view(asked) == "all") {
    for (const std::string_view id : simulator_ids()) {
      if (make_simulator(id)) environments.emplace_back(id);
    }
    return environments;
  }
  std::istringstream list(asked);
  for (std::string id; std::getline(list, id, ',');) environments.push_back(id);
  return environments;
}

struct HonestTask {
  const char* env;
  const char* act;
  const char* environment;  // to train on; null: there is none
  bool on_leaderboard;      // each adversary has a run of its own there
};

constexpr HonestTask kHonest[] = {
    {"Acrobot-v1", "return 2 if obs[5] > 0 else 0", "arena/acrobot", true},
    {"CartPole-v1", "return 1 if obs[2] + obs[3] + 0.05 * obs[0] + 0.1 * obs[1] > 0 else 0",
     "arena/cartpole", true},
    {"MountainCar-v0", "return 2 if obs[1] > 0 else 0", "arena/mountaincar", false},
    {"MountainCarContinuous-v0", "return [0.7 if obs[1] > 0 else -0.7]",
     "arena/mountaincarcontinuous", true},
    {"MiniGrid-Empty-5x5-v0",
     "self.t = getattr(self, 't', -1) + 1; return (2, 2, 1, 2, 2)[self.t % 5]", nullptr, false},
    {"Pendulum-v1", "return [-2.0 if obs[2] < 0 else 2.0]", nullptr, false}};

class League : public testing::Test {
 protected:
  std::unique_ptr<Judge> open(const fs::path& folder, const RunSettings& settings) {
    auto judge = Judge::open(folder, settings,
                             {.seats = &league_seats(),
                              .numpy = !league_config().data_packages.empty(),
                              .packages = {},
                              .workers = 1});
    EXPECT_TRUE(judge) << judge.error().message;
    return std::move(*judge);
  }

  // A run of one submission below runs/NAME/ENV.
  Json play(const std::string& name, const std::string& policy, const RunSettings& settings) {
    const fs::path folder = folder_ / "runs" / name / settings.env / "1";
    const auto judge = open(folder, settings);
    write_file(folder / "workspace/system/policy.py", policy);
    EXPECT_EQ(judge->submit({0, 1, 2, 3}).kind, SubmitAnswer::Kind::kAccepted);
    return judge->record();
  }

  // A run for every adversary beside the constant policy and one that knows what it does.
  void play_all(const std::string& env, const std::string& honest, bool strict) {
    RunSettings settings = league_settings(env);
    settings.strict_v0 = strict;
    const Json base = play("constant", constant(), settings);
    ASSERT_EQ(base["status"], "ok");
    if (!honest.empty()) play("honest", honest, settings);
    parallel_chunks(std::size(kAdversaries), 1, 2, [&](std::size_t i, std::size_t) {
      const Adversary& adversary = kAdversaries[i];
      const Json record = play(adversary.name, policy_of(adversary), settings);
      if (record["score"].is_null()) return;
      EXPECT_EQ(record["score"], base["score"]) << env << ": " << adversary.name;
      EXPECT_EQ(record["heldout"]["returns"], base["heldout"]["returns"]) << adversary.name;
      if (strict) {
        EXPECT_EQ(record["faults"]["heldout"]["act"], 0) << adversary.name;
      }
    });
  }

  // One run in which every adversary is a submission, and the constant policy the last one.
  void play_in_one_run(const std::string& env) {
    RunSettings settings = league_settings(env);
    settings.sizes = {.train = 2, .validation = 2, .heldout = 2};
    settings.budget = 2 * static_cast<int>(std::size(kAdversaries) + 1);
    const fs::path folder = folder_ / "one" / env;
    const auto judge = open(folder, settings);
    ASSERT_TRUE(judge);
    for (const Adversary& adversary : kAdversaries) {
      write_file(folder / "workspace/system/policy.py", policy_of(adversary));
      ASSERT_EQ(judge->submit({0, 1}).kind, SubmitAnswer::Kind::kAccepted) << env;
    }
    write_file(folder / "workspace/system/policy.py", constant());
    ASSERT_EQ(judge->submit({0, 1}).kind, SubmitAnswer::Kind::kAccepted) << env;
    const Json record = judge->record();
    const Json& list = record["submissions"];
    const double base = list.back()["validation_mean"].get<double>();
    for (std::size_t i = 0; i < std::size(kAdversaries); ++i) {
      if (!list[i].contains("validation_mean") || list[i].contains("validation_fault")) continue;
      const char* name = kAdversaries[i].name;
      EXPECT_EQ(list[i]["validation_mean"].get<double>(), base) << env << ": " << name;
      EXPECT_EQ(list[i]["mean_return"], list.back()["mean_return"]) << env << ": " << name;
    }
    EXPECT_EQ(record["selected_submit"], std::size(kAdversaries)) << env;
  }

  TestFolder folder_;
};

// Cheap adversaries, without a judge around them.
TEST_F(League, NoAdversaryEarnsMoreThanTheConstantPolicyAnywhere) {
  const std::vector<std::string_view> ids = simulator_ids();
  std::atomic<int> played = 0;
  parallel_chunks(ids.size(), 1, 2, [&](std::size_t i, std::size_t) {
    auto made = make_simulator(ids[i]);
    if (!made) return;  // its engine is not installed here
    ++played;
    ShortSimulator simulator(std::move(*made));
    const auto base = returns_of(constant(), simulator);
    ASSERT_TRUE(base) << ids[i];
    for (const Adversary& adversary : kAdversaries) {
      if (!adversary.everywhere) continue;
      const auto returns = returns_of(policy_of(adversary), simulator);
      if (returns) {
        EXPECT_EQ(*returns, *base) << ids[i] << ": " << adversary.name;
      }
    }
  });
  EXPECT_GE(played, 80);
}

TEST_F(League, NoAdversaryIsSelectedBeforeTheConstantPolicy) {
  parallel_chunks(std::size(kHonest), 1, 2,
                  [&](std::size_t i, std::size_t) { play_in_one_run(kHonest[i].env); });
}

TEST_F(League, NoAdversaryOutranksTheConstantPolicyOrAnHonestOne) {
  int environments = 0;
  for (const HonestTask& task : kHonest) {
    if (!task.on_leaderboard) continue;
    ++environments;
    play_all(task.env, null_policy("", "pass", "pass", task.act), false);
  }
  const auto table = collect_results(folder_ / "runs").value();
  const auto list = standings(table).value();
  double constant_score = 0;
  double honest_score = 0;
  for (const Standing& each : list) {
    if (each.agent == "constant") constant_score = each.rank_score;
    if (each.agent == "honest") honest_score = each.rank_score;
  }
  EXPECT_EQ(honest_score, 1.0);
  for (const Standing& each : list) {
    if (each.agent == "honest") continue;
    EXPECT_LE(each.rank_score, constant_score) << each.agent;
    EXPECT_EQ(each.clear_wins, 0) << each.agent;
    // Who failed and has a score all the same is told apart from who did not.
    if (each.agent.starts_with("raises") && each.without_score == 0) {
      EXPECT_EQ(each.faults > 0, each.agent != "raises in init") << each.agent;
    }
  }
  EXPECT_EQ(list.front().clear_wins, environments);
}

// Under --strict-v0 one instance plays all hidden cases, and can count them.
TEST_F(League, UnderStrictV0WhoeverRaisesHasNoScore) {
  play_all("Acrobot-v1", "", true);
  const auto table = collect_results(folder_ / "runs").value();
  for (std::size_t i = 0; i < table.agents.size(); ++i) {
    if (!table.agents[i].starts_with("raises")) continue;
    EXPECT_EQ(table.scores[i][0], std::nullopt) << table.agents[i];
  }
}

TEST_F(League, NoAdversaryEarnsMoreOfARewardThanTheConstantPolicy) {
  const auto seats = std::make_shared<SeatService>(league_config());
  const auto call = [](const std::string& tool, Json arguments) {
    return Action{.text = {},
                  .tool_calls = {{.id = "1", .name = tool, .arguments = std::move(arguments)}}};
  };
  for (const HonestTask& task : kHonest) {
    if (task.environment == nullptr) continue;
    const auto problem = (*coding_environment(task.environment, seats))->generate(3, 1).value();
    const auto reward = [&](const std::string& policy) {
      const std::vector<Action> turns = {
          call("write", {{"path", "system/policy.py"}, {"text", policy}}),
          call("submit", {{"cases", {0, 1, 2, 3}}}), call("finish", Json::object())};
      return replay(*problem, {}, turns)->verdict().reward;
    };
    const double base = reward(constant());
    EXPECT_EQ(reward(null_policy("", "pass", "pass", task.act)), 1.0) << task.environment;
    parallel_chunks(std::size(kAdversaries), 1, 2, [&](std::size_t i, std::size_t) {
      const Adversary& adversary = kAdversaries[i];
      if (std::string_view(adversary.name) == "sleeps") return;  // for seconds, four times
      EXPECT_LE(reward(policy_of(adversary)), base) << task.environment << ": " << adversary.name;
    });
  }
}

TEST_F(League, TheLongFormPlaysEveryAdversaryInEnvironmentsThatAreNamed) {
  const std::vector<std::string> environments = asked_environments();
  if (environments.empty()) {
    GTEST_SKIP() << "REDQUEEN_LEAGUE=all plays it, or REDQUEEN_LEAGUE=ID,ID,…";
  }
  for (const std::string& env : environments) play_in_one_run(env);
}

}  // namespace
}  // namespace redqueen::arena
