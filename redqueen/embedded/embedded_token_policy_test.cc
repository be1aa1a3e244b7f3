#include "redqueen/embedded/embedded_token_policy.h"

#include <gtest/gtest.h>

#include "redqueen/model/testing/tiny_models.h"
#include "redqueen/model/transformer.h"
#include "redqueen/text/testing/byte_tokenizer.h"

namespace redqueen {
namespace {

// What is heard grows a token at a time to what sample() gives; a prompt that does not fit and one
// that is empty cost their own responses alone.
TEST(EmbeddedTokenPolicy, IsHeardTokenByToken) {
  const auto policy =
      EmbeddedPolicy::make(Transformer::initialise(small_config(), 3), byte_tokenizer(), "policy");
  ASSERT_TRUE(policy) << policy.error().message;
  const SampleParameters parameters{.max_new_tokens = 12, .stop = {"e"}};
  const std::vector<RandomAddress> two{{.seed = 1, .index = 0}, {.seed = 1, .index = 1}};
  const std::vector<SampleRequest> asked{{"Sort: 3 1 2\n", two},
                                         {std::string(128, 'x'), {{.seed = 2}}},
                                         {"", {{.seed = 3}}},
                                         {"2 + 2 =", two}};
  const auto silent = (*policy)->sample(asked, parameters);
  std::vector<std::vector<Completion>> heard(asked.size(), std::vector<Completion>(2));
  EmbeddedTokenPolicy aloud(**policy);
  const auto groups = aloud.sample_aloud(
      asked, parameters, [&](std::size_t request, std::size_t response, const Completion& so_far) {
        Completion& before = heard[request][response];
        EXPECT_EQ(so_far.tokens.size(), before.tokens.size() + 1);
        EXPECT_TRUE(so_far.text.starts_with(before.text));
        before = so_far;
      });
  ASSERT_TRUE(groups) << groups.error().message;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    ASSERT_EQ(groups->at(i).completions.size(), asked[i].addresses.size());
    for (std::size_t r = 0; r < asked[i].addresses.size(); ++r) {
      const Completion& expected = silent->at(i).completions[r];
      EXPECT_EQ(groups->at(i).completions[r].tokens, expected.tokens);
      EXPECT_EQ(groups->at(i).completions[r].finish, expected.finish);
      EXPECT_EQ(heard[i][r].tokens, expected.tokens);
      EXPECT_EQ(heard[i][r].text, expected.text);
      EXPECT_EQ(heard[i][r].log_probs, expected.log_probs);
    }
  }
  EXPECT_EQ(groups->at(1).completions[0].finish, FinishReason::kPromptTooLong);
  EXPECT_FALSE(aloud.sample_aloud(asked, {.temperature = -1}, {}));
}

}  // namespace
}  // namespace redqueen
