#include "redqueen/code_tasks/validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/sandbox/testing/sandbox.h"

namespace redqueen::code_tasks {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Candidate candidate(std::string program, std::string input, TaskType type = TaskType::kDeduction) {
  return {.task = {.type = type, .program = std::move(program), .input = std::move(input)},
          .components = {}};
}

// Short limits: what hangs in a test should not hang long.
ProposalOptions validation_quick() {
  ProposalOptions options;
  options.limits.cpu_seconds = 1.0;
  options.limits.memory_bytes = 128ULL << 20;
  return options;
}

Validated validation_check(const Candidate& one,
                           const ProposalOptions& options = validation_quick()) {
  return validate(sandbox::shared_sandbox(), std::array{one}, options)[0];
}

Reason reason(const std::string& body, const std::string& input = "3") {
  return validation_check(candidate("def f(x):\n" + body, input)).reason;
}

TEST(Validation, CompletesATriplet) {
  const Validated result =
      validation_check(candidate("def f(x, y=1):\n    return (x, [y], 'a')", "3, y=2.5"));
  ASSERT_EQ(result.reason, Reason::kValid) << result.detail;
  EXPECT_EQ(result.task.output, "(3, [2.5], 'a')");
}

TEST(Validation, CompletesAnInductionTask) {
  Candidate one = candidate("def f(x):\n    return x * 2", "", TaskType::kInduction);
  one.task.pairs = {{"1", ""}, {"'ab'", ""}, {"[0]", ""}, {"x=4", ""}};
  const Validated result = validation_check(one);
  ASSERT_EQ(result.reason, Reason::kValid) << result.detail;
  EXPECT_EQ(result.task.pairs[1].output, "'abab'");
  EXPECT_EQ(result.task.pairs[3].output, "8");
  one.task.pairs.push_back({"None", ""});
  EXPECT_EQ(validation_check(one).reason, Reason::kRaised);
}

TEST(Validation, SaysWhatIsWrong) {
  EXPECT_EQ(reason("    return x +"), Reason::kSyntax);
  EXPECT_EQ(validation_check(candidate("f = lambda x: x", "1")).reason, Reason::kNoProgram);
  EXPECT_EQ(reason("    return x", "open('a')"), Reason::kNotLiteral);
  EXPECT_EQ(reason("    return x", "x"), Reason::kNotLiteral);
  EXPECT_EQ(reason("    return x[0]"), Reason::kRaised);
  EXPECT_EQ(reason("    return x", "3, 4"), Reason::kRaised);
  EXPECT_EQ(reason("    print(x)"), Reason::kReturnedNone);
  EXPECT_EQ(reason("    return lambda: x"), Reason::kNotComparable);
  EXPECT_EQ(reason("    while True: pass"), Reason::kTimeout);
  EXPECT_EQ(reason("    return len([0] * 10**9)"), Reason::kMemory);
  EXPECT_EQ(reason("    return 'a' * 10**7"), Reason::kOutputLimit);
  EXPECT_EQ(reason("    return 'a' * 5000"), Reason::kTooLong);
  EXPECT_EQ(
      validation_check(candidate("def f(x):\n    return x #" + std::string(9000, '#'), "1")).reason,
      Reason::kTooLong);
}

TEST(Validation, BansTheModulesOfTheList) {
  for (const char* body :
       {"    import random\n    return random.random()", "    import os\n    return os.environ",
        "    import os.path\n    return 1", "    from time import time\n    return 1",
        "    import os as o\n    return o.path.sep", "    import sys\n    sys.exit(x)",
        "    return __import__('random').randint(1, 1)"}) {
    EXPECT_EQ(reason(body), Reason::kBanned) << body;
  }
  EXPECT_EQ(reason("    import math, collections\n    return math.floor(x)"), Reason::kValid);
}

// Faults of the reference: code that an in-process exec with a filter of names lets through.
TEST(Validation, NothingGetsOut) {
  EXPECT_EQ(reason("    return open('/etc/passwd').read()"), Reason::kRaised);
  EXPECT_NE(reason("    return eval('__import__(\"os\").listdir(\"/home\")')"), Reason::kValid);
  EXPECT_NE(
      validation_check(candidate("def f(x):\n    return __import__('os').system('true') == 0", "1"))
          .task.output,
      "True");
}

// … and a pool that a fork bomb stalls.
TEST(Validation, OneCandidateDoesNotHoldUpTheOthers) {
  std::vector<Candidate> candidates{
      candidate("import os\ndef f(x):\n    while True:\n        os.fork()", "1"),
      candidate(
          "import os, signal\ndef f(x):\n    os.kill(os.getppid(), signal.SIGKILL)\n    return 1",
          "1"),
      candidate("import ctypes\ndef f(x):\n    ctypes.string_at(0)\n    return 1", "1")};
  for (int i = 0; i < 6; ++i)
    candidates.push_back(candidate("def f(x):\n    return x", fmt::format("{}", i)));
  const std::vector<Validated> results =
      validate(sandbox::shared_sandbox(), candidates, validation_quick());
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NE(results[i].reason, Reason::kValid) << i;
  for (std::size_t i = 3; i < results.size(); ++i) {
    EXPECT_EQ(results[i].reason, Reason::kValid) << results[i].detail;
    EXPECT_EQ(results[i].task.output, fmt::format("{}", i - 3));
  }
}

// Two runs in one process agree on all of these.
TEST(Validation, FindsWhatDependsOnTheProcess) {
  EXPECT_EQ(reason("    return hash('abc')"), Reason::kNotDeterministic);
  EXPECT_EQ(reason("    return id(f)"), Reason::kNotDeterministic);
  EXPECT_EQ(reason("    return list({'a', 'b', 'c', 'd', 'e', 'f', 'g'})"),
            Reason::kNotDeterministic);
  EXPECT_EQ(reason("    return str(object())"), Reason::kNotDeterministic);
}

TEST(Validation, FindsWhatRemembersItsCalls) {
  EXPECT_EQ(validation_check(
                candidate("calls = []\ndef f(x):\n    calls.append(x)\n    return len(calls)", "1"))
                .reason,
            Reason::kStateful);
  EXPECT_EQ(validation_check(
                candidate("def f(x, seen=[]):\n    seen.append(x)\n    return len(seen)", "1"))
                .reason,
            Reason::kStateful);
}

// Two calls agree, the third does not; and one that goes by the order in which inputs come.
TEST(Validation, FindsWhatShowsItselfLate) {
  EXPECT_EQ(
      validation_check(
          candidate("n = []\ndef f(x):\n    n.append(x)\n    return x if len(n) < 3 else x + 1",
                    "1"))
          .reason,
      Reason::kStateful);
}

// Sets and dictionaries are compared as values: their repr differs from run to run.
TEST(Validation, DoesNotCompareTexts) {
  const Validated set = validation_check(
      candidate("def f(x):\n    return {'alpha', 'beta', 'gamma', 'delta', x}", "'epsilon'"));
  EXPECT_EQ(set.reason, Reason::kValid) << set.detail;
  EXPECT_THAT(set.task.output, testing::StartsWith("{'"));
  EXPECT_EQ(reason("    return {k: 1 for k in {'a', 'b', 'c', 'd', 'e'}}"), Reason::kValid);
}

TEST(Validation, NanAgreesWithNan) {
  const Validated result =
      validation_check(candidate("def f(x):\n    return [x * 0.0, 1]", "float('inf')"));
  EXPECT_EQ(result.reason, Reason::kValid) << result.detail;
  EXPECT_EQ(result.task.output, "[nan, 1]");
}

TEST(Validation, AProgramCannotVouchForItself) {
  EXPECT_EQ(
      validation_check(
          candidate(
              "import itertools\nclass V:\n    def __eq__(self, other):\n        return True\n"
              "    def __repr__(self):\n        return '1'\ndef f(x):\n    return V()",
              "1"))
          .reason,
      Reason::kNotComparable);
}

TEST(Validation, ErrorTasksMustRaiseTheSameBuiltInException) {
  const auto error = [](const std::string& program, const std::string& input) {
    return validation_check(candidate(program, input, TaskType::kError));
  };
  const Validated result = error("def f(x):\n    return x[9]", "[1]");
  ASSERT_EQ(result.reason, Reason::kValid) << result.detail;
  EXPECT_EQ(result.task.output, "IndexError");
  EXPECT_EQ(error("def f(x):\n    return x", "1").reason, Reason::kRaised);
  EXPECT_EQ(error("class Odd(BaseException): pass\ndef f(x):\n    raise Odd()", "1").reason,
            Reason::kRaised);
  EXPECT_EQ(error("def f(x):\n    raise (ValueError if hash('ab') % 2 else KeyError)", "1").reason,
            Reason::kNotDeterministic);
  EXPECT_EQ(error("def f(x):\n    while True: pass", "1").reason, Reason::kTimeout);
}

TEST(Validation, ComposedProgramsUseAllTheirComponents) {
  Candidate one = candidate("def f(x):\n    return g_0(g_1(x))", "3");
  one.components = {"def g_0(x):\n    return x + 1", "def g_1(x):\n    return x * 10"};
  const Validated result = validation_check(one);
  ASSERT_EQ(result.reason, Reason::kValid) << result.detail;
  EXPECT_EQ(result.task.output, "31");
  EXPECT_EQ(result.task.components, 2);
  EXPECT_THAT(result.task.program, HasSubstr("def g_1"));
  one.task.program = "def f(x):\n    return g_0(x)";
  EXPECT_EQ(validation_check(one).reason, Reason::kUnusedComponent);
  one.task.program = "def g_1(x):\n    return x\ndef f(x):\n    return g_0(g_1(x))";
  EXPECT_EQ(validation_check(one).reason, Reason::kRedefinedComponent);
}

TEST(Validation, TakesAwayCommentsAndGlobalsIfAsked) {
  const Candidate one =
      candidate("SECRET = 5  # told\n\ndef f(x):\n    '''Doubles.'''\n    return x * 2", "2");
  EXPECT_THAT(validation_check(one).task.program, HasSubstr("told"));
  ProposalOptions options = validation_quick();
  options.strip_comments = true;
  EXPECT_THAT(validation_check(one, options).task.program, Not(HasSubstr("told")));
  EXPECT_THAT(validation_check(one, options).task.program, HasSubstr("SECRET"));
  options.strip_globals = true;
  const Validated bare = validation_check(one, options);
  ASSERT_EQ(bare.reason, Reason::kValid) << bare.detail;
  EXPECT_EQ(bare.task.program, "def f(x):\n    return x * 2");
  const Candidate needy = candidate("K = 3\ndef f(x):\n    return x * K", "2");
  EXPECT_EQ(validation_check(needy).reason, Reason::kValid);
  EXPECT_EQ(validation_check(needy, options).reason, Reason::kRaised);
}

}  // namespace
}  // namespace redqueen::code_tasks
