// Deaths, leaks, users, missing layers, and the soak.
#include <dirent.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <thread>

#include "redqueen/base/rng.h"
#include "redqueen/sandbox/sandbox.h"
#include "redqueen/sandbox/testing/attack_corpus.h"
#include "redqueen/sandbox/worker_process.h"

namespace redqueen::sandbox {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

SandboxConfig config_with(int workers) {
  SandboxConfig config;
  config.workers = workers;
  return config;
}

Job job(const std::string& source, double wall_seconds = 10) {
  Job made{open_program(source), {}};
  made.program.limits.wall_seconds = wall_seconds;
  return made;
}

Job good_job() { return {open_program("import math"), {Call::expression("math.gcd(12, 18)")}}; }

// Of every thread: a worker is the child of the thread that started it.
std::vector<int> lifecycle_children_of(int pid) {
  std::vector<int> pids;
  std::error_code error;
  for (const auto& thread :
       std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task", error)) {
    std::ifstream file(thread.path() / "children");
    for (int child = 0; file >> child;) pids.push_back(child);
  }
  return pids;
}

// Every process below this one, workers and all that is below them.
std::vector<int> descendants(int pid) {
  std::vector<int> all = lifecycle_children_of(pid);
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const int child : lifecycle_children_of(all[i])) all.push_back(child);
  }
  return all;
}

bool gone(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  return text.empty() || text.find(") Z") != std::string::npos;
}

bool wait_until(const std::function<bool()>& condition) {
  for (int i = 0; i < 1000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

bool all_gone(const std::vector<int>& pids) {
  return wait_until([&] { return std::all_of(pids.begin(), pids.end(), gone); });
}

std::size_t lifecycle_open_descriptors() {
  const auto entries = std::filesystem::directory_iterator("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t pages = 0;
  file >> pages >> pages;
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

// --- deaths -------------------------------------------------------------------------------------

TEST(SandboxDeaths, AKilledWorkerLosesOnlyWhatItRan) {
  Sandbox sandbox = Sandbox::start(config_with(1)).value();
  // The outer process of a worker, then the warm parent itself.
  for (const bool inner : {false, true}) {
    auto running = sandbox.submit({open_program("import time\ntime.sleep(100)"), {}});
    auto waiting = sandbox.submit({open_program(""), {Call::expression("6 * 7")}});
    ASSERT_TRUE(wait_until([&] { return descendants(sandbox.worker_pids().at(0)).size() >= 2; }));
    const int worker = sandbox.worker_pids().at(0);
    const std::vector<int> family = descendants(worker);
    kill(inner ? family.at(0) : worker, SIGKILL);
    EXPECT_EQ(running.get().at(0).status, OutcomeStatus::kCrashed);
    EXPECT_EQ(waiting.get().at(0).value, "42");
    EXPECT_TRUE(all_gone(family));
  }
}

TEST(SandboxDeaths, CallsThatNeverStartedRunOnAnotherWorker) {
  Sandbox sandbox = Sandbox::start(config_with(1)).value();
  Batch batch{open_program("import time\ndef f(x):\n    if x == 1: time.sleep(100)\n    return x"),
              {}};
  batch.program.limits.wall_seconds = 100;
  for (int i = 0; i < 4; ++i) batch.calls.push_back(Call::literal("f", std::to_string(i)));
  auto outcomes = sandbox.submit(batch);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  kill(sandbox.worker_pids().at(0), SIGKILL);
  const auto got = outcomes.get();
  ASSERT_EQ(got.size(), 4U);
  EXPECT_EQ(got[0].value, "0");
  EXPECT_EQ(got[1].status, OutcomeStatus::kCrashed);
  EXPECT_EQ(got[2].value + got[3].value, "23");
}

TEST(SandboxDeaths, ASessionDiesWithItsWorker) {
  Sandbox sandbox = Sandbox::start(config_with(1)).value();
  Session session = sandbox.open(open_program("x = 1"));
  EXPECT_EQ(session.call(Call::expression("x")).value, "1");
  const std::vector<int> family = descendants(sandbox.worker_pids().at(0));
  kill(sandbox.worker_pids().at(0), SIGKILL);
  ASSERT_TRUE(all_gone(family));
  EXPECT_EQ(session.call(Call::expression("x")).status, OutcomeStatus::kCrashed);
  EXPECT_FALSE(session.alive());
  EXPECT_EQ(sandbox.run(good_job()).value, "6");
}

TEST(SandboxDeaths, AKilledHostLeavesNoOrphan) {
  int channel[2];
  ASSERT_EQ(pipe(channel), 0);
  const pid_t host = fork();
  if (host == 0) {
    Sandbox sandbox = Sandbox::start(config_with(2)).value();
    auto first = sandbox.submit({open_program("while True: pass"), {}});
    auto second = sandbox.submit({open_program("import time\ntime.sleep(100)"), {}});
    Session session = sandbox.open(open_program("x = 1"));
    (void)!write(channel[1], "x", 1);
    pause();
    _exit(0);
  }
  char ready = 0;
  ASSERT_EQ(read(channel[0], &ready, 1), 1);
  const std::vector<int> family = descendants(host);
  EXPECT_GE(family.size(), 5U);
  kill(host, SIGKILL);
  waitpid(host, nullptr, 0);
  EXPECT_TRUE(all_gone(family));
  for (const int fd : channel) close(fd);
}

TEST(SandboxDeaths, ClosingAnswersWhatIsStillOpen) {
  Pending running;
  Pending waiting;
  std::vector<int> family;
  {
    Sandbox sandbox = Sandbox::start(config_with(1)).value();
    running = sandbox.submit({open_program("while True: pass"), {}});
    waiting = sandbox.submit({open_program("while True: pass"), {}});
    sandbox.open(open_program("x = 1"));
    family = descendants(sandbox.worker_pids().at(0));
  }
  EXPECT_EQ(running.get().at(0).status, OutcomeStatus::kCrashed);
  EXPECT_EQ(waiting.get().at(0).status, OutcomeStatus::kCrashed);
  EXPECT_TRUE(all_gone(family));
}

// --- leaks --------------------------------------------------------------------------------------

// The thread that waits drives the pool itself; nothing else wakes whoever closes it.
TEST(SandboxDeaths, ClosingAnswersAThreadThatWaits) {
  for (const auto delay : {std::chrono::milliseconds(0), std::chrono::milliseconds(200)}) {
    auto sandbox = std::make_optional(Sandbox::start(config_with(2)).value());
    Pending pending = sandbox->submit({open_program("while True: pass"), {}}, false);
    std::vector<Outcome> outcomes;
    std::thread waiting([&] { outcomes = pending.get(); });
    std::this_thread::sleep_for(delay);
    sandbox.reset();
    waiting.join();
    ASSERT_EQ(outcomes.size(), 1u);
    EXPECT_EQ(outcomes[0].status, OutcomeStatus::kCrashed) << outcomes[0].message;
  }
}

TEST(SandboxDeaths, WhatIsCalledOffEndsAtOnceAndNothingElseDoes) {
  auto sandbox = Sandbox::start(config_with(1)).value();
  Batch busy{open_program("def f(): return 1\ndef g():\n while True: pass"),
             {Call::expression("f()"), Call::expression("g()"), Call::expression("f()")}};
  busy.program.limits.wall_seconds = busy.program.limits.cpu_seconds = 60;
  const auto begun = std::chrono::steady_clock::now();
  Pending runs = sandbox.submit(busy, false);
  Pending waits = sandbox.submit(busy, false);
  Pending good = sandbox.submit({open_program("x = 2"), {Call::expression("x + 1")}}, false);
  EXPECT_FALSE(runs.wait_for(0.3));
  EXPECT_FALSE(waits.wait_for(0));
  runs.call_off();
  waits.call_off();
  EXPECT_TRUE(good.wait_for(30));
  EXPECT_EQ(good.get().front().value, "3");
  good = {};
  const auto ran = runs.get();
  ASSERT_EQ(ran.size(), 3u);
  EXPECT_EQ(ran[0].value, "1");
  EXPECT_EQ(ran[1].status, OutcomeStatus::kCrashed);
  EXPECT_EQ(ran[2].status, OutcomeStatus::kCrashed);
  for (const Outcome& outcome : waits.get()) EXPECT_EQ(outcome.message, "it was called off");
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(25));
}

TEST(SandboxLeaks, NothingIsLeftBehind) {
  const std::size_t before = lifecycle_open_descriptors();
  {
    Sandbox sandbox = Sandbox::start(config_with(2)).value();
    sandbox.run(good_job());
    ASSERT_TRUE(wait_until([&] { return sandbox.worker_pids().size() == 2; }));
    const std::size_t started = lifecycle_open_descriptors();
    std::vector<Job> jobs(200, good_job());
    jobs.resize(220, job("import os\nos._exit(1)"));
    sandbox.run_many(jobs);
    for (int i = 0; i < 20; ++i) sandbox.open(open_program("x = 1")).call(Call::expression("x"));
    EXPECT_EQ(lifecycle_open_descriptors(), started);
    // Per worker: the outer process; below it the warm parent and two spare children.
    EXPECT_TRUE(wait_until([&] {
      std::size_t most = 0;
      for (const int pid : sandbox.worker_pids()) most = std::max(most, descendants(pid).size());
      return most <= 3;
    }));
  }
  EXPECT_EQ(lifecycle_open_descriptors(), before);
}

TEST(SandboxLeaks, InheritsNothingOfTheHost) {
  const int secret = open("/etc/hostname", O_RDONLY);  // on purpose without close-on-exec
  setenv("REDQUEEN_TEST_SECRET", "host-secret", 1);
  Sandbox sandbox = Sandbox::start(config_with(1)).value();
  const Outcome outcome = sandbox.run(
      job("import os\nfds = []\nfor fd in range(64):\n    try: os.fstat(fd); fds.append(fd)\n"
          "    except OSError: pass\nprint(fds, os.environb)"));
  EXPECT_EQ(outcome.out, "[0, 1, 2, 3] environ({})\n");
  unsetenv("REDQUEEN_TEST_SECRET");
  close(secret);
}

TEST(SandboxLeaks, ForgottenHashSeedsGiveTheirWorkersBack) {
  SandboxConfig config = config_with(1);
  config.warm_hash_seeds = 3;
  Sandbox sandbox = Sandbox::start(config).value();
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    Job one = good_job();
    one.program.hash_seed = seed;
    EXPECT_EQ(sandbox.run(one).value, "6");
    EXPECT_LE(sandbox.worker_pids().size(), 3U);
  }
}

// --- the number of workers ----------------------------------------------------------------------

TEST(SandboxWorkers, DoNotChangeResults) {
  std::vector<Job> jobs;
  for (int i = 0; i < 30; ++i) {
    jobs.push_back({open_program("print('out', " + std::to_string(i) + ")"),
                    {Call::expression("1 // " + std::to_string(i % 3))}});
  }
  std::vector<std::string> texts;
  for (const int workers : {1, 3}) {
    Sandbox sandbox = Sandbox::start(config_with(workers)).value();
    std::string text;
    for (const Outcome& outcome : sandbox.run_many(jobs)) {
      text += fmt::format("{}|{}|{}|{}\n", name_of(outcome.status), outcome.value, outcome.out,
                          outcome.traceback);
    }
    texts.push_back(text);
  }
  EXPECT_EQ(texts[0], texts[1]);
}

TEST(SandboxWorkers, TimeOutsOfSomeDoNotHoldUpOthers) {
  Sandbox sandbox = Sandbox::start(config_with(2)).value();
  auto endless = sandbox.submit({job("while True: pass", 100).program, {}});
  for (int i = 0; i < 20; ++i) EXPECT_EQ(sandbox.run(good_job()).value, "6");
  EXPECT_FALSE(endless.ready());
}

TEST(SandboxWorkers, ServeEveryHashSeedInTurn) {
  SandboxConfig config = config_with(2);
  config.warm_hash_seeds = 2;
  Sandbox sandbox = Sandbox::start(config).value();
  std::vector<Job> jobs;
  for (std::uint64_t i = 0; i < 120; ++i) {
    jobs.push_back(good_job());
    jobs.back().program.hash_seed = i % 7;
  }
  for (const Outcome& outcome : sandbox.run_many(jobs)) EXPECT_EQ(outcome.value, "6");
  EXPECT_LE(sandbox.worker_pids().size(), 4U);
}

TEST(SandboxWorkers, ServeManyThreads) {
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&good, t] {
      Session session = shared_sandbox().open(open_program("me = " + std::to_string(t)));
      for (int i = 0; i < 10; ++i) {
        good += shared_sandbox().run(good_job()).value == "6" ? 1 : 0;
        good += session.call(Call::expression("me")).value == std::to_string(t) ? 1 : 0;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(good, 120);
}

// --- fewer layers -------------------------------------------------------------------------------

// Attacks on what lies outside the process, run at once.
void check_containment(Sandbox& sandbox, bool modules_load) {
  static constexpr std::array<std::string_view, 6> kFamilies = {"file_",    "network_", "signal_",
                                                                "process_", "kernel_",  "inspect_"};
  std::vector<Attack> attacks;
  std::vector<Job> jobs;
  for (Attack& attack : all_attacks()) {
    const bool wanted =
        std::any_of(kFamilies.begin(), kFamilies.end(),
                    [&](std::string_view family) { return attack.name.starts_with(family); });
    const bool needs = has(attack, "needs") && (!sandbox.config().use_namespaces ||
                                                attack.header.at("needs") == "landlock");
    if (!wanted || needs) continue;
    jobs.push_back(job_of(attack, 0));
    attacks.push_back(std::move(attack));
  }
  const auto outcomes = sandbox.run_many(jobs);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    EXPECT_THAT(outcomes[i].out + outcomes[i].value, Not(HasSubstr("ESCAPED"))) << attacks[i].name;
    if (modules_load) {
      EXPECT_TRUE(expected(attacks[i], outcomes[i].status))
          << attacks[i].name << ": " << name_of(outcomes[i].status) << ' ' << outcomes[i].message;
    }
  }
  const Outcome after = sandbox.run(good_job());
  EXPECT_EQ(after.value, "6") << after.message;
}

TEST(SandboxLayers, ContainWithoutNamespaces) {
  SandboxConfig config = config_with(2);
  config.require = Require::kStandard;
  config.use_namespaces = false;
  Sandbox sandbox = Sandbox::start(config).value();
  check_containment(sandbox, true);
}

TEST(SandboxLayers, ContainWithoutLandlock) {
  SandboxConfig config = config_with(2);
  config.require = Require::kStandard;
  config.use_landlock = false;
  Sandbox sandbox = Sandbox::start(config).value();
  check_containment(sandbox, true);
}

// What a container without namespaces on an old kernel leaves: no file can be opened at all.
TEST(SandboxLayers, ContainWithTheSyscallFilterAlone) {
  SandboxConfig config = config_with(2);
  config.require = Require::kStandard;
  config.use_namespaces = false;
  config.use_landlock = false;
  Sandbox sandbox = Sandbox::start(config).value();
  check_containment(sandbox, false);
  EXPECT_EQ(sandbox.run(job("import sys\nopen(sys.path[0] + '/os.py')")).exception,
            "PermissionError");
}

TEST(SandboxLayers, StrictRefusesWhatStandardAccepts) {
  SandboxConfig config = config_with(1);
  config.require = Require::kStrict;
  config.use_namespaces = false;
  const auto refused = Sandbox::start(config);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("network namespace"));
  EXPECT_THAT(refused.error().message, HasSubstr("use_namespaces"));
  EXPECT_THAT(refused.error().message, HasSubstr("--set sandbox.require=standard"));
  config.require = Require::kStandard;
  Sandbox accepted = Sandbox::start(config).value();
  static std::string told;
  config.on_missing_layers = [](const std::string& layers) { told = layers; };
  (void)Sandbox::start(config).value();
  EXPECT_EQ(told, missing_layers(accepted.layers()));
  EXPECT_THAT(missing_layers(accepted.layers()), HasSubstr("network namespace: switched off"));
}

TEST(SandboxLayers, AreReportedOneByOne) {
  const auto layers = inspect_layers();
  std::set<std::string> names;
  for (const LayerState& layer : layers) {
    names.insert(layer.name);
    EXPECT_FALSE(layer.why.empty()) << layer.name;
    EXPECT_EQ(layer.remedy.empty(), layer.state == LayerState::State::kOn) << layer.name;
  }
  for (const char* name : {"worker", "user namespace", "private root", "landlock", "cgroup v2",
                           "system-call filter", "resource limits", "no capabilities"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

TEST(SandboxLayers, SayWhenThereIsNoWorker) {
  SandboxConfig config;
  config.worker_path = "/nowhere/worker";
  EXPECT_EQ(inspect_layers(config).at(0).state, LayerState::State::kUnavailable);
  const auto sandbox = Sandbox::start(config);
  ASSERT_FALSE(sandbox);
  EXPECT_THAT(sandbox.error().message, HasSubstr("REDQUEEN_SANDBOX_WORKER"));
  config.worker_path = "/bin/true";  // starts, and is none
  EXPECT_FALSE(Sandbox::start(config));
  config.worker_path.clear();
  config.preload = {"no_such_module"};
  const auto broken = Sandbox::start(config);
  ASSERT_FALSE(broken);
  EXPECT_THAT(broken.error().message, HasSubstr("no_such_module"));
  config.preload.clear();
  config.preludes = {"def f(:"};
  const auto misspelt = Sandbox::start(config);
  ASSERT_FALSE(misspelt);
  EXPECT_THAT(misspelt.error().message,
              testing::AllOf(HasSubstr("a prelude does not compile"), HasSubstr("invalid syntax")));
}

// The interpreter is warmed up with what it has, and gets no module that way.
TEST(SandboxLayers, PreloadsNoMoreThanItIsTold) {
  SandboxConfig config = config_with(1);
  const Job look = job("import sys\nprint(sorted({'random', 'statistics'} & set(sys.modules)))");
  config.preload = {"math", "dataclasses"};
  EXPECT_EQ(Sandbox::start(config).value().run(look).out, "[]\n");
  config.preload.clear();
  EXPECT_EQ(Sandbox::start(config).value().run(look).out, "['random', 'statistics']\n");
}

// As somebody who is not root, with user namespaces where the machine gives them and without.
TEST(SandboxLayers, WorkForAnOrdinaryUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become somebody else";
  const std::string folder = ::testing::TempDir() + "redqueen-worker-" + std::to_string(getpid());
  const std::string worker = folder + "/worker";
  std::filesystem::create_directories(folder);
  std::filesystem::copy_file(find_worker_program({}).value(), worker);
  for (const bool namespaces : {true, false}) {
    const pid_t user = fork();
    if (user == 0) {
      constexpr unsigned kUser = 12345;
      if (setgroups(0, nullptr) != 0 || setgid(kUser) != 0 || setuid(kUser) != 0) _exit(1);
      SandboxConfig config = config_with(1);
      config.worker_path = worker;
      config.use_namespaces = namespaces;
      config.require = Require::kStandard;
      auto sandbox = Sandbox::start(config);
      if (!sandbox) _exit(2);
      if (sandbox->run(good_job()).value != "6") _exit(3);
      const Outcome attack = sandbox->run(job("open('/etc/passwd')"));
      _exit(attack.status == OutcomeStatus::kError ? 0 : 4);
    }
    int status = 0;
    waitpid(user, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0) << "namespaces: " << namespaces;
  }
  std::filesystem::remove_all(folder);
}

// --- cgroup v2 ----------------------------------------------------------------------------------

// A folder for workers in a cgroup v2 whose memory and pids controllers are delegated to us. Few
// machines give one; docs/sandbox.md says where these tests have run.
class SandboxCgroup : public ::testing::Test {
 protected:
  void SetUp() override {
    config_ = config_with(1);
    config_.require = Require::kStandard;  // a kernel of its own may be one without Landlock
    config_.cgroup_memory_bytes = 256ULL << 20;
    config_.cgroup = folder_;
    if (mkdir(folder_.c_str(), 0755) != 0) GTEST_SKIP() << "no cgroup v2 to make a folder in";
    for (const LayerState& layer : inspect_layers(config_)) {
      if (layer.name == "cgroup v2" && layer.state != LayerState::State::kOn) {
        GTEST_SKIP() << "no cgroup v2 to test with: " << layer.why;
      }
    }
  }
  void TearDown() override { rmdir(folder_.c_str()); }

  // The workers' own folders.
  std::vector<std::filesystem::path> leaves() const {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      if (entry.is_directory()) found.push_back(entry.path());
    }
    return found;
  }

  const std::string folder_ = "/sys/fs/cgroup/redqueen-test-" + std::to_string(getpid());
  SandboxConfig config_;
};

std::string first_line(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

TEST_F(SandboxCgroup, HoldsAWorkerWithAllItsProcessesAndGoesWithIt) {
  {
    Sandbox sandbox = Sandbox::start(config_).value();
    Session session = sandbox.open(open_program("x = 1"));
    EXPECT_EQ(session.call(Call::expression("x")).value, "1");
    ASSERT_EQ(leaves().size(), 1U);
    const std::filesystem::path leaf = leaves().front();
    EXPECT_EQ(first_line(leaf / "memory.max"), std::to_string(256U << 20));
    EXPECT_EQ(first_line(leaf / "pids.max"), "512");
    // The broker, the warm parent, the session's child.
    EXPECT_GE(std::stoi(first_line(leaf / "pids.current")), 3);
  }
  EXPECT_TRUE(leaves().empty());
}

TEST_F(SandboxCgroup, BoundsAChildThatMayHaveMoreByItself) {
  Sandbox sandbox = Sandbox::start(config_).value();
  Job large = job("x = bytearray(600 << 20)\nx[::4096] = b'1' * len(x[::4096])", 60);
  large.program.limits.memory_bytes = 4ULL << 30;
  const Outcome outcome = sandbox.run(large);
  EXPECT_EQ(outcome.status, OutcomeStatus::kMemory);
  EXPECT_THAT(outcome.message, HasSubstr("for want of memory"));
  EXPECT_EQ(sandbox.run(good_job()).value, "6");
}

TEST_F(SandboxCgroup, BoundsSessionsTogether) {
  Sandbox sandbox = Sandbox::start(config_).value();
  std::vector<Session> sessions;
  int killed = 0;
  for (int i = 0; i < 6; ++i) {  // of 80 MiB each, which every one alone may have
    Session session = sandbox.open(open_program("x = b'1' * (80 << 20)"));
    sessions.push_back(std::move(session));
  }
  for (Session& session : sessions) {
    killed += session.call(Call::expression("len(x)")).ok() ? 0 : 1;
  }
  EXPECT_GT(killed, 0);
  EXPECT_LT(killed, 6);
  sessions.clear();
  EXPECT_EQ(sandbox.run(good_job()).value, "6");
}

// --- what forks ---------------------------------------------------------------------------------

// KiB that a process holds of its own in mappings of the file `name`; none: it may not be asked.
std::optional<std::uint64_t> own_kib(int pid, const std::string& name) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/smaps");
  std::uint64_t total = 0;
  bool any = false;
  bool counts = false;
  for (std::string line; std::getline(file, line); any = true) {
    std::uint64_t kib = 0;
    if (line.find(" kB") == std::string::npos && !line.starts_with("VmFlags")) {
      counts = line.find(name) != std::string::npos;
    }
    if (counts && std::sscanf(line.c_str(), "Anonymous: %lu kB", &kib) == 1) total += kib;
  }
  return any ? std::optional(total) : std::nullopt;
}

bool kernel_populates() {
  void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const bool populates = madvise(page, 4096, MADV_POPULATE_WRITE) == 0;
  munmap(page, 4096);
  return populates;
}

// Where the rehearsal fails nothing else does, but every job is slower: its child reads the heap
// page by page from the file, or copies all of its page tables.
TEST(SandboxFork, CopiesThePagesThatJobsNeedAndNoOthers) {
  if (!kernel_populates()) GTEST_SKIP() << "a kernel before 5.14 keeps no pages";
  for (const Runtime runtime : {Runtime::kPlain, Runtime::kProgram}) {
    Sandbox sandbox = Sandbox::start(config_with(1)).value();
    Job one = good_job();
    one.program.profile.runtime = runtime;
    ASSERT_EQ(sandbox.run(one).value, "6");
    const std::vector<int> workers = sandbox.worker_pids();
    const std::vector<int> family = descendants(workers.back());
    ASSERT_FALSE(family.empty());
    const auto kib = own_kib(family.front(), "/memfd:interpreter");
    if (!kib) GTEST_SKIP() << "the memory of another process cannot be looked at here";
    EXPECT_GT(*kib, 400U);
    EXPECT_LT(*kib, 4000U);
  }
}

// --- the soak -----------------------------------------------------------------------------------

// A short one; REDQUEEN_SOAK_JOBS=200000 makes it the long one.
TEST(SandboxSoak, KeepsMemoryAndDescriptorsFlat) {
  const char* variable = std::getenv("REDQUEEN_SOAK_JOBS");
  const int total = variable != nullptr ? std::atoi(variable) : 2000;
  std::vector<Job> hostile;
  for (const Attack& attack : all_attacks()) {
    Job one = job_of(attack, 0);
    const bool quick = attack.header.at("expect").find("timeout") == std::string::npos &&
                       one.program.limits.wall_seconds == 60;
    if (quick && !has(attack, "differs")) hostile.push_back(std::move(one));
  }
  Rng rng({.seed = 1, .purpose = hash_name("soak")});
  constexpr int kRound = 500;
  std::uint64_t memory = 0;
  std::size_t descriptors = 0;
  for (int done = 0; done < total; done += kRound) {
    std::vector<Job> jobs;
    std::vector<bool> good;
    for (int i = 0; i < kRound; ++i) {
      good.push_back(!rng.chance(1.0 / 20));
      jobs.push_back(good.back() ? good_job() : rng.choice(hostile));
    }
    const auto outcomes = shared_sandbox().run_many(jobs);
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      if (good[i]) {
        ASSERT_EQ(outcomes[i].value, "6") << done << outcomes[i].message;
      }
    }
    if (done == kRound) {  // the first round warms up allocators and interpreters
      memory = resident_bytes();
      descriptors = lifecycle_open_descriptors();
    }
  }
  const std::uint64_t memory_after = resident_bytes();
  const std::size_t descriptors_after = lifecycle_open_descriptors();
  fmt::print("host after {} and after {} jobs: {} and {} KiB resident, {} and {} descriptors\n",
             std::min(2 * kRound, total), total, memory >> 10, memory_after >> 10, descriptors,
             descriptors_after);
  EXPECT_LE(memory_after, memory + (16U << 20));
  EXPECT_EQ(descriptors_after, descriptors);
}

}  // namespace
}  // namespace redqueen::sandbox
