// Runs every program of attacks/ and checks that it is contained as its header says, and that the
// sandbox still works afterwards.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/sandbox/testing/attack_corpus.h"
#include "redqueen/sandbox/testing/sandbox.h"

namespace redqueen::sandbox {
namespace {

class Attacks : public ::testing::TestWithParam<Attack> {};

void check_outcome(const Attack& attack, const Outcome& outcome) {
  EXPECT_TRUE(expected(attack, outcome.status))
      << name_of(outcome.status) << ", value " << outcome.value.substr(0, 200) << ", stdout "
      << outcome.out.substr(0, 500) << ", " << outcome.exception << ": " << outcome.message;
  EXPECT_THAT(outcome.out, ::testing::Not(::testing::HasSubstr("ESCAPED")));
  EXPECT_THAT(outcome.value, ::testing::Not(::testing::HasSubstr("ESCAPED")));
  if (has(attack, "value")) {
    EXPECT_EQ(outcome.value, attack.header.at("value"));
  }
  if (has(attack, "not_value")) {
    EXPECT_NE(outcome.value, attack.header.at("not_value"));
  }
  if (has(attack, "out")) {
    EXPECT_EQ(without_line_end(outcome.out), attack.header.at("out"));
  }
  if (has(attack, "exception")) {
    EXPECT_EQ(outcome.exception, attack.header.at("exception"));
  }
  if (has(attack, "equals")) {
    EXPECT_NE(shared_sandbox().compare(outcome.canonical, attack.header.at("equals")),
              Equality::kEqual)
        << outcome.canonical;
  }
}

TEST_P(Attacks, IsContainedAndLeavesThePoolWhole) {
  const Attack& attack = GetParam();
  ASSERT_TRUE(has(attack, "attempt") && has(attack, "expect"));
  Sandbox& sandbox = shared_sandbox();
  const Outcome outcome = sandbox.run(job_of(attack, 0));
  check_outcome(attack, outcome);
  if (has(attack, "differs")) {
    const Outcome first = sandbox.run(job_of(attack, 1));
    const Outcome second = sandbox.run(job_of(attack, 2));
    EXPECT_EQ(sandbox.compare(first.canonical, second.canonical), Equality::kDifferent)
        << first.value << " and " << second.value;
  }
  const Outcome after = evaluate("import math", "math.factorial(20) + len(str([1, 2]))");
  EXPECT_EQ(after.value, "2432902008176640006") << after.message;
}

INSTANTIATE_TEST_SUITE_P(Corpus, Attacks, ::testing::ValuesIn(all_attacks()),
                         [](const auto& info) { return info.param.name; });

TEST(AttackCorpus, FindsTheLibraryThatItAttacks) {
  EXPECT_EQ(evaluate("import os, sys", "os.path.isfile(sys.path[0] + '/os.py')").value, "True");
}

TEST(AttackCorpus, IsLarge) { EXPECT_GE(all_attacks().size(), 150U); }

}  // namespace
}  // namespace redqueen::sandbox
