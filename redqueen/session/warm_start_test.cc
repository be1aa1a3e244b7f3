#include "redqueen/session/warm_start.h"

#include <gmock/gmock.h>

#include <atomic>

#include "redqueen/checkpoint/lora_config.h"
#include "redqueen/checkpoint/safetensors.h"
#include "redqueen/session/testing/small_policies.h"

namespace redqueen {
namespace {

using testing::HasSubstr;

class WarmStart : public SmallPolicies {
 protected:
  Status warm_start(const std::string& name, const std::atomic<bool>& stop) {
    settings_.policy.path = (folder_ / "policy").string();
    return warm_start_policy(shared_engine(), settings_, folder_ / name, progress_, stop);
  }

  const std::atomic<bool> never_ = false;
};

// ln(300) = 5.7: what a policy that knows nothing has.
TEST_F(WarmStart, TeachesAndKeepsABatchThatFails) {
  initialise("policy", 1);
  settings_.policy.path = (folder_ / "policy").string();
  const Status warmed =
      warm_start_policy(shared_engine(), settings_, folder_ / "warm", progress_, never_);
  ASSERT_TRUE(warmed) << warmed.error().message;
  const std::string said = said_.str();
  EXPECT_THAT(said,
              testing::ContainsRegex("plan: about [0-9ms]+ for [0-9]+ answers, [0-9]+ tokens"));
  EXPECT_LT(said.find("plan: about"), said.find("step 1/")) << said;
  const std::size_t at = said.find("held-out loss ");
  ASSERT_NE(at, std::string::npos) << said;
  EXPECT_LT(std::stod(said.substr(at + 14)), 5.0) << said;
  EXPECT_NE(read_file(folder_ / "warm" / "model.safetensors"),
            read_file(folder_ / "policy" / "model.safetensors"));

  settings_.trainer.loss_limit = 1e-6;
  const Status failed =
      warm_start_policy(shared_engine(), settings_, folder_ / "bad", progress_, never_);
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr("failed-batch-update-00000001.jsonl"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "bad" / "model.safetensors"));
}

TEST_F(WarmStart, TrainsTheAdaptersThatAreAskedFor) {
  initialise("policy", 1);
  settings_.table<LoraConfig>().rank = 4;
  settings_.warm_start.learning_rate = 0.01;
  const Status warmed = warm_start("adapters", never_);
  ASSERT_TRUE(warmed) << warmed.error().message;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "adapters" / "model.safetensors"));
  const auto made = SafetensorsFile::open(folder_ / "adapters" / "adapter_model.safetensors");
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->tensors().size(), 14U) << "A and B of seven matrices";

  // From there on, with the same adapters and no others.
  settings_.policy.path = (folder_ / "adapters").string();
  const Status more =
      warm_start_policy(shared_engine(), settings_, folder_ / "more", progress_, never_);
  ASSERT_TRUE(more) << more.error().message;
  settings_.table<LoraConfig>().rank = 8;
  EXPECT_FALSE(warm_start_policy(shared_engine(), settings_, folder_ / "no", progress_, never_));
}

TEST_F(WarmStart, GoesOnWhereItWasStopped) {
  initialise("policy", 1);
  ASSERT_TRUE(warm_start("straight", never_));
  const std::atomic<bool> at_once = true;
  ASSERT_TRUE(warm_start("warm", at_once));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "warm"));
  EXPECT_THAT(said_.str(), HasSubstr("stopped after update 1, saved"));
  ASSERT_TRUE(warm_start("warm/", at_once));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "warm")) << "what is there is not gone on with";
  ASSERT_TRUE(warm_start("warm", never_));
  EXPECT_THAT(said_.str(), HasSubstr("went on after update 2"));
  EXPECT_EQ(read_file(folder_ / "warm" / "model.safetensors"),
            read_file(folder_ / "straight" / "model.safetensors"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "warm.partial"));

  ASSERT_TRUE(warm_start("other", at_once));
  settings_.warm_start.learning_rate *= 2;
  const Status refused = warm_start("other", never_);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("other.partial"));
}

}  // namespace
}  // namespace redqueen
