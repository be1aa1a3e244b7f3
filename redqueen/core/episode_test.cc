#include "redqueen/core/episode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/core/registry.h"
#include "redqueen/core/testing/episode_checks.h"
#include "redqueen/core/testing/hidden_number.h"

namespace redqueen {
namespace {

const NativeEnvironment<HiddenNumber> kEpisodeNative;
const Environment& kHiddenNumber = kEpisodeNative;

ProblemPtr hidden(std::int64_t limit, std::int64_t number) {
  return *kHiddenNumber.restore(Json{{"limit", limit}, {"number", number}});
}

std::string answer_to(Episode& episode, const Action& action) {
  const Observation seen = episode.step(action);
  return seen.messages.empty() ? "" : seen.messages[0].content;
}

TEST(Episode, KeepsItsPromisesOverTurns) {
  for (const int level : {0, 3, 20}) {
    for (std::uint64_t seed = 0; seed < 2; ++seed) {
      expect_sound_episodes(kHiddenNumber, kHiddenNumber.address(level, seed, 7));
    }
  }
}

TEST(Episode, KeepsItsPromisesOfOneTurn) {
  const Environment* doubling = Registry::native().find("Doubling");
  ASSERT_NE(doubling, nullptr);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    expect_sound_episodes(*doubling, doubling->address(3, seed));
  }
}

TEST(Episode, AnswersTurnByTurn) {
  const ProblemPtr problem = hidden(100, 42);
  const auto episode = problem->start({});
  const Observation first = episode->begin();
  EXPECT_EQ(first.messages[0].content, problem->prompt());
  ASSERT_EQ(first.tools.size(), 1u);
  EXPECT_EQ(
      dump_json(first.tools[0].parameters),
      R"({"type":"object","properties":{"number":{"type":"integer","description":"the number )"
      R"(that you guess"}},"required":["number"]})");
  EXPECT_EQ(answer_to(*episode, HiddenNumber::guess(50)), "lower");
  EXPECT_EQ(answer_to(*episode, HiddenNumber::guess(25)), "higher");
  EXPECT_FALSE(episode->verdict().solved);
  EXPECT_EQ(episode->state(), (Json{{"guesses", 2}, {"found", false}}));
  const Observation last = episode->step(HiddenNumber::guess(42));
  EXPECT_TRUE(last.terminated && !last.truncated);
  EXPECT_EQ(last.reward, 1.0);
  EXPECT_TRUE(episode->verdict().solved);
}

TEST(Episode, SaysWhatIsWrongWithACall) {
  const ProblemPtr problem = hidden(1000, 42);
  const auto episode = problem->start({});
  episode->begin();
  const auto call = [&](std::string name, Json arguments) {
    return answer_to(*episode, {.tool_calls = {{.name = std::move(name), .arguments = arguments}}});
  };
  EXPECT_EQ(call("gues", {}),
            "error: there is no tool \"gues\" (did you mean guess?); the tools are: guess");
  EXPECT_EQ(call("guess", Json{{"n", 1}}), "error: \"number\": missing");
  EXPECT_EQ(call("guess", "7"), "error: expected a JSON object, found string");
  EXPECT_EQ(answer_to(*episode, {.text = "it is 7"}), "Call guess.");
  EXPECT_EQ(episode->verdict(), Verdict{}) << "nothing was guessed";
}

TEST(Episode, IsTruncatedAtItsLastTurn) {
  const ProblemPtr problem = hidden(100, 42);  // 7 turns
  const auto episode = problem->start({});
  episode->begin();
  for (int turn = 1; turn < 7; ++turn) EXPECT_FALSE(episode->step(HiddenNumber::guess(1)).done());
  const Observation last = episode->step(HiddenNumber::guess(1));
  EXPECT_TRUE(last.truncated && !last.terminated);
  EXPECT_EQ(last.messages[0].content, "higher");
  EXPECT_TRUE(episode->step(HiddenNumber::guess(42)).truncated);
  EXPECT_EQ(episode->verdict(), (Verdict{.reward = 0.0, .solved = false, .well_formed = true}));
}

TEST(Episode, ReadsATurnThatIsTooLongAsAnEmptyOne) {
  const ProblemPtr problem = hidden(100, 42);
  const auto episode = problem->start({.max_response_bytes = 100});
  episode->begin();
  Action guess = HiddenNumber::guess(42);
  guess.text = std::string(100, 'a');
  EXPECT_EQ(answer_to(*episode, guess), "Call guess.");
  guess.text = "";
  EXPECT_EQ(answer_to(*episode, guess), "found");
}

// The text, the name of the call and its arguments count: "It is", "guess", {"number":42}.
TEST(Episode, TakesATurnOfTheLargestSize) {
  const ProblemPtr problem = hidden(100, 42);
  Action guess = HiddenNumber::guess(42);
  guess.text = "It is";
  const auto answer_within = [&](std::size_t most) {
    const auto episode = problem->start({.max_response_bytes = most});
    episode->begin();
    return answer_to(*episode, guess);
  };
  EXPECT_EQ(answer_within(5 + 5 + 13), "found");
  EXPECT_EQ(answer_within(5 + 5 + 12), "Call guess.");
}

TEST(Episode, OfOneTurnKeepsItsFirstAnswer) {
  const Environment* doubling = Registry::native().find("Doubling");
  const auto problem = doubling->generate(3, 1);
  ASSERT_TRUE(problem.has_value());
  const auto episode = (*problem)->start({});
  episode->begin();
  EXPECT_EQ(episode->step({.text = "<answer>x</answer>"}).reward, -1.0);
  const Observation after = episode->step((*problem)->reference_actions({}).front());
  EXPECT_EQ(after, (Observation{.terminated = true})) << "nothing is answered after the end";
  EXPECT_EQ(episode->verdict(), Verdict{});
}

// An environment that pays single steps: each earns a tenth, and the last one the rest.
struct PaidSteps : HiddenNumber {
  static Observation step(const Problem& problem, State& state, const Action& action) {
    Observation seen = HiddenNumber::step(problem, state, action);
    seen.reward = 0.1;
    return seen;
  }
};

TEST(Episode, PaysTheRestAtItsEnd) {
  const NativeEnvironment<PaidSteps> native;
  const Environment& environment = native;
  const auto problem = environment.restore(Json{{"limit", 100}, {"number", 42}});
  std::vector<Observation> seen;
  replay(**problem, {}, (*problem)->reference_actions({}), &seen);
  ASSERT_GT(seen.size(), 3u);
  EXPECT_EQ(seen[1].reward, 0.1);
  EXPECT_NEAR(seen.back().reward, 1.0 - 0.1 * static_cast<double>(seen.size() - 2), 1e-12);
}

TEST(Episode, ScoresATranscript) {
  const ProblemPtr problem = hidden(100, 42);
  EXPECT_TRUE(problem->score(problem->reference()).solved);
  EXPECT_TRUE(
      problem->score(R"([{"tool_calls":[{"name":"guess","arguments":{"number":42}}]}])").solved);
  for (const char* text :
       {"", "42", "[", "{}", "[1]", R"([{"tool_calls":1}])", "[]", R"(["42"])"}) {
    EXPECT_EQ(problem->score(text), Verdict{}) << text;
  }
  Rng rng({});
  int well_formed = 0;
  for (int i = 0; i < 20; ++i)
    well_formed += problem->score(problem->random_answer(rng)).well_formed;
  EXPECT_EQ(well_formed, 20);
}

TEST(Action, ReadsBackWhateverItHolds) {
  Rng rng({.purpose = hash_name("actions")});
  const std::vector<ToolSpec> tools = HiddenNumber::tools({});
  int invalid = 0;
  for (int i = 0; i < 2000; ++i) {
    const Action action = hostile_action(rng, tools);
    const std::string text = dump_json(to_json(action));
    invalid += text.find("_hex") != std::string::npos;
    const auto json = parse_json(text);
    ASSERT_TRUE(json.has_value()) << json.error().message;
    const auto read = action_from_json(*json);
    ASSERT_TRUE(read.has_value()) << read.error().message;
    EXPECT_EQ(*read, action) << text;
  }
  EXPECT_GT(invalid, 100) << "random bytes should mostly be no UTF-8";
}

// Text that is nearly an action: whatever is read must be written and read as the same.
TEST(Action, SurvivesMutilatedText) {
  Rng rng({.purpose = hash_name("mutilated actions")});
  const std::string sound =
      R"({"text":"ab","tool_calls":[{"id":"1","name":"guess","arguments":{"number":[42,1e9]}}]})";
  int read_back = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = sound;
    for (std::int64_t edit = rng.integer(1, 3); edit > 0; --edit) {
      const auto place = static_cast<std::size_t>(rng.below(text.size()));
      switch (rng.below(3)) {
        case 0:
          text.erase(place, 1);
          break;
        case 1:
          text[place] = static_cast<char>(rng.below(256));
          break;
        default:
          text.insert(place, 1, R"([]{}",:0n-.)"[rng.below(11)]);
          break;
      }
    }
    const auto json = parse_json(text);
    if (!json) continue;
    const auto action = action_from_json(*json);
    if (!action) {
      EXPECT_FALSE(action.error().message.empty());
      continue;
    }
    ++read_back;
    EXPECT_EQ(*action_from_json(*parse_json(dump_json(to_json(*action)))), *action) << text;
  }
  EXPECT_GT(read_back, 1000);
}

TEST(Action, NamesWhatIsWrong) {
  const auto message = [](std::string_view text) {
    const auto action = action_from_json(*parse_json(text));
    return action ? std::string("accepted") : action.error().message;
  };
  EXPECT_EQ(message("3"), "expected an action, a string or an object, found number");
  EXPECT_EQ(message(R"({"text":3})"), "\"text\" must be a string");
  EXPECT_EQ(message(R"({"text_hex":"0g"})"),
            "\"text_hex\" must be pairs of the digits 0 to 9 and a to f");
  EXPECT_EQ(message(R"({"tool_calls":{}})"), "\"tool_calls\" must be a list");
  EXPECT_EQ(message(R"({"tool_calls":[1]})"), "\"tool_calls\": expected objects, found number");
  EXPECT_EQ(message(R"({"tool_calls":[{"name":1}]})"), "\"name\" must be a string");
  EXPECT_EQ(message(R"({"text":"a","tool_calls":null})"), "accepted");
  EXPECT_EQ(message(R"("just text")"), "accepted");
}

// The marker does not follow from the format: a template may ask for boxes without an example.
TEST(EpisodeRecord, ReadsBackWhatItHolds) {
  for (const MarkerStyle marker : {MarkerStyle::kAnswerTag, MarkerStyle::kBoxed}) {
    for (const std::string text : {"{problem} Box it.", "{problem} Write \\boxed{}."}) {
      const EpisodeRecord record{.problem = {"HiddenNumber", 1, 3, 42, 7},
                                 .options = {.format = {.text = text,
                                                        .marker = marker,
                                                        .reading = AnswerReading::kTolerant},
                                             .max_response_bytes = 99},
                                 .actions = {HiddenNumber::guess(50), {.text = "it is 42"}}};
      const auto read = episode_record_from_json(to_json(record));
      ASSERT_TRUE(read.has_value()) << read.error().message;
      EXPECT_EQ(*read, record);
    }
  }
}

TEST(EpisodeRecord, NamesWhatIsWrong) {
  const Json sound = to_json(EpisodeRecord{.problem = {"HiddenNumber", 1, 0, 0}});
  ASSERT_TRUE(episode_record_from_json(sound).has_value());
  const auto message = [&](std::string_view key, const Json& value) {
    Json json = sound;
    json[std::string(key)] = value;
    const auto record = episode_record_from_json(json);
    return record ? std::string("accepted") : record.error().message;
  };
  EXPECT_THAT(message("problem", "HiddenNumber"), testing::HasSubstr("not a problem's address"));
  EXPECT_THAT(message("marker", "boxxed"), testing::HasSubstr("did you mean boxed?"));
  EXPECT_EQ(message("marker", "answer"), "accepted");
  EXPECT_EQ(message("marker", "answer_tag"), "accepted") << "as older records have it";
  EXPECT_THAT(message("reading", "tolerent"), testing::HasSubstr("did you mean tolerant?"));
  EXPECT_THAT(message("format", "no place"), testing::HasSubstr("{problem}"));
  EXPECT_THAT(message("actions", 3), testing::HasSubstr("list of actions"));
  EXPECT_THAT(message("max_response_bytes", -1), testing::HasSubstr("max_response_bytes"));
}

struct Everything {
  bool flag = false;
  BigInt big;
  double share = 0.0;
  std::optional<std::string> note;
  std::vector<std::vector<int>> rows;
  std::map<std::string, int> counts;
  REDQUEEN_FIELDS(flag, big, share, note, rows, counts)
};

TEST(Tool, DescribesItsArgumentsByASchema) {
  EXPECT_EQ(dump_json(tool<Everything>("t", "d").parameters),
            R"({"type":"object","properties":{"flag":{"type":"boolean"},"big":{"type":"integer"},)"
            R"("share":{"type":"number"},"note":{"type":"string"},)"
            R"("rows":{"type":"array","items":{"type":"array","items":{"type":"integer"}}},)"
            R"("counts":{"type":"object","additionalProperties":{"type":"integer"}}},)"
            R"("required":["flag","big","share","rows","counts"]})");
}

}  // namespace
}  // namespace redqueen
