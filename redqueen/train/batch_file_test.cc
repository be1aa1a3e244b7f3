#include "redqueen/train/batch_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "redqueen/base/json.h"
#include "redqueen/base/testing/folder.h"
#include "redqueen/train/testing/groups.h"
#include "redqueen/train/testing/policies.h"

namespace redqueen {
namespace {

std::vector<Json> lines_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::vector<Json> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(parse_json(line).value());
  return lines;
}

TEST(BatchFile, HoldsEveryGroupAndNumber) {
  const TestFolder folder;
  Rng rng({.seed = 3, .purpose = hash_name("batch_file_test")});
  auto groups = random_groups(rng, {}, AdvantageRule::kRoleTaskNormalised);
  groups[1].rollouts[0].completion.text = "\xff\n\"";
  groups[1].rollouts[0].given = {{0, 1}};
  ASSERT_TRUE(write_batch(folder.path() / "batch.jsonl", groups));
  const auto lines = lines_of(folder.path() / "batch.jsonl");
  ASSERT_EQ(lines.size(), groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    EXPECT_EQ(lines[g]["group"], g);
    EXPECT_EQ(lines[g]["role"], groups[g].role);
    EXPECT_EQ(lines[g]["rule"], "trr++");
    EXPECT_EQ(lines[g]["prompt"].get<std::vector<Token>>(), groups[g].prompt);
    ASSERT_EQ(lines[g]["rollouts"].size(), groups[g].rollouts.size());
    for (std::size_t k = 0; k < groups[g].rollouts.size(); ++k) {
      const Json& line = lines[g]["rollouts"][k];
      const Completion& completion = groups[g].rollouts[k].completion;
      EXPECT_EQ(line["reward"], groups[g].rollouts[k].reward);
      EXPECT_EQ(line["tokens"].get<std::vector<Token>>(), completion.tokens);
      EXPECT_EQ(line["log_probs"].get<std::vector<float>>(), completion.log_probs);
      const bool has_given = g == 1 && k == 0;
      EXPECT_EQ(line.value("given", Json()), has_given ? Json::parse("[[0,1]]") : Json());
    }
  }
}

TEST(BatchFile, HoldsGivenTargetsWithTheirTexts) {
  const TestFolder folder;
  const Tokenizer tokenizer = end_and_bytes();
  const std::vector<TokenGroup> groups{
      {tokenizer.encode("2 + 2 ="), {tokenizer.encode("4"), tokenizer.encode("\xff\n")}},
      {tokenizer.encode("?"), {}}};
  ASSERT_TRUE(write_batch(folder.path() / "batch.jsonl", groups, tokenizer));
  const auto lines = lines_of(folder.path() / "batch.jsonl");
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0]["prompt"].get<std::vector<Token>>(), groups[0].prompt);
  EXPECT_EQ(lines[0]["prompt_text"], "2 + 2 =");
  EXPECT_EQ(lines[0]["targets"][0]["text"], "4");
  EXPECT_EQ(lines[0]["targets"][1]["tokens"].get<std::vector<Token>>(), groups[0].responses[1]);
  EXPECT_EQ(lines[1]["group"], 1);
  EXPECT_TRUE(lines[1]["targets"].empty());
}

TEST(BatchFile, NamesWhatIsNotFinite) {
  const TestFolder folder;
  ScoredGroup group{.prompt = {1}};
  group.rollouts.push_back(
      {.completion = {.tokens = {1, 2}, .log_probs = {NAN, -INFINITY}}, .reward = INFINITY});
  ASSERT_TRUE(write_batch(folder.path() / "batch.jsonl", {&group, 1}));
  const Json rollout = lines_of(folder.path() / "batch.jsonl").at(0)["rollouts"][0];
  EXPECT_EQ(rollout["reward"], "inf");
  EXPECT_EQ(rollout["log_probs"], (Json{"nan", "-inf"}));
}

TEST(BatchFile, SaysWhereItCouldNotWrite) {
  const auto written = write_batch("/nowhere/batch.jsonl", {});
  ASSERT_FALSE(written.has_value());
  EXPECT_NE(written.error().message.find("/nowhere/batch.jsonl"), std::string::npos);
}

}  // namespace
}  // namespace redqueen
