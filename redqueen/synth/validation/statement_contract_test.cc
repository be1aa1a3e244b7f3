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

Json evidence(int problems, std::vector<int> numbers, int draws, std::vector<std::string> stored) {
  Json drawn = Json::array();
  for (int i = 0; i < draws; ++i) drawn.push_back({{"level", 1}, {"seed", i}, {"other", "12"}});
  return {{"problems", problems},
          {"numbers", numbers},
          {"draws", drawn},
          {"stored", stored},
          {"reordered", drawn}};
}

TEST(Inputs, RemarkOnAnswersThatOnlyTheOrderMoves) {
  EXPECT_EQ(remark_on_order(evidence(6, {}, 1, {})), std::nullopt);
  EXPECT_THAT(remark_on_order(evidence(6, {}, 2, {})).value_or(""),
              HasSubstr("difficulty 1, seed 0 it is 12,"));
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
  EXPECT_EQ(check_inputs(evidence(6, {2}, 1, {}), reading).fault, ValidationFault::kNone);
  const auto number = check_inputs(evidence(6, {3}, 0, {}), reading);
  EXPECT_EQ(number.fault, ValidationFault::kNumberNotInPrompt);
  EXPECT_THAT(number.sentence, HasSubstr("97 of line 8"));
  EXPECT_EQ(check_inputs(evidence(6, {0}, 2, {}), reading).fault,
            ValidationFault::kHiddenParameter);
  EXPECT_THAT(check_inputs(evidence(6, {0}, 0, {"modulus"}), reading).sentence,
              HasSubstr("self.modulus"));
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
       {std::string("[]"), std::string("3"), std::string("{}"), with("[[\"bound_differs\", \"m\"]]", "3"),
        with("bound_differs", "raises"), with("\"m\"", "4"), with("\"sentences\": [],", ""),
        with("[3, 5, 97, 8]", "[1, 2, 3]"), with("[3, 5", "[\"a\", 5")}) {
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
