#include "redqueen/synth/pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace redqueen::synth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

EnvironmentPool make(const std::vector<std::string>& originals, const PoolSettings& settings = {}) {
  return EnvironmentPool::make(settings, originals).value();
}

Rng rng_at(std::uint64_t step) {
  return Rng({.seed = 1, .purpose = hash_name("pool test"), .step = step});
}

// Draws so many in each of the steps that every active environment is almost surely drawn.
void use(EnvironmentPool& pool, std::int64_t first_step, std::int64_t steps) {
  for (std::int64_t step = first_step; step < first_step + steps; ++step) {
    Rng rng = rng_at(static_cast<std::uint64_t>(step));
    ASSERT_TRUE(pool.draw_active(400, step, rng));
  }
}

TEST(PoolTest, CountsAnEpochAStep) {
  EnvironmentPool pool = make({"a", "b"});
  use(pool, 0, 3);
  EXPECT_EQ(pool.find("a")->epochs, 3);
  EXPECT_EQ(pool.find("a")->last_used, 2);
  use(pool, 2, 1);  // the same step again
  EXPECT_EQ(pool.find("b")->epochs, 3);
}

TEST(PoolTest, DrawsUniformlyAndOnlyWhatIsActive) {
  EnvironmentPool pool = make({"a", "b", "c"});
  ASSERT_TRUE(pool.admit("new", 0));
  Rng rng = rng_at(0);
  std::map<std::string, int> counts;
  const auto drawn = pool.draw_active(8000, 0, rng).value();
  for (const std::string& name : drawn) ++counts[name];
  ASSERT_EQ(counts.size(), 4u);
  for (const auto& [name, count] : counts) EXPECT_NEAR(count, 2000, 200) << name;
}

TEST(PoolTest, RetiresWhatIsUsedUpAtARotation) {
  EnvironmentPool pool = make({"a", "b"});
  ASSERT_TRUE(pool.admit("x", 0));
  ASSERT_TRUE(pool.admit("y", 0));
  use(pool, 0, 4);
  ASSERT_TRUE(pool.admit("late", 4));
  use(pool, 4, 2);
  for (std::int64_t step = 1; step < 10; ++step) EXPECT_THAT(pool.rotate(step), IsEmpty()) << step;
  // x and y go first; then a, since b alone is half of {b, late}; b would leave none.
  EXPECT_THAT(pool.rotate(10), ElementsAre("x", "y", "a"));
  EXPECT_THAT(pool.active(), ElementsAre("b", "late"));
  EXPECT_THAT(pool.examples(), ElementsAre("a", "b", "x", "y"));
  EXPECT_EQ(pool.find("x")->retired, 10);
  EXPECT_EQ(pool.find("late")->epochs, 2);
}

TEST(PoolTest, KeepsOriginalsAboveTheFloor) {
  // Two originals of ten: one less would be 1 of 9, below a fifth. Of nine: 1 of 8. Of six, one may
  // go: 1 of 5.
  for (const auto& [others, stays] : {std::pair{8, 2}, {7, 2}, {5, 2}, {4, 1}}) {
    EnvironmentPool pool = make({"a", "b"});
    use(pool, 0, 5);
    for (int i = 0; i < others; ++i) ASSERT_TRUE(pool.admit(std::to_string(i), 5));
    pool.rotate(10);
    EXPECT_EQ(pool.active().size(), static_cast<std::size_t>(others + stays)) << others;
  }
}

TEST(PoolTest, NeverRetiresTheLast) {
  EnvironmentPool pool = make({"a", "b", "c"}, {.original_floor = 0});
  use(pool, 0, 5);
  EXPECT_THAT(pool.rotate(10), ElementsAre("a", "b"));
  EXPECT_THAT(pool.rotate(20), IsEmpty());
  EXPECT_THAT(pool.active(), ElementsAre("c"));
}

// Any history: the rules hold after each rotation, and nothing is due that could have gone.
TEST(PoolTest, KeepsItsRulesThroughRandomHistories) {
  for (std::uint64_t history = 0; history < 50; ++history) {
    Rng rng({.seed = history, .purpose = hash_name("pool history")});
    const PoolSettings settings{.max_epochs = 2, .rotation_every = 3, .original_floor = 0.4};
    EnvironmentPool pool = make({"a", "b", "c", "d"}, settings);
    for (std::int64_t step = 0; step < 30; ++step) {
      for (std::int64_t i = rng.integer(0, 2); i > 0; --i) {
        ASSERT_TRUE(pool.admit(fmt::format("{}.{}", step, i), step));
      }
      ASSERT_TRUE(pool.draw_active(rng.integer(0, 6), step, rng));
      const auto share = [&] {
        const auto active = pool.active();
        const auto count = std::count_if(active.begin(), active.end(), [&](const auto& name) {
          return pool.find(name)->is_original;
        });
        return static_cast<double>(count) / static_cast<double>(active.size());
      };
      const double before = share();
      const auto retired = pool.rotate(step);
      ASSERT_TRUE(step % 3 == 0 || retired.empty());
      ASSERT_FALSE(pool.active().empty());
      EXPECT_GE(share(), std::min(before, 0.4));
      for (const std::string& name : pool.active()) {
        const PoolEntry& entry = *pool.find(name);
        if (step % 3 == 0 && !entry.is_original && pool.active().size() > 1) {
          EXPECT_LT(entry.epochs, 2);
        }
      }
      for (const std::string& name : retired) EXPECT_GE(pool.find(name)->epochs, 2);
    }
  }
}

TEST(PoolTest, DrawsDifferentExamples) {
  EnvironmentPool pool = make({"a", "b", "c"});
  ASSERT_TRUE(pool.admit("active", 0));
  std::map<std::string, int> counts;
  for (std::uint64_t i = 0; i < 300; ++i) {
    Rng rng = rng_at(i);
    const auto names = pool.draw_examples(2, rng);
    ASSERT_EQ(names.size(), 2u);
    ASSERT_NE(names[0], names[1]);
    for (const std::string& name : names) ++counts[name];
  }
  ASSERT_EQ(counts.size(), 3u);
  for (const auto& [name, count] : counts) EXPECT_NEAR(count, 200, 60) << name;
  Rng rng = rng_at(0);
  EXPECT_THAT(pool.draw_examples(9, rng), UnorderedElementsAre("a", "b", "c"));
  EXPECT_THAT(make({}).draw_examples(2, rng), IsEmpty());
}

TEST(PoolTest, GoesOnWhereItWas) {
  EnvironmentPool pool = make({"a", "b"});
  ASSERT_TRUE(pool.admit("x", 0));
  use(pool, 0, 6);
  pool.rotate(10);
  EnvironmentPool other = make({});
  ASSERT_TRUE(other.restore(parse_json(dump_json(pool.state())).value()));
  EXPECT_EQ(other.state(), pool.state());
  Rng rng = rng_at(20), same = rng_at(20);
  EXPECT_EQ(pool.draw_active(50, 20, rng).value(), other.draw_active(50, 20, same).value());
  EXPECT_EQ(pool.draw_examples(2, rng), other.draw_examples(2, same));
  EXPECT_EQ(pool.rotate(30), other.rotate(30));
}

TEST(PoolTest, RefusesWhatIsNoPool) {
  EXPECT_THAT(EnvironmentPool::make({}, {"a", "a"}).error().message, HasSubstr("twice"));
  EXPECT_FALSE(EnvironmentPool::make({.max_epochs = 0}, {}));
  EXPECT_FALSE(EnvironmentPool::make({.rotation_every = 0}, {}));
  EXPECT_FALSE(EnvironmentPool::make({.original_floor = 1.5}, {}));
  EnvironmentPool pool = make({"a"});
  EXPECT_THAT(pool.admit("a", 0).error().message, HasSubstr("already"));
  Rng rng = rng_at(0);
  EnvironmentPool empty = make({});
  EXPECT_FALSE(empty.draw_active(1, 0, rng));
  const Json before = pool.state();
  Json twice = before;
  twice["entries"].push_back(twice["entries"][0]);
  EXPECT_THAT(pool.restore(twice).error().message, HasSubstr("twice"));
  EXPECT_FALSE(pool.restore(Json::object()));
  EXPECT_EQ(pool.state(), before);
}

TEST(EnvironmentPool, ExpelsForGood) {
  EnvironmentPool pool = EnvironmentPool::make({}, {"a", "b"}).value();
  ASSERT_TRUE(pool.admit("c", 1));
  EXPECT_TRUE(pool.expel("c", "its reference lost", 2));
  EXPECT_FALSE(pool.expel("c", "again", 3));
  EXPECT_FALSE(pool.expel("d", "unknown", 3));
  EXPECT_EQ(pool.active(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(pool.examples(), (std::vector<std::string>{"a", "b"}));
  EnvironmentPool other = EnvironmentPool::make({}, {"a"}).value();
  ASSERT_TRUE(other.restore(pool.state()));
  EXPECT_EQ(other.find("c")->fault, "its reference lost");
  EXPECT_EQ(other.examples(), (std::vector<std::string>{"a", "b"}));
}

}  // namespace
}  // namespace redqueen::synth
