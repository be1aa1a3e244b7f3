// What every simulator promises, of all that there are, with random and hostile actions.
#include "redqueen/arena/simulators/simulator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

#include "redqueen/arena/environments/hosted.h"
#include "redqueen/arena/judge/core16.h"
#include "redqueen/base/rng.h"

namespace redqueen::arena {
namespace {

using testing::HasSubstr;

// Every environment that can be made here.
std::vector<std::unique_ptr<Simulator>> all_simulators() {
  std::vector<std::unique_ptr<Simulator>> all;
  for (const std::string_view id : simulator_ids()) {
    if (auto simulator = make_simulator(id)) all.push_back(std::move(*simulator));
  }
  return all;
}

// An action of the space.
Value sound_action(const Space& space, Rng& rng) {
  if (const auto* discrete = std::get_if<Discrete>(&space.form)) {
    return Value{discrete->start + rng.integer(0, discrete->n - 1)};
  }
  const auto& box = std::get<Box>(space.form);
  Array array = Array::zeros(box.type, box.shape);
  for (float& number : array.elements<float>()) number = static_cast<float>(rng.real());
  return Value{std::move(array)};
}

// No action of an environment here: integers stand for themselves where the space is a Box of one.
std::vector<Value> hostile_actions(const Space& space) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Array matrix = Array::zeros(ElementType::kFloat64, {3, 3});
  Array broken = Array::zeros(ElementType::kFloat32, {2});
  broken.shape = {std::int64_t{1} << 40, std::int64_t{1} << 40};
  Array negative = broken;
  negative.shape = {-1};
  Array nans = Array::zeros(ElementType::kFloat32, {1});
  nans.elements<float>()[0] = std::nanf("");
  std::vector<Value> actions{Value{nan},
                             Value{1e300},
                             Value{-HUGE_VAL},
                             Value{std::string("2")},
                             Value{matrix},
                             Value{broken},
                             Value{negative},
                             Value{nans},
                             Value{Value::Tuple{}},
                             Value{Value::Tuple{Value{nan}}},
                             Value{Value::Dict{}}};
  if (std::holds_alternative<Discrete>(space.form)) {
    actions.push_back(Value{std::int64_t{-1}});
    actions.push_back(Value{0.0});
    actions.push_back(Value{std::numeric_limits<std::int64_t>::max()});
    actions.push_back(Value{std::numeric_limits<std::int64_t>::min()});
  }
  return actions;
}

TEST(Simulators, ListThemselvesSorted) {
  const auto ids = simulator_ids();
  EXPECT_TRUE(std::ranges::is_sorted(ids));
  EXPECT_EQ(std::ranges::adjacent_find(ids), ids.end());
  const auto hosted = hosted_simulator_ids();
  EXPECT_TRUE(std::ranges::is_sorted(hosted));
  for (const std::string_view id : hosted) EXPECT_FALSE(std::ranges::binary_search(ids, id)) << id;
  for (const Core16Entry& entry : core16()) {
    EXPECT_NE(std::ranges::binary_search(ids, entry.id),
              std::ranges::binary_search(hosted, entry.id))
        << entry.id;
  }
}

TEST(Simulators, UnknownIdsAreUsageErrorsWithAProposal) {
  const auto unknown = make_simulator("CartPole-v2");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(unknown.error().message, HasSubstr("did you mean CartPole-v1?"));
  const auto profile = make_simulator("CartPole-v1", {.profile = "papers"});
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(profile.error().message, HasSubstr("expected paper or current"));
}

TEST(Simulators, WhatMujocoNeedsIsSaid) {
  const auto absent = make_simulator("Ant-v5", {.packages = "/nonexistent"});
  ASSERT_FALSE(absent);
  EXPECT_THAT(absent.error().message,
              testing::AnyOf(HasSubstr("/nonexistent"), HasSubstr("built without")));
  const auto empty = make_simulator("Ant-v5", {.packages = "redqueen"});
  ASSERT_FALSE(empty);
  EXPECT_THAT(empty.error().message,
              testing::AnyOf(HasSubstr("pip install"), HasSubstr("built without")));
}

TEST(Simulators, DescribeThemselves) {
  for (const auto& simulator : all_simulators()) {
    const SimulatorCard& card = simulator->card();
    EXPECT_GT(card.description.size(), 80u) << card.id;
    EXPECT_TRUE(card.description.ends_with('.')) << card.id;
    EXPECT_GT(card.max_episode_steps, 0) << card.id;
    EXPECT_FALSE(card.versions.empty()) << card.id;
    EXPECT_FALSE(schema(card.action_space).dump().empty()) << card.id;
  }
}

TEST(Simulators, AnEpisodeIsAFunctionOfItsSeedAndActions) {
  for (const auto& simulator : all_simulators()) {
    const SimulatorCard& card = simulator->card();
    std::vector<std::vector<Transition>> runs;
    for (int run = 0; run < 2; ++run) {
      Rng rng({.seed = 7});
      Transition out;
      ASSERT_TRUE(simulator->reset(41, out));
      runs.emplace_back(1, out);
      for (int step = 0; step < 60 && !out.done(); ++step) {
        ASSERT_TRUE(simulator->step(sound_action(card.action_space, rng), out)) << card.id;
        runs.back().push_back(out);
      }
      // Another episode in between leaves nothing behind.
      ASSERT_TRUE(simulator->reset(42, out));
      ASSERT_TRUE(simulator->step(sound_action(card.action_space, rng), out));
    }
    ASSERT_EQ(runs[0].size(), runs[1].size()) << card.id;
    for (std::size_t i = 0; i < runs[0].size(); ++i) {
      EXPECT_EQ(runs[0][i].observation, runs[1][i].observation) << card.id << " at " << i;
      EXPECT_EQ(runs[0][i].reward, runs[1][i].reward) << card.id << " at " << i;
      EXPECT_EQ(runs[0][i].reward_components, runs[1][i].reward_components) << card.id;
    }
  }
}

TEST(Simulators, OfOneEngineDoNotDisturbEachOther) {
  const auto play = [](std::string_view id) {
    std::vector<Value> seen;
    auto simulator = make_simulator(id);
    if (!simulator) return seen;
    Rng rng({.seed = 3});
    Transition out;
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      if (!(*simulator)->reset(seed, out)) return seen;
      while (!out.done() && seen.size() < 100 * (seed + 1)) {
        if (!(*simulator)->step(sound_action((*simulator)->card().action_space, rng), out)) break;
        seen.push_back(out.observation);
      }
    }
    return seen;
  };
  for (const std::string_view id : simulator_ids()) {
    if (!id.starts_with("LunarLander") && !id.starts_with("BipedalWalker")) continue;
    std::vector<std::vector<Value>> seen(4);
    std::vector<std::jthread> threads;
    for (auto& values : seen) threads.emplace_back([&values, id, &play] { values = play(id); });
    threads.clear();
    const auto alone = play(id);
    EXPECT_GT(alone.size(), 60U) << id;
    for (const auto& values : seen) EXPECT_TRUE(values == alone) << id;
  }
}

TEST(Simulators, EndByTheirLimitAndStayEnded) {
  for (const auto& simulator : all_simulators()) {
    const SimulatorCard& card = simulator->card();
    Rng rng({.seed = 8});
    Transition out;
    const Value first = sound_action(card.action_space, rng);
    const auto early = simulator->step(first, out);
    ASSERT_FALSE(early) << card.id;
    EXPECT_THAT(early.error().message, HasSubstr("reset it first"));
    ASSERT_TRUE(simulator->reset(5, out));
    int steps = 0;
    while (!out.done() && steps <= card.max_episode_steps) {
      ASSERT_TRUE(simulator->step(sound_action(card.action_space, rng), out)) << card.id;
      ++steps;
    }
    EXPECT_TRUE(out.done()) << card.id;
    EXPECT_EQ(out.truncated, steps == card.max_episode_steps) << card.id;
    EXPECT_TRUE(std::isfinite(out.reward)) << card.id;
    EXPECT_TRUE(conforms(card.observation_space, out.observation)) << card.id;
    EXPECT_FALSE(simulator->step(first, out)) << card.id;
    EXPECT_TRUE(simulator->reset(5, out)) << card.id;
  }
}

TEST(Simulators, RefuseHostileActionsAndGoOnAsIfNothingWere) {
  for (const auto& simulator : all_simulators()) {
    const SimulatorCard& card = simulator->card();
    Rng rng({.seed = 9});
    const Value action = sound_action(card.action_space, rng);
    Transition undisturbed;
    ASSERT_TRUE(simulator->reset(3, undisturbed));
    ASSERT_TRUE(simulator->step(action, undisturbed));
    Transition out;
    ASSERT_TRUE(simulator->reset(3, out));
    const Value before = out.observation;
    for (const Value& hostile : hostile_actions(card.action_space)) {
      const auto refused = simulator->step(hostile, out);
      ASSERT_FALSE(refused) << card.id << ": " << dump_json(to_json(hostile));
      EXPECT_EQ(refused.error().kind, ErrorKind::kUsage);
      EXPECT_THAT(refused.error().message, HasSubstr("action: expected"));
      EXPECT_EQ(out.observation, before) << card.id;
    }
    ASSERT_TRUE(simulator->step(action, out));
    EXPECT_EQ(out.observation, undisturbed.observation) << card.id;
    EXPECT_EQ(out.reward, undisturbed.reward) << card.id;
  }
}

TEST(Simulators, TakeActionsInAnyFormThatSaysTheSame) {
  auto cart = make_simulator("CartPole-v1");
  ASSERT_TRUE(cart);
  Array one = Array::zeros(ElementType::kInt32, {1});
  one.elements<std::int32_t>()[0] = 1;
  Transition plain;
  ASSERT_TRUE((*cart)->reset(0, plain));
  ASSERT_TRUE((*cart)->step(Value{std::int64_t{1}}, plain));
  for (const Value& form : {Value{one}, Value{Value::Tuple{Value{std::int64_t{1}}}}}) {
    Transition out;
    ASSERT_TRUE((*cart)->reset(0, out));
    ASSERT_TRUE((*cart)->step(form, out));
    EXPECT_EQ(out.observation, plain.observation);
  }
  auto car = make_simulator("MountainCarContinuous-v0");
  ASSERT_TRUE(car);
  Array half = Array::zeros(ElementType::kFloat64, {1});
  half.elements<double>()[0] = 0.5;
  ASSERT_TRUE((*car)->reset(0, plain));
  ASSERT_TRUE((*car)->step(Value{half}, plain));
  for (const Value& form : {Value{0.5}, Value{Value::Tuple{Value{0.5}}}}) {
    Transition out;
    ASSERT_TRUE((*car)->reset(0, out));
    ASSERT_TRUE((*car)->step(form, out));
    EXPECT_EQ(out.observation, plain.observation);
    EXPECT_EQ(out.reward, plain.reward);
  }
}

}  // namespace
}  // namespace redqueen::arena
