// What a request says decides which calls answer it, and nothing else does.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "redqueen/base/rng.h"
#include "redqueen/core/environment.h"
#include "redqueen/core/registry.h"
#include "redqueen/gym/testing/episode_steps.h"
#include "redqueen/gym/worlds/toolcall/arguments.h"
#include "redqueen/gym/worlds/toolcall/wording.h"

namespace redqueen::toolcall {
namespace {

const worlds::Day kToday = *worlds::parse_day("2027-03-08");

Rng test_rng(std::uint64_t index) {
  return Rng({.seed = 4, .purpose = hash_name("toolcall test"), .index = index});
}

const Environment& world() { return *Registry::native().find("toolcall"); }

ProblemPtr problem_at(int level, std::uint64_t seed) {
  return std::move(*world().generate(level, seed));
}

bool solves(const Problem& problem, const std::vector<Action>& turns) {
  return problem.score(transcript(turns)).solved;
}

std::vector<Action> solution(const Problem& problem) { return problem.reference_actions({}); }

// All that the user says while the problem is solved.
std::string conversation(const Problem& problem) {
  std::vector<Observation> seen;
  replay(problem, {}, solution(problem), &seen);
  std::string text;
  for (const Observation& observation : seen) {
    for (const Message& message : observation.messages) {
      if (message.role == "user") text += message.content + "\n";
    }
  }
  return text;
}

// The leaves of a value.
void visit_leaves(const Json& value, const std::function<void(const Json&)>& visit) {
  if (!value.is_structured()) return visit(value);
  for (const Json& item : value) visit_leaves(item, visit);
}

TEST(ToolcallWording, PlainRequestsHoldEveryValueAsItIs) {
  std::size_t values = 0;
  for (const Tool& tool : catalogue()) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Rng rng = test_rng(seed);
      const Json arguments = draw_arguments(tool.members(), kToday, 0.8, rng);
      Speech speech{kToday, false, test_rng(seed)};
      const std::string text = call_in_words(tool, arguments, {}, speech);
      for (const Parameter& parameter : tool.members()) {
        const auto found = arguments.find(std::string(parameter.key));
        if (found == arguments.end() || parameter.kind == Kind::kChoice) continue;
        visit_leaves(*found, [&](const Json& leaf) {
          ++values;
          if (leaf.is_string()) {
            EXPECT_THAT(text, testing::HasSubstr(leaf.get<std::string>()));
          } else if (leaf.is_number()) {
            EXPECT_THAT(text, testing::HasSubstr(fmt::format("{}", leaf.get<double>())));
          }
        });
      }
      EXPECT_EQ(text.find("{}"), std::string::npos) << text;
      EXPECT_EQ(text.find("  "), std::string::npos) << text;
    }
  }
  EXPECT_GT(values, 1000u);
}

// However a request is worded: another value gives another text. Values are enumerated by drawing.
TEST(ToolcallWording, DifferentValuesReadDifferently) {
  for (const Tool& tool : catalogue()) {
    for (const bool indirect : {false, true}) {
      std::map<std::string, std::string> meanings;  // by text
      for (std::uint64_t seed = 0; seed < 300; ++seed) {
        Rng rng = test_rng(seed);
        const Json arguments = draw_arguments(tool.members(), kToday, 0.5, rng);
        Speech speech{kToday, indirect, test_rng(seed % 7)};
        const std::string text = call_in_words(tool, arguments, {}, speech);
        const auto [place, fresh] = meanings.emplace(text, dump_json(arguments));
        EXPECT_TRUE(fresh || place->second == dump_json(arguments)) << text;
      }
    }
  }
}

TEST(ToolcallArguments, AreDrawnAsTheyAreChecked) {
  for (const Tool& tool : catalogue()) {
    EXPECT_EQ(find_tool(tool.name), &tool);
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      Rng rng = test_rng(seed);
      const Json arguments = draw_arguments(tool.members(), kToday, 0.7, rng);
      const auto sound = check_arguments(tool.members(), arguments, kToday);
      EXPECT_TRUE(sound.has_value()) << tool.name << ": " << sound.error().message;
      for (const Naming naming : {Naming::kSnake, Naming::kCamel}) {
        const Signature signature{&tool, naming, {}};
        const Json given = offered_arguments(signature, arguments);
        const auto plain = plain_arguments(signature, given);
        ASSERT_TRUE(plain.has_value()) << plain.error().message << dump_json(given);
      }
    }
  }
}

// The arguments of one call, in all ways that mean the same, and in ways that do not.
TEST(ToolcallArguments, CompareByMeaning) {
  const Signature signature{find_tool("book_table"), Naming::kCamel, {}};
  const auto plain = [&](std::string_view text) {
    return plain_arguments(signature, *parse_json(text));
  };
  const auto base =
      plain(R"({"restaurant":"Old Mill","date":"2027-03-14","time":"19:30","guests":4,)"
            R"("contact":{"name":"Ada Quist"}})");
  ASSERT_TRUE(base.has_value()) << base.error().message;
  for (const std::string_view same :
       {R"({"guests":4.0,"time":"19:30","date":"2027-03-14","restaurant":" old  MILL ",)"
        R"("contact":{"name":"ada quist"},"area":"indoors","note":null})",
        R"({"restaurant":"Old Mill","date":"2027-03-14","time":"19:30","guests":4e0,)"
        R"("contact":{"name":"Ada Quist","phone":null}})"}) {
    const auto other = plain(same);
    ASSERT_TRUE(other.has_value()) << other.error().message;
    EXPECT_EQ(dump_json(*other), dump_json(*base));
  }
  for (const std::string_view other :
       {R"({"restaurant":"Old Mill","date":"2027-03-14","time":"19:30","guests":5,)"
        R"("contact":{"name":"Ada Quist"}})",
        R"({"restaurant":"Old Mill","date":"2027-03-14","time":"19:30","guests":4})",
        R"({"restaurant":"Old Mill","date":"2027-03-14","time":"19:30","guests":4,)"
        R"("contact":{"name":"Ada Quist"},"area":"bar"})"}) {
    const auto read = plain(other);
    ASSERT_TRUE(read.has_value()) << read.error().message;
    EXPECT_NE(dump_json(*read), dump_json(*base));
  }
  for (const std::string_view wrong :
       {"[]", "null", "{}", R"({"restaurant":"Old Mill"})",
        R"({"restaurant":"Old Mill","date":"2027-03-14","time":"19:30","guests":"4"})",
        R"({"restaurant":"Old Mill","date":"2027-03-14","time":"19:30","guests":4.5})",
        R"({"restaurant":"Old Mill","date":"2027-03-14","time":"19:30","guests":true})",
        R"({"restaurant":"Old Mill","date":"2027-02-30","time":"19:30","guests":4})",
        R"({"restaurant":"Old Mill","date":"14 March","time":"19:30","guests":4})",
        R"({"restaurant":"Old Mill","date":"2027-03-14","time":"7:30 pm","guests":4})",
        R"({"restaurant":null,"date":"2027-03-14","time":"19:30","guests":4})",
        R"({"restaurant":"Old Mill","date":"2027-03-14","time":"19:30","guests":4,"x":1})",
        R"({"restaurant":"Old Mill","date":"2027-03-14","time":"19:30","guests":4,"area":"roof"})",
        R"({"restaurant":"Old Mill","date":"2027-03-14","time":"19:30","guests":4,"contact":"A"})",
        R"({"restaurant":"Old Mill","date":"2027-03-14","time":"19:30","guests":1e300})",
        R"({"restaurant":"Old Mill","date":"2027-03-14","time":"19:30",)"
        R"("guests":123456789012345678901234567890})"}) {
    const auto read = plain(wrong);
    EXPECT_FALSE(read.has_value()) << wrong;
  }
}

// Every value of the expected calls, changed alone, makes a call that is not accepted, and a
// problem that asks for it in other words.
TEST(Toolcall, EachValueIsAskedForAndNeeded) {
  int changed = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const ProblemPtr problem = problem_at(static_cast<int>(seed % 16), seed);
    const std::string said = conversation(*problem);
    const Json parameter = problem->parameter();
    for (std::size_t r = 0; r < parameter["requests"].size(); ++r) {
      if (parameter["requests"][r]["kind"] == "none") continue;
      for (std::size_t c = 0; c < parameter["requests"][r]["calls"].size(); ++c) {
        const Json& call = parameter["requests"][r]["calls"][c];
        const Tool& tool = *find_tool(call["tool"].get<std::string>());
        for (const auto& [key, value] : call["arguments"].items()) {
          Rng rng = test_rng(seed);
          Json other = parameter;
          other["requests"][r]["calls"][c]["arguments"][key] =
              draw_value(*find_parameter(tool.members(), key),
                         *worlds::parse_day(parameter["today"].get<std::string>()), rng);
          const auto near = world().restore(other);
          if (!near || other == parameter) continue;
          const bool same_list = value.is_array();  // may be the same items in another order
          EXPECT_NE(conversation(**near), said) << key;
          EXPECT_TRUE(same_list || !solves(*problem, solution(**near))) << key << said;
          ++changed;
        }
      }
    }
  }
  EXPECT_GT(changed, 300);
}

// Damages to the turns of a solution; each must cost the reward.
TEST(Toolcall, NearMissesFail) {
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    const ProblemPtr problem = problem_at(static_cast<int>(seed % 20), seed);
    const std::vector<Action> right = solution(*problem);
    ASSERT_TRUE(solves(*problem, right));
    const auto tools = problem->start({})->begin().tools;
    for (std::size_t t = 0; t < right.size(); ++t) {
      const auto damaged = [&](const std::function<void(Action&)>& damage) {
        std::vector<Action> turns = right;
        damage(turns[t]);
        return solves(*problem, turns);
      };
      EXPECT_FALSE(damaged([](Action& action) { action = {}; }));
      EXPECT_FALSE(
          damaged([&](Action& action) { action.tool_calls.push_back({.name = tools[0].name}); }));
      EXPECT_FALSE(
          damaged([](Action& action) { action.tool_calls.push_back({.name = "finish"}); }));
      if (right[t].tool_calls.empty()) continue;
      EXPECT_FALSE(damaged([](Action& action) { action = {.text = "Done."}; }));
      EXPECT_FALSE(
          damaged([](Action& action) { action.tool_calls.push_back(action.tool_calls[0]); }));
      EXPECT_FALSE(damaged([](Action& action) { action.tool_calls[0].name += "s"; }));
      EXPECT_FALSE(damaged([](Action& action) { action.tool_calls[0].arguments["x"] = 1; }));
      EXPECT_FALSE(damaged([](Action& action) {
        action.tool_calls[0].arguments = dump_json(action.tool_calls[0].arguments);
      }));
      for (const auto& [key, value] : right[t].tool_calls[0].arguments.items()) {
        if (value.is_number()) {
          EXPECT_FALSE(damaged([&](Action& action) {
            action.tool_calls[0].arguments[key] = dump_json(value);
          })) << key;
        }
        EXPECT_FALSE(damaged([&](Action& action) {
          action.tool_calls[0].arguments[key] = Json{{"value", value}};
        })) << key;
      }
    }
  }
}

TEST(Toolcall, OrderAndNumberFormsDoNotMatter) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const ProblemPtr problem = problem_at(static_cast<int>(seed % 20), seed);
    std::vector<Action> turns = solution(*problem);
    for (Action& turn : turns) {
      std::ranges::reverse(turn.tool_calls);
      for (ToolCall& call : turn.tool_calls) {
        Json reversed = Json::object();
        std::vector<std::string> keys;
        for (const auto& [key, value] : call.arguments.items()) keys.insert(keys.begin(), key);
        for (const std::string& key : keys) {
          Json& value = reversed[key] = call.arguments[key];
          if (value.is_number_integer()) value = value.get<double>();
          if (value.is_array()) std::reverse(value.begin(), value.end());
        }
        call.arguments = std::move(reversed);
      }
    }
    EXPECT_TRUE(solves(*problem, turns)) << transcript(turns);
  }
}

TEST(Toolcall, HasEveryKindOfRequest) {
  std::map<std::string, int> kinds;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Json parameter = problem_at(10, seed)->parameter();
    for (const Json& request : parameter["requests"]) {
      ++kinds[request["kind"].get<std::string>()];
      kinds["parallel"] += request["calls"].size() > 1;
    }
  }
  for (const std::string kind : {"call", "parallel", "again", "missing", "none"}) {
    EXPECT_GT(kinds[kind], 20) << kind;
  }
}

// A missing value is asked for, then given; made up, it fails.
TEST(Toolcall, AsksForWhatIsMissing) {
  int seen = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const ProblemPtr problem = problem_at(2, seed);
    const Json parameter = problem->parameter();
    if (parameter["requests"][0]["kind"] != "missing") continue;
    ++seen;
    const std::vector<Action> right = solution(*problem);
    ASSERT_EQ(right.size(), 2u);
    const auto episode = problem->start({});
    episode->begin();
    const Observation answer = episode->step(right[0]);
    ASSERT_EQ(answer.messages.size(), 1u);
    EXPECT_FALSE(answer.done());
    EXPECT_THAT(answer.messages[0].content, testing::StartsWith("Sorry, I left something out: "));
    EXPECT_TRUE(episode->step(right[1]).terminated);
    EXPECT_TRUE(episode->verdict().solved);
    EXPECT_FALSE(solves(*problem, {right[1]})) << "the value was guessed";
    EXPECT_FALSE(solves(*problem, {right[0], right[0]}));
  }
  EXPECT_GT(seen, 5);
}

// One turn as models write it, in place of a transcript.
TEST(Toolcall, ReadsOneTurnAsModelsWriteIt) {
  int played = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const ProblemPtr problem = problem_at(0, seed);
    const ToolCall call = solution(*problem)[0].tool_calls[0];
    const std::string arguments = dump_json(call.arguments);
    for (const std::string& text :
         {fmt::format(R"(<tool_call>{{"name":"{}","arguments":{}}}</tool_call>)", call.name,
                      arguments),
          fmt::format(R"({{"name":"{}","parameters":{}}})", call.name, arguments),
          fmt::format(R"([{{"name":"{}","arguments":{}}}])", call.name, arguments),
          fmt::format(R"({{"tool_calls":[{{"type":"function","function":{{"name":"{}",)"
                      R"("arguments":{}}}}}]}})",
                      call.name, dump_json(Json(arguments)))}) {
      EXPECT_TRUE(problem->score(text).solved) << text;
      ++played;
    }
    EXPECT_EQ(problem->score("I cannot do that."), Verdict{});
  }
  EXPECT_EQ(played, 80);
}

// CPU time, so that a busy machine does not count.
TEST(Toolcall, AnswersThousandsOfTurnsASecond) {
#if !defined(NDEBUG) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "only in release builds";
#endif
  for (const int level : {0, 5, world().card().max_level}) {
    const double rate = steps_per_second(world(), level, 100);
    RecordProperty(fmt::format("level_{}", level), fmt::format("{:.0f} steps/s", rate));
    EXPECT_GT(rate, 5000.0) << "level " << level;
  }
}

TEST(Toolcall, AnswersHostileTurns) {
  const ProblemPtr problem = problem_at(5, 1);
  const auto tools = problem->start({})->begin().tools;
  const auto first_answer = [&](const Action& action) {
    const auto episode = problem->start({.max_response_bytes = std::size_t{1} << 24});
    episode->begin();
    const Observation seen = episode->step(action);
    EXPECT_FALSE(episode->verdict().solved);
    return seen;
  };
  Json huge = Json::object();
  for (const auto& [key, schema] : tools[0].parameters["properties"].items())
    huge[key] = std::string(1'000'000, 'x');
  const Observation long_arguments =
      first_answer({.tool_calls = {{.name = tools[0].name, .arguments = huge}}});
  EXPECT_TRUE(long_arguments.terminated);
  EXPECT_LT(long_arguments.messages[0].content.size(), 1000u);

  const Observation unknown = first_answer({.tool_calls = {{.name = std::string(100'000, 'y')}}});
  EXPECT_THAT(unknown.messages[0].content, testing::StartsWith("error: there is no tool"));

  const Observation many =
      first_answer({.tool_calls = std::vector<ToolCall>(10'000, ToolCall{.name = tools[0].name})});
  EXPECT_TRUE(many.terminated);
  EXPECT_LE(many.messages.size(), 64u);

  const Observation silent = first_answer({.text = " \n"});
  EXPECT_TRUE(silent.terminated);
  EXPECT_EQ(silent.reward, kMalformedReward);
}

}  // namespace
}  // namespace redqueen::toolcall
