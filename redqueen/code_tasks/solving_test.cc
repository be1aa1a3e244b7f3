#include "redqueen/code_tasks/solving.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/base/rng.h"
#include "redqueen/sandbox/testing/sandbox.h"

namespace redqueen::code_tasks {
namespace {

SolvingOptions solving_quick() {
  SolvingOptions options;
  options.limits.cpu_seconds = 1.0;
  return options;
}

AnswerVerdict solving_check(const CodeTask& task, std::string_view answer,
                            const SolvingOptions& options = solving_quick()) {
  return check_answers(sandbox::shared_sandbox(), std::array{AnswerCheck{&task, answer}},
                       options)[0];
}

CodeTask deduction(std::string output) {
  return {.type = TaskType::kDeduction,
          .program = "def f(x):\n    return x",
          .input = output,
          .output = output};
}

CodeTask abduction() {
  return {.type = TaskType::kAbduction,
          .program = "def f(x, n=1):\n    return sorted(x)[:n]",
          .input = "[3, 1]",
          .output = "[1]"};
}

CodeTask induction() {
  CodeTask task{.type = TaskType::kInduction,
                .program = "def f(x):\n    return x * 2 + (100 if x > 7 else 0)",
                .message = "double"};
  for (int x = 0; x < 10; ++x)
    task.pairs.push_back({fmt::format("{}", x), fmt::format("{}", x * 2 + (x > 7 ? 100 : 0))});
  return task;
}

TEST(Solving, DeductionComparesValues) {
  EXPECT_TRUE(solving_check(deduction("[1, 2]"), "[1,2]").solved);
  EXPECT_TRUE(solving_check(deduction("{'a': 1, 'b': 2}"), "{'b': 2, 'a': 1}").solved);
  EXPECT_TRUE(solving_check(deduction("{1, 2}"), "{2, 1}").solved);
  EXPECT_TRUE(solving_check(deduction("'it\\'s'"), "\"it's\"").solved);
  const AnswerVerdict wrong = solving_check(deduction("[1, 2]"), "[2, 1]");
  EXPECT_FALSE(wrong.solved);
  EXPECT_EQ(wrong.verdict().reward, -0.5);
  EXPECT_EQ(wrong.reason, Reason::kWrong);
}

// eval() in the trainer would accept these, or do worse.
TEST(Solving, AnExpressionIsNoAnswer) {
  for (const char* answer :
       {"f(3)", "int('3')", "1 + 2", "len([0, 0, 0])", "__import__('os').getpid() * 0 + 3", "x",
        "sum(range(3))", "(lambda: 3)()", "exec('import os')", "3 if True else 4"}) {
    const AnswerVerdict verdict = solving_check(deduction("3"), answer);
    EXPECT_FALSE(verdict.solved) << answer;
    EXPECT_EQ(verdict.reason, Reason::kNotLiteral) << answer;
    EXPECT_EQ(verdict.verdict().reward, -1.0) << answer;
  }
}

TEST(Solving, TypesMatterOnlyIfAsked) {
  SolvingOptions strict = solving_quick();
  strict.strict_types = true;
  for (const char* answer : {"True", "1.0"}) {
    EXPECT_TRUE(solving_check(deduction("1"), answer).solved) << answer;
    EXPECT_FALSE(solving_check(deduction("1"), answer, strict).solved) << answer;
  }
  EXPECT_TRUE(solving_check(deduction("1"), "1", strict).solved);
}

TEST(Solving, NanIsMatchedByNan) {
  EXPECT_TRUE(solving_check(deduction("nan"), "nan").solved);
  EXPECT_TRUE(solving_check(deduction("[nan, 1]"), "[float('nan'), 1]").solved);
  EXPECT_FALSE(solving_check(deduction("nan"), "0").solved);
}

TEST(Solving, AbductionTakesAnyInputThatGivesTheOutput) {
  for (const char* answer : {"[3, 1]", "[1]", "(9, 1, 5), 1", "x=[1, 2]", "f([2, 1])"})
    EXPECT_TRUE(solving_check(abduction(), answer).solved) << answer;
  EXPECT_EQ(solving_check(abduction(), "[2]").reason, Reason::kWrong);
  EXPECT_EQ(solving_check(abduction(), "3").reason, Reason::kRaised);
  EXPECT_TRUE(solving_check(abduction(), "3").well_formed);
  EXPECT_EQ(solving_check(abduction(), "sorted([1])").reason, Reason::kNotLiteral);
  EXPECT_EQ(solving_check(abduction(), "[1]) or f([2]").reason, Reason::kNotLiteral);
  EXPECT_EQ(solving_check(abduction(), "").reason, Reason::kNoInput);
}

// The program keeps count of its calls. It is valid, since it behaves for as long as validation
// asks; what it makes of later calls would decide who solves its task, if answers shared a process.
TEST(Solving, AProgramThatCountsItsCallsDecidesNothing) {
  const CodeTask task{
      .type = TaskType::kAbduction,
      .program = "n = []\ndef f(x):\n    n.append(x)\n    return 2 * x if len(n) < 8 else 6",
      .input = "3",
      .output = "6"};
  std::vector<AnswerCheck> checks;
  const std::vector<std::string> answers = {"99", "7", "5", "100", "3", "0", "8", "11", "12", "3"};
  for (const std::string& answer : answers) checks.push_back({&task, answer});
  const auto verdicts = check_answers(sandbox::shared_sandbox(), checks, solving_quick());
  for (std::size_t i = 0; i < answers.size(); ++i) {
    EXPECT_EQ(verdicts[i].solved, answers[i] == "3") << i << ": " << answers[i];
  }
}

TEST(Solving, InductionIsGradedOnHiddenPairs) {
  const std::string right = "def f(x):\n    return x * 2 + (100 if x > 7 else 0)";
  const std::string partly = "def f(x):\n    return x * 2";              // right for 5, 6, 7
  const std::string table = "def f(x):\n    return [0, 2, 4, 6, 8][x]";  // the shown pairs only
  SolvingOptions options = solving_quick();
  EXPECT_TRUE(solving_check(induction(), right, options).solved);
  EXPECT_EQ(solving_check(induction(), partly, options).grade, 0);
  EXPECT_EQ(solving_check(induction(), table, options).reason, Reason::kRaised);
  options.grading = InductionGrading::kFraction;
  EXPECT_DOUBLE_EQ(solving_check(induction(), partly, options).grade, 0.6);
  EXPECT_FALSE(solving_check(induction(), partly, options).solved);
  EXPECT_EQ(solving_check(induction(), table, options).grade, 0);
  options.grading = InductionGrading::kAny;
  EXPECT_EQ(solving_check(induction(), partly, options).grade, 1);
  EXPECT_EQ(solving_check(induction(), table, options).grade, 0);
}

TEST(Solving, HostileProgramsAreWrongAnswers) {
  EXPECT_EQ(solving_check(induction(), "def f(x) return").reason, Reason::kSyntax);
  EXPECT_FALSE(solving_check(induction(), "def f(x) return").well_formed);
  EXPECT_EQ(solving_check(induction(), "no code").reason, Reason::kNoProgram);
  EXPECT_EQ(solving_check(induction(), "import random\ndef f(x):\n    return x").reason,
            Reason::kBanned);
  EXPECT_FALSE(solving_check(induction(),
                             "class Yes(int):\n    def __eq__(s, o): return True\n    "
                             "__hash__ = int.__hash__\ndef f(x):\n    return Yes(1)")
                   .solved);
  CodeTask quick_task = induction();
  quick_task.pairs.resize(2);
  EXPECT_EQ(solving_check(quick_task, "def f(x):\n    while True: pass").reason, Reason::kTimeout);
}

TEST(Solving, ErrorsAreNamed) {
  CodeTask task{.type = TaskType::kError,
                .program = "def f(x):\n    return x[0]",
                .input = "[]",
                .output = "IndexError"};
  EXPECT_TRUE(solving_check(task, "IndexError: list index out of range").solved);
  EXPECT_FALSE(solving_check(task, "KeyError").solved);
  EXPECT_TRUE(solving_check(task, "KeyError").well_formed);
  EXPECT_FALSE(solving_check(task, "").well_formed);
}

TEST(Solving, ManyAtOnceGiveWhatOneAtATimeGives) {
  const std::vector<CodeTask> tasks{deduction("3"), abduction(), induction(), deduction("'3'"),
                                    abduction()};
  const std::vector<std::string> answers{
      "3", "'3'", "[1]", "[9, 1, 2]", "nonsense (", "def f(x):\n    return x * 2", "", "[1], n=1"};
  std::vector<AnswerCheck> checks;
  for (const std::string& answer : answers) {
    for (const CodeTask& task : tasks) checks.push_back({&task, answer});
  }
  const std::vector<AnswerVerdict> verdicts =
      check_answers(sandbox::shared_sandbox(), checks, solving_quick());
  for (std::size_t i = 0; i < checks.size(); ++i) {
    const AnswerVerdict alone = solving_check(*checks[i].task, checks[i].answer);
    EXPECT_EQ(verdicts[i].reason, alone.reason) << checks[i].answer;
    EXPECT_EQ(verdicts[i].grade, alone.grade) << checks[i].answer;
  }
}

TEST(Solving, TakesAnyBytes) {
  Rng rng({.purpose = hash_name("hostile answers")});
  const std::vector<CodeTask> tasks{deduction("3"), abduction(), induction()};
  std::vector<std::string> answers;
  for (int i = 0; i < 60; ++i) {
    std::string text;
    for (std::uint64_t k = rng.below(30); k > 0; --k) text += static_cast<char>(rng.below(256));
    answers.push_back(text);
  }
  std::vector<AnswerCheck> checks;
  for (const std::string& answer : answers) {
    for (const CodeTask& task : tasks) checks.push_back({&task, answer});
  }
  for (const AnswerVerdict& verdict :
       check_answers(sandbox::shared_sandbox(), checks, solving_quick()))
    EXPECT_FALSE(verdict.solved);
}

// Values as Python prints them, of every kind that has a canonical form. What print() shows must be
// right as an answer, and the print of another value wrong.
TEST(Solving, TakesWhatPythonPrints) {
  const std::string before =
      "from collections import *\nfrom fractions import Fraction\nfrom decimal import Decimal\n"
      "from typing import NamedTuple\nP = namedtuple('P', 'a b')\n"
      "class Q(NamedTuple):\n    x: int\n    y: list\n"
      "class D(dict):\n    pass\n";
  const std::vector<std::pair<const char*, const char*>> values{
      {"P(3, 2)", "P(2, 3)"},
      {"[P(3, (1, 'a')), None]", "[P(3, (1, 'b')), None]"},
      {"Q(1, [P(1, 2)])", "Q(1, [P(1, 3)])"},
      {"defaultdict(int, {1: 2})", "defaultdict(int, {1: 3})"},
      {"defaultdict(list, {'a': [1]})", "defaultdict(list, {'a': [2]})"},
      {"defaultdict(lambda: 0, {1: 2})", "defaultdict(lambda: 0, {2: 2})"},
      {"defaultdict(int)", "defaultdict(int, {0: 0})"},
      {"{'k': defaultdict(set, {1: {2}})}", "{'k': defaultdict(set, {1: {3}})}"},
      {"Counter('aab')", "Counter('abb')"},
      {"Counter()", "Counter('a')"},
      {"OrderedDict([('a', 1), ('b', 2)])", "OrderedDict([('a', 1), ('b', 3)])"},
      {"deque([1, 2])", "deque([2, 1])"},
      {"deque([1, 2], maxlen=3)", "deque([1, 3], maxlen=3)"},
      {"Fraction(1, 2)", "Fraction(1, 3)"},
      {"Decimal('1.50')", "Decimal('1.51')"},
      {"1 - 2j", "1 + 2j"},
      {"float('inf')", "float('-inf')"},
      {"[float('nan'), 1]", "[float('nan'), 2]"},
      {"{1, 2}", "{1, 3}"},
      {"set()", "{1}"},
      {"frozenset({1})", "frozenset({2})"},
      {"b'a\\x00'", "b'a'"},
      {"bytearray(b'ab')", "bytearray(b'ac')"},
      {"range(3)", "range(4)"},
      {"1e16", "1e17"},
      {"-0.5", "0.5"},
      {"10 ** 40", "10 ** 41"},
      {"{(1, 'a'): [True, None]}", "{(1, 'a'): [False, None]}"},
      {"D(a=1)", "D(a=2)"},
      {"'it\\'s \"so\"'", "'its'"},
      {"'defaultdict(<class \\'int\\'>, {})'", "'defaultdict({})'"},
      {"(1,)", "(2,)"},
  };
  for (const auto& [value, other] : values) {
    const Validated result =
        validate(sandbox::shared_sandbox(),
                 std::array{Candidate{
                     .task = {.program = fmt::format("{}def f(x):\n    return {}", before, value),
                              .input = "1"},
                     .components = {}}})[0];
    ASSERT_EQ(result.reason, Reason::kValid) << value << ": " << result.detail;
    const auto printed = [&](std::string_view expression) {
      sandbox::Program program = sandbox::open_program(before);
      program.hash_seed = 3;
      program.preludes = {};
      return sandbox::shared_sandbox()
          .run(sandbox::Job{program,
                            {sandbox::Call::expression(fmt::format("repr({})", expression))}})
          .json;
    };
    for (const auto& [expression, right] : {std::pair{value, true}, std::pair{other, false}}) {
      const std::string answer = parse_json(printed(expression)).value().get<std::string>();
      const AnswerVerdict verdict = check_answers(sandbox::shared_sandbox(),
                                                  std::array{AnswerCheck{&result.task, answer}})[0];
      EXPECT_EQ(verdict.solved, right) << answer << " for " << result.task.output;
      EXPECT_TRUE(verdict.well_formed) << answer;
    }
  }
}

// What looks like a printed value and would compute something is none.
TEST(Solving, TakesNoCallForAPrintedValue) {
  const CodeTask task{.program = "def f(x):\n    return 3", .input = "1", .output = "3"};
  for (const char* answer :
       {"int(x='3')", "P(a=f(1))", "len([1, 2, 3])", "dict(a=1)['a']", "P(**{'a': 3})",
        "defaultdict(<class 'int'>, {1: f(1)})", "deque([1], maxlen=len('a'))", "P(a=1+2)"}) {
    const AnswerVerdict verdict =
        check_answers(sandbox::shared_sandbox(), std::array{AnswerCheck{&task, answer}})[0];
    EXPECT_FALSE(verdict.solved) << answer;
  }
}

// The runs of an abduction answer differ: neither right nor wrong is true of it.
TEST(Solving, AnAnswerWhoseRunsDifferIsNone) {
  const CodeTask task{.type = TaskType::kAbduction,
                      .program = "def f(x):\n    return 1 if x == 7 else hash(str(x))",
                      .input = "7",
                      .output = "1"};
  const auto reason = [&](const char* answer) {
    return check_answers(sandbox::shared_sandbox(), std::array{AnswerCheck{&task, answer}})[0]
        .reason;
  };
  EXPECT_EQ(reason("7"), Reason::kValid);
  EXPECT_EQ(reason("8"), Reason::kNotDeterministic);
}

}  // namespace
}  // namespace redqueen::code_tasks
