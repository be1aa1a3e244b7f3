// The profiles `program` and `data`: programs as their users run them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "redqueen/base/file_queries.h"
#include "redqueen/base/testing/folder.h"
#include "redqueen/base/testing/source_dir.h"
#include "redqueen/sandbox/python_version.h"
#include "redqueen/sandbox/sandbox.h"
#include "redqueen/sandbox/testing/attack_corpus.h"
#include "redqueen/sandbox/testing/sandbox.h"

namespace redqueen::sandbox {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Job program_job(const std::string& source) {
  Job job;
  job.program.source = source;
  job.program.profile = program_profile();
  return job;
}

Outcome run(const std::string& source) { return shared_sandbox().run(program_job(source)); }

TEST(SandboxProgram, RunsInThePythonThatIsTold) {
  EXPECT_EQ(run("import platform\nprint(platform.python_version())").out,
            std::string(python_version()) + "\n");
}

TEST(SandboxProgram, LeavesWithItsCode) {
  EXPECT_EQ(run("print('hello')").out, "hello\n");
  EXPECT_EQ(run("print('hello')").exit_code, 0);
  EXPECT_TRUE(run("import sys\nsys.exit()").ok());
  const Outcome three = run("import sys\nsys.exit(3)");
  EXPECT_EQ(three.exit_code, 3);
  EXPECT_EQ(three.status, OutcomeStatus::kError);
  const Outcome text = run("raise SystemExit('no good')");
  EXPECT_EQ(text.exit_code, 1);
  EXPECT_EQ(text.err, "no good\n");
  EXPECT_EQ(run("import atexit\natexit.register(lambda: print('bye'))").out, "bye\n");
}

TEST(SandboxProgram, TellsOfAnExceptionAsPythonDoes) {
  const Outcome outcome = run("def f(x):\n    return 1 / x\n\nprint('before')\nf(0)\n");
  EXPECT_EQ(outcome.out, "before\n");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.exception, "ZeroDivisionError");
  // Python 3.13 marks the call as well.
  EXPECT_THAT(outcome.err, StartsWith("Traceback (most recent call last):\n"
                                      "  File \"main.py\", line 5, in <module>\n    f(0)\n"));
  EXPECT_THAT(outcome.err, EndsWith("  File \"main.py\", line 2, in f\n    return 1 / x\n"
                                    "           ~~^~~\nZeroDivisionError: division by zero\n"));
  EXPECT_THAT(run("def f(:\n").err, HasSubstr("SyntaxError"));
}

TEST(SandboxProgram, ImportsWhatItLikesAndHasThreads) {
  EXPECT_EQ(
      run("import os, sys, subprocess, socket, time, random\nprint(os.path.join('a', 'b'))").out,
      "a/b\n");
  const Outcome threads = run(
      "import threading\nfrom concurrent.futures import ThreadPoolExecutor\n"
      "found = []\n"
      "ts = [threading.Thread(target=lambda i=i: found.append(sum(range(i * 1000)))) for i in "
      "range(8)]\n"
      "for t in ts: t.start()\n"
      "for t in ts: t.join()\n"
      "with ThreadPoolExecutor(4) as pool:\n    print(sum(pool.map(lambda x: x * x, range(10))))\n"
      "print(len(found))\n"
      "threading.Thread(target=lambda: print('last')).start()\n");
  EXPECT_EQ(threads.out, "285\n8\nlast\n") << threads.err;
}

// Each of them waits until all are there.
TEST(SandboxProgram, HasAHundredThreadsAtATime) {
  const Outcome outcome =
      run("import threading\nfrom concurrent.futures import ThreadPoolExecutor\n"
          "together = threading.Barrier(100, timeout=60)\n"
          "with ThreadPoolExecutor(100) as pool:\n"
          "    print(len(set(pool.map(lambda i: (together.wait(), i)[1], range(100)))))\n");
  EXPECT_EQ(outcome.out, "100\n") << outcome.err;
}

// Lists within lists are written out by calls of C within calls of C.
TEST(SandboxProgram, NestsAsDeeplyInAThreadAsItIsAllowedTo) {
  const Outcome outcome =
      run("import threading\n"
          "class Nested:\n"
          "    def __init__(self, inner): self.inner = inner\n"
          "    def __repr__(self): return repr([self.inner])\n"
          "def f():\n"
          "    value = 0\n"
          "    for _ in range(200): value = Nested(value)\n"
          "    print(len(repr(value)))\n"
          "    for _ in range(2000): value = Nested(value)\n"
          "    try:\n        repr(value)\n    except RecursionError:\n        print('too deep')\n"
          "thread = threading.Thread(target=f)\nthread.start()\nthread.join()\n");
  EXPECT_EQ(outcome.out, "401\ntoo deep\n") << outcome.err;
}

TEST(SandboxProgram, LocksNoFileOfTheHost) {
  const Outcome outcome = run(
      "import argparse, fcntl, os\n"
      "for path in ('/dev/null', argparse.__file__, '/dev/zero'):\n"
      "    try:\n        file = os.open(path, os.O_RDONLY)\n    except OSError:\n        continue\n"
      "    for lock in (fcntl.flock, fcntl.lockf):\n"
      "        for how in (fcntl.LOCK_EX, fcntl.LOCK_SH):\n"
      "            try:\n                lock(file, how | fcntl.LOCK_NB)\n                "
      "print(path, lock)\n"
      "            except OSError as error:\n"
      "                assert error.errno in (1, 9), error\n"
      "print('none')\n");
  EXPECT_EQ(outcome.out, "none\n") << outcome.err;
}

// clone() with a flag that pthread_create() does not set.
TEST(SandboxProgram, StartsThreadsInOneWayOnly) {
  const Outcome outcome =
      run("import ctypes\n"
          "libc = ctypes.CDLL(None, use_errno=True)\n"
          "for flag in (0x1000, 0x8000, 0x800000, 0x80000000, 0x20000000, 0x4000):\n"
          "    result = libc.syscall(56, 0x10900 | flag, 0, 0, 0, 0)\n"
          "    assert result == -1 and ctypes.get_errno() == 1, (hex(flag), result, "
          "ctypes.get_errno())\n"
          "print('refused')\n");
  EXPECT_EQ(outcome.out, "refused\n") << outcome.err;
}

TEST(SandboxProgram, HasAFolderOfItsOwn) {
  Job job = program_job(
      "import os\n"
      "print(sorted(os.listdir()), open('in.txt').read())\n"
      "os.mkdir('deep')\nopen('deep/x', 'w').write('x')\n"
      "open('out.txt', 'w').write('made')\nos.rename('out.txt', 'result.txt')\n"
      "with open('result.txt', 'a') as f: f.write(' here')\n");
  job.program.files = {{"in.txt", "given"}};
  job.program.fetch = {"result.txt", "missing.txt", "deep"};
  for (int i = 0; i < 3; ++i) {
    const Outcome outcome = shared_sandbox().run(job);
    EXPECT_EQ(outcome.out, "['in.txt', 'main.py'] given\n") << outcome.err;
    EXPECT_THAT(outcome.files, ::testing::ElementsAre(File{"result.txt", "made here"}));
  }
  job.program.files = {{"../x", "given"}};
  EXPECT_EQ(shared_sandbox().run(job).status, OutcomeStatus::kCrashed);
}

TEST(SandboxProgram, FindsNoFileOfAnother) {
  Session other = shared_sandbox().open([] {
    Program program = open_program("open('secret.txt', 'w').write('mine')");
    program.profile = program_profile();
    return program;
  }());
  ASSERT_TRUE(other.alive()) << other.loaded().message;
  for (int i = 0; i < 3; ++i) {
    const Outcome outcome =
        run("import os\nall_folders = os.path.dirname(os.getcwd())\n"
            "for folder, _, names in os.walk(all_folders):\n"
            "    for name in names: print(folder, name)\n"
            "for i in range(100):\n"
            "    try: print(open(f'{all_folders}/{i}/secret.txt').read())\n"
            "    except OSError: pass\n");
    EXPECT_EQ(outcome.status, OutcomeStatus::kOk) << outcome.err;
    EXPECT_THAT(outcome.out, Not(HasSubstr("secret"))) << outcome.out;
    EXPECT_THAT(outcome.out, Not(HasSubstr("mine")));
  }
  EXPECT_EQ(other.call(Call::expression("open('secret.txt').read()")).value, "'mine'");
}

TEST(SandboxProgram, BoundsAndEmptiesItsFolder) {
  const std::string flood =
      "import os\n"
      "try:\n"
      "    for i in range(100000):\n"
      "        open(f'f{i}', 'wb').write(b'x' * 900000)\n"
      "except OSError as error: print('full', error.errno)\n"
      "path = ''\n";
  const std::string nest =
      "import os\n"
      "try:\n"
      "    for i in range(1500):\n        os.mkdir('d', 0o300)\n        os.chdir('d')\n"
      "except OSError as error: print('full', error.errno)\n";
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(run(flood).out, HasSubstr("full 28"));
    EXPECT_EQ(run(nest).out, "");
    const Outcome after = run("open('a', 'wb').write(b'x' * 900000)\nprint('room')");
    EXPECT_EQ(after.out, "room\n") << after.err << after.message;
  }
  EXPECT_EQ(run("open('big', 'wb').write(b'x' * (3 << 20))").status, OutcomeStatus::kOutputLimit);
}

// What an attack may do as well in these profiles: threads, files in its folder, every module.
bool is_allowed_here(const Attack& attack) {
  for (const char* part :
       {"process_thread", "process_threading", "profile_", "file_mkdir", "file_chdir",
        "file_tempfile", "file_sqlite", "process_sys_exit", "process_pool_executor",
        "process_atexit", "inspect_modules", "kernel_landlock", "process_setuid"}) {
    if (attack.name.starts_with(part)) return true;
  }
  return false;
}

void check_attacks(const Profile& profile, Sandbox& sandbox) {
  std::vector<Job> jobs;
  std::vector<Attack> attacks;
  for (Attack& attack : all_attacks()) {
    if (is_allowed_here(attack)) continue;
    jobs.push_back(job_of(attack, 0));
    jobs.back().program.profile = profile;
    attacks.push_back(std::move(attack));
  }
  const auto outcomes = sandbox.run_many(jobs);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    EXPECT_THAT(outcomes[i].out + outcomes[i].value, Not(HasSubstr("ESCAPED"))) << attacks[i].name;
  }
  Job after = program_job("print(6 * 7)");
  after.program.profile = profile;
  EXPECT_EQ(sandbox.run(after).out, "42\n");
}

TEST(SandboxProgram, ContainsTheSameAttacks) { check_attacks(program_profile(), shared_sandbox()); }

// The folder of .venv with numpy; empty: there is none.
std::filesystem::path packages_with_numpy() {
  const std::filesystem::path library = source_dir() / ".venv" / "lib";
  if (!is_folder(library)) return {};
  for (const auto& python : std::filesystem::directory_iterator(library)) {
    const auto packages = python.path() / "site-packages";
    if (is_there(packages / "numpy")) return packages;
  }
  return {};
}

TEST(SandboxData, HasNumpy) {
  const std::filesystem::path packages = packages_with_numpy();
  if (packages.empty()) GTEST_SKIP() << "no numpy here";
  SandboxConfig config;
  config.workers = 1;
  config.data_packages = packages.string();
  Sandbox sandbox = Sandbox::start(config).value();
  Job job = program_job(
      "import numpy as np\na = np.arange(12.0).reshape(3, 4)\nprint((a @ a.T).trace())\n"
      "print(np.linalg.norm(np.linalg.inv(np.eye(3) * 2)))\n"
      "try: open(np.__file__, 'a')\nexcept OSError: print('read-only')\n");
  job.program.profile = data_profile();
  const Outcome outcome = sandbox.run(job);
  EXPECT_EQ(outcome.out, "506.0\n0.8660254037844386\nread-only\n")
      << outcome.err << outcome.message;
  check_attacks(data_profile(), sandbox);
}

// The interpreter that children are forked from has imported it, with one state for all.
TEST(SandboxData, GivesEachProgramOtherNumbersOfNumpy) {
  const std::filesystem::path packages = packages_with_numpy();
  if (packages.empty()) GTEST_SKIP() << "no numpy here";
  SandboxConfig config;
  config.workers = 1;
  config.data_packages = packages.string();
  Sandbox sandbox = Sandbox::start(config).value();
  Job job = program_job(
      "import sys\nprint('numpy.random' in sys.modules)\n"
      "import numpy\nprint(numpy.random.randint(1 << 62), numpy.random.randint(1 << 62))");
  job.program.profile = data_profile();
  std::set<std::string> drawn;
  for (int i = 0; i < 3; ++i) {
    const std::string out = sandbox.run(job).out;
    EXPECT_THAT(out, StartsWith("True\n"));
    drawn.insert(out);
  }
  EXPECT_EQ(drawn.size(), 3U);
}

// A checkout may lie below /tmp or in a folder that is closed to others, as /root is.
TEST(SandboxData, FindsNumpyInAClosedFolder) {
  const std::filesystem::path packages = packages_with_numpy();
  if (packages.empty()) GTEST_SKIP() << "no numpy here";
  const TestFolder closed;  // mode 0700, in /tmp
  for (const char* name : {"numpy", "numpy.libs"}) {
    std::filesystem::create_directory_symlink(packages / name, closed / name);
  }
  SandboxConfig config;
  config.workers = 1;
  config.data_packages = closed.path().string();
  Sandbox sandbox = Sandbox::start(config).value();
  Job job = program_job(
      "import numpy, os\nprint(numpy.arange(4).sum(), sorted(os.listdir('/packages')))");
  job.program.profile = data_profile();
  const Outcome outcome = sandbox.run(job);
  EXPECT_EQ(outcome.out, "6 ['numpy', 'numpy.libs']\n") << outcome.err << outcome.message;
}

TEST(SandboxData, SaysWhatIsMissing) {
  SandboxConfig config;
  config.workers = 1;
  config.data_packages = "/nowhere";
  Sandbox sandbox = Sandbox::start(config).value();
  Job job = program_job("import numpy");
  job.program.profile = data_profile();
  const Outcome outcome = sandbox.run(job);
  EXPECT_EQ(outcome.status, OutcomeStatus::kCrashed);
  EXPECT_THAT(outcome.message, HasSubstr("sandbox.data_packages"));
  EXPECT_EQ(sandbox.run(program_job("print(1)")).out, "1\n");
}

}  // namespace
}  // namespace redqueen::sandbox
