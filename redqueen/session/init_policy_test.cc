#include "redqueen/session/init_policy.h"

#include "redqueen/model/transformer.h"
#include "redqueen/session/load_policy.h"
#include "redqueen/session/testing/small_policies.h"

namespace redqueen {
namespace {

using InitPolicy = SmallPolicies;

TEST_F(InitPolicy, FollowsFromTheSeedAndHasTheShapeAskedFor) {
  const std::string first = initialise("first", 1);
  ASSERT_FALSE(first.empty());
  EXPECT_EQ(initialise("again", 1), first);
  EXPECT_NE(initialise("other", 2), first);
  settings_.policy.path = (folder_ / "first").string();
  const auto policy = load_embedded_policy(settings_);
  ASSERT_TRUE(policy) << policy.error().message;
  const ModelConfig& config = (*policy)->transformer().config();
  EXPECT_EQ(config.hidden_size, 32);
  EXPECT_EQ(config.max_position_embeddings, 2048);
  EXPECT_EQ(config.vocab_size, (*policy)->tokenizer().vocab_size());
  EXPECT_EQ(config.eos_token_ids.size(), 1U);
}

}  // namespace
}  // namespace redqueen
