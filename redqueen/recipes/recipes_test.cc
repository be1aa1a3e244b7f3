#include "redqueen/recipes/recipes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/engine/testing/engine.h"
#include "redqueen/recipes/azr/azr_settings.h"

namespace redqueen {
namespace {

using testing::HasSubstr;

TEST(LearnersOf, IsOneForAllRolesUnlessTheRecipeSaysOtherwise) {
  TrainSettings settings;
  settings.policy.path = "my/policy";
  settings.trainer.epochs = 3;
  for (const RecipeEntry& entry : recipes()) {
    if (entry.learners != nullptr) continue;
    const auto learners = learners_of(entry, settings).value();
    ASSERT_EQ(learners.size(), 1U) << entry.name;
    EXPECT_EQ(learners[0].role, "");
    EXPECT_EQ(learners[0].policy.path, "my/policy");
    EXPECT_EQ(learners[0].trainer.epochs, 3);
  }
}

TEST(LearnersOf, RefusesRolesThatCannotNameFolders) {
  static std::vector<std::string> roles;
  const RecipeEntry entry{.name = "several", .learners = [](const TrainSettings&) {
                            std::vector<LearnerSettings> learners;
                            for (const std::string& role : roles) learners.push_back({role});
                            return learners;
                          }};
  roles = {"asker", "answerer"};
  EXPECT_EQ(learners_of(entry, {}).value().size(), 2U);
  for (const auto& bad : std::vector<std::vector<std::string>>{
           {"asker", "asker"}, {"asker", ""}, {"asker", "a/b"}, {}}) {
    roles = bad;
    const auto refused = learners_of(entry, {});
    ASSERT_FALSE(refused) << testing::PrintToString(bad);
    EXPECT_THAT(refused.error().message, HasSubstr("several"));
  }
}

// What a recipe's table says of environments holds for every engine, whoever trains.
TEST(EngineOptions, BringTheEnvironmentsOfRecipes) {
  TrainSettings settings;
  std::vector<std::string> prompts;
  Json parameter;
  for (const char* folder : {"prompts", "prompts-terse"}) {
    settings.table<azr::AzrSettings>().prompts = folder;
    const auto engine = Engine::create(engine_options(settings, source_resources()));
    ASSERT_TRUE(engine) << engine.error().message;
    const Environment* deduction = engine->registry().find("azr/deduction");
    ASSERT_NE(deduction, nullptr);
    if (parameter.is_null()) parameter = deduction->generate(0, 0).value()->parameter();
    prompts.push_back(deduction->restore(parameter).value()->prompt());
  }
  EXPECT_NE(prompts[0], prompts[1]);
}

std::string fault_of(const std::string& toml) {
  const run::Config config = run::Config::parse(toml, "old.toml").value();
  run::Settings declared(config);
  TrainSettings settings;
  settings.declare(declared);
  const Status done = declared.finish();
  return done ? "" : done.error().message;
}

TEST(Settings, NamesWhatOldOnesAreCalledNow) {
  EXPECT_THAT(fault_of("[train]\ntoken_budget = 9\n"),
              HasSubstr("train.token_budget is called train.micro_batch_tokens now"));
  EXPECT_THAT(fault_of("[batch]\ndrop_equal_rewards = true\n"),
              HasSubstr("batch.drop_equal_rewards is called batch.dynamic_sampling now"));
  EXPECT_THAT(fault_of("[model]\npieces = \"lines\"\n"),
              HasSubstr("model.pieces is called model.pretokenizer now"));
  EXPECT_THAT(fault_of("[evoenv]\nprototype_threshold = 0.5\n"),
              HasSubstr("evoenv.prototype_threshold is called evoenv.cluster_threshold now"));
  EXPECT_EQ(fault_of("[train]\nmicro_batch_tokens = 9\n"), "");
}

}  // namespace
}  // namespace redqueen
