#include "redqueen/synth/admission/review.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "redqueen/base/rng.h"

namespace redqueen::synth {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kReviewFile = "configs/evoenv/prompts/review.txt";
using Verdicts = std::vector<std::optional<ReviewVerdict>>;

std::optional<ReviewVerdict> accept() { return ReviewVerdict{}; }
std::optional<ReviewVerdict> reject(const std::string& reason = "wrong") {
  return ReviewVerdict{.rejects = true, .reason = reason};
}

TEST(ParseVerdictTest, ReadsTheLastLine) {
  const auto accepted =
      parse_verdict("1. Fine.\nVERDICT: REJECT no\nOn second thoughts:\nVERDICT: ACCEPT\n\n");
  ASSERT_TRUE(accepted);
  EXPECT_FALSE(accepted->rejects);
  const auto rejected =
      parse_verdict("VERDICT: ACCEPT\r\n \r\n  VERDICT: REJECT  The sum is off by one. \r\n");
  ASSERT_TRUE(rejected);
  EXPECT_TRUE(rejected->rejects);
  EXPECT_EQ(rejected->reason, "The sum is off by one.");
}

// Chat models write bold, headings, full stops and fences.
TEST(ParseVerdictTest, ReadsVerdictsAsModelsWriteThem) {
  for (const char* text :
       {"VERDICT:ACCEPT", "VERDICT: ACCEPT.", "verdict: accept", "**VERDICT: ACCEPT**",
        "**Verdict:** ACCEPT", "### VERDICT: `ACCEPT`", "> VERDICT:  ACCEPT",
        "VERDICT: ACCEPT\n```", "<think>VERDICT: REJECT x\n</think>\nVERDICT: ACCEPT"}) {
    const auto verdict = parse_verdict(text);
    ASSERT_TRUE(verdict) << text;
    EXPECT_FALSE(verdict->rejects) << text;
  }
  for (const char* text :
       {"**VERDICT: REJECT** the sum is off", "Verdict: reject: the sum is off",
        "VERDICT: REJECT — the sum is off", "`VERDICT: REJECT the sum is off`"}) {
    const auto verdict = parse_verdict(text);
    ASSERT_TRUE(verdict) << text;
    EXPECT_TRUE(verdict->rejects) << text;
    EXPECT_THAT(verdict->reason, HasSubstr("the sum is off")) << text;
  }
  EXPECT_EQ(parse_verdict("VERDICT: REJECT")->reason, "No reason was given.");
}

TEST(ParseVerdictTest, TakesNothingElse) {
  for (const char* text :
       {"", "\n \n", "VERDICT: ACCEPT it", "VERDICT: REJECTED because", "VERDICT: ACCEPTABLE",
        "VERDICT: ACCEPT\nThank you.", "I say VERDICT: ACCEPT", "VERDICT: ACCEPT VERDICT: REJECT x",
        "VERDICT ACCEPT", "VERDICT: not ACCEPT", "ACCEPT", "VERDICT:"}) {
    EXPECT_FALSE(parse_verdict(text)) << text;
  }
}

TEST(ParseVerdictTest, SurvivesAnyText) {
  const std::vector<std::string> pieces = {"VERDICT:", " ",  "ACCEPT", "REJECT",
                                           "\n",       "\r", "x",      "\xff"};
  int found = 0;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    Rng rng({.seed = 6, .purpose = hash_name("verdict"), .index = i});
    std::string text;
    for (std::int64_t left = rng.integer(0, 8); left > 0; --left) text += rng.choice(pieces);
    const auto verdict = parse_verdict(text);
    if (!verdict) continue;
    ++found;
    EXPECT_THAT(text, HasSubstr(verdict->rejects ? "REJECT" : "ACCEPT"));
    EXPECT_EQ(verdict->rejects, !verdict->reason.empty());
  }
  EXPECT_GT(found, 0);
}

TEST(AggregateTest, FollowsEachRule) {
  struct Row {
    Verdicts verdicts;
    bool single, majority, any, all;
  };
  const auto a = accept(), r = reject();
  const std::optional<ReviewVerdict> none;
  const std::vector<Row> table = {{{a, a, a}, false, false, false, false},
                                  {{a, a, r}, false, false, true, false},
                                  {{r, a, a}, true, false, true, false},
                                  {{a, r, r}, false, true, true, false},
                                  {{r, r, r}, true, true, true, true},
                                  {{a, none, a}, false, false, false, false},
                                  {{none, a, r}, false, true, true, false},
                                  {{none, none, r}, true, true, true, true},
                                  {{none, none}, true, true, true, true},
                                  {{a, r}, false, true, true, false},
                                  {{}, true, true, true, true}};
  for (const Row& row : table) {
    EXPECT_EQ(aggregate(row.verdicts, ReviewRule::kSingle), row.single);
    EXPECT_EQ(aggregate(row.verdicts, ReviewRule::kMajority), row.majority);
    EXPECT_EQ(aggregate(row.verdicts, ReviewRule::kAnyReject), row.any);
    EXPECT_EQ(aggregate(row.verdicts, ReviewRule::kAllReject), row.all);
  }
}

ReviewCase some_case() {
  return {
      .source = "class E(VerifiableEnvironment):\n    x = '```'\n",
      .problems = {{.level = 1, .prompt = "Add 1 and 2.", .reference = "3", .state = "{\"a\":1}"},
                   {.level = 2, .prompt = std::string(10000, 'p'), .reference = "4", .state = "{}"},
                   {.level = 3, .prompt = "third", .reference = "5", .state = "{}"}},
      .probes = {{.answer = "3", .parsed = true, .score = 1},
                 {.answer = "a \"b\"\n", .parsed = false}}};
}

TEST(ReviewPromptTest, ShowsTheCaseWithinItsLimits) {
  const PromptTemplate prompt = PromptTemplate::load(kReviewFile).value();
  const std::string text = review_prompt(prompt, some_case(), {.problems = 2}).value();
  EXPECT_THAT(text, HasSubstr("````python\nclass E"));
  EXPECT_THAT(text, HasSubstr("Add 1 and 2."));
  EXPECT_THAT(text, HasSubstr("(6000 more bytes)"));
  EXPECT_THAT(text, Not(HasSubstr("third")));
  EXPECT_THAT(text, HasSubstr("- \"3\" scores 1\n- \"a \\\"b\\\"\\n\" is refused"));
  EXPECT_THAT(review_prompt(prompt, {}).value(), HasSubstr("(none)"));
  EXPECT_FALSE(review_prompt(PromptTemplate::parse("{{source}}").value(), {}));
}

TEST(ReviewPromptTest, ShowsRemarksWhereThereAreAny) {
  const PromptTemplate prompt = PromptTemplate::load(kReviewFile).value();
  ReviewCase doubtful = some_case();
  EXPECT_THAT(review_prompt(prompt, doubtful).value(), Not(HasSubstr("Doubts")));
  doubtful.remarks = {"the statement says \"even\"; the code tests for the other", "another"};
  EXPECT_THAT(review_prompt(prompt, doubtful).value(),
              HasSubstr("may be unfounded:\n- the statement says \"even\"; the code tests for the "
                        "other\n- another\n"));
}

TEST(ReviewPromptTest, ShowsProblemsOfSeveralLevelsAndTheBaseClass) {
  const PromptTemplate prompt = PromptTemplate::load(kReviewFile).value();
  ReviewCase of_levels = some_case();
  of_levels.problems.clear();
  for (const int level : {0, 0, 0, 3, 3, 5})
    of_levels.problems.push_back({.level = level,
                                  .prompt = fmt::format("problem {}", of_levels.problems.size()),
                                  .reference = "1",
                                  .state = "{}"});
  const std::string text = review_prompt(prompt, of_levels).value();
  for (const char* part : {"Problem 1, level 0", "problem 0", "Problem 2, level 3", "problem 3",
                           "Problem 3, level 5", "problem 5", "def ratio_reward"})
    EXPECT_THAT(text, HasSubstr(part));
  EXPECT_THAT(text, Not(HasSubstr("problem 1")));
  const std::string more = review_prompt(prompt, of_levels, {.problems = 5}).value();
  EXPECT_THAT(more, HasSubstr("problem 4"));
  EXPECT_THAT(more, Not(HasSubstr("problem 2")));
}

// The shipped prompt asks for what the parser reads.
TEST(ReviewPromptTest, AsksForTheGrammar) {
  const std::string text =
      review_prompt(PromptTemplate::load(kReviewFile).value(), some_case()).value();
  EXPECT_THAT(text, HasSubstr("\nVERDICT: ACCEPT\n"));
  EXPECT_THAT(text, HasSubstr("\nVERDICT: REJECT "));
}

// Says what it was told for each prompt, and remembers what it was asked.
class Parrot : public Policy {
 public:
  explicit Parrot(std::vector<std::vector<std::string>> responses)
      : responses_(std::move(responses)) {}

  Expected<std::vector<CompletionGroup>> sample(std::span<const SampleRequest> requests,
                                                const SampleParameters& parameters) override {
    requests_.assign(requests.begin(), requests.end());
    parameters_ = parameters;
    if (requests.size() != responses_.size()) return failure("the parrot knows no such prompt");
    std::vector<CompletionGroup> groups(requests.size());
    for (std::size_t i = 0; i < requests.size(); ++i) {
      for (const std::string& text : responses_[i]) groups[i].completions.push_back({.text = text});
    }
    return groups;
  }
  std::string_view name() const override { return "parrot"; }

  std::vector<SampleRequest> requests_;
  SampleParameters parameters_;

 private:
  std::vector<std::vector<std::string>> responses_;
};

TEST(ReviewTest, SamplesAndConcludes) {
  Parrot policy({{"VERDICT: ACCEPT", "VERDICT: ACCEPT", "VERDICT: ACCEPT"},
                 {"VERDICT: ACCEPT", "hmm", "VERDICT: REJECT leaks"}});
  const std::vector<std::string> prompts = {"first", "second"};
  const RandomAddress address{.seed = 1, .purpose = 2, .step = 3, .index = 40, .salt = 5};
  const auto outcomes = review(policy, prompts, {}, address).value();
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_FALSE(outcomes[0].rejected);
  EXPECT_EQ(outcomes[0].reason(), "");
  EXPECT_TRUE(outcomes[1].rejected);
  EXPECT_EQ(outcomes[1].accepts(), 1);
  EXPECT_EQ(outcomes[1].rejects(), 1);
  EXPECT_EQ(outcomes[1].no_verdicts(), 1);
  EXPECT_EQ(outcomes[1].reason(), "leaks");
  EXPECT_EQ(dump_json(outcomes[1].to_json()),
            R"({"rejected":true,"verdicts":[{"verdict":"accept"},{"verdict":"none"},)"
            R"({"verdict":"reject","reason":"leaks"}]})");
  EXPECT_EQ(policy.requests_[1].prompt, "second");
  ASSERT_EQ(policy.requests_[1].addresses.size(), 3u);
  const RandomAddress third{.seed = 1, .purpose = 2, .step = 3, .index = 41, .salt = 7};
  EXPECT_EQ(policy.requests_[1].addresses[2], third);
  EXPECT_EQ(policy.parameters_.temperature, 0.6);
  EXPECT_EQ(policy.parameters_.max_new_tokens, 8192);
}

TEST(ReviewTest, PassesFailuresOn) {
  Parrot policy({});
  EXPECT_FALSE(review(policy, std::vector<std::string>{"x"}, {}, {}));
  EXPECT_EQ(review(policy, {}, {.samples = 0}, {}).error().kind, ErrorKind::kUsage);
  EXPECT_TRUE(review(policy, {}, {}, {}).value().empty());
}

// The counts and percentages of the paper's Table 5.
TEST(ReviewAuditTest, AgreesWithThePublishedTable) {
  struct Row {
    ReviewAudit audit;
    double accuracy, precision, recall, f1;
  };
  for (const Row& row :
       {Row{{12, 4, 40, 23}, 65.8, 75.0, 34.3, 47.1}, Row{{11, 3, 41, 24}, 65.8, 78.6, 31.4, 44.9},
        Row{{30, 5, 40, 4}, 88.6, 85.7, 88.2, 87.0}, Row{{7, 1, 43, 28}, 63.3, 87.5, 20.0, 32.6}}) {
    EXPECT_NEAR(100 * row.audit.accuracy().value(), row.accuracy, 0.05);
    EXPECT_NEAR(100 * row.audit.precision().value(), row.precision, 0.05);
    EXPECT_NEAR(100 * row.audit.recall().value(), row.recall, 0.05);
    EXPECT_NEAR(100 * row.audit.f1().value(), row.f1, 0.05);
  }
}

TEST(ReviewAuditTest, HasNoSharesOfNothing) {
  const ReviewAudit empty;
  EXPECT_FALSE(empty.accuracy() || empty.precision() || empty.recall() || empty.f1());
  EXPECT_TRUE(empty.to_json()["recall"].is_null());
}

TEST(ReviewAuditTest, CountsPerRule) {
  const std::vector<LabelledReview> reviews = {{true, {accept(), accept(), reject()}},
                                               {true, {reject(), reject(), reject()}},
                                               {false, {accept(), accept(), accept()}},
                                               {false, {accept(), reject(), std::nullopt}}};
  const auto audits = audit_reviews(reviews);
  ASSERT_EQ(audits.size(), 4u);
  const auto counts = [&](std::size_t i) {
    const ReviewAudit& a = audits[i].second;
    return std::vector<int>{a.true_positives, a.false_positives, a.true_negatives,
                            a.false_negatives};
  };
  EXPECT_EQ(counts(0), (std::vector<int>{1, 0, 2, 1}));  // single
  EXPECT_EQ(counts(1), (std::vector<int>{1, 1, 1, 1}));  // majority
  EXPECT_EQ(counts(2), (std::vector<int>{2, 1, 1, 0}));  // any
  EXPECT_EQ(counts(3), (std::vector<int>{1, 0, 2, 1}));  // all
}

TEST(ReviewAuditTest, TellsSkillFromChance) {
  const auto audit = [](int tp, int fn, int fp, int tn) {
    return ReviewAudit{
        .true_positives = tp, .false_positives = fp, .true_negatives = tn, .false_negatives = fn};
  };
  EXPECT_TRUE(audit(10, 2, 2, 10).better_than_chance());
  EXPECT_TRUE(audit(12, 0, 0, 12).better_than_chance());
  EXPECT_FALSE(audit(6, 6, 6, 6).better_than_chance());
  EXPECT_FALSE(audit(12, 0, 12, 0).better_than_chance()) << "it rejects everything";
  EXPECT_FALSE(audit(0, 12, 0, 12).better_than_chance()) << "it accepts everything";
  EXPECT_FALSE(audit(2, 10, 10, 2).better_than_chance());
  EXPECT_FALSE(audit(7, 5, 6, 6).better_than_chance());
  EXPECT_FALSE(audit(5, 0, 0, 0).better_than_chance());

  // Verdicts by the toss of a coin pass in about one of twenty audits.
  Rng rng({.seed = 7, .purpose = hash_name("audit")});
  int passed = 0;
  constexpr int kAudits = 4000;
  for (int i = 0; i < kAudits; ++i) {
    ReviewAudit tossed;
    for (int k = 0; k < 40; ++k) tossed.add(k % 2 == 0, rng.chance(0.4));
    passed += tossed.better_than_chance();
  }
  EXPECT_NEAR(static_cast<double>(passed) / kAudits, 0.05, 0.025);
}

}  // namespace
}  // namespace redqueen::synth
