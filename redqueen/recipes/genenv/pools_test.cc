#include "redqueen/recipes/genenv/pools.h"

#include <gtest/gtest.h>

#include <set>

#include "redqueen/recipes/genenv/measured_success.h"

namespace redqueen::genenv {
namespace {

PooledTask task_of(std::uint64_t key) {
  return {.task = Json{{"environment", "Echo"}, {"level", key}},
          .key = key,
          .success = 1.0 / static_cast<double>(key + 1),
          .step = static_cast<std::int64_t>(key)};
}

TEST(TaskPool, ForgetsTheOldest) {
  TaskPool pool(3);
  for (std::uint64_t key = 0; key < 5; ++key) pool.add(task_of(key));
  EXPECT_EQ(pool.size(), 3U);
  EXPECT_FALSE(pool.contains(1));
  EXPECT_TRUE(pool.contains(2));
  // A key that stands there twice stays until both have left.
  pool.add(task_of(4));
  pool.add(task_of(9));
  EXPECT_TRUE(pool.contains(4));
}

TEST(TaskPool, DrawsWithoutRepetition) {
  TaskPool pool(100);
  for (std::uint64_t key = 0; key < 20; ++key) pool.add(task_of(key));
  Rng rng({.seed = 1});
  std::set<std::uint64_t> drawn;
  for (const PooledTask& task : pool.sample(rng, 50)) drawn.insert(task.key);
  EXPECT_EQ(drawn.size(), 20U);
  for (int i = 0; i < 100; ++i) EXPECT_GE(pool.draw_recent(rng, 5).key, 15U);
  EXPECT_TRUE(TaskPool(3).sample(rng, 2).empty());
}

TEST(TaskPool, ComesBackAsItWas) {
  TaskPool pool(10);
  for (std::uint64_t key = 0; key < 4; ++key) pool.add(task_of(key * 0x1234567890abcdefULL));
  TaskPool other(10);
  ASSERT_TRUE(other.restore(parse_json(dump_json(pool.state())).value()));
  EXPECT_EQ(dump_json(other.state()), dump_json(pool.state()));
  EXPECT_TRUE(other.contains(0x1234567890abcdefULL));
  for (const char* text : {"{}", "[1]", R"([{"task": {}, "key": -1, "success": 0, "step": 0}])",
                           R"([{"task": 3, "key": 1, "success": 0, "step": 0}])"})
    EXPECT_FALSE(other.restore(Json::parse(text))) << text;
  EXPECT_EQ(other.size(), 4U) << "what cannot be read changes nothing";
}

TEST(GenerationPool, KeepsTokensAndLogProbabilitiesExactly) {
  GenerationPool pool(2);
  for (int i = 0; i < 3; ++i) {
    Completion completion{.tokens = {i, 7}};
    completion.log_probs = {-0.1F * static_cast<float>(i + 1), -1e-7F};
    pool.add({{1, 2, i}, completion, 0.25 * i});
  }
  GenerationPool other(2);
  ASSERT_TRUE(other.restore(parse_json(dump_json(pool.state())).value()));
  Rng one({.seed = 2});
  Rng same({.seed = 2});
  const auto before = pool.sample(one, 2);
  const auto after = other.sample(same, 2);
  ASSERT_EQ(before.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(after[i].prompt, before[i].prompt);
    EXPECT_EQ(after[i].completion.tokens, before[i].completion.tokens);
    EXPECT_EQ(after[i].completion.log_probs, before[i].completion.log_probs);
    EXPECT_EQ(after[i].reward, before[i].reward);
  }
  for (const char* text :
       {"7", "[{}]", R"([{"prompt": ["a"], "tokens": [], "log_probs": [], "reward": 0}])"})
    EXPECT_FALSE(other.restore(Json::parse(text))) << text;
}

TEST(MeasuredSuccess, FadesAndIsTold) {
  MeasuredSuccess success(0.5);
  success.add("Echo", 0, {.attempts = 8, .successes = 8});
  success.add("Echo", 2, {.attempts = 8, .successes = 2});
  EXPECT_EQ(success.in_percent("Echo", 3), "0: 100 %, 1: ?, 2: 25 %, 3: ?");
  EXPECT_EQ(success.in_tenths("Echo", 3), "0:9 1:- 2:2 3:-");
  EXPECT_FALSE(success.rate("Other", 0));
  success.end_step();
  success.add("Echo", 2, {.attempts = 4, .successes = 3});
  EXPECT_DOUBLE_EQ(*success.rate("Echo", 2), 0.5) << "4 older attempts count as much as 4 new ones";
  for (int i = 0; i < 4; ++i) success.end_step();
  EXPECT_FALSE(success.rate("Echo", 0)) << "half an attempt says nothing";
}

TEST(MeasuredSuccess, ComesBackAsItWas) {
  MeasuredSuccess success(0.7);
  success.add("Echo", 1, {.attempts = 3, .successes = 1});
  success.end_step();
  MeasuredSuccess other(0.7);
  ASSERT_TRUE(other.restore(parse_json(dump_json(success.state())).value()));
  EXPECT_EQ(dump_json(other.state()), dump_json(success.state()));
  for (const char* text : {"[]", R"({"Echo": 3})", R"({"Echo": [[1]]})", R"({"Echo": [[1, "a"]]})",
                           R"({"Echo": [[-1, 0]]})"})
    EXPECT_FALSE(other.restore(Json::parse(text))) << text;
  EXPECT_TRUE(other.rate("Echo", 1)) << "what cannot be read changes nothing";
}

}  // namespace
}  // namespace redqueen::genenv
