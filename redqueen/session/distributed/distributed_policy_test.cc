#include "redqueen/session/distributed/distributed_policy.h"

#include <gtest/gtest.h>

#include "redqueen/train/batching.h"

namespace redqueen {
namespace {

TEST(ExpectedWork, CountsPromptAndResponses) {
  const SampleParameters parameters{.max_new_tokens = 100};
  const ResponseLengths lengths;
  const auto work = [&](const SampleRequest& request) {
    return expected_work(request, parameters, lengths);
  };
  EXPECT_EQ(work({.prompt = "12345678", .addresses = {{}, {}}}), 202U);
  EXPECT_EQ(work({.prompt = "", .addresses = {{}}, .prompt_tokens = {1, 2, 3}}), 103U);
  EXPECT_EQ(work({.prompt = "", .addresses = {{}}, .messages = {{"user", "1234", {}, ""}}}), 101U);
}

using Lengths = std::vector<std::size_t>;

TEST(ResponseLengths, AreTheMeanOfTheLastOfAKind) {
  ResponseLengths lengths;
  EXPECT_EQ(lengths.expected("Sorting@1", 100), 100);
  lengths.note("Sorting@1", Lengths({10, 20}));
  lengths.note("Sudoku@1", Lengths({60, 90, 0}));
  lengths.note("empty", {});
  EXPECT_DOUBLE_EQ(lengths.expected("Sorting@1", 100), 15);
  EXPECT_DOUBLE_EQ(lengths.expected("Sudoku@1", 100), 50);
  EXPECT_EQ(lengths.expected("empty", 100), 100);
  for (int i = 0; i < 60; ++i) lengths.note("Sorting@1", Lengths({40, 50}));
  EXPECT_NEAR(lengths.expected("Sorting@1", 100), 45, 0.1);
}

// One request of long responses is as much as many of short ones.
TEST(ExpectedWork, IsDealtOutByTheLengthsThatCame) {
  ResponseLengths lengths;
  lengths.note("short", Lengths({10}));
  lengths.note("long", Lengths({90}));
  std::vector<std::size_t> work;
  for (const char* kind :
       {"short", "short", "long", "short", "short", "short", "short", "short", "short", "short"}) {
    work.push_back(expected_work({.prompt = "", .addresses = {{}, {}}, .kind = kind},
                                 {.max_new_tokens = 100}, lengths));
  }
  const auto shares = deal(work, 2);
  EXPECT_EQ(shares[0], std::vector<std::size_t>{2});
  EXPECT_EQ(shares[1].size(), 9U);
}

TEST(KeptPlaces, KnowWhereAConversationWasKept) {
  KeptPlaces places;
  EXPECT_TRUE(places.empty());
  const Completion missing{.finish = FinishReason::kFailed};
  places.note({.prompt_tokens = {1, 2}, .completions = {{.tokens = {3}}, {.tokens = {4, 5}}}}, 2);
  places.note({.prompt_tokens = {7}, .completions = {{.tokens = {8}}, missing}}, 0);
  const std::vector<SampleRequest> requests{
      {.prompt_tokens = {1, 2, 4, 5}}, {.prompt_tokens = {7, 8}}, {.prompt_tokens = {1, 2, 3}},
      {.prompt_tokens = {1, 2}},       {.prompt_tokens = {7}},    {.prompt = "a first turn"}};
  EXPECT_EQ(places.of(requests), (std::vector<int>{2, 0, 2, -1, -1, -1}));
  places.clear();
  EXPECT_EQ(places.of({requests.data(), 1}), std::vector<int>{-1});
}

}  // namespace
}  // namespace redqueen
