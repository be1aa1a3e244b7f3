#include "redqueen/synth/validation/statement_contract.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/base/rng.h"

namespace redqueen::synth {
namespace {

using testing::HasSubstr;

// Prompts "a: <first>, b: <second>" with answers that are a function of both.
template <typename Answer>
std::vector<ProblemSample> samples_of(int count, Answer answer) {
  Rng rng({.seed = 4, .purpose = hash_name("statement test")});
  std::vector<ProblemSample> samples;
  for (int i = 0; i < count; ++i) {
    const std::int64_t first = rng.integer(-50, 50), second = rng.integer(1, 50);
    samples.push_back({.level = i % 3,
                       .seed_index = i,
                       .prompt = fmt::format("a: {}, b: {}.", first, second),
                       .reference = std::to_string(answer(first, second))});
  }
  return samples;
}

TEST(AffineLeak, IsFoundWhateverItsFactors) {
  for (const std::int64_t factor : {-7, -1, 1, 3}) {
    for (const std::int64_t shift : {-20, 0, 1}) {
      const auto leak = [&](std::int64_t a, std::int64_t) { return factor * a + shift; };
      EXPECT_EQ(check_affine_leak(samples_of(30, leak)).fault, ValidationFault::kReferenceInPrompt);
    }
  }
  // The prompt shows three times the answer and one.
  auto samples = samples_of(30, [](std::int64_t, std::int64_t b) { return b; });
  for (ProblemSample& sample : samples)
    sample.prompt = fmt::format("{} {}", sample.prompt, 3 * std::stoll(sample.reference) + 1);
  EXPECT_EQ(check_affine_leak(samples).fault, ValidationFault::kReferenceInPrompt);
}

TEST(AffineLeak, IsNoneOfSeveralNumbersOrOfFewProblems) {
  const auto sum = [](std::int64_t a, std::int64_t b) { return a + b; };
  const auto same = [](std::int64_t a, std::int64_t) { return a; };
  const auto square = [](std::int64_t a, std::int64_t) { return a * a; };
  const auto constant = [](std::int64_t, std::int64_t) { return 4; };
  EXPECT_EQ(check_affine_leak(samples_of(30, sum)).fault, ValidationFault::kNone);
  EXPECT_EQ(check_affine_leak(samples_of(30, square)).fault, ValidationFault::kNone);
  EXPECT_EQ(check_affine_leak(samples_of(30, constant)).fault, ValidationFault::kNone);
  EXPECT_EQ(check_affine_leak(samples_of(19, same)).fault, ValidationFault::kNone);
  auto one_differs = samples_of(30, same);
  one_differs[17].reference = "1000";
  EXPECT_EQ(check_affine_leak(one_differs).fault, ValidationFault::kNone);
  auto text = samples_of(30, same);
  text[3].reference = "'x'";
  EXPECT_EQ(check_affine_leak(text).fault, ValidationFault::kNone);
  // What asks with one number alone is a short sum, and no leak.
  auto short_sum = samples_of(30, same);
  for (ProblemSample& sample : short_sum) sample.prompt = "Half of " + sample.reference;
  EXPECT_EQ(check_affine_leak(short_sum).fault, ValidationFault::kNone);
}

// `stored` are names, and whether their values differ between levels.
Json evidence(int problems, const std::vector<int>& numbers, int draws,
              const std::vector<std::pair<std::string, bool>>& stored, int reordered = 0) {
  const auto moved = [](int count) {
    Json list = Json::array();
    for (int i = 0; i < count; ++i) list.push_back({{"level", 1}, {"seed", i}, {"other", "12"}});
    return list;
  };
  return {{"problems", problems},
          {"numbers", numbers},
          {"draws", moved(draws)},
          {"stored", stored},
          {"reordered", moved(reordered)}};
}

TEST(Inputs, ProveWhatMovesAnswersBehindThePrompt) {
  const StatementReading reading =
      read_statement(parse_json(R"({"remarks": [["wording_differs", "A doubt."]],
                         "suspects": [[3, 5, 97, 8]], "decimals": 2, "once": true,
                         "sentences": ["Give {}."], "names": ["give"]})")
                         .value())
          .value();
  ASSERT_EQ(reading.remarks.size(), 1U);
  EXPECT_EQ(reading.remarks[0].fault, ValidationFault::kWordingDiffers);
  EXPECT_EQ(reading.remarks[0].sentence, "A doubt.");
  EXPECT_EQ(reading.decimals, 2);
  EXPECT_TRUE(reading.once);
  const auto proof = [&](const Json& json) { return check_inputs(json, reading).proof; };
  EXPECT_EQ(proof(evidence(6, {2}, 1, {})).fault, ValidationFault::kNone);
  EXPECT_EQ(proof(evidence(6, {6}, 0, {{"modulus", false}}, 6)).fault, ValidationFault::kNone);
  EXPECT_EQ(proof(evidence(6, {0}, 2, {})).fault, ValidationFault::kHiddenParameter);
  const auto stored = proof(evidence(6, {0}, 0, {{"modulus", true}}));
  EXPECT_EQ(stored.fault, ValidationFault::kHiddenParameter);
  EXPECT_THAT(stored.sentence, HasSubstr("self.modulus"));
}

// What a reader may know, or what may have an order.
TEST(Inputs, RemarkOnWhatTheyDoNotProve) {
  const StatementReading reading =
      read_statement(parse_json(R"({"remarks": [], "suspects": [[3, 5, 97, 8]], "decimals": null,
                         "once": false, "sentences": [], "names": []})")
                         .value())
          .value();
  EXPECT_TRUE(check_inputs(evidence(6, {2}, 1, {}, 1), reading).remarks.empty());
  const auto found = check_inputs(evidence(6, {3}, 0, {{"modulus", false}}, 2), reading).remarks;
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].fault, ValidationFault::kNumberNotInPrompt);
  EXPECT_THAT(found[0].sentence, HasSubstr("97 of line 8"));
  EXPECT_EQ(found[1].fault, ValidationFault::kHiddenParameter);
  EXPECT_EQ(found[2].fault, ValidationFault::kNone);
  EXPECT_THAT(found[2].sentence, HasSubstr("difficulty 1, seed 0 it is 12,"));
}

TEST(Statement, OfAnotherFormIsRefused) {
  const std::string good = R"({"remarks": [["bound_differs", "m"]],
      "suspects": [[3, 5, 97, 8]], "decimals": null, "once": false,
      "sentences": [], "names": []})";
  ASSERT_TRUE(read_statement(parse_json(good).value()));
  const auto with = [&](std::string_view part, std::string_view other) {
    std::string text = good;
    return text.replace(text.find(part), part.size(), other);
  };
  ASSERT_TRUE(read_statement(parse_json(with("\"m\"", "\"n\"")).value()));
  for (const std::string& bad :
       {std::string("[]"), std::string("3"), std::string("{}"),
        with("[[\"bound_differs\", \"m\"]]", "3"), with("bound_differs", "raises"),
        with("\"m\"", "4"), with("\"sentences\": [],", ""), with("[3, 5, 97, 8]", "[1, 2, 3]"),
        with("[3, 5", "[\"a\", 5")}) {
    EXPECT_FALSE(read_statement(parse_json(bad).value())) << bad;
  }
  Rng rng({.seed = 5, .purpose = hash_name("statement test")});
  for (int i = 0; i < 500; ++i) {
    std::string bytes = good;
    for (int k = 0; k < 3; ++k) bytes[rng.below(bytes.size())] = static_cast<char>(rng.below(128));
    if (const auto json = parse_json(bytes)) static_cast<void>(read_statement(*json));
  }
}

}  // namespace
}  // namespace redqueen::synth
