#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "redqueen/base/rng.h"
#include "redqueen/core/answer.h"
#include "redqueen/core/environment.h"
#include "redqueen/core/registry.h"
#include "redqueen/gym/common/household/catalogue.h"
#include "redqueen/gym/common/household/house.h"
#include "redqueen/gym/common/household/planner.h"

namespace redqueen {
namespace {

using testing::HasSubstr;
using testing::Not;

const Environment& household() { return *Registry::native().find("household"); }

ProblemPtr household_problem(int level, std::uint64_t seed) {
  return *household().generate(level, seed);
}

House house_of(const Problem& problem) { return *from_json<House>(problem.parameter()); }

// Two rooms: a mug in a closed drawer, an apple on the table, a closed microwave in the kitchen; a
// lamp on the desk of the study.
House small_house(HouseGoal goal) {
  return {.rooms = {"kitchen", "study"},
          .doors = {{0, 1}},
          .places = {{"drawer", 0, false},
                     {"table", 0, false},
                     {"microwave", 0, false},
                     {"fridge", 0, true},
                     {"sink", 0, false},
                     {"desk", 1, false},
                     {"drawer", 1, true}},
          .things = {{"mug", 0}, {"apple", 1}, {"mug", 6}},
          .lamps = {5},
          .start = 0,
          .goal = std::move(goal)};
}

std::string play_house_lines(const House& house, HouseState& state,
                             const std::vector<std::string>& lines) {
  std::string last;
  for (const std::string& line : lines) {
    const auto command = read_house_command(line);
    EXPECT_TRUE(command.has_value()) << line;
    if (command) last = perform(house, *command, state);
  }
  return last;
}

TEST(Household, ShowsWhatIsClosedOnlyWhenItIsOpen) {
  const House house = small_house({"place", "mug", "desk"});
  HouseState state = enter(house);
  EXPECT_THAT(play_house_lines(house, state, {"go to drawer 1"}), HasSubstr("It is closed."));
  EXPECT_EQ(play_house_lines(house, state, {"take mug 1"}), "Drawer 1 is closed.");
  EXPECT_THAT(play_house_lines(house, state, {"open drawer 1"}), HasSubstr("In it: mug 1."));
  EXPECT_EQ(play_house_lines(house, state, {"take mug 1 from drawer 1"}),
            "You take mug 1 from drawer 1.");
  EXPECT_THAT(play_house_lines(house, state, {"look"}), HasSubstr("You carry mug 1."));
}

TEST(Household, LetsHandsHoldOneThing) {
  const House house = small_house({"two", "mug", "desk"});
  HouseState state = enter(house);
  const std::string full = play_house_lines(
      house, state,
      {"go to table 1", "take the apple", "go to drawer 1", "open drawer", "take mug 1"});
  EXPECT_EQ(full, "Your hands are full: you carry apple 1.");
  EXPECT_EQ(play_house_lines(house, state, {"put mug 1"}), "You carry no mug 1.");
  EXPECT_EQ(play_house_lines(house, state, {"put apple 1 in/on the drawer 1"}),
            "You put apple 1 in drawer 1.");
}

TEST(Household, WalksThroughDoorsAndWithinRooms) {
  const House house = small_house({"place", "mug", "desk"});
  HouseState state = enter(house);
  EXPECT_EQ(play_house_lines(house, state, {"go to desk 1"}), "There is no desk 1 in the kitchen.");
  EXPECT_EQ(play_house_lines(house, state, {"go to the cellar"}),
            "No door leads from the kitchen to the cellar.");
  // The second drawer of the house is the study's.
  EXPECT_EQ(play_house_lines(house, state, {"go to drawer 2"}),
            "There is no drawer 2 in the kitchen.");
  EXPECT_THAT(play_house_lines(house, state, {"go study"}), HasSubstr("You are in the study."));
  EXPECT_THAT(play_house_lines(house, state, {"go to drawer"}), HasSubstr("In it: mug 2."));
}

// What was heated and then cooled is cold and no longer hot; what was cleaned stays clean.
TEST(Household, KeepsTheLastTemperature) {
  const House house = small_house({"heat", "apple", "drawer"});
  HouseState state = enter(house);
  const std::vector<std::string> prepare{"go to table 1",  "take apple 1",      "go to sink 1",
                                         "clean apple 1",  "go to microwave 1", "heat apple 1",
                                         "go to fridge 1", "cool apple 1"};
  play_house_lines(house, state, prepare);
  EXPECT_EQ(state.condition[1], kClean | kCold);
  play_house_lines(house, state, {"go to drawer 1", "open drawer 1", "put apple 1"});
  EXPECT_FALSE(fulfilled(house, state));
  EXPECT_EQ(play_house_lines(house, state, {"take apple 1", "heat apple 1"}),
            "To heat something, stand at a microwave.");
  play_house_lines(house, state,
                   {"go to microwave 1", "heat apple 1", "go to drawer 1", "put apple 1"});
  EXPECT_TRUE(fulfilled(house, state));
}

TEST(Household, WantsTheLampSwitchedOn) {
  const House house = small_house({"light", "apple", ""});
  HouseState state = enter(house);
  play_house_lines(house, state, {"go to table 1", "take apple 1", "go to study", "go to desk 1"});
  EXPECT_FALSE(fulfilled(house, state));
  play_house_lines(house, state, {"use lamp 1"});
  EXPECT_TRUE(fulfilled(house, state));
  EXPECT_EQ(play_house_lines(house, state, {"use lamp 1"}), "You switch lamp 1 off.");
  EXPECT_FALSE(fulfilled(house, state));
}

TEST(Household, WantsBothThingsInOnePlace) {
  House house = small_house({"two", "mug", "drawer"});
  house.things = {{"mug", 1}, {"mug", 5}};
  HouseState state = enter(house);
  play_house_lines(house, state,
                   {"go to table 1", "take mug 1", "go to drawer 1", "open drawer 1", "put mug 1",
                    "go to study", "go to desk 1", "take mug 2", "go to drawer 2", "put mug 2"});
  EXPECT_FALSE(fulfilled(house, state)) << "one in each of two drawers";
  play_house_lines(house, state, {"take mug 2", "go to kitchen", "go to drawer 1", "put mug 2"});
  EXPECT_TRUE(fulfilled(house, state));
}

// A key that tells states apart as far as the goal can: things of its kind, what is open, lamps.
std::string search_key(const House& house, const HouseState& state) {
  std::string key = fmt::format("{},{},{};", state.room, state.at, state.holding);
  for (std::size_t i = 0; i < house.things.size(); ++i) {
    if (house.things[i].kind == house.goal.object) {
      key += fmt::format("{}:{},", state.where[i], state.condition[i]);
    }
  }
  for (const bool open : state.open) key += open ? '1' : '0';
  for (const bool lit : state.lit) key += lit ? '1' : '0';
  return key;
}

// Every command that could help, of things of the goal's kind.
std::vector<HouseCommand> helpful_commands(const House& house) {
  std::vector<HouseCommand> commands;
  for (const std::string& room : house.rooms) commands.push_back({HouseVerb::kGo, "", room});
  for (int place = 0; place < std::ssize(house.places); ++place) {
    commands.push_back({HouseVerb::kGo, "", place_name(house, place)});
    if (find_place_kind(house.places[place].kind)->opens) {
      commands.push_back({HouseVerb::kOpen, "", place_name(house, place)});
    }
  }
  for (int thing = 0; thing < std::ssize(house.things); ++thing) {
    if (house.things[thing].kind != house.goal.object) continue;
    for (const HouseVerb verb : {HouseVerb::kTake, HouseVerb::kPut, HouseVerb::kClean,
                                 HouseVerb::kHeat, HouseVerb::kCool}) {
      commands.push_back({verb, thing_name(house, thing), ""});
    }
  }
  for (int lamp = 0; lamp < std::ssize(house.lamps); ++lamp) {
    commands.push_back({HouseVerb::kUse, lamp_name(lamp), ""});
  }
  return commands;
}

// The fewest commands that fulfil the goal, breadth-first over whole states; `most` + 1 if more are
// needed.
int fewest_commands(const House& house, int most) {
  const auto commands = helpful_commands(house);
  std::vector<HouseState> layer{enter(house)};
  std::set<std::string> known{search_key(house, layer[0])};
  for (int depth = 1; depth <= most; ++depth) {
    std::vector<HouseState> next;
    for (const HouseState& state : layer) {
      for (const HouseCommand& command : commands) {
        HouseState after = state;
        perform(house, command, after);
        if (!known.insert(search_key(house, after)).second) continue;
        if (fulfilled(house, after)) return depth;
        next.push_back(std::move(after));
      }
    }
    layer = std::move(next);
  }
  return most + 1;
}

TEST(Household, PlansInTheFewestCommands) {
  std::map<std::string, int> seen;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const House house = house_of(*household_problem(static_cast<int>(seed % 3), seed));
    const auto plan = shortest_plan(house);
    if (plan.size() > 9) continue;
    EXPECT_EQ(fewest_commands(house, static_cast<int>(plan.size())), std::ssize(plan))
        << dump_json(to_json(house));
    ++seen[house.goal.task];
  }
  EXPECT_EQ(seen.size(), std::size(kHouseTasks)) << "every task was searched";
}

TEST(Household, PlansFulfilEveryHouse) {
  for (const int level : {0, 1, 4, 9, 30}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const ProblemPtr problem = household_problem(level, seed);
      const House house = house_of(*problem);
      HouseState state = enter(house);
      const auto plan = shortest_plan(house);
      for (std::size_t i = 0; i < plan.size(); ++i) {
        EXPECT_FALSE(fulfilled(house, state)) << "before its last command";
        perform(house, plan[i], state);
      }
      EXPECT_TRUE(fulfilled(house, state)) << dump_json(problem->parameter());
      EXPECT_LE(std::ssize(plan), problem->max_turns());
    }
  }
}

TEST(Household, ReadsItsOwnCommands) {
  Rng rng({.seed = 1, .purpose = hash_name("commands")});
  const House house = small_house({"place", "mug", "desk"});
  for (const HouseCommand& command : helpful_commands(house)) {
    EXPECT_EQ(read_house_command(house_command_text(command)), command);
  }
  const HouseCommand take{HouseVerb::kTake, "laundry basket 1", "desk 2"};
  EXPECT_EQ(read_house_command(house_command_text(take)), take);
  EXPECT_EQ(read_house_command("  TAKE the Laundry-Basket 1, from the desk 2!"), take);
  for (const char* none : {"", "fly to mug 1", "go", "go to", "take", "put in desk 1", "the"}) {
    EXPECT_FALSE(read_house_command(none).has_value()) << none;
  }
  auto commands = helpful_commands(house);
  HouseState state = enter(house);
  for (int round = 0; round < 3000; ++round) {
    std::string line = house_command_text(rng.choice(commands));
    rng.choice(line) = static_cast<char>(rng.below(256));
    if (const auto command = read_house_command(line)) {
      EXPECT_FALSE(perform(house, *command, state).empty());
    }
  }
}

// What a walker is told names only things that lie open where he stands, or that he carries.
TEST(Household, TellsNothingHidden) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const ProblemPtr problem = household_problem(4, seed);
    const House house = house_of(*problem);
    EXPECT_THAT(problem->prompt(), Not(HasSubstr("Where everything is")));
    HouseState state = enter(house);
    auto commands = helpful_commands(house);
    Rng rng({.seed = seed, .purpose = hash_name("walk")});
    for (int turn = 0; turn < 60; ++turn) {
      const std::string told = perform(house, rng.choice(commands), state) + " ";
      for (int thing = 0; thing < std::ssize(house.things); ++thing) {
        const std::string name = thing_name(house, thing);
        const auto says = [&](const char* after) {
          return told.find(name + after) != std::string::npos;
        };
        if (!says(",") && !says(" and ") && !says(".")) continue;
        const int place = state.where[thing];
        const bool seen = place == state.at && place >= 0 &&
                          (state.open[place] || !find_place_kind(house.places[place].kind)->opens);
        const bool said = told.starts_with("You carry no") || told.starts_with("There is no");
        EXPECT_TRUE(seen || said || state.holding == thing) << told;
      }
    }
  }
}

std::vector<Observation> observe_turns(const Problem& problem, const std::vector<Action>& actions,
                                       Verdict& verdict) {
  std::vector<Observation> seen;
  verdict = replay(problem, {}, actions, &seen)->verdict();
  return seen;
}

TEST(Household, TakesLinesAndCallsAlike) {
  for (const int level : {0, 2, 6}) {
    const ProblemPtr problem = household_problem(level, 4);
    const auto calls = problem->reference_actions({});
    std::string all = "I think that I know the way.\n";
    std::vector<Action> lines;
    for (const HouseCommand& command : shortest_plan(house_of(*problem))) {
      lines.push_back({.text = house_command_text(command)});
      all += "> " + house_command_text(command) + "\n";
    }
    Verdict by_calls;
    Verdict by_lines;
    const auto seen_calls = observe_turns(*problem, calls, by_calls);
    const auto seen_lines = observe_turns(*problem, lines, by_lines);
    ASSERT_EQ(seen_calls.size(), seen_lines.size());
    EXPECT_TRUE(by_calls.solved && by_lines.solved);
    for (std::size_t i = 1; i < seen_calls.size(); ++i) {
      EXPECT_EQ(seen_calls[i].messages[0].content, seen_lines[i].messages[0].content);
    }
    EXPECT_TRUE(problem->score(transcript(std::vector<Action>{{.text = all}})).solved)
        << "in one turn";
  }
}

TEST(Household, TellsEverythingOnTheFirstLevelAlone) {
  EXPECT_THAT(household_problem(0, 1)->prompt(), HasSubstr("Where everything is"));
  EXPECT_THAT(household_problem(1, 1)->prompt(), Not(HasSubstr("Where everything is")));
}

TEST(Household, EndsWhoeverTurnsInCircles) {
  const ProblemPtr problem = household_problem(1, 1);
  const auto limit = static_cast<std::size_t>(problem->max_turns());
  Verdict verdict;
  auto seen = observe_turns(*problem, std::vector<Action>(limit + 5, {.text = "look"}), verdict);
  EXPECT_FALSE(seen[limit - 1].done());
  EXPECT_TRUE(seen[limit].truncated);
  EXPECT_EQ(verdict.reward, 0.0);
  std::string lines;
  for (int i = 0; i < 100'000; ++i) lines += "look\n";
  seen = observe_turns(*problem, {{.text = lines}}, verdict);
  EXPECT_TRUE(seen[1].truncated) << "every line is a command";
  const Action calls{.tool_calls = std::vector<ToolCall>(1000, {.name = "look"})};
  seen = observe_turns(*problem, {calls}, verdict);
  EXPECT_TRUE(seen[1].truncated);
  EXPECT_EQ(seen[1].messages.size(), 1000u) << "every call is answered";
}

TEST(Household, AnswersWhatCannotBeUnderstood) {
  const ProblemPtr problem = household_problem(1, 1);
  const std::string million(1'000'000, 'x');
  const std::vector<std::pair<Action, std::string>> cases{
      {{.text = ""}, "is no command"},
      {{.text = "please find it"}, "is no command"},
      {{.text = million}, "is no command"},
      {{.tool_calls = {{.name = "fly"}}}, "there is no tool \"fly\""},
      {{.tool_calls = {{.name = "go"}}}, "\"place\": missing"},
      {{.tool_calls = {{.name = "go", .arguments = Json{{"place", 3}}}}}, "expected a string"},
      {{.tool_calls = {{.name = "take", .arguments = "mug 1"}}}, "expected a JSON object"},
      {{.tool_calls = {{.name = "go", .arguments = Json{{"place", million}}}}}, "There is no xxx"}};
  for (const auto& [action, reply] : cases) {
    Verdict verdict;
    const auto seen = observe_turns(*problem, {action}, verdict);
    EXPECT_THAT(seen[1].messages[0].content, HasSubstr(reply));
    EXPECT_LT(seen[1].messages[0].content.size(), 300u);
    EXPECT_FALSE(verdict.solved);
  }
}

TEST(Household, RefusesHousesThatCannotBe) {
  const House good = small_house({"place", "mug", "desk"});
  ASSERT_TRUE(check_house(good).has_value());
  const auto refused = [&](auto change) {
    House house = good;
    change(house);
    const Status sound = check_house(house);
    return sound ? std::string() : sound.error().message;
  };
  EXPECT_THAT(refused([](House& h) { h.doors.clear(); }), HasSubstr("\"doors\""));
  EXPECT_THAT(refused([](House& h) { h.doors.push_back({1, 0}); }), HasSubstr("\"doors\""));
  EXPECT_THAT(refused([](House& h) { h.rooms[1] = "kitchen"; }), HasSubstr("\"rooms\""));
  EXPECT_THAT(refused([](House& h) { h.places[1].open = true; }), HasSubstr("\"places\""));
  EXPECT_THAT(refused([](House& h) { h.things[0].place = 7; }), HasSubstr("\"things\""));
  EXPECT_THAT(refused([](House& h) { h.lamps[0] = 0; }), HasSubstr("\"lamps\""));
  EXPECT_THAT(refused([](House& h) { h.start = 2; }), HasSubstr("\"start\""));
  EXPECT_THAT(refused([](House& h) { h.goal.task = "steal"; }), HasSubstr("\"goal\""));
  EXPECT_THAT(refused([](House& h) { h.goal.object = "vase"; }), HasSubstr("\"goal\""));
  EXPECT_THAT(refused([](House& h) { h.goal.place = "sofa"; }), HasSubstr("\"goal\""));
  EXPECT_THAT(refused([](House& h) { h.things[0].place = 5; }), HasSubstr("from the start"));
  EXPECT_THAT(refused([](House& h) {
                h.goal.task = "heat";
                h.places[2].kind = "table";
              }),
              HasSubstr("\"places\""));
}

}  // namespace
}  // namespace redqueen
