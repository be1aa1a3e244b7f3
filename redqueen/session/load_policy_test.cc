#include "redqueen/session/load_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/base/testing/folder.h"
#include "redqueen/embedded/checkpoint.h"
#include "redqueen/session/init_policy.h"
#include "redqueen/session/own_settings.h"

namespace redqueen {
namespace {

using testing::HasSubstr;

TEST(LoadPolicy, SaysWhatIsMissing) {
  TrainSettings settings;
  EXPECT_THAT(load_policy(settings).error().message, HasSubstr("give --policy DIR"));
  settings.policy.path = "no/such/folder";
  EXPECT_THAT(load_policy(settings).error().message, HasSubstr("no/such/folder"));
  const TestFolder run;
  write_file(run / "run.db", "");
  settings.policy.path = run.path().string();
  EXPECT_THAT(load_policy(settings).error().message,
              HasSubstr("this is a run; its policy is " + (run / "policy").string()));
  settings.policy.path = "openai:http://localhost:1/v1";
  EXPECT_THAT(load_embedded_policy(settings).error().message, HasSubstr("has no weights here"));
}

TEST(LoadPolicy, LearnersHaveTheTrainersOfTheirPolicies) {
  const TestFolder folder;
  TrainSettings settings;
  settings.run.threads = 1;
  settings.model = {.vocabulary = 300,
                    .hidden_size = 16,
                    .intermediate_size = 32,
                    .layers = 1,
                    .heads = 2,
                    .key_value_heads = 1,
                    .head_dim = 8,
                    .context = 64};
  std::vector<LearnerSettings> wanted;
  for (const char* role : {"asker", "answerer"}) {
    settings.model.hidden_size += 16;
    const auto policy = make_policy(settings, {"1 + 1 = 2"}).value();
    ASSERT_TRUE(save_checkpoint(folder / role, policy->transformer(), policy->tokenizer()));
    wanted.push_back({role, settings.policy, settings.trainer});
    wanted.back().policy.path = (folder / role).string();
  }
  wanted[1].policy.path = "hf:" + wanted[1].policy.path;
  const auto learners = load_learners(settings, wanted);
  ASSERT_TRUE(learners) << learners.error().message;
  ASSERT_EQ(learners->size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const LocalLearner& learner = (*learners)[i];
    EXPECT_EQ(learner.role, wanted[i].role);
    EXPECT_EQ(learner.policy->transformer().config().hidden_size, i == 0 ? 32 : 48);
    EXPECT_EQ(learner.trainer->transformer().config().hidden_size, i == 0 ? 32 : 48);
  }
  wanted[1].trainer.epochs = 0;
  EXPECT_FALSE(load_learners(settings, wanted)) << "each has its own options";
}

// A folder as others publish it, and one that a run has written.
TEST(Asking, AFolderIsAskedAsItWasTaught) {
  const TestFolder folder;
  TrainSettings settings;
  settings.run.threads = 1;
  settings.model = {.vocabulary = 300,
                    .hidden_size = 16,
                    .intermediate_size = 32,
                    .layers = 1,
                    .heads = 2,
                    .key_value_heads = 1,
                    .head_dim = 8,
                    .context = 2048};
  const auto policy = make_policy(settings, {"1 + 1 = 2"}).value();
  ASSERT_TRUE(save_checkpoint(folder / "model", policy->transformer(), policy->tokenizer()));
  const std::string path = (folder / "model").string();
  EXPECT_EQ(asking_of(path).prompt_format, "plain");
  EXPECT_EQ(asking_of(path).max_new_tokens, 0);
  // A template in a file of its own, or in the tokenizer's.
  write_file(folder / "model/chat_template.jinja", "{{ messages[0].content }}");
  EXPECT_EQ(asking_of(path).prompt_format, "chat");
  EXPECT_EQ(asking_of("hf:" + path).max_new_tokens, 512) << "a quarter of its context";
  std::filesystem::remove(folder / "model/chat_template.jinja");
  write_file(folder / "model/tokenizer_config.json",
             R"({"chat_template": "{{ messages[0].content }}<think>"})");
  EXPECT_EQ(asking_of(path).prompt_format, "chat");
  EXPECT_EQ(asking_of(path).max_new_tokens, 1024) << "half of it, for a thought";
  settings.policy.path = path;
  settings.policy.prompt_format = "chat";
  settings.sampling.max_new_tokens = 1024;
  EXPECT_THAT(how_asked(settings), HasSubstr("chat, because it has a chat template, for at most "
                                             "1024 tokens a response (its template has it think"));
  settings.evaluation.max_new_tokens = 5;
  EXPECT_THAT(how_asked_in_evaluation(settings), HasSubstr("at most 5 tokens a response"));
  EXPECT_THAT(how_asked(settings), HasSubstr("at most 1024 tokens")) << "training has its own";
  settings.policy.prompt_format = "boxed";
  EXPECT_THAT(how_asked(settings), HasSubstr("boxed, as the settings say"));
  // What a run has taught the policy comes first.
  write_file(folder / "model/redqueen.toml",
             "[policy]\nprompt_format = \"terse\"\n[sampling]\nmax_new_tokens = 7\n");
  EXPECT_EQ(asking_of(path).prompt_format, "terse");
  EXPECT_EQ(asking_of(path).max_new_tokens, 7);
  // The configuration that lies below all others says the same.
  std::filesystem::remove(folder / "model/redqueen.toml");
  run::Settings declared(read_own_settings(path).value());
  TrainSettings read;
  read.declare(declared, {});
  ASSERT_TRUE(declared.finish());
  EXPECT_EQ(read.policy.prompt_format, "chat");
  EXPECT_EQ(read.sampling.max_new_tokens, 1024);
}

TEST(LoadPolicy, RanksLoadWhatTheConfigurationNames) {
  const auto load = [](const std::string& toml) {
    return rank_loader()(toml, {.rank = 1, .size = 2}).error().message;
  };
  EXPECT_THAT(load("[policy]\npath = \"no/such/folder\"\n"), HasSubstr("no/such/folder"));
  EXPECT_THAT(load("[run]\nrecipe = \"none\"\n"), HasSubstr("none"));
  EXPECT_THAT(load("[run]\nsteps = \"many\"\n"), HasSubstr("run.steps"));
}

TEST(ThreadCount, DividesTheCoresAmongProcesses) {
  EXPECT_EQ(thread_count(3, 8), 3) << "given numbers are each process's own";
  EXPECT_GE(thread_count(0), 1);
  EXPECT_EQ(thread_count(0, 1 << 20), 1);
  EXPECT_LE(thread_count(0, 2), thread_count(0));
}

}  // namespace
}  // namespace redqueen
