// What callers rely on: statuses, values, texts, comparison, sessions and batches.
#include "redqueen/sandbox/sandbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include <cmath>

#include <nlohmann/json.hpp>

#include "redqueen/base/rng.h"
#include "redqueen/sandbox/testing/sandbox.h"

namespace redqueen::sandbox {
namespace {

using ::testing::HasSubstr;

Outcome run_program(const std::string& source, const std::string& input = "") {
  Program program = open_program(source);
  program.input = input;
  return shared_sandbox().run(Job{program, {}});
}

TEST(SandboxRun, ReadsStdinAndWritesStdout) {
  const Outcome outcome = run_program(
      "import sys\nn = int(input())\nprint(n * 2)\nprint(sys.stdin.read().upper(), end='')\n"
      "print('warning', file=sys.stderr)",
      "21\nabc\ndef");
  EXPECT_EQ(outcome.status, OutcomeStatus::kOk) << outcome.message;
  EXPECT_EQ(outcome.out, "42\nABC\nDEF");
  EXPECT_EQ(outcome.err, "warning\n");
}

TEST(SandboxRun, ReadsStdinAsAFile) {
  EXPECT_EQ(run_program("print(open(0).read())", "né\n").out, "né\n\n");
}

TEST(SandboxRun, DoesNotPassStdinOn) {
  EXPECT_EQ(run_program("x = 1", "left over").status, OutcomeStatus::kOk);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(run_program("print(repr(open(0).read()))").out, "''\n");
}

TEST(SandboxRun, EndsWellOnExitWithoutError) {
  EXPECT_EQ(run_program("print(1)\nexit()").status, OutcomeStatus::kOk);
  EXPECT_EQ(run_program("import sys\nsys.exit(0)").status, OutcomeStatus::kOk);
  const Outcome failed = run_program("import sys\nsys.exit(3)");
  EXPECT_EQ(failed.status, OutcomeStatus::kError);
  EXPECT_EQ(failed.exception, "SystemExit");
}

TEST(SandboxRun, NamesTheLineOfAnError) {
  const Outcome outcome =
      run_program("def g(x):\n    return 1 // x\n\ndef f(x):\n    return g(x)\n\nf(0)\n");
  EXPECT_EQ(outcome.exception, "ZeroDivisionError");
  EXPECT_EQ(outcome.line, 2);
  EXPECT_EQ(outcome.traceback, "line 7, in <module>\nline 5, in f\nline 2, in g\n");
}

TEST(SandboxRun, LeavesLibraryFramesOutOfTracebacks) {
  const Outcome outcome = run_program("import json\njson.loads('{')");
  EXPECT_EQ(outcome.exception, "JSONDecodeError");
  EXPECT_EQ(outcome.traceback, "line 2, in <module>\n");
}

TEST(SandboxRun, NamesTheLineOfASyntaxError) {
  const Outcome outcome = run_program("x = 1\ny = = 2\n");
  EXPECT_EQ(outcome.exception, "SyntaxError");
  EXPECT_EQ(outcome.line, 2);
}

TEST(SandboxRun, NamesTheLineOfARefusal) {
  Program program;
  program.source = "import math\n\nimport socket\n";
  const Outcome outcome = shared_sandbox().run(Job{program, {}});
  EXPECT_EQ(outcome.status, OutcomeStatus::kRefused);
  EXPECT_EQ(outcome.line, 3);
  EXPECT_THAT(outcome.message, HasSubstr("socket"));
}

TEST(SandboxRun, KeepsWhatWasPrintedBeforeATimeout) {
  Program program = open_program("print('before', flush=True)\nwhile True: pass");
  program.limits.wall_seconds = 2;
  const Outcome outcome = shared_sandbox().run(Job{program, {}});
  EXPECT_EQ(outcome.status, OutcomeStatus::kTimeout);
  EXPECT_EQ(outcome.out, "before\n");
  EXPECT_GE(outcome.wall_seconds, 2);
}

TEST(SandboxRun, GivesNoTimeWhereTheLimitIsNone) {
  for (const double none : {0.0, -1.0, std::nan("")}) {
    Job job{open_program(""), {}};
    job.program.limits.wall_seconds = none;
    EXPECT_EQ(shared_sandbox().run(job).status, OutcomeStatus::kTimeout) << none;
    EXPECT_FALSE(shared_sandbox().open(job.program).alive());
  }
}

TEST(SandboxRun, AllowsOutputUpToTheLimit) {
  Program program = open_program("print('x' * 999)");
  program.limits.output_bytes = 1000;
  EXPECT_EQ(shared_sandbox().run(Job{program, {}}).status, OutcomeStatus::kOk);
  program.source = "print('x' * 1000)";
  const Outcome outcome = shared_sandbox().run(Job{program, {}});
  EXPECT_EQ(outcome.status, OutcomeStatus::kOutputLimit);
  EXPECT_EQ(outcome.out.size(), 1000U);
}

TEST(SandboxRun, HonoursTheMemoryLimit) {
  Program program = open_program("x = bytearray(100 << 20)");
  program.limits.memory_bytes = 200U << 20;
  EXPECT_EQ(shared_sandbox().run(Job{program, {}}).status, OutcomeStatus::kOk);
  program.limits.memory_bytes = 50U << 20;
  EXPECT_EQ(shared_sandbox().run(Job{program, {}}).status, OutcomeStatus::kMemory);
}

TEST(SandboxRun, HonoursTheRecursionLimit) {
  Program program = open_program("def f(n):\n    return 0 if n == 0 else 1 + f(n - 1)");
  const std::vector<Call> call = {Call::expression("f(3000)")};
  EXPECT_EQ(shared_sandbox().run(Job{program, call}).exception, "RecursionError");
  program.limits.recursion = 5000;
  EXPECT_EQ(shared_sandbox().run(Job{program, call}).value, "3000");
}

TEST(SandboxRun, MeasuresMemoryAndTime) {
  const Outcome small = evaluate("0");
  const Outcome large = evaluate("len(bytearray(b'x') * (64 << 20))");
  EXPECT_GT(large.peak_bytes, small.peak_bytes + (60U << 20));
  EXPECT_GE(evaluate("sum(range(3_000_000))").cpu_seconds, 1e-4);
}

TEST(SandboxRun, GivesEachJobItsHashSeed) {
  Program program;
  const std::vector<Call> call = {Call::expression("hash('redqueen')")};
  std::vector<std::string> hashes;
  for (const std::uint64_t seed : {0, 1, 2, 1, 0}) {
    program.hash_seed = seed;
    hashes.push_back(shared_sandbox().run(Job{program, call}).value);
  }
  EXPECT_EQ(hashes[0], hashes[4]);
  EXPECT_EQ(hashes[1], hashes[3]);
  EXPECT_NE(hashes[0], hashes[1]);
  EXPECT_NE(hashes[1], hashes[2]);
}

TEST(SandboxRun, KeepsTheOrderOfManyJobs) {
  std::vector<Job> jobs;
  for (int i = 0; i < 40; ++i) {
    jobs.push_back({open_program(""), {Call::expression(std::to_string(i))}});
  }
  const auto outcomes = shared_sandbox().run_many(jobs);
  ASSERT_EQ(outcomes.size(), jobs.size());
  for (int i = 0; i < 40; ++i)
    EXPECT_EQ(outcomes[static_cast<std::size_t>(i)].value, std::to_string(i));
}

// --- values -------------------------------------------------------------------------------------

struct ValueCase {
  const char* name;
  const char* expression;
  const char* value;  // null: the same text
  const char* json;
};

class Values : public ::testing::TestWithParam<ValueCase> {};

TEST_P(Values, HaveTexts) {
  const ValueCase& c = GetParam();
  const Outcome outcome = evaluate("import collections, fractions, decimal, enum", c.expression);
  ASSERT_EQ(outcome.status, OutcomeStatus::kOk) << outcome.message;
  EXPECT_EQ(outcome.value, c.value != nullptr ? c.value : c.expression);
  EXPECT_EQ(outcome.json, c.json);
}

INSTANTIATE_TEST_SUITE_P(
    All, Values,
    ::testing::Values(
        ValueCase{"none", "None", nullptr, "null"}, ValueCase{"truth", "True", nullptr, "true"},
        ValueCase{"integer", "-17", nullptr, "-17"},
        ValueCase{"big_integer", "10**30", "1000000000000000000000000000000",
                  "1000000000000000000000000000000"},
        ValueCase{"real", "0.1", nullptr, "0.1"}, ValueCase{"tiny", "1e-300", nullptr, "1e-300"},
        ValueCase{"nan", "float('nan')", "nan", ""},
        ValueCase{"infinity", "-float('inf')", "-inf", ""},
        ValueCase{"complex_number", "1 + 2j", "(1+2j)", ""},
        ValueCase{"text", "'a\"b\\n\\u00e9'", "'a\"b\\né'", "\"a\\\"b\\u000aé\""},
        ValueCase{"surrogate", "'\\ud800'", nullptr, ""},
        ValueCase{"bytes", "b'\\x00a'", nullptr, ""},
        ValueCase{"bytearray", "bytearray(b'x')", nullptr, ""},
        ValueCase{"list", "[1, [2, []], 'x']", nullptr, "[1,[2,[]],\"x\"]"},
        ValueCase{"tuple", "(1,)", nullptr, "[1]"}, ValueCase{"empty_tuple", "()", nullptr, "[]"},
        ValueCase{"dict", "{'b': 1, 'a': {}}", nullptr, "{\"b\":1,\"a\":{}}"},
        ValueCase{"dict_of_integers", "{1: 2}", nullptr, ""}, ValueCase{"set", "{3}", nullptr, ""},
        ValueCase{"empty_set", "set()", nullptr, ""},
        ValueCase{"frozenset", "frozenset({1})", nullptr, ""},
        ValueCase{"range", "range(1, 5)", nullptr, ""},
        ValueCase{"ellipsis", "...", "Ellipsis", ""},
        ValueCase{"counter", "collections.Counter('aab')", "Counter({'a': 2, 'b': 1})", ""},
        ValueCase{"deque", "collections.deque([1])", "deque([1])", ""},
        ValueCase{"fraction", "fractions.Fraction(1, 3)", "Fraction(1, 3)", ""},
        ValueCase{"function", "len", "<built-in function len>", ""}),
    [](const auto& info) { return info.param.name; });

TEST(SandboxValues, WriteHugeIntegersInHexadecimal) {
  const Outcome outcome = evaluate("16**5000");
  EXPECT_EQ(outcome.value, "0x1" + std::string(5000, '0'));
  EXPECT_EQ(outcome.json, "");
  EXPECT_EQ(shared_sandbox().compare(outcome.canonical, outcome.value), Equality::kEqual);
  EXPECT_EQ(evaluate("10**4299").value, "1" + std::string(4299, '0'));
}

TEST(SandboxValues, DescribeNestingToAThousandLevels) {
  const std::string nest =
      "def f(n):\n    x = 1\n    for _ in range(n):\n        x = [x]\n    return x";
  EXPECT_EQ(evaluate(nest, "f(900)").value, std::string(900, '[') + "1" + std::string(900, ']'));
  const Outcome deep = evaluate(nest, "f(1500)");
  EXPECT_EQ(deep.status, OutcomeStatus::kError);
  EXPECT_EQ(deep.exception, "RecursionError");
}

// --- calls --------------------------------------------------------------------------------------

TEST(SandboxCalls, TakeArgumentsInThreeForms) {
  const Program program = open_program("def f(*a, **k):\n    return a, sorted(k.items())\nn = 5");
  const auto call = [&](const Call& c) { return shared_sandbox().run(Job{program, {c}}); };
  EXPECT_EQ(call(Call::python("f", "n, *[2], k=n")).value, "((5, 2), [('k', 5)])");
  EXPECT_EQ(call(Call::literal("f", "[1, -2.5], {'a': {1}}, k=(1,)")).value,
            "(([1, -2.5], {'a': {1}}), [('k', (1,))])");
  EXPECT_EQ(call(Call::json("f", "[1, [null, true], {\"a\": 0.5}]")).value,
            "((1, [None, True], {'a': 0.5}), [])");
  EXPECT_EQ(call(Call::literal("f", "")).value, "((), [])");
  EXPECT_EQ(call(Call::literal("f", "1 # end")).value, "((1,), [])");
}

TEST(SandboxCalls, RefuseWhatIsNoArgumentList) {
  const Program program = open_program("def f(*a):\n    return 0\ng = f");
  const auto exception = [&](const Call& c) {
    return shared_sandbox().run(Job{program, {c}}).exception;
  };
  EXPECT_EQ(exception(Call::python("f", "1) or (2")), "ValueError");
  EXPECT_EQ(exception(Call::python("f", "1)(2")), "ValueError");
  EXPECT_EQ(exception(Call::literal("f", "f")), "ValueError");
  EXPECT_EQ(exception(Call::literal("f", "**{}")), "ValueError");
  EXPECT_EQ(exception(Call::json("f", "{}")), "ValueError");
  EXPECT_EQ(exception(Call::json("f", "[1")), "JSONDecodeError");
  EXPECT_EQ(exception(Call::json("missing", "[]")), "NameError");
}

// --- comparison ---------------------------------------------------------------------------------

struct EqualityCase {
  const char* left;
  const char* right;
  Equality lenient;
  Equality strict;
};

class Comparisons : public ::testing::TestWithParam<EqualityCase> {};

TEST_P(Comparisons, AreValueEquality) {
  const auto& [left, right, lenient, strict] = GetParam();
  EXPECT_EQ(shared_sandbox().compare(left, right), lenient) << left << " and " << right;
  EXPECT_EQ(shared_sandbox().compare(right, left), lenient) << right << " and " << left;
  EXPECT_EQ(shared_sandbox().compare(left, right, true), strict) << left << " and " << right;
}

constexpr auto kSame = Equality::kEqual;
constexpr auto kOther = Equality::kDifferent;
constexpr auto kNone = Equality::kNotComparable;

INSTANTIATE_TEST_SUITE_P(
    All, Comparisons,
    ::testing::Values(
        EqualityCase{"1", "1", kSame, kSame}, EqualityCase{"1", "2", kOther, kOther},
        EqualityCase{"1", "1.0", kSame, kOther}, EqualityCase{"True", "1", kSame, kOther},
        EqualityCase{"0.1", "1e-1", kSame, kSame}, EqualityCase{"1", "'1'", kOther, kOther},
        EqualityCase{"nan", "nan", kSame, kSame}, EqualityCase{"nan", "1.0", kOther, kOther},
        EqualityCase{"[nan, 1]", "[nan, 1]", kSame, kSame},
        EqualityCase{"{nan}", "{nan}", kSame, kSame},
        EqualityCase{"{nan: 1}", "{nan: 1}", kSame, kSame},
        EqualityCase{"{nan: 1}", "{nan: 2}", kOther, kOther},
        EqualityCase{"{'a': nan}", "{'a': nan}", kSame, kSame},
        EqualityCase{"(nan+1j)", "(nan+1j)", kSame, kSame},
        EqualityCase{"[1, 2]", "(1, 2)", kOther, kOther},
        EqualityCase{"[1, 2]", "[1, 2.0]", kSame, kOther},
        EqualityCase{"{1: 'a', 2: 'b'}", "{2: 'b', 1: 'a'}", kSame, kSame},
        EqualityCase{"{1: 'a'}", "{True: 'a'}", kSame, kOther},
        EqualityCase{"{'a', 'b', 'c'}", "{'c', 'b', 'a'}", kSame, kSame},
        EqualityCase{"{1, 2}", "{1.0, 2}", kSame, kOther},
        EqualityCase{"{1}", "frozenset({1})", kSame, kOther},
        EqualityCase{"set()", "{}", kOther, kOther}, EqualityCase{"()", "[]", kOther, kOther},
        EqualityCase{"b'a'", "'a'", kOther, kOther},
        EqualityCase{"bytearray(b'a')", "b'a'", kSame, kOther},
        EqualityCase{"range(3)", "range(0, 3, 1)", kSame, kSame},
        EqualityCase{"range(3)", "[0, 1, 2]", kOther, kOther},
        EqualityCase{"Fraction(1, 2)", "0.5", kSame, kOther},
        EqualityCase{"Decimal('1.0')", "1", kSame, kOther},
        EqualityCase{"Counter({'a': 1})", "{'a': 1}", kSame, kOther},
        EqualityCase{"OrderedDict([('a', 1), ('b', 2)])", "{'b': 2, 'a': 1}", kSame, kOther},
        EqualityCase{"OrderedDict([('a', 1), ('b', 2)])", "OrderedDict([('b', 2), ('a', 1)])",
                     kOther, kOther},
        EqualityCase{"Subclass('P', (1, 2))", "(1, 2)", kSame, kOther},
        EqualityCase{" [1,\n 2] ", "[1, 2]", kSame, kSame},
        EqualityCase{"2 ** 10", "1024", kSame, kSame},
        EqualityCase{"Ellipsis", "Ellipsis", kSame, kSame},
        EqualityCase{"...", "Ellipsis", kSame, kSame},
        EqualityCase{"[Ellipsis, 1]", "[Ellipsis, 2]", kOther, kOther},
        EqualityCase{"0x10", "16", kSame, kSame}, EqualityCase{"-0x10", "-16", kSame, kSame},
        EqualityCase{"(1,)", "tuple([1])", kSame, kSame}, EqualityCase{"(1)", "1", kSame, kSame},
        EqualityCase{"(-0-1j)", "-1j", kSame, kSame},
        EqualityCase{"'\\u00e9\\'\\n'", "\"\u00e9'\\n\"", kSame, kSame},
        EqualityCase{"b'\\x00\\xff'", "b'\\0\\xff'", kSame, kSame},
        EqualityCase{"{1: 2,}", "{1: 2}", kSame, kSame},
        EqualityCase{"Subclass('A', 1)", "Subclass('B', 1)", kSame, kOther},
        EqualityCase{"Fraction(1, 0)", "1", kNone, kNone},
        EqualityCase{"'%999999999d' % 1", "1", kNone, kNone},
        EqualityCase{"[0] * 10 ** 9", "1", kNone, kNone},
        EqualityCase{"Fraction(1) * 9 ** 9 ** 9", "1", kNone, kNone},
        EqualityCase{"1 << 3", "8", kNone, kNone},
        EqualityCase{"[0] * 3", "[0, 0, 0]", kSame, kSame},
        EqualityCase{"-0.0", "0.0", kSame, kSame}, EqualityCase{"print(1)", "None", kNone, kNone},
        EqualityCase{"x", "x", kNone, kNone}, EqualityCase{"", "", kNone, kNone},
        EqualityCase{"[x for x in [1]]", "[1]", kNone, kNone},
        EqualityCase{"(lambda: 1)()", "1", kNone, kNone},
        EqualityCase{"'a'.upper()", "'A'", kNone, kNone}, EqualityCase{"{[]}", "{1}", kNone, kNone},
        EqualityCase{"1 / 0", "1", kNone, kNone}, EqualityCase{"1; 2", "1", kNone, kNone},
        EqualityCase{"f'{1}'", "'1'", kNone, kNone},
        EqualityCase{"not a literal", "1", kNone, kNone}));

TEST(SandboxCompare, AgreesWithPythonOnRandomValues) {
  // Random nested values over few atoms, so that equal pairs are common. The oracle is Python's own
  // ==.
  Rng rng({.seed = 7, .purpose = hash_name("compare_test")});
  const std::vector<std::string> atoms = {"0", "1", "True", "1.0", "'a'", "b'a'", "None", "2"};
  const std::function<std::string(int)> value = [&](int depth) -> std::string {
    const auto kind = depth == 0 ? 0 : rng.below(5);
    if (kind == 0) return rng.choice(atoms);
    std::string items;
    const auto count = rng.below(3);
    for (std::uint64_t i = 0; i < count; ++i) {
      items += kind == 3   ? rng.choice(atoms) + ": " + value(depth - 1) + ", "
               : kind == 4 ? rng.choice(atoms) + ", "
                           : value(depth - 1) + ", ";
    }
    if (kind == 1) return "[" + items + "]";
    if (kind == 2) return count == 0 ? "()" : "(" + items + ")";
    if (kind == 3) return "{" + items + "}";
    return "set([" + items + "])";
  };
  std::vector<Comparison> pairs;
  std::vector<Call> calls;
  for (int i = 0; i < 400; ++i) {
    pairs.push_back({value(2), value(2)});
    calls.push_back(
        Call::expression("(" + pairs.back().left + ") == (" + pairs.back().right + ")"));
  }
  const auto ours = shared_sandbox().compare_many(pairs);
  const auto python = shared_sandbox().run(Batch{open_program(""), calls});
  int equal = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    EXPECT_EQ(ours[i] == Equality::kEqual, python[i].value == "True")
        << pairs[i].left << " and " << pairs[i].right;
    equal += ours[i] == Equality::kEqual ? 1 : 0;
  }
  EXPECT_GT(equal, 10);
  EXPECT_LT(equal, 390);
}

// Against plain Python, values of every kind that has a canonical form, loosely and strictly.
TEST(SandboxCompare, IsExactOnManyRandomValues) {
  const std::string oracle = R"python(
import collections, decimal, fractions, random
atoms = [0, 1, True, False, 1.0, 0.5, 2, -1, 'a', '', 'b\n\'"', b'a', None, ..., 10 ** 30, -0.0, 1j, 1 + 0j,
         fractions.Fraction(1, 2), fractions.Fraction(1), decimal.Decimal('1.0'), decimal.Decimal('0.5'),
         range(2), range(0, 2), (1,), (True,), frozenset([1])]
def value(rng, depth):
    kind = rng.randrange(9) if depth else 0
    items = [value(rng, depth - 1) for _ in range(rng.randrange(3))] if kind else []
    keys = [rng.choice(atoms) for _ in items]
    return [lambda: rng.choice(atoms), lambda: items, lambda: tuple(items), lambda: dict(zip(keys, items)),
            lambda: set(keys), lambda: frozenset(keys), lambda: collections.deque(items),
            lambda: collections.OrderedDict(zip(keys, items)), lambda: collections.Counter('ab' * len(items))][kind]()
def strict(a, b):
    if type(a) is not type(b):
        return False
    if isinstance(a, (list, tuple, collections.deque)):
        return len(a) == len(b) and all(map(strict, a, b))
    if isinstance(a, (set, frozenset)):
        return len(a) == len(b) and all(any(strict(x, y) for y in b) for x in a)
    if isinstance(a, collections.OrderedDict) and list(a) != list(b):
        return False
    if isinstance(a, dict):
        return len(a) == len(b) and all(any(strict(k, j) and strict(v, w) for j, w in b.items())
                                        for k, v in a.items())
    return a == b
pairs = []
def left(seed):
    rng = random.Random(seed)
    pairs.append((value(rng, 2), value(rng, 2) if seed % 3 else value(random.Random(seed), 2)))
    return pairs[-1][0]
def right():
    return pairs[-1][1]
def loose_oracle():
    return bool(pairs[-1][0] == pairs[-1][1])
def strict_oracle():
    return strict(*pairs[-1])
)python";
  constexpr int kPairs = 12'000;
  Batch batch{open_program(oracle), {}};
  for (int seed = 0; seed < kPairs; ++seed) {
    batch.calls.push_back(Call::literal("left", std::to_string(seed)));
    for (const char* name : {"right", "loose_oracle", "strict_oracle"}) {
      batch.calls.push_back(Call::literal(name, ""));
    }
  }
  const auto outcomes = shared_sandbox().run(batch);
  std::vector<Comparison> pairs;
  for (std::size_t i = 0; i < outcomes.size(); i += 4) {
    ASSERT_TRUE(outcomes[i].ok()) << outcomes[i].message;
    ASSERT_FALSE(outcomes[i].canonical.empty()) << outcomes[i].value;
    ASSERT_FALSE(outcomes[i + 1].canonical.empty()) << outcomes[i + 1].value;
    pairs.push_back({outcomes[i].canonical, outcomes[i + 1].canonical});
  }
  for (const bool strict : {false, true}) {
    const auto ours = shared_sandbox().compare_many(pairs, strict);
    int equal = 0;
    int wrong = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const bool python = outcomes[4 * i + (strict ? 3 : 2)].value == "True";
      const bool agrees = ours[i] == (python ? Equality::kEqual : Equality::kDifferent);
      equal += python ? 1 : 0;
      wrong += agrees ? 0 : 1;
      if (!agrees && wrong < 5) {
        ADD_FAILURE() << pairs[i].left << " and " << pairs[i].right << (strict ? ", strict" : "");
      }
    }
    EXPECT_EQ(wrong, 0);
    EXPECT_GT(equal, kPairs / 5);
    EXPECT_LT(equal, kPairs * 4 / 5);
  }
}

TEST(SandboxValues, WriteIntegersInDecimalAsFarAsPythonDoes) {
  EXPECT_EQ(evaluate("10 ** 4300 - 1").value, std::string(4300, '9'));
  EXPECT_EQ(evaluate("-(10 ** 4300 - 1)").value, "-" + std::string(4300, '9'));
  EXPECT_EQ(evaluate("10 ** 4300").value.substr(0, 2), "0x");
  EXPECT_NE(evaluate("2 ** 14283").value.substr(0, 2), "0x");
}

TEST(SandboxCompare, ChargesEachPairAloneAndInTime) {
  std::vector<Comparison> pairs(200, {"[1, 2, 3]", "[1, 2, 3]"});
  std::string deep = "1";
  for (int i = 0; i < 40; ++i) deep = "[" + deep + ", " + deep.substr(0, 2000) + "]";
  for (std::size_t i = 0; i < 6; ++i) {
    pairs[i * 30] = {"Fraction(1) * 9 ** 9 ** 9", "1"};
    pairs[i * 30 + 1] = {"(" + std::string(200'000, '~') + "1)", "1"};
  }
  const auto start = std::chrono::steady_clock::now();
  const auto equalities = shared_sandbox().compare_many(pairs);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    EXPECT_EQ(equalities[i], i % 30 < 2 && i < 180 ? kNone : kSame) << i;
  }
}

TEST(SandboxCompare, ReadsBackEveryCanonicalText) {
  const std::string source =
      "import collections, fractions, decimal, enum\n"
      "P = collections.namedtuple('P', 'x y')\n"
      "class L(list): pass\n"
      "class E(enum.IntEnum):\n    A = 1\n";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"P(1, [2])", "(1, [2])"},
      {"L([1, 2])", "[1, 2]"},
      {"collections.deque([1, nan], maxlen=3)", "deque([1, nan])"},
      {"collections.Counter('aab')", "{'a': 2, 'b': 1}"},
      {"collections.defaultdict(list, {1: [2]})", "{1: [2]}"},
      {"collections.OrderedDict(a=1)", "{'a': 1}"},
      {"fractions.Fraction(2, 4)", "0.5"},
      {"decimal.Decimal('0.10')", "Decimal('0.1')"},
      {"{frozenset({1}): {(1, 2)}}", "{frozenset({1}): {(1, 2)}}"},
      {"complex(float('inf'), -0.0)", "complex(float('inf'), 0)"},
      {"'\\ud800\\x00\\U0001F600'", "'\\ud800\\x00\\U0001F600'"},
      {"[float('nan'), -float('inf')]", "[nan, -inf]"},
      {"16 ** 6000", "2 ** 24000"},
  };
  for (const auto& [expression, literal] : cases) {
    const Outcome outcome = evaluate(source + "nan = float('nan')", expression);
    EXPECT_EQ(shared_sandbox().compare(outcome.canonical, literal), Equality::kEqual)
        << expression << ": " << outcome.canonical << outcome.message;
  }
}

TEST(SandboxCompare, SurvivesABombAmongOthers) {
  const std::vector<Comparison> pairs = {{"1", "1"}, {"9 ** 9 ** 9 ** 9", "1"}, {"2", "2"}};
  SandboxConfig config;
  config.workers = 1;
  config.limits.wall_seconds = 3;
  auto sandbox = Sandbox::start(config).value();
  EXPECT_THAT(sandbox.compare_many(pairs), ::testing::ElementsAre(kSame, kNone, kSame));
}

// --- batches ------------------------------------------------------------------------------------

TEST(SandboxBatch, AnswersEveryCallAndSharesState) {
  const Batch batch{
      open_program("n = 0\ndef f(x):\n    global n\n    n += x\n    print(n)\n    return n"),
      {Call::literal("f", "1"), Call::literal("f", "2"), Call::literal("f", "3")}};
  const auto outcomes = shared_sandbox().run(batch);
  ASSERT_EQ(outcomes.size(), 3U);
  EXPECT_EQ(outcomes[2].value, "6");
  EXPECT_EQ(outcomes[0].out + outcomes[1].out + outcomes[2].out, "1\n3\n6\n");
}

TEST(SandboxBatch, LosesOnlyTheCallsThatDie) {
  Batch batch{open_program("import os\nprint('loaded')\n"
                           "def f(x):\n"
                           "    if x == 'exit': os._exit(1)\n"
                           "    if x == 'loop':\n        while True: pass\n"
                           "    if x == 'crash': os.abort()\n"
                           "    if x == 'memory': return [0] * 10 ** 9\n"
                           "    if x == 'flood':\n        while True: print('x' * 1000)\n"
                           "    if x == 'raise': raise ValueError(x)\n"
                           "    return x\n"),
              {}};
  batch.program.limits.wall_seconds = 4;
  std::vector<OutcomeStatus> expected;
  const std::vector<std::pair<std::string, OutcomeStatus>> kinds = {
      {"exit", OutcomeStatus::kCrashed},
      {"1", OutcomeStatus::kOk},
      {"loop", OutcomeStatus::kTimeout},
      {"2", OutcomeStatus::kOk},
      {"crash", OutcomeStatus::kCrashed},
      {"memory", OutcomeStatus::kMemory},
      {"flood", OutcomeStatus::kOutputLimit},
      {"raise", OutcomeStatus::kError},
      {"3", OutcomeStatus::kOk}};
  for (const auto& [text, status] : kinds) {
    batch.calls.push_back(Call::literal("f", "'" + text + "'"));
    expected.push_back(status);
  }
  std::vector<OutcomeStatus> statuses;
  const auto outcomes = shared_sandbox().run(batch);
  for (const Outcome& outcome : outcomes) statuses.push_back(outcome.status);
  EXPECT_EQ(statuses, expected);
  EXPECT_EQ(outcomes[8].value, "'3'");
}

TEST(SandboxBatch, GivesEachCallItsOwnOutputLimit) {
  Batch batch{open_program("def f(n):\n    print('x' * n)\n    return n"), {}};
  batch.program.limits.output_bytes = 1000;
  for (int i = 0; i < 10; ++i) batch.calls.push_back(Call::literal("f", "400"));
  batch.calls.push_back(Call::literal("f", "1400"));
  batch.calls.push_back(Call::literal("f", "400"));
  const auto outcomes = shared_sandbox().run(batch);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    EXPECT_EQ(outcomes[i].status, i == 10 ? OutcomeStatus::kOutputLimit : OutcomeStatus::kOk) << i;
    EXPECT_EQ(outcomes[i].out.size(), i == 10 ? 1000U : 401U) << i;
  }
}

TEST(SandboxBatch, ReportsAProgramThatDoesNotLoadForEveryCall) {
  for (const std::string source : {"x = 1 / 0", "import os\nos._exit(0)", "while True: pass"}) {
    Batch batch{open_program(source), {Call::expression("1"), Call::expression("2")}};
    batch.program.limits.wall_seconds = 0.3;
    const auto outcomes = shared_sandbox().run(batch);
    ASSERT_EQ(outcomes.size(), 2U);
    EXPECT_EQ(outcomes[0].status, outcomes[1].status);
    EXPECT_NE(outcomes[0].status, OutcomeStatus::kOk);
  }
}

TEST(SandboxBatch, CarriesLargeAnswers) {
  Batch batch{open_program("def f(n):\n    return 'x' * n"), {}};
  for (int i = 0; i < 30; ++i) batch.calls.push_back(Call::literal("f", "900000"));
  for (const Outcome& outcome : shared_sandbox().run(batch))
    EXPECT_EQ(outcome.value.size(), 900002U);
}

TEST(SandboxProfiles, RunAnEventLoop) {
  Program program;
  program.profile = code_profile();
  program.source =
      "import asyncio\n"
      "async def work(x):\n    await asyncio.sleep(0.01)\n    return x * x\n"
      "async def main():\n    return await asyncio.gather(*[work(x) for x in range(5)])\n"
      "def f():\n    return asyncio.run(main())\n";
  for (int i = 0; i < 2; ++i) {
    const Outcome outcome = shared_sandbox().run(Job{program, {Call::literal("f", "")}});
    EXPECT_EQ(outcome.value, "[0, 1, 4, 9, 16]") << outcome.message << outcome.traceback;
  }
}

TEST(SandboxProfiles, RefuseOnlyWhatIsImported) {
  Program program;
  program.profile = code_profile();
  program.source =
      "class Box:\n    path = 3\n"
      "def f():\n    os = Box()\n    sys = Box()\n    return os.path + sys.path\n";
  EXPECT_EQ(shared_sandbox().run(Job{program, {Call::literal("f", "")}}).value, "6");
  for (const char* source :
       {"import os\nos.path", "import os as o\no.path", "import os.path", "from os import path",
        "def f():\n    import os\n    return os.environ"}) {
    program.source = source;
    EXPECT_EQ(shared_sandbox().run(Job{program, {}}).status, OutcomeStatus::kRefused) << source;
  }
}

// --- sessions -----------------------------------------------------------------------------------

TEST(SandboxSession, KeepsItsStateBetweenCalls) {
  Session session = shared_sandbox().open(open_program(
      "print('hello')\nseen = []\ndef f(x):\n    seen.append(x)\n    print(x)\n    return seen"));
  ASSERT_TRUE(session.loaded().ok()) << session.loaded().message;
  EXPECT_EQ(session.loaded().out, "hello\n");
  EXPECT_EQ(session.call(Call::literal("f", "1")).value, "[1]");
  const Outcome second = session.call(Call::literal("f", "2"));
  EXPECT_EQ(second.value, "[1, 2]");
  EXPECT_EQ(second.out, "2\n");
  EXPECT_EQ(session.call(Call::expression("1 / 0")).exception, "ZeroDivisionError");
  EXPECT_EQ(session.call(Call::expression("len(seen)")).value, "2");
  EXPECT_TRUE(session.alive());
}

TEST(SandboxSession, IsChargedBetweenItsCalls) {
  // Forges its answer and goes on: a report of kind 7 whose texts are empty.
  const std::string source =
      "import os, struct\n"
      "def f():\n"
      "    p = struct.pack('<QQB', 0, 0, 0) + struct.pack('<I', 0) * 6 + struct.pack('<IIddQ', 0, "
      "0, "
      "0.0, "
      "0.0, 0)\n"
      "    os.write(3, struct.pack('<IB', len(p), 7) + p)\n"
      "    while True: pass\n";
  Session session = shared_sandbox().open(open_program(source));
  EXPECT_TRUE(session.call(Call::literal("f", "")).ok());
  std::this_thread::sleep_for(std::chrono::milliseconds(2500));
  const Outcome next = session.call(Call::literal("f", ""));
  EXPECT_EQ(next.status, OutcomeStatus::kCpu) << next.message;
  EXPECT_THAT(next.message, ::testing::HasSubstr("between two calls"));
  Session idle = shared_sandbox().open(open_program("x = 1"));
  std::this_thread::sleep_for(std::chrono::milliseconds(2500));
  EXPECT_EQ(idle.call(Call::expression("x")).value, "1");
}

TEST(SandboxSession, EndsAtTheFirstBreach) {
  for (const std::string text : {"loop()", "__import__('os')._exit(0)", "print('x' * 10 ** 7)"}) {
    Program program = open_program("def loop():\n    while True: pass");
    program.limits.wall_seconds = 2;
    Session session = shared_sandbox().open(program);
    EXPECT_EQ(session.call(Call::expression("1")).value, "1");
    EXPECT_NE(session.call(Call::expression(text)).status, OutcomeStatus::kOk) << text;
    EXPECT_FALSE(session.alive());
    EXPECT_EQ(session.call(Call::expression("1")).status, OutcomeStatus::kCrashed);
  }
}

TEST(SandboxSession, LimitsEachCallNotTheirSum) {
  Program program = open_program("import time");
  program.limits.wall_seconds = 4;
  program.limits.output_bytes = 1000;
  Session session = shared_sandbox().open(program);
  for (int i = 0; i < 5; ++i) {
    const Outcome outcome = session.call(Call::expression("(print('x' * 700), time.sleep(1))"));
    EXPECT_EQ(outcome.status, OutcomeStatus::kOk) << i << outcome.message;
    EXPECT_EQ(outcome.out.size(), 701U);
  }
}

TEST(SandboxSession, ReportsAProgramThatDoesNotLoad) {
  Session session = shared_sandbox().open(open_program("import os\n1 / 0"));
  EXPECT_EQ(session.loaded().exception, "ZeroDivisionError");
  EXPECT_FALSE(session.alive());
}

TEST(SandboxSession, RunsBesideJobsAndOtherSessions) {
  std::vector<Session> sessions;
  for (int i = 0; i < 8; ++i) {
    sessions.push_back(shared_sandbox().open(open_program("me = " + std::to_string(i))));
  }
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < sessions.size(); ++i) {
      EXPECT_EQ(sessions[i].call(Call::expression("me")).value, std::to_string(i));
      EXPECT_EQ(evaluate("'me' in globals()").value, "False");
    }
  }
}

// --- arguments ----------------------------------------------------------------------------------

// Texts at random, mostly arguments, some nearly so.
std::string random_arguments(Rng& rng, int depth = 0) {
  static const std::vector<std::string> kAtoms = {"0",     "-1",    "12345678901234567890",
                                                  "007",   "1_000", "1.5",
                                                  "-0.0",  "1e400", "5.",
                                                  ".5",    "'a'",   "\"b\"",
                                                  "'\\n'", "b'x'",  "r'y'",
                                                  "'é'",   "''",    "True",
                                                  "None",  "- 3",   "0x1F",
                                                  "2j",    "null",  "'a' 'b'",
                                                  "1 + 2", "(1)",   "()",
                                                  "{}",    "[",     "nan"};
  if (depth > 2 || rng.chance(0.5)) return rng.choice(kAtoms);
  static const std::vector<std::pair<std::string, std::string>> kBrackets = {
      {"[", "]"}, {"(", ")"}, {"{", "}"}, {"", ""}};
  const auto& [open, close] = rng.choice(kBrackets);
  std::string text = open;
  const int count = static_cast<int>(rng.integer(0, 3));
  for (int i = 0; i < count; ++i) {
    if (i > 0) text += rng.chance(0.9) ? ", " : "\n,";
    if (open == "{" && rng.chance(0.8)) text += random_arguments(rng, depth + 1) + ": ";
    text += random_arguments(rng, depth + 1);
  }
  return text + (rng.chance(0.1) ? "," : "") + close;
}

// The quick reader against Python's own, which an expression goes through.
TEST(SandboxCalls, QuickArgumentsAreWhatPythonReads) {
  const std::string source =
      "import ast, json\n"
      "def f(*a):\n"
      "    return repr(a)\n"
      "def python(text):\n"
      "    try:\n"
      "        return repr(ast.literal_eval('(' + text + '\\n,)') if text.strip() else ())\n"
      "    except Exception:\n"
      "        return None\n"
      "def js(text):\n"
      "    try:\n"
      "        value = json.loads(text)\n"
      "        return repr(tuple(value)) if type(value) is list else None\n"
      "    except Exception:\n"
      "        return None\n";
  Rng rng({.seed = 3, .purpose = hash_name("arguments")});
  Batch asked{open_program(source), {}};
  Batch expected = asked;
  constexpr int kTexts = 3000;
  for (int i = 0; i < kTexts; ++i) {
    const bool json = i % 2 == 0;
    std::string text = random_arguments(rng);
    if (json) {
      std::replace(text.begin(), text.end(), '\'', '"');
      text = "[" + text + "]";
    }
    asked.calls.push_back(json ? Call::json("f", text) : Call::literal("f", text));
    expected.calls.push_back(
        Call::json(json ? "js" : "python", "[" + nlohmann::json(text).dump() + "]"));
  }
  const auto found = shared_sandbox().run(asked);
  const auto oracle = shared_sandbox().run(expected);
  int read = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_TRUE(oracle[i].ok()) << oracle[i].message;
    // What literal_eval refuses, a literal may still be ("1 + 2").
    if (oracle[i].value == "None") continue;
    EXPECT_EQ(found[i].value, oracle[i].value) << asked.calls[i].text;
    ++read;
  }
  EXPECT_GT(read, kTexts / 5);
}

// --- isolation between jobs ---------------------------------------------------------------------

TEST(SandboxIsolation, LeavesNoTraceOfAJobThatMutatesEverything) {
  const std::string mutate =
      "import gc, sys, builtins, ctypes\n"
      "mark = 'trace-of-a-job'\n"
      "for o in gc.get_objects():\n"
      "    if isinstance(o, dict):\n"
      "        try: o[mark] = mark\n"
      "        except Exception: pass\n"
      "    elif isinstance(o, list): o.append(mark)\n"
      "    elif isinstance(o, set): o.add(mark)\n"
      "    elif isinstance(o, type):\n"
      "        try: setattr(o, 'trace_of_a_job', mark)\n"
      "        except TypeError: pass\n"
      "for m in list(sys.modules.values()):\n"
      "    try: setattr(m, 'trace_of_a_job', mark)\n"
      "    except Exception: pass\n"
      "sys.setrecursionlimit(77)\n"
      "builtins.len = lambda x: 77\n"
      "ctypes.memset(id(256) + 24, 7, 1)\n"  // the value of the shared integer 256
      "print('done')\n";
  const std::string probe =
      "import gc, sys\n"
      "found = [o for o in gc.get_objects() if isinstance(o, dict) and 'trace-of' + '-a-job' in "
      "o]\n"
      "found += [m for m in list(sys.modules.values()) if hasattr(m, 'trace_of' + '_a_job')]\n"
      "found += [t for t in object.__subclasses__() if hasattr(t, 'trace_of' + '_a_job')]\n"
      "print(len(found), sys.getrecursionlimit(), 255 + 1, len('abc'))\n";
  const Outcome before = run_program(probe);
  EXPECT_EQ(before.out, "0 1000 256 3\n") << before.message;
  for (int i = 0; i < 6; ++i) {
    run_program(mutate);
    EXPECT_EQ(run_program(probe).out, before.out);
  }
}

TEST(SandboxIsolation, GivesDifferentRandomNumbersToEachJob) {
  const std::string source = "import random";
  EXPECT_NE(evaluate(source, "random.random()").value, evaluate(source, "random.random()").value);
  const std::string seeded = "import random\nrandom.seed(3)";
  EXPECT_EQ(evaluate(seeded, "random.random()").value, evaluate(seeded, "random.random()").value);
}

TEST(SandboxIsolation, SurvivesRandomPrograms) {
  Rng rng({.seed = 11, .purpose = hash_name("random_programs")});
  std::vector<Job> jobs;
  for (int i = 0; i < 60; ++i) {
    std::string source;
    const auto length = rng.below(200);
    for (std::uint64_t k = 0; k < length; ++k) source.push_back(static_cast<char>(rng.below(256)));
    jobs.push_back({open_program(source),
                    {
                        Call::python("f", source),
                    }});
  }
  for (const Outcome& outcome : shared_sandbox().run_many(jobs)) {
    EXPECT_NE(outcome.status, OutcomeStatus::kOk);
    EXPECT_NE(outcome.status, OutcomeStatus::kCrashed) << outcome.message;
  }
}

// Compiled before or not, a prelude does the same.
TEST(SandboxPreludes, AreExecutedBeforeTheProgramInItsNamespace) {
  const std::string helpers = "import math\n\ndef half(x):\n    return math.floor(x / 2)\n";
  const std::string counter =
      "calls = 0\n\ndef count():\n    global calls\n    calls += 1\n    return calls\n";
  SandboxConfig config;
  config.workers = 1;
  config.preludes = {helpers, counter};
  auto warm = Sandbox::start(config);
  ASSERT_TRUE(warm) << warm.error().message;
  for (Sandbox* sandbox : {&shared_sandbox(), &*warm}) {
    Batch batch{
        open_program("start = half(9)\ncount()\n\ndef fail():\n    raise ValueError(half(4))\n"),
        {Call::expression("start"), Call::literal("half", "7"), Call::expression("count()"),
         Call::expression("fail()"), Call::expression("half('text')"),
         Call::expression("__import__('os').kill(0, 9)"), Call::expression("count()")}};
    batch.program.preludes = {helpers, counter};
    const auto outcomes = sandbox->run(batch);
    EXPECT_EQ(outcomes[0].value, "4");
    EXPECT_EQ(outcomes[1].value, "3");
    EXPECT_EQ(outcomes[2].value, "2");
    EXPECT_EQ(outcomes[3].line, 5) << "lines are those of the program";
    EXPECT_EQ(outcomes[3].message, "2");
    EXPECT_EQ(outcomes[4].exception, "TypeError");
    EXPECT_EQ(outcomes[4].traceback, "") << "the helper's frames are not the program's";
    EXPECT_FALSE(outcomes[5].ok());
    EXPECT_EQ(outcomes[6].value, outcomes[5].status == OutcomeStatus::kError ? "3" : "2")
        << "a new child starts from the beginning";

    Job broken{open_program("x = 1"), {Call::expression("x")}};
    broken.program.preludes = {helpers, "1 / 0"};
    EXPECT_EQ(sandbox->run(broken).exception, "ZeroDivisionError");
    broken.program.preludes = {"import socket"};
    broken.program.profile = pure_profile();
    EXPECT_EQ(sandbox->run(broken).status, OutcomeStatus::kRefused);
  }
}

}  // namespace
}  // namespace redqueen::sandbox
