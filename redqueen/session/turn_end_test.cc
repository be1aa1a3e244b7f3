#include "redqueen/session/turn_end.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/base/json.h"
#include "redqueen/base/testing/folder.h"
#include "redqueen/embedded/checkpoint.h"
#include "redqueen/embedded/embedded_policy.h"
#include "redqueen/recipes/settings.h"
#include "redqueen/session/init_policy.h"

namespace redqueen {
namespace {

using testing::HasSubstr;

// A policy whose tokenizer has <|endoftext|>, with this template and these end tokens.
std::unique_ptr<EmbeddedPolicy> policy_with(const TestFolder& folder, const std::string& turn,
                                            std::optional<int> end) {
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
  const auto made = make_policy(settings, {"1 + 1 = 2"}).value();
  const auto path = folder / "model";
  EXPECT_TRUE(save_checkpoint(path, made->transformer(), made->tokenizer()));
  const Json config{{"chat_template", "{% for m in messages %}<{{ m.role }}>{{ m.content }}" +
                                          turn +
                                          "{% endfor %}{% if add_generation_prompt %}<assistant>"
                                          "{% endif %}"}};
  write_file(path / "tokenizer_config.json", dump_json(config));
  if (end) {
    write_file(path / "generation_config.json",
               dump_json(Json{{"eos_token_id", Json::array({*end})}}));
  }
  return EmbeddedPolicy::load(path).value();
}

TEST(TurnEnd, WarnsWhereATemplateEndsTurnsWithWhatIsNoEndToken) {
  const TestFolder folder;
  const auto policy = policy_with(folder, "<|endoftext|>\n", 5);
  const int token = *policy->tokenizer().token_id("<|endoftext|>");
  const std::string warning = turn_end_warning(*policy, {});
  EXPECT_THAT(warning, HasSubstr(fmt::format("ends a turn with <|endoftext|> (token {})", token)));
  EXPECT_THAT(warning, HasSubstr(fmt::format("\"eos_token_id\": [5, {}]", token)));
  const std::vector<std::string> stop{"<|endoftext|>"};
  EXPECT_EQ(turn_end_warning(*policy, stop), "");
}

TEST(TurnEnd, IsSilentWhereTurnsCanEnd) {
  const TestFolder folder;
  EXPECT_EQ(turn_end_warning(*policy_with(folder, "<|endoftext|>", std::nullopt), {}), "");
}

TEST(TurnEnd, IsSilentWhereATemplateMarksNoEnd) {
  const TestFolder folder;
  EXPECT_EQ(turn_end_warning(*policy_with(folder, "\n\n", 5), {}), "");
}

}  // namespace
}  // namespace redqueen
