#include "redqueen/session/metered_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "redqueen/base/text_file.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

// Answers each address with its salt; what is above a limit fails.
class CountingPolicy final : public Policy {
 public:
  Expected<std::vector<CompletionGroup>> sample(std::span<const SampleRequest> requests,
                                                const SampleParameters& parameters) override {
    std::vector<CompletionGroup> groups;
    for (const SampleRequest& request : requests) {
      CompletionGroup& group = groups.emplace_back();
      group.prompt_tokens = {1, 2, 3};
      for (const RandomAddress& address : request.addresses) {
        ++asked;
        if (asked > works_for) {
          group.completions.push_back({.finish = FinishReason::kFailed, .failure = "stopped"});
          continue;
        }
        group.completions.push_back({.text = texts.empty() ? std::to_string(address.salt) : texts,
                                     .tokens = std::vector<Token>(5),
                                     .log_probs = {},
                                     .finish = parameters.max_new_tokens < 5
                                                   ? FinishReason::kLength
                                                   : FinishReason::kStop});
      }
    }
    return groups;
  }
  std::string_view name() const override { return "counting"; }

  std::string texts;
  int asked = 0;
  int works_for = 1000;
};

class MeteredPolicyTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              fmt::format("metered-{}-{}", getpid(),
                          testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
    file_ = folder_ / "responses.jsonl";
  }
  void TearDown() override { fs::remove_all(folder_); }

  static std::vector<SampleRequest> requests(std::string_view purpose, int count) {
    SampleRequest request{.prompt = "p", .addresses = {}};
    for (int i = 0; i < count; ++i)
      request.addresses.push_back(
          {.purpose = hash_name(purpose), .salt = static_cast<unsigned>(i)});
    return {request, {.prompt = "q", .addresses = {{.purpose = hash_name(purpose), .index = 1}}}};
  }

  fs::path folder_;
  fs::path file_;
  CountingPolicy inner_;
};

TEST_F(MeteredPolicyTest, CountsByRole) {
  SamplingLedger ledger = SamplingLedger::open(file_).value();
  MeteredPolicy policy(inner_, ledger);
  std::vector<std::int64_t> done;
  ledger.set_listener([&](const SamplingState& state) {
    EXPECT_EQ(state.role, done.size() < 3 ? "generator" : "solver");
    done.push_back(state.done);
  });
  const auto groups = policy.sample(requests("generator", 2), {});
  ASSERT_TRUE(groups);
  EXPECT_EQ((*groups)[0].completions[1].text, "1");
  ASSERT_TRUE(policy.sample(requests("calibration", 1), {.max_new_tokens = 4}));
  EXPECT_THAT(done, ElementsAre(0, 2, 3, 0, 1, 2));
  const RoleUsage& generator = ledger.roles().at("generator");
  EXPECT_EQ(generator.responses, 3);
  EXPECT_EQ(generator.prompt_tokens, 6);
  EXPECT_EQ(generator.completion_tokens, 15);
  EXPECT_EQ(generator.cut, 0);
  EXPECT_EQ(ledger.roles().at("solver").cut, 2);
}

// A second process finds what came, and asks for the rest alone.
TEST_F(MeteredPolicyTest, KeepsWhatCameForAnotherProcess) {
  {
    SamplingLedger ledger = SamplingLedger::open(file_).value();
    MeteredPolicy policy(inner_, ledger);
    inner_.works_for = 2;
    const auto groups = policy.sample(requests("review", 2), {.temperature = 0.5});
    EXPECT_EQ((*groups)[1].completions[0].finish, FinishReason::kFailed);
  }
  std::ofstream(file_, std::ios::app) << R"({"key": "cut sho)";  // killed while it wrote
  inner_.works_for = 1000;
  inner_.asked = 0;
  SamplingLedger ledger = SamplingLedger::open(file_).value();
  EXPECT_EQ(ledger.kept(), 2);
  EXPECT_EQ(ledger.roles().at("reviewer").responses, 2);
  EXPECT_EQ(ledger.roles().at("reviewer").completion_tokens, 10);
  MeteredPolicy policy(inner_, ledger);
  const auto groups = policy.sample(requests("review", 2), {.temperature = 0.5});
  EXPECT_EQ(inner_.asked, 1);
  EXPECT_EQ((*groups)[0].completions[0].text, "0");
  EXPECT_EQ((*groups)[0].completions[1].text, "1");
  EXPECT_EQ((*groups)[1].completions[0].finish, FinishReason::kStop);
  EXPECT_EQ(ledger.roles().at("reviewer").responses, 3);
  // Other parameters are another response.
  ASSERT_TRUE(policy.sample(requests("review", 2), {.temperature = 0.6}));
  EXPECT_EQ(inner_.asked, 4);
  ASSERT_TRUE(ledger.forget_responses());
  EXPECT_FALSE(fs::exists(file_));
  ASSERT_TRUE(policy.sample(requests("review", 2), {.temperature = 0.5}));
  EXPECT_EQ(inner_.asked, 7);
  EXPECT_EQ(SamplingLedger::open(file_)->kept(), 3);
}

TEST_F(MeteredPolicyTest, DoesNotKeepBytesThatAreNoText) {
  SamplingLedger ledger = SamplingLedger::open(file_).value();
  MeteredPolicy policy(inner_, ledger);
  inner_.texts = "\xff";
  EXPECT_EQ((*policy.sample(requests("generator", 1), {}))[0].completions[0].text, "\xff");
  EXPECT_EQ(ledger.kept(), 0);
}

TEST_F(MeteredPolicyTest, AsksNothingOnceItsBudgetIsSpent) {
  SamplingLedger ledger = SamplingLedger::open(file_, 20).value();
  MeteredPolicy policy(inner_, ledger);
  EXPECT_EQ(policy.spent_budget(), "");
  ASSERT_TRUE(policy.sample(requests("generator", 3), {}));
  EXPECT_EQ(policy.spent_budget(), "26 of 20 tokens");
  const int asked = inner_.asked;
  const auto groups = policy.sample(requests("calibration", 1), {});
  EXPECT_EQ(inner_.asked, asked);
  EXPECT_THAT((*groups)[0].completions[0].failure, HasSubstr("26 of 20"));
}

}  // namespace
}  // namespace redqueen
