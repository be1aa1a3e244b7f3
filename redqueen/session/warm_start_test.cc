#include "redqueen/session/warm_start.h"

#include <gmock/gmock.h>

#include "redqueen/session/testing/small_policies.h"

namespace redqueen {
namespace {

using testing::HasSubstr;

using WarmStart = SmallPolicies;

// ln(300) = 5.7: what a policy that knows nothing has.
TEST_F(WarmStart, TeachesAndKeepsABatchThatFails) {
  initialise("policy", 1);
  settings_.policy.path = (folder_ / "policy").string();
  const Status warmed = warm_start_policy(shared_engine(), settings_, folder_ / "warm", progress_);
  ASSERT_TRUE(warmed) << warmed.error().message;
  const std::string said = said_.str();
  const std::size_t at = said.find("held-out loss ");
  ASSERT_NE(at, std::string::npos) << said;
  EXPECT_LT(std::stod(said.substr(at + 14)), 5.0) << said;
  EXPECT_NE(read_file(folder_ / "warm" / "model.safetensors"),
            read_file(folder_ / "policy" / "model.safetensors"));

  settings_.trainer.loss_limit = 1e-6;
  const Status failed = warm_start_policy(shared_engine(), settings_, folder_ / "bad", progress_);
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr("failed-batch-update-00000001.jsonl"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "bad" / "model.safetensors"));
}

}  // namespace
}  // namespace redqueen
