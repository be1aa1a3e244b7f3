// The promises of episodes (core/episode.h), checked of one problem.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "redqueen/base/rng.h"
#include "redqueen/core/completion.h"
#include "redqueen/core/environment.h"

namespace redqueen {

inline std::string random_bytes(Rng& rng, std::int64_t most) {
  std::string bytes(static_cast<std::size_t>(rng.integer(0, most)), ' ');
  for (char& c : bytes) c = static_cast<char>(rng.below(256));
  return bytes;
}

// A turn that nobody who understood the task would take: bytes, unknown tools, the arguments of
// `tools` missing, ill-typed, huge or deeply nested.
inline Action hostile_action(Rng& rng, const std::vector<ToolSpec>& tools) {
  const auto arguments = [&]() -> Json {
    constexpr int kDepth = 300;
    switch (rng.below(8)) {
      case 0:
        return nullptr;
      case 1:
        return Json::array({1, "two", nullptr});
      case 2:
        return std::string(10000, '9');
      case 3:
        return *parse_json(std::string(kDepth, '[') + std::string(kDepth, ']'));
      case 4:
        return json_big_int(-(BigInt(1) << 200));
      case 5:
        return Json{{"", nullptr}, {"number", "one"}};
      default:
        break;
    }
    Json object = Json::object();
    if (tools.empty()) return object;
    const Json& schema = tools[rng.below(tools.size())].parameters;
    if (!schema.contains("properties")) return object;
    const std::vector<Json> values{nullptr,
                                   -1,
                                   std::numeric_limits<std::int64_t>::min(),
                                   std::numeric_limits<std::uint64_t>::max(),
                                   1e308,
                                   true,
                                   "",
                                   std::string(1, '\0'),
                                   Json::array(),
                                   Json::object()};
    for (const auto& [key, type] : schema["properties"].items()) object[key] = rng.choice(values);
    return object;
  };
  Action action{.text = rng.chance(0.3) ? "" : random_bytes(rng, 60)};
  if (rng.chance(0.1)) action.text = "<answer>" + action.text + "</answer>";
  for (std::int64_t calls = rng.integer(0, 3); calls > 0; --calls) {
    const bool known = !tools.empty() && rng.chance(0.7);
    const std::string name = known ? tools[rng.below(tools.size())].name : random_bytes(rng, 9);
    action.tool_calls.push_back(
        {.id = random_bytes(rng, 5), .name = name, .arguments = arguments()});
  }
  return action;
}

// Plays `actions` in every way there is, and expects the same of each: in one go; with the record
// written, read and played on a problem made anew; interrupted in the middle; past the end.
inline void expect_same_however_played(const Environment& environment,
                                       const EpisodeRecord& record) {
  const ProblemAddress& address = record.problem;
  const auto make = [&] { return environment.generate(address.level, address.seed, address.salt); };
  const Generated problem = make();
  const Generated again = make();
  ASSERT_TRUE(problem.has_value() && again.has_value()) << address.to_string();

  std::vector<Observation> seen;
  const auto episode = replay(**problem, record.options, record.actions, &seen);
  const Verdict verdict = episode->verdict();
  EXPECT_TRUE(verdict.reward >= -1.0 && verdict.reward <= 1.0) << verdict.reward;
  ASSERT_EQ(seen.size(), record.actions.size() + 1);
  EXPECT_FALSE(seen[0].done());
  EXPECT_FALSE(seen[0].messages.empty());

  const auto stored = parse_json(dump_json(to_json(record)));
  ASSERT_TRUE(stored.has_value()) << stored.error().message;
  const auto read = episode_record_from_json(*stored);
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(*read, record);
  std::vector<Observation> seen_again;
  EXPECT_EQ(replay(**again, read->options, read->actions, &seen_again)->verdict(), verdict);
  EXPECT_EQ(seen_again, seen);

  const std::span actions(record.actions);
  const std::size_t middle = actions.size() / 2;
  const auto moved = replay(**again, record.options, actions.first(middle));
  for (std::size_t i = middle; i < actions.size(); ++i) {
    EXPECT_EQ(moved->step(actions[i]), seen[i + 1]) << "turn " << i;
  }
  EXPECT_EQ(moved->verdict(), verdict);
  EXPECT_EQ(moved->state(), episode->state());

  if (!seen.back().done()) return;
  double paid = 0.0;
  for (const Observation& observation : seen) paid += observation.reward;
  EXPECT_NEAR(paid, verdict.reward, 1e-9);
  const Observation after = episode->step({.text = "and then?"});
  EXPECT_TRUE(after.done() && after.messages.empty());
  EXPECT_EQ(after.reward, 0.0);
  EXPECT_EQ(episode->verdict(), verdict);
}

// Every promise of an episode, of the problem at `address`.
inline void expect_sound_episodes(const Environment& environment, const ProblemAddress& address) {
  SCOPED_TRACE(address.to_string());
  const Generated made = environment.generate(address.level, address.seed, address.salt);
  ASSERT_TRUE(made.has_value()) << made.error().message;
  const Problem& problem = **made;
  EpisodeRecord record{.problem = address, .options = {.format = *PromptFormat::parse("boxed")}};

  EXPECT_EQ(problem.start(record.options)->verdict(), Verdict{});
  record.actions = problem.reference_actions(record.options.format);
  ASSERT_FALSE(record.actions.empty());
  EXPECT_LE(record.actions.size(), static_cast<std::size_t>(problem.max_turns()));
  EXPECT_TRUE(replay(problem, record.options, record.actions)->verdict().solved);
  expect_same_however_played(environment, record);

  Rng rng({.purpose = hash_name("hostile actions"), .index = address.seed});
  const std::vector<ToolSpec> tools = problem.start(record.options)->begin().tools;
  // A problem of one turn is asked for its text alone: nobody would answer a call.
  if (problem.max_turns() == 1) {
    EXPECT_TRUE(tools.empty()) << tools[0].name;
  }
  constexpr std::size_t kHuge = std::size_t{1} << 17;
  std::vector<std::vector<Action>> plays{{{.text = std::string(kHuge, '1')}}};
  for (int i = 0; i < 20; ++i) {
    plays.emplace_back();
    const std::int64_t turns = rng.integer(1, std::min(problem.max_turns(), 20) + 1);
    for (std::int64_t turn = 0; turn < turns; ++turn) {
      plays.back().push_back(hostile_action(rng, tools));
    }
  }
  plays.push_back(plays.back());  // a hostile start, and the reference after it
  plays.back().insert(plays.back().end(), record.actions.begin(), record.actions.end());
  for (auto& play : plays) {
    record.actions = std::move(play);
    expect_same_however_played(environment, record);
    const Verdict verdict = replay(problem, record.options, record.actions)->verdict();
    if (problem.max_turns() == 1) {
      const std::string response = response_of(record.actions[0].text, record.options.format);
      EXPECT_EQ(verdict, score_response(problem, response, record.options.format.marker));
    } else {
      EXPECT_EQ(verdict, problem.score(transcript(record.actions)));
    }
  }
}

}  // namespace redqueen
