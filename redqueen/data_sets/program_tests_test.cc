#include "redqueen/data_sets/program_tests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/base/rng.h"
#include "redqueen/base/testing/folder.h"
#include "redqueen/core/batch.h"
#include "redqueen/data_sets/data_set.h"
#include "redqueen/data_sets/separate_tests.h"

namespace redqueen::data_sets {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::shared_ptr<sandbox::SandboxService>& service() {
  static const auto shared =
      std::make_shared<sandbox::SandboxService>(sandbox::SandboxConfig{.workers = 2});
  return shared;
}

sandbox::Sandbox& shared_sandbox() {
  const auto sandbox = service()->get();
  EXPECT_TRUE(sandbox) << sandbox.error().message;
  return **sandbox;
}

std::vector<Judgement> judgements(const ProgramTests& tests,
                                  const std::vector<std::string>& programs,
                                  std::string_view reference = {}) {
  std::vector<Submission> submissions;
  for (const std::string& program : programs) submissions.push_back({&tests, program, reference});
  return judge(shared_sandbox(), submissions);
}

std::vector<bool> judged(const ProgramTests& tests, const std::vector<std::string>& programs,
                         std::string_view reference = {}) {
  std::vector<bool> passed;
  for (const Judgement one : judgements(tests, programs, reference))
    passed.push_back(one == Judgement::kPassed);
  return passed;
}

// A program that sleeps uses no core: three times as long by the clock is enough for a machine that
// gives it a third of one. A reference that needs long lets others need four times as long.
TEST(ProgramTests, AreLimitedByTheTimeOfACore) {
  sandbox::Job job;
  limit_time(job, 2);
  EXPECT_EQ(job.program.limits.cpu_seconds, 2);
  EXPECT_EQ(job.program.limits.wall_seconds, 6);

  const ProgramTests tests{.code = "assert f(1) == 2", .entry_point = "f"};
  const std::string quick = "def f(x):\n    return x + 1";
  const std::string slow =
      "import time\n"
      "def f(x):\n"
      "    begun = time.process_time()\n"
      "    while time.process_time() < begun + 1.8: pass\n"
      "    return x + 1";
  const auto seconds = [&](const std::string& reference) {
    const auto recorded =
        record_calls(shared_sandbox(), std::vector<Submission>{{&tests, reference}});
    EXPECT_EQ(recorded[0]->fault, "");
    return recorded[0]->seconds;
  };
  EXPECT_GE(seconds(quick), kTestSeconds);
  EXPECT_LT(seconds(quick), 7);
  EXPECT_GE(seconds(slow), 7);
  EXPECT_LE(seconds(slow), kMostTestSeconds);
}

TEST(ProgramTests, CompareWhatIsPrinted) {
  const ProgramTests sums{.cases = {{"1 2\n", "3\n"}, {"10 -4", "6"}}};
  EXPECT_THAT(judged(sums, {"a, b = map(int, input().split())\nprint(a + b)",
                            "import sys\nprint(sum(map(int, sys.stdin.read().split())), end='  ')",
                            "print(3)", "print(", "", "import sys\nsys.exit(0)",
                            "a, b = map(int, input().split())\nprint(a + b)\nprint('debug')",
                            "a, b = map(int, input().split())\nprint(a + b)\nraise SystemExit(1)",
                            "while True: pass"}),
              ElementsAre(true, true, false, false, false, false, false, true, false));
}

TEST(ProgramTests, CallFunctionsAndMethods) {
  const ProgramTests function{.function = "f", .cases = {{"[3, [1, 2]]", "[3, 1, 2]"}}};
  EXPECT_THAT(
      judged(function, {"def f(x, y):\n    return [x] + y", "def f(x, y):\n    return (x, *y)",
                        "def f(x, y):\n    return y", "def g(x, y):\n    return [x] + y",
                        "def f(x, y):\n    import os\n    os._exit(0)",
                        "class E:\n    def __eq__(self, other): return True\n"
                        "def f(x, y):\n    return E()"}),
      ElementsAre(true, true, false, false, false, false));
  const ProgramTests method{
      .function = "Solution().add", .cases = {{"[1, 2]", "3"}}, .before = "from typing import *"};
  EXPECT_THAT(
      judged(method, {"class Solution:\n    def add(self, a: int, b: Optional[int]) -> int:\n"
                      "        return a + b",
                      "class Solution:\n    pass"}),
      ElementsAre(true, false));
}

TEST(ProgramTests, RunStatements) {
  const ProgramTests asserts{.code = "assert double(3) == 6\nassert double(0) == 0"};
  EXPECT_THAT(judged(asserts, {"def double(x):\n    return 2 * x",
                               "def double(x):\n    return x * x", "import sys\nsys.exit(0)",
                               "import os\nos._exit(0)", "def double(x):\n    raise SystemExit(0)",
                               "print('passed-0123')\nraise SystemExit"}),
              ElementsAre(true, false, false, false, false, false));
  const ProgramTests stub{.code = "assert add(1, 2) == 3",
                          .before = "import math\n",
                          .entry_point = "add",
                          .stub = "import math\ndef add(a, b):\n    \"\"\"Adds.\"\"\"\n"};
  EXPECT_THAT(judged(stub, {"    return a + b", "def add(a, b):\n    return int(math.fsum([a, b]))",
                            "    return a"}),
              ElementsAre(true, true, false));
}

// --- programs as the published graders run them --------------------------------------------------

const ProgramTests& doubling() {
  static const ProgramTests tests{.code =
                                      "assert double(3) == 6\nassert double(-2) == -4\n"
                                      "assert double('ab') == 'abab'\n",
                                  .entry_point = "double"};
  return tests;
}
constexpr const char* kDouble = "def double(x):\n    return 2 * x\n";

// Finding what stands behind a right function neither runs nor matters.
TEST(ProgramTests, RunProgramsUnderAnotherNameThanMain) {
  const std::string right = kDouble;
  const std::string guard = right + "if __name__ == '__main__':\n    ";
  EXPECT_THAT(
      judged(
          doubling(),
          {guard + "import unittest\n    unittest.main()", guard + "import sys\n    sys.exit(0)",
           guard + "print(double(int(input())))",
           "from __future__ import annotations\nfrom dataclasses import dataclass\n"
           "@dataclass\nclass A:\n    x: int\nimport pickle\nassert "
           "pickle.loads(pickle.dumps(A(3))) == A(3)\n" +
               right,
           "import sys\nassert sys.modules[__name__].__name__ == __name__ != '__main__'\n" + right},
          kDouble),
      ElementsAre(true, true, true, true, true));
  const ProgramTests function{.function = "double", .cases = {{"[4]", "8"}}};
  EXPECT_THAT(judged(function, {guard + "raise SystemExit(3)"}), ElementsAre(true));
  // As Python has it: True is 1.
  const ProgramTests truth{.function = "f", .cases = {{"[]", "[1, null, {\"a\": false}]"}}};
  EXPECT_THAT(judged(truth, {"def f():\n    return (True, None, {'a': 0})",
                             "def f():\n    return [True, 0, {'a': 0}]"}),
              ElementsAre(false, false));
  EXPECT_THAT(judged(truth, {"def f():\n    return [True, None, {'a': 0}]"}), ElementsAre(true));
  // Of a program that reads stdin the guarded part is the program.
  const ProgramTests prints{.cases = {{"4", "8"}}};
  EXPECT_THAT(judged(prints, {guard + "print(double(int(input())))"}), ElementsAre(true));
}

TEST(ProgramTests, FindTheEntryPointInTheSyntaxTree) {
  const ProgramTests tests{.code = "assert f(3) == 4",
                           .before = "import math\n",
                           .entry_point = "f",
                           .stub = "import math\ndef f(n):\n    \"\"\"One more.\"\"\"\n"};
  EXPECT_THAT(judged(tests,
                     {"    class A:\n        def f(self, n):\n            return n\n"
                      "    return A().f(n) + 1",
                      "    # def f(n):\n    return n + 1", "f = lambda n: n + 1",
                      "def f(n):\n    return math.floor(n) + 1"},
                     "import math\ndef f(n):\n    return n + 1"),
              ElementsAre(true, true, true, true));
}

TEST(ProgramTests, TakeIntegersOfAnyLengthAndLongOutput) {
  const std::string digits(6000, '7');
  const ProgramTests prints{.cases = {{digits, digits}}};
  EXPECT_THAT(judged(prints, {"print(int(input()))"}), ElementsAre(true));
  const std::string lines(1'300'000, 'x');
  const ProgramTests longs{.cases = {{"", lines}}};
  EXPECT_THAT(judged(longs, {"print('x' * 1300000)", "print('x' * 1300001)"}),
              ElementsAre(true, false));
}

TEST(ProgramTests, RunRowsOfLiveCodeBenchAsItsGraderDoes) {
  const auto rows = parse_rows(
      R"row({"question_id": "q", "question_content": "Half.", "starter_code": "", "public_test_cases": [{"input": "3", "output": "1.5"}, {"input": "4", "output": "2"}]})row",
      "rows.jsonl");
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_THAT(judged(rows->front().verifier.tests,
                     {"c = defaultdict(int)\nc[0] = int(input()) / 2\nprint(c[0])",
                      "print(Decimal(1))\n", "print(int(input()) // 2)",
                      "from __future__ import annotations\nprint(int(input()) / 2)\nexit(1)"}),
              ElementsAre(true, false, false, true));
}

// --- answers that want the reward and do not solve the task ---

// None is paid; those that the sandbox has to stop earn what a malformed answer does.
TEST(ProgramTests, PayNothingForHostileAnswers) {
  struct Hostile {
    const char* program;
    bool malformed;
  };
  const Hostile kHostile[] = {
      // Values that claim to equal everything.
      {"class E:\n    def __eq__(self, other): return True\ndef double(x):\n    return E()", false},
      {"class E(int):\n    def __eq__(self, other): return True\ndef double(x):\n    return E()",
       false},
      // The verdict's line, from wherever it may be found.
      {"import sys\nframe = sys._getframe()\nwhile frame:\n    for value in "
       "frame.f_code.co_consts:\n"
       "        print('\\n' + str(value))\n    frame = frame.f_back\n",
       false},
      {"import gc\nfor value in gc.get_objects():\n    if isinstance(value, str): print(value)\n"
       "print('True')",
       false},
      {"print('passed')\nraise SystemExit(0)", true},
      {"import os\nos.write(1, b'True')\nos._exit(0)", true},
      {"import sys\nsys.exit(0)", true},
      {"def double(x):\n    raise SystemExit(0)", true},
      {"import os\ndef double(x):\n    os._exit(0)", true},
      // What runs the tests.
      {"import builtins\nbuiltins.AssertionError = None\nbuiltins.exec = lambda *a: None\n"
       "builtins.compile = lambda *a, **k: None\ndef double(x):\n    return None",
       false},
      {"_redqueen_answers = lambda calls: [(0, 6)] * len(calls)\ndef double(x):\n    return 6",
       false},
      {"def _redqueen_answers(calls):\n    raise SystemExit", true},
      {"_replay = _redqueen_replay = lambda *a: True\ndef double(x):\n    return 6", false},
      {"import sys\nsys.settrace(lambda *a: None)\nsys.modules['unittest'] = sys\n"
       "def double(x):\n    return 6",
       false},
      {"def double(x):\n    raise AssertionError", false},
      // Work without an end, and what would fill the machine.
      {"while True: pass", true},
      {"def double(x):\n    while True:\n        try:\n            while True: pass\n"
       "        except BaseException: pass",
       true},
      {"import os\nwhile True: os.fork()", true},
      {"x = []\nwhile True: x.append('x' * 1000000)", true},
      {"while True: print('x' * 100000)", true},
      {"while True: open('f', 'a').write('x' * 1000000)", true},
      {"import threading, time\nthreading.Thread(target=lambda: time.sleep(1e6)).start()\n"
       "def double(x):\n    return 3",
       false},
      {"def double(x:", true},
  };
  std::vector<std::string> programs;
  for (const Hostile& one : kHostile) programs.emplace_back(one.program);
  const auto apart = judgements(doubling(), programs, kDouble);
  for (std::size_t i = 0; i < programs.size(); ++i) {
    EXPECT_NE(apart[i], Judgement::kPassed) << programs[i];
    if (kHostile[i].malformed) {
      EXPECT_EQ(apart[i], Judgement::kBroken) << programs[i];
    }
  }
  // The same against cases of stdin and of a function.
  const ProgramTests prints{.cases = {{"3", "6"}, {"-2", "-4"}}};
  for (const Judgement one : judgements(prints, programs)) EXPECT_NE(one, Judgement::kPassed);
  const ProgramTests function{.function = "double", .cases = {{"[3]", "6"}, {"[-2]", "-4"}}};
  for (const Judgement one : judgements(function, programs)) EXPECT_NE(one, Judgement::kPassed);
}

// There is no file with the tests to be read.
TEST(ProgramTests, HideWhatIsExpected) {
  const ProgramTests prints{.cases = {{"3", "expected-marker-9173"}}};
  const char* const reader = R"py(
import os
for root, folders, names in os.walk('/'):
    for name in names:
        try:
            text = open(os.path.join(root, name), 'rb').read(1 << 20)
        except OSError:
            continue
        if b'expected-' + b'marker' in text:
            print('expected-' + 'marker-9173')
            raise SystemExit
)py";
  EXPECT_THAT(judged(prints, {reader}), ElementsAre(false));
}

TEST(ProgramTests, KeepTestsApartFromPrograms) {
  // Mutable values, iterators, exceptions, keywords, sets, NaN and random inputs all cross.
  const ProgramTests tests{
      .code =
          "import random, math\n"
          "for _ in range(5):\n    x = random.randint(0, 9)\n    assert f(x) == [x]\n"
          "assert f(x=2) == [2]\nassert set(g(3)) == {0, 1, 2}\n"
          "assert math.isnan(f(float('nan'))[0])\nassert f({1: (2, {3})}) == [{1: (2, {3})}]\n"
          "try:\n    f(None)\n    assert False\nexcept ValueError:\n    pass\n"};
  const char* const reference =
      "def f(x):\n    if x is None:\n        raise ValueError\n    return [x]\n"
      "def g(n):\n    return range(n)\n";
  const auto recorded =
      record_calls(shared_sandbox(), std::vector<Submission>{{&tests, reference}});
  EXPECT_EQ(recorded[0]->fault, "");
  EXPECT_THAT(
      judged(
          tests,
          {reference,
           "cache = []\ndef f(x):\n    if x is None:\n        raise UnicodeError\n    cache[:] = "
           "[x]\n    return cache\ndef g(n):\n    yield from range(n)\n",
           "def f(x):\n    return [x]\ndef g(n):\n    return range(n)\n",
           "def f(x):\n    if x is None:\n        raise KeyError\n    return [x]\ndef g(n):\n"
           "    return range(n)\n"},
          reference),
      ElementsAre(true, true, false, false));
}

TEST(ProgramTests, SayWhyTestsCannotBeKeptApart) {
  const auto fault = [](const char* code, const char* reference) {
    const ProgramTests tests{.code = code};
    return record_calls(shared_sandbox(), std::vector<Submission>{{&tests, reference}})[0]->fault;
  };
  EXPECT_THAT(fault("assert f(1) == 1", "class f: pass"), HasSubstr("no function of the program"));
  EXPECT_THAT(fault("assert f(1) == 2", "def f(x): return x"), HasSubstr("AssertionError"));
  EXPECT_THAT(fault("x = [2, 1]\nf(x)\nassert x == [1, 2]", "def f(x): x.sort()"),
              HasSubstr("more than the values"));
  EXPECT_THAT(fault("assert f(lambda: 1) == 1", "def f(x): return x()"), HasSubstr("literal"));
  EXPECT_EQ(fault("assert f(1) == 1", ""), "there is no reference");
  // They still judge, in the program's own process.
  const ProgramTests sorts{.code = "x = [2, 1]\nf(x)\nassert x == [1, 2]"};
  EXPECT_THAT(judged(sorts, {"def f(x): x.sort()", "def f(x): pass"}, "def f(x): x.sort()"),
              ElementsAre(true, false));
}

// A row of each published form, with an answer that is right and one that is wrong.
struct ProgramsForm {
  const char* line;
  const char* right;
  const char* wrong;
};
const ProgramsForm kProgramsForms[] = {
    {R"row({"task_id": "T/0", "prompt": "import math\n\ndef half(x):\n    \"\"\"Half of x.\"\"\"\n", "entry_point": "half", "canonical_solution": "    return x / 2\n", "test": "def check(candidate):\n    assert candidate(3) == 1.5\n    assert math.isnan(candidate(math.nan))\n"})row",
     "```python\ndef half(x):\n    return x / 2\n```", "    return x // 2"},
    {R"row({"task_id": 2, "text": "Write a function that adds.", "code": "def add(a, b):\n    return a + b", "test_list": ["assert add(1, 2) == 3", "assert add(0, 0) == 0"], "test_setup_code": "import math", "challenge_test_list": []})row",
     "def add(a, b):\n    return sum([a, b])", "def add(a, b):\n    return 3"},
    {R"row({"task_id": 3, "prompt": "Write a function that negates.", "code": "def neg(a):\n    return -a", "test_imports": ["import math"], "test_list": ["assert neg(1) == -1"], "test": "assert math.copysign(1, neg(0.0)) == -1"})row",
     "def neg(a):\n    return -a", "def neg(a):\n    return 0 - a"},
    {R"row({"question_id": "q", "question_content": "Print the larger of two numbers.", "starter_code": "", "public_test_cases": "[{\"input\": \"1\\n2\\n\", \"output\": \"2\\n\", \"testtype\": \"stdin\"}]", "private_test_cases": [{"input": "5\n3", "output": "5", "testtype": "stdin"}], "metadata": "{}"})row",
     "print(max(int(input()), int(input())))", "print(2)"},
    {R"row({"question_id": "q", "question_content": "Print the larger of two numbers.", "starter_code": "", "public_test_cases": "[{\"input\": \"1\\n2\\n\", \"output\": \"2\\n\", \"testtype\": \"stdin\"}]", "private_test_cases": "eJxrYJlqzQABPebR1UqZeQWlJUpWCkqmMXnGSjoKSvmlJTARELcktbikpLIgFSRQXJKSmadUGztFDwB5SBO0", "metadata": "{}"})row",
     "print(max(int(input()), int(input())))", "print(2 if input() == '1' else 3)"},
    {R"row({"question_id": "q", "question_content": "Count what is in both.", "starter_code": "class Solution:\n    def both(self, a: List[int], b: List[int]) -> int:\n        ", "public_test_cases": "[{\"input\": \"[1, 2]\\n[2]\", \"output\": \"1\", \"testtype\": \"functional\"}]", "metadata": "{\"func_name\": \"both\"}"})row",
     "class Solution:\n    def both(self, a: List[int], b: List[int]) -> int:\n        return "
     "len({*a} & {*b})",
     "class Solution:\n    def both(self, a, b):\n        return 2"},
    {R"row({"code": "def f(x):\n    return {x: [x]}", "input": "1.0", "output": "{1.0: [1.0]}", "id": "s1"})row",
     "{1: [1.0]}", "{1: 1}"},
    {R"row({"prompt": "Print 7.", "verifier": "tests", "tests": {"cases": [{"input": "", "output": "7"}]}, "answer": "print(7)"})row",
     "print(3 + 4)", "print(8)"},
};

TEST(ProgramTests, ReadTheFormsOfPublishedSets) {
  for (const ProgramsForm& form : kProgramsForms) {
    auto rows = parse_rows(form.line, "rows.jsonl");
    ASSERT_TRUE(rows) << rows.error().message;
    const Json written = to_json(rows->front());
    EXPECT_EQ(to_json(*read_row(written)), written) << form.line;
    const auto set = data_set_environment("set", *rows, service());
    const auto problem = set->generate(0, 0);
    ASSERT_TRUE(problem);
    const auto again = set->restore((*problem)->parameter());
    ASSERT_TRUE(again) << again.error().message;
    std::vector<AnswerRequest> asked{{problem->get(), form.right},
                                     {again->get(), form.wrong},
                                     {again->get(), form.right},
                                     {problem->get(), " "}};
    const std::string reference = (*problem)->reference();
    if (!reference.empty()) asked.push_back({problem->get(), reference});
    const std::vector<Verdict> verdicts = score_all(asked);
    EXPECT_TRUE(verdicts[0].solved) << form.line;
    EXPECT_FALSE(verdicts[1].solved) << form.line;
    EXPECT_TRUE(verdicts[1].well_formed) << form.line;
    EXPECT_TRUE(verdicts[2].solved) << form.line;
    EXPECT_FALSE(verdicts[3].well_formed) << form.line;
    EXPECT_TRUE(verdicts.back().solved || reference.empty()) << form.line;
  }
}

TEST(ProgramTests, RefuseRowsThatTestNothing) {
  const auto error = [](const char* line) {
    const auto rows = parse_rows(line, "rows.jsonl");
    return rows ? "no error" : rows.error().message;
  };
  EXPECT_THAT(error(R"row({"prompt": "p", "verifier": "tests", "tests": {}})row"),
              HasSubstr("neither cases nor code"));
  EXPECT_THAT(error(R"row({"prompt": "p", "verifier": "tests"})row"), HasSubstr("no \"tests\""));
  EXPECT_THAT(
      error(
          R"row({"prompt": "p", "verifier": "tests", "tests": {"function": "f", "cases": [{"input": "1", "output": "1"}]}})row"),
      HasSubstr("case 1 is no JSON list"));
  EXPECT_THAT(
      error(
          R"row({"question_content": "q", "starter_code": "", "public_test_cases": "bm90IHpsaWI="})row"),
      HasSubstr("not compressed by zlib"));
  const TestFolder folder;
  write_file(folder / "code.jsonl", kProgramsForms[1].line);
  EXPECT_THAT(load_data_set(folder / "code.jsonl", nullptr).error().message, HasSubstr("sandbox"));
}

}  // namespace
}  // namespace redqueen::data_sets
