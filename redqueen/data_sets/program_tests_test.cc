#include "redqueen/data_sets/program_tests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/base/rng.h"
#include "redqueen/base/testing/folder.h"
#include "redqueen/core/batch.h"
#include "redqueen/data_sets/data_set.h"

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
