// Household: the shape of ALFWorld. One walks through a house, finds a thing and brings it where it
// is wanted.

#include "redqueen/core/contract.h"
#include "redqueen/core/tool.h"
#include "redqueen/core/turns_contract.h"
#include "redqueen/gym/common/household/catalogue.h"
#include "redqueen/gym/common/household/house.h"
#include "redqueen/gym/common/household/planner.h"
#include "redqueen/gym/common/parameter/within.h"
#include "redqueen/gym/common/worlds/turn.h"
#include "redqueen/gym/common/worlds/words.h"

namespace redqueen {
namespace {

struct Household {
  static constexpr Card card{
      .name = "household",
      .family = Family::kWorlds,
      .answer = AnswerKind::kTurns,
      .scoring = Scoring::kExact,
      .task =
          "Walk through a house, find a thing and bring it where it is wanted, if need be "
          "cleaned, heated or cooled; what is in closed places shows only when they are open.",
      .levels =
          "Level 0 is a kitchen whose contents are told. From level 1 on one must look. A "
          "level adds 3 places and 4 things, every third one a room; all six tasks are there "
          "from level 2 on.",
      .rewards =
          "-1 without a single command that can be understood, 0 if the task is not done "
          "within the limit of commands, 1 if it is.",
      .source =
          "Shridhar et al., ALFWorld: Aligning Text and Embodied Environments for Interactive "
          "Learning, ICLR 2021, https://arxiv.org/abs/2010.03768",
      .max_level = 30};

  struct Config {
    int rooms = 0;
    int places = 0;
    int things = 0;
    int tasks = 0;  // the first so many of kHouseTasks
    bool told = false;
    REDQUEEN_FIELDS(rooms, places, things, tasks, told)
  };
  using Problem = House;
  using State = HouseState;

  // Arguments of the tools.
  struct WithPlace {
    std::string place;
    REDQUEEN_FIELDS(place)
  };
  struct WithObject {
    std::string object;
    REDQUEEN_FIELDS(object)
  };
  struct WithObjectAndPlace {
    std::string object;
    std::optional<std::string> place;
    REDQUEEN_FIELDS(object, place)
  };
  struct WithNothing {
    REDQUEEN_FIELDS()
  };

  static Config at_level(int level, Rng&) {
    return {.rooms = 1 + level / 3,
            .places = 6 + 3 * level,
            .things = 6 + 4 * level,
            .tasks = std::min(2 + 2 * level, static_cast<int>(std::size(kHouseTasks))),
            .told = level == 0};
  }

  static Problem generate(const Config& config, Rng& rng) {
    House house{.told = config.told};
    draw_rooms(house, config, rng);
    draw_places(house, config, rng);
    draw_goal(house, config, rng);
    draw_things(house, config, rng);
    if (!check_house(house)) throw Retry();
    return house;
  }

  static Status check(const Problem& house) { return check_house(house); }

  static std::string prompt(const Problem& house) {
    std::string text = fmt::format(
        "You are in a house. {}\n\n"
        "Give commands, one a line; names are as you see them, such as \"drawer 2\":\n"
        "- go to PLACE: to a place in the room where you are, or to a room next door\n"
        "- open PLACE, close PLACE: where you stand; what is in a closed place cannot be seen\n"
        "- take THING, put THING: from or to the place where you stand; you carry one thing at a "
        "time\n"
        "- clean THING at a sink, heat THING at a microwave, cool THING at a fridge: carry it and "
        "stand there\n"
        "- use LAMP: switches the lamp where you stand on or off\n"
        "- look: tells where you are and what you carry\n\n"
        "If you write other text as well, begin each command's line with \">\". You have {} "
        "commands in all, and every line and every call is one.\n\n",
        goal_text(house), max_turns(house));
    if (house.told) text += "Where everything is:\n" + tell_house(house) + "\n";
    return text + look_around(house, enter(house));
  }

  static std::vector<ToolSpec> tools(const Problem&) {
    const std::map<std::string, std::string> thing{{"object", "a thing and its number: \"mug 2\""}};
    return {
        tool<WithPlace>("go", "Goes to a place in this room, or to a room next door.",
                        {{"place", "a place and its number, \"drawer 2\", or a room, \"hall\""}}),
        tool<WithPlace>("open", "Opens the place where you stand.", {{"place", "its name"}}),
        tool<WithPlace>("close", "Closes the place where you stand.", {{"place", "its name"}}),
        tool<WithObjectAndPlace>("take", "Takes a thing from the place where you stand.", thing),
        tool<WithObjectAndPlace>("put", "Puts what you carry in or on the place where you stand.",
                                 thing),
        tool<WithObjectAndPlace>("clean", "Cleans what you carry. Stand at a sink.", thing),
        tool<WithObjectAndPlace>("heat", "Heats what you carry. Stand at a microwave.", thing),
        tool<WithObjectAndPlace>("cool", "Cools what you carry. Stand at a fridge.", thing),
        tool<WithObject>("use", "Switches the lamp where you stand on or off.",
                         {{"object", "a lamp and its number: \"lamp 1\""}}),
        tool<WithNothing>("look", "Tells where you are and what you carry.")};
  }

  // Enough to walk through every room, to open every place, and then to do the task from wherever
  // that ended.
  static int max_turns(const Problem& house) {
    return static_cast<int>(6 * house.rooms.size() + 2 * house.places.size()) + 10;
  }

  static State begin(const Problem& house) { return enter(house); }

  static Observation step(const Problem& house, State& state, const Action& action) {
    Observation seen;
    seen.messages = play_turn(
        action,
        [&](std::string_view line) { return play(house, state, read_house_command(line), line); },
        [&](const ToolCall& call) { return play_call(house, state, call); },
        [&] { return state.commands >= max_turns(house) || fulfilled(house, state); });
    seen.terminated = fulfilled(house, state);
    seen.truncated = !seen.terminated && state.commands >= max_turns(house);
    return seen;
  }

  static Verdict verdict(const Problem& house, const State& state) {
    return verdict_of(state.understood == 0 ? kMalformedReward
                                            : exact_reward(fulfilled(house, state)));
  }

  static std::vector<Action> solve_turns(const Problem& house) {
    std::vector<Action> turns;
    for (const HouseCommand& command : shortest_plan(house)) turns.push_back(as_call(command));
    return turns;
  }

  // A walk without eyes.
  static std::vector<Action> random_turns(const Problem& house, Rng& rng) {
    std::vector<Action> turns;
    const int length = std::min(max_turns(house), 20);
    const auto any = [&](const auto& items) { return static_cast<int>(rng.below(items.size())); };
    for (int i = 0; i < length; ++i) {
      HouseCommand command{.verb = static_cast<HouseVerb>(rng.below(10))};
      command.object = thing_name(house, any(house.things));
      if (command.verb == HouseVerb::kUse) command.object = "lamp";
      if (command.verb <= HouseVerb::kClose) {
        command.place =
            rng.chance(0.3) ? rng.choice(house.rooms) : place_name(house, any(house.places));
      }
      turns.push_back(as_call(command));
    }
    return turns;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& house) {
    const std::string object = house.goal.object + " 1";
    const std::string target = house.goal.place.empty() ? "table 1" : house.goal.place + " 1";
    const std::string first = place_name(house, 0);
    const auto script = [](std::initializer_list<std::string> lines) {
      const Action turn{.text = fmt::format("{}", fmt::join(lines, "\n"))};
      return transcript(std::span(&turn, 1));
    };
    return {{"the first place of the first room",
             script({"go to " + first, "open " + first, "take " + object, "go to " + target,
                     "open " + target, "put " + object})},
            {"the goal's place alone", script({"go to " + target, "open " + target,
                                               "take " + object, "put " + object, "use lamp 1"})},
            {"every place of the first room for the first thing of the kind",
             script_of_first_room(house, object, target)}};
  }

 private:
  // ----------------------------------------------------------------------------------------------
  // Drawing

  static void draw_rooms(House& house, const Config& config, Rng& rng) {
    std::vector<std::string> others;
    for (const RoomKind& kind : room_kinds().subspan(1)) others.emplace_back(kind.name);
    rng.shuffle(others);
    house.rooms.assign(others.begin(), others.begin() + (config.rooms - 1));
    house.rooms.emplace_back(room_kinds()[0].name);
    rng.shuffle(house.rooms);
    // A tree, and a few ways around.
    for (int room = 1; room < config.rooms; ++room) {
      house.doors.emplace_back(static_cast<int>(rng.integer(0, room - 1)), room);
    }
    for (int extra = config.rooms / 4; extra > 0; --extra) {
      const auto ends = rng.sample(0, config.rooms - 1, 2);
      const std::pair door{static_cast<int>(std::min(ends[0], ends[1])),
                           static_cast<int>(std::max(ends[0], ends[1]))};
      if (std::ranges::find(house.doors, door) == house.doors.end()) house.doors.push_back(door);
    }
    house.start = static_cast<int>(rng.integer(0, config.rooms - 1));
  }

  // The devices in the kitchen, a lamp's place and something more in every room, then whatever
  // fits.
  static void draw_places(House& house, const Config& config, Rng& rng) {
    const auto add = [&](int room, std::string_view kind) {
      const bool open = find_place_kind(kind)->opens && rng.chance(0.1);
      house.places.push_back({std::string(kind), room, open});
    };
    for (int room = 0; room < std::ssize(house.rooms); ++room) {
      const RoomKind& kind = *find_room_kind(house.rooms[room]);
      if (&kind != &room_kinds()[0]) continue;
      for (const std::string_view device : {"fridge", "microwave", "sink"}) add(room, device);
    }
    int room = 0;
    while (std::ssize(house.places) < config.places) {
      const RoomKind& kind = *find_room_kind(house.rooms[room]);
      const std::string_view drawn = rng.choice(kind.places);
      // No room needs two baths, nor four shelves.
      const bool single = find_place_kind(drawn)->device != 0 || drawn == "bathtub" ||
                          drawn == "bed" || drawn == "safe";
      const auto there = std::ranges::count_if(house.places, [&](const HousePlace& place) {
        return place.room == room && place.kind == drawn;
      });
      if (there >= (single ? 1 : 3)) continue;
      add(room, drawn);
      room = (room + 1) % static_cast<int>(house.rooms.size());
    }
    rng.shuffle(house.places);
    std::ranges::stable_sort(house.places, {}, &HousePlace::room);
    draw_lamps(house, config, rng);
  }

  static void draw_lamps(House& house, const Config& config, Rng& rng) {
    std::vector<int> surfaces;
    for (int place = 0; place < std::ssize(house.places); ++place) {
      const PlaceKind& kind = *find_place_kind(house.places[place].kind);
      if (!kind.opens && kind.preposition == "on") surfaces.push_back(place);
    }
    rng.shuffle(surfaces);
    const auto lamps =
        std::min<std::size_t>(surfaces.size(), static_cast<std::size_t>(1 + config.rooms / 4));
    house.lamps.assign(surfaces.begin(), surfaces.begin() + static_cast<std::ptrdiff_t>(lamps));
  }

  static int care_of(std::string_view task) {
    return task == "clean" ? kClean : task == "heat" ? kHot : task == "cool" ? kCold : 0;
  }

  // A task, a kind of thing that it may be done to, and a kind of place in the house where that may
  // stand.
  static void draw_goal(House& house, const Config& config, Rng& rng) {
    HouseGoal& goal = house.goal;
    goal.task = kHouseTasks[rng.below(static_cast<std::uint64_t>(config.tasks))];
    const int care = care_of(goal.task);
    std::vector<const ThingKind*> things;
    for (const ThingKind& kind : thing_kinds()) {
      if ((kind.care & care) == care) things.push_back(&kind);
    }
    const ThingKind& thing = *rng.choice(things);
    goal.object = thing.name;
    if (goal.task == "light") return;
    std::vector<std::string> targets;
    for (const HousePlace& place : house.places) {
      const PlaceKind& kind = *find_place_kind(place.kind);
      if ((kind.zones & thing.zones) != 0 && (care == 0 || kind.device != care)) {
        targets.push_back(place.kind);
      }
    }
    if (targets.empty()) throw Retry();
    goal.place = rng.choice(targets);
  }

  static void draw_things(House& house, const Config& config, Rng& rng) {
    const auto add = [&](const ThingKind& kind, std::string_view avoided) {
      std::vector<int> fitting;
      for (int place = 0; place < std::ssize(house.places); ++place) {
        const PlaceKind& there = *find_place_kind(house.places[place].kind);
        if ((there.zones & kind.zones) != 0 && there.name != avoided) fitting.push_back(place);
      }
      if (fitting.empty()) return false;
      house.things.push_back({std::string(kind.name), rng.choice(fitting)});
      return true;
    };
    const ThingKind& wanted = *find_thing_kind(house.goal.object);
    const int needed = house.goal.task == "two" ? 2 : 1;
    for (int i = 0; i < needed; ++i) {
      if (!add(wanted, house.goal.place)) throw Retry();
    }
    for (int tries = 8 * config.things; std::ssize(house.things) < config.things; --tries) {
      if (tries == 0) throw Retry();
      const ThingKind& kind = thing_kinds()[rng.below(thing_kinds().size())];
      add(kind, kind.name == wanted.name ? std::string_view(house.goal.place) : "");
    }
    rng.shuffle(house.things);
  }

  // ----------------------------------------------------------------------------------------------
  // Playing

  static std::string play(const House& house, State& state,
                          const std::optional<HouseCommand>& command, std::string_view text) {
    ++state.commands;
    if (!command) {
      return fmt::format(
          "\"{}\" is no command. Commands are: go to, open, close, take, put, clean, "
          "heat, cool, use, look.",
          quotable(text));
    }
    ++state.understood;
    return perform(house, *command, state);
  }

  static std::string play_call(const House& house, State& state, const ToolCall& call) {
    const auto verb = find_house_verb(call.name);
    if (!verb) {
      ++state.commands;
      return unknown_tool_message(call, tools(house)).content;
    }
    const auto command = read_call(*verb, call.arguments);
    if (!command) {
      ++state.commands;
      return "error: " + command.error().message;
    }
    return play(house, state, *command, "");
  }

  static Expected<HouseCommand> read_call(HouseVerb verb, const Json& arguments) {
    HouseCommand command{.verb = verb};
    if (verb == HouseVerb::kLook) return command;
    if (verb <= HouseVerb::kClose) {
      ASSIGN_OR_RETURN(const auto given, from_json<WithPlace>(arguments));
      command.place = normalised(given.place);
      return command;
    }
    ASSIGN_OR_RETURN(const auto given, from_json<WithObjectAndPlace>(arguments));
    command.object = normalised(given.object);
    command.place = normalised(given.place.value_or(""));
    return command;
  }

  static Action as_call(const HouseCommand& command) {
    Json arguments = Json::object();
    if (command.verb > HouseVerb::kClose && command.verb != HouseVerb::kLook) {
      arguments["object"] = command.object;
    } else if (command.verb != HouseVerb::kLook) {
      arguments["place"] = command.place;
    }
    return {.tool_calls = {{.name = std::string(house_verb_name(command.verb)),
                            .arguments = std::move(arguments)}}};
  }

  static std::string script_of_first_room(const House& house, const std::string& object,
                                          const std::string& target) {
    std::string lines;
    for (int place = 0; place < std::ssize(house.places); ++place) {
      if (house.places[place].room != 0) continue;
      const std::string name = place_name(house, place);
      lines += fmt::format("go to {0}\nopen {0}\ntake {1}\n", name, object);
    }
    lines += fmt::format("go to {0}\nopen {0}\nput {1}", target, object);
    const Action turn{.text = std::move(lines)};
    return transcript(std::span(&turn, 1));
  }
};

REDQUEEN_ENVIRONMENT(Household);

}  // namespace
}  // namespace redqueen
