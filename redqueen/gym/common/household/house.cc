#include "redqueen/gym/common/household/house.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "redqueen/base/enum_names.h"
#include "redqueen/core/answer.h"
#include "redqueen/gym/common/household/catalogue.h"
#include "redqueen/gym/common/parameter/within.h"
#include "redqueen/gym/common/worlds/words.h"

namespace redqueen {
namespace {

constexpr auto kVerbs = enum_names<HouseVerb>({{"go", HouseVerb::kGo},
                                               {"open", HouseVerb::kOpen},
                                               {"close", HouseVerb::kClose},
                                               {"take", HouseVerb::kTake},
                                               {"put", HouseVerb::kPut},
                                               {"clean", HouseVerb::kClean},
                                               {"heat", HouseVerb::kHeat},
                                               {"cool", HouseVerb::kCool},
                                               {"use", HouseVerb::kUse},
                                               {"look", HouseVerb::kLook}});

// The number of item `index` among those of its kind.
template <typename Items>
int number_of(const Items& items, int index) {
  int number = 1;
  for (int i = 0; i < index; ++i) number += items[i].kind == items[index].kind;
  return number;
}

bool takes_place_alone(HouseVerb verb) {
  return verb == HouseVerb::kGo || verb == HouseVerb::kOpen || verb == HouseVerb::kClose;
}

bool is_preposition(std::string_view word) {
  constexpr std::array<std::string_view, 7> kPrepositions{"from", "in",   "on", "into",
                                                          "onto", "with", "to"};
  return std::ranges::find(kPrepositions, word) != kPrepositions.end();
}

std::string joined_words(std::span<const std::string_view> words) {
  return fmt::format("{}", fmt::join(words, " "));
}

bool opens(const House& house, int place) {
  return find_place_kind(house.places[place].kind)->opens;
}

bool is_shut(const House& house, const HouseState& state, int place) {
  return opens(house, place) && !state.open[place];
}

std::string_view preposition(std::string_view place_kind) {
  return find_place_kind(place_kind)->preposition;
}

// "a clean hot mug 1"
std::string thing_with_condition(const House& house, const HouseState& state, int thing) {
  std::string text;
  if (state.condition[thing] & kClean) text += "clean ";
  if (state.condition[thing] & kHot) text += "hot ";
  if (state.condition[thing] & kCold) text += "cold ";
  return text + thing_name(house, thing);
}

std::vector<std::string> seen_at(const House& house, const HouseState& state, int place) {
  std::vector<std::string> names;
  for (int lamp = 0; lamp < std::ssize(house.lamps); ++lamp) {
    if (house.lamps[lamp] == place) {
      names.push_back(
          fmt::format("{} (switched {})", lamp_name(lamp), state.lit[lamp] ? "on" : "off"));
    }
  }
  for (int thing = 0; thing < std::ssize(house.things); ++thing) {
    if (state.where[thing] == place) names.push_back(thing_with_condition(house, state, thing));
  }
  return names;
}

// "In it: …" or that it is closed.
std::string contents(const House& house, const HouseState& state, int place) {
  if (is_shut(house, state, place)) return "It is closed.";
  const auto names = seen_at(house, state, place);
  const std::string_view word = preposition(house.places[place].kind);
  if (names.empty()) return fmt::format("Nothing is {} it.", word);
  return fmt::format("{} it: {}.", capitalised(std::string(word)), enumeration(names));
}

std::vector<int> neighbours(const House& house, int room) {
  std::vector<int> rooms;
  for (const auto& [a, b] : house.doors) {
    if (a == room) rooms.push_back(b);
    if (b == room) rooms.push_back(a);
  }
  std::ranges::sort(rooms);
  return rooms;
}

std::string room_text(const House& house, int room) {
  std::vector<std::string> places;
  for (int place = 0; place < std::ssize(house.places); ++place) {
    if (house.places[place].room == room) places.push_back(place_name(house, place));
  }
  std::vector<std::string> doors;
  for (const int next : neighbours(house, room)) doors.push_back("the " + house.rooms[next]);
  std::string text = fmt::format("You are in the {}.", house.rooms[room]);
  if (!places.empty()) text += fmt::format(" You see: {}.", enumeration(places));
  if (!doors.empty()) {
    text += fmt::format(" {} to {}.", doors.size() == 1 ? "A door leads" : "Doors lead",
                        enumeration(doors));
  }
  return text;
}

// The carrying out of one command.
class Deed {
 public:
  Deed(const House& house, const HouseCommand& command, HouseState& state)
      : house_(house), command_(command), state_(state) {}

  std::string perform() {
    switch (command_.verb) {
      case HouseVerb::kGo:
        return go();
      case HouseVerb::kOpen:
        return open(true);
      case HouseVerb::kClose:
        return open(false);
      case HouseVerb::kTake:
        return take();
      case HouseVerb::kPut:
        return put();
      case HouseVerb::kClean:
        return care(kClean, "clean", "sink");
      case HouseVerb::kHeat:
        return care(kHot, "heat", "microwave");
      case HouseVerb::kCool:
        return care(kCold, "cool", "fridge");
      case HouseVerb::kUse:
        return use();
      case HouseVerb::kLook:
        return look_around(house_, state_);
    }
    return {};
  }

 private:
  // What a name may mean: all of `count` candidates whose name it is, or whose kind it is.
  template <typename Name, typename Kind, typename Present>
  std::vector<int> matches(const std::string& name, int count, Name name_of, Kind kind_of,
                           Present present) const {
    std::vector<int> found;
    for (int i = 0; i < count; ++i) {
      // Kinds are compared first: making names costs.
      if (!present(i) || !name.starts_with(kind_of(i))) continue;
      if (name == kind_of(i) || name == name_of(i)) found.push_back(i);
    }
    return found;
  }

  std::vector<int> places_called(const std::string& name) const {
    return matches(
        name, static_cast<int>(house_.places.size()), [&](int i) { return place_name(house_, i); },
        [&](int i) { return house_.places[i].kind; },
        [&](int i) { return house_.places[i].room == state_.room; });
  }

  template <typename Present>
  std::vector<int> things_called(const std::string& name, Present present) const {
    return matches(
        name, static_cast<int>(house_.things.size()), [&](int i) { return thing_name(house_, i); },
        [&](int i) { return house_.things[i].kind; }, present);
  }

  std::string ambiguous(const std::string& name) const {
    return fmt::format("There is more than one {} here: say which, by its number.", name);
  }

  std::string go() {
    const std::string& name = command_.place;
    if (name == house_.rooms[state_.room]) {
      state_.at = -1;
      return look_around(house_, state_);
    }
    for (const int room : neighbours(house_, state_.room)) {
      if (name != house_.rooms[room]) continue;
      state_.room = room;
      state_.at = -1;
      return room_text(house_, room);
    }
    if (find_room_kind(name) != nullptr) {
      return fmt::format("No door leads from the {} to the {}.", house_.rooms[state_.room], name);
    }
    const auto found = places_called(name);
    if (found.empty()) {
      return fmt::format("There is no {} in the {}.", quotable(name), house_.rooms[state_.room]);
    }
    if (found.size() > 1) return ambiguous(name);
    state_.at = found[0];
    return fmt::format("You are at {}. {}", place_name(house_, state_.at),
                       contents(house_, state_, state_.at));
  }

  // What is wrong with a place that a command names besides its object, or with standing at none.
  std::optional<std::string> not_here() const {
    if (state_.at < 0) return "You are at no place: go to one first.";
    if (command_.place.empty()) return std::nullopt;
    const std::string here = place_name(house_, state_.at);
    if (command_.place == here || command_.place == house_.places[state_.at].kind) {
      return std::nullopt;
    }
    return fmt::format("You are at {}, not at {}.", here, quotable(command_.place));
  }

  std::string open(bool wanted) {
    if (auto fault = not_here()) return *fault;
    const std::string here = place_name(house_, state_.at);
    if (!opens(house_, state_.at)) {
      return fmt::format("{} cannot be {}.", capitalised(here), wanted ? "opened" : "closed");
    }
    if (state_.open[state_.at] == wanted) {
      return fmt::format("{} is {} already.", capitalised(here), wanted ? "open" : "closed");
    }
    state_.open[state_.at] = wanted;
    if (!wanted) return fmt::format("You close {}.", here);
    return fmt::format("You open {}. {}", here, contents(house_, state_, state_.at));
  }

  std::string take() {
    if (auto fault = not_here()) return *fault;
    const std::string here = place_name(house_, state_.at);
    if (is_shut(house_, state_, state_.at)) return capitalised(here) + " is closed.";
    const auto found =
        things_called(command_.object, [&](int i) { return state_.where[i] == state_.at; });
    if (found.empty()) {
      if (command_.object.starts_with("lamp")) return "Lamps stay where they are.";
      return fmt::format("There is no {} {} {}.", quotable(command_.object),
                         preposition(house_.places[state_.at].kind), here);
    }
    if (found.size() > 1) return ambiguous(command_.object);
    if (state_.holding >= 0) {
      return fmt::format("Your hands are full: you carry {}.", thing_name(house_, state_.holding));
    }
    state_.holding = found[0];
    state_.where[found[0]] = -1;
    return fmt::format("You take {} from {}.", thing_name(house_, found[0]), here);
  }

  // What is wrong with the object of a command that one must carry.
  std::optional<std::string> not_held() const {
    const auto held = [&](int i) { return i == state_.holding; };
    if (!things_called(command_.object, held).empty()) return std::nullopt;
    return fmt::format("You carry no {}.", quotable(command_.object));
  }

  std::string put() {
    if (auto fault = not_held()) return *fault;
    if (auto fault = not_here()) return *fault;
    const std::string here = place_name(house_, state_.at);
    if (is_shut(house_, state_, state_.at)) return capitalised(here) + " is closed.";
    const int thing = std::exchange(state_.holding, -1);
    state_.where[thing] = state_.at;
    return fmt::format("You put {} {} {}.", thing_name(house_, thing),
                       preposition(house_.places[state_.at].kind), here);
  }

  std::string care(HouseholdCare done, std::string_view verb, std::string_view device) {
    if (auto fault = not_held()) return *fault;
    if (auto fault = not_here()) return *fault;
    if (find_place_kind(house_.places[state_.at].kind)->device != done) {
      return fmt::format("To {} something, stand at a {}.", verb, device);
    }
    int& condition = state_.condition[state_.holding];
    if (done != kClean) condition &= kClean;  // hot and cold exclude each other
    condition |= done;
    return fmt::format("You {} {} {} {}.", verb, thing_name(house_, state_.holding),
                       done == kClean ? "in" : "with", place_name(house_, state_.at));
  }

  std::string use() {
    if (auto fault = not_here()) return *fault;
    std::vector<int> found;
    for (int lamp = 0; lamp < std::ssize(house_.lamps); ++lamp) {
      const bool meant = command_.object == "lamp" || command_.object == lamp_name(lamp);
      if (house_.lamps[lamp] == state_.at && meant) found.push_back(lamp);
    }
    if (found.empty()) {
      return fmt::format("There is no {} to be used at {}.", quotable(command_.object),
                         place_name(house_, state_.at));
    }
    if (found.size() > 1) return ambiguous("lamp");
    state_.lit[found[0]] = !state_.lit[found[0]];
    return fmt::format("You switch {} {}.", lamp_name(found[0]),
                       state_.lit[found[0]] ? "on" : "off");
  }

  const House& house_;
  const HouseCommand& command_;
  HouseState& state_;
};

bool all_connected(const House& house) {
  std::vector<int> seen{0};
  for (std::size_t i = 0; i < seen.size(); ++i) {
    for (const int next : neighbours(house, seen[i])) {
      if (std::ranges::find(seen, next) == seen.end()) seen.push_back(next);
    }
  }
  return seen.size() == house.rooms.size();
}

Status check_rooms(const House& house) {
  const auto count = static_cast<int>(house.rooms.size());
  RETURN_IF_ERROR(within("rooms", count, 1, kMostRooms));
  for (const std::string& room : house.rooms) {
    if (find_room_kind(room) == nullptr) {
      return failure(R"("rooms": there is no room called "{}")", quotable(room));
    }
    if (std::ranges::count(house.rooms, room) > 1) {
      return failure("\"rooms\": {} is there twice", room);
    }
  }
  RETURN_IF_ERROR(within("doors", std::ssize(house.doors), 0, kMostRooms * kMostRooms));
  for (const auto& [a, b] : house.doors) {
    RETURN_IF_ERROR(within("doors", a, 0, count - 1));
    RETURN_IF_ERROR(within("doors", b, 0, count - 1));
    const auto same = [a = a, b = b](const auto& door) {
      return std::minmax(door.first, door.second) == std::minmax(a, b);
    };
    if (a == b || std::ranges::count_if(house.doors, same) > 1) {
      return failure("\"doors\": every door leads to another room, and once");
    }
  }
  if (!all_connected(house)) return failure("\"doors\": not all rooms can be reached");
  return within("start", house.start, 0, count - 1);
}

Status check_contents(const House& house) {
  const auto places = static_cast<int>(house.places.size());
  RETURN_IF_ERROR(within("places", places, 1, kMostPlaces));
  for (const HousePlace& place : house.places) {
    const PlaceKind* kind = find_place_kind(place.kind);
    if (kind == nullptr) {
      return failure(R"("places": there is no kind of place called "{}")", quotable(place.kind));
    }
    RETURN_IF_ERROR(within("places", place.room, 0, std::ssize(house.rooms) - 1));
    if (place.open && !kind->opens) return failure("\"places\": a {} does not open", kind->name);
  }
  RETURN_IF_ERROR(within("things", std::ssize(house.things), 1, kMostThings));
  for (const HouseThing& thing : house.things) {
    if (find_thing_kind(thing.kind) == nullptr) {
      return failure(R"("things": there is no kind of thing called "{}")", quotable(thing.kind));
    }
    RETURN_IF_ERROR(within("things", thing.place, 0, places - 1));
  }
  RETURN_IF_ERROR(within("lamps", std::ssize(house.lamps), 0, kMostPlaces));
  for (const int place : house.lamps) {
    RETURN_IF_ERROR(within("lamps", place, 0, places - 1));
    if (opens(house, place)) return failure("\"lamps\": a lamp stands where nothing opens");
  }
  return {};
}

Status check_goal(const House& house) {
  const HouseGoal& goal = house.goal;
  if (std::ranges::find(kHouseTasks, goal.task) == std::end(kHouseTasks)) {
    return failure(R"("goal": there is no task called "{}"; there are {})", quotable(goal.task),
                   fmt::join(kHouseTasks, ", "));
  }
  const auto things = std::ranges::count(house.things, goal.object, &HouseThing::kind);
  const int needed = goal.task == "two" ? 2 : 1;
  if (things < needed) {
    return failure(R"("goal": {} of "{}" are needed, {} are there)", needed, quotable(goal.object),
                   things);
  }
  if (goal.task == "light") {
    if (!goal.place.empty()) return failure("\"goal\": light names no place");
    return house.lamps.empty() ? Status(failure("\"lamps\": there is none")) : Status();
  }
  if (std::ranges::count(house.places, goal.place, &HousePlace::kind) == 0) {
    return failure(R"("goal": no "{}" is there)", quotable(goal.place));
  }
  const int device = goal.task == "clean" ? kClean : goal.task == "heat" ? kHot : kCold;
  const bool needs_device = goal.task == "clean" || goal.task == "heat" || goal.task == "cool";
  if (needs_device && std::ranges::none_of(house.places, [&](const HousePlace& place) {
        return find_place_kind(place.kind)->device == device;
      })) {
    return failure("\"places\": nothing is there to {} things", goal.task);
  }
  return {};
}

}  // namespace

std::string_view house_verb_name(HouseVerb verb) { return kVerbs.name(verb); }

std::optional<HouseVerb> find_house_verb(std::string_view name) {
  const auto verb = kVerbs.find(name);
  return verb ? std::optional(*verb) : std::nullopt;
}

std::optional<HouseCommand> read_house_command(std::string_view line) {
  const std::string plain = normalised(line);
  const auto words = split_words(plain);
  if (words.empty()) return std::nullopt;
  const auto verb = find_house_verb(words[0]);
  if (!verb) return std::nullopt;
  HouseCommand command{.verb = *verb};
  std::span<const std::string_view> rest(words);
  rest = rest.subspan(1);
  if (*verb == HouseVerb::kLook) return command;  // "look", "look around"
  if (takes_place_alone(*verb)) {
    while (!rest.empty() && is_preposition(rest[0])) rest = rest.subspan(1);
    command.place = joined_words(rest);
    return rest.empty() ? std::nullopt : std::optional(command);
  }
  const auto split = std::ranges::find_if(rest, is_preposition);
  const auto length = static_cast<std::size_t>(split - rest.begin());
  command.object = joined_words(rest.first(length));
  rest = rest.subspan(length);
  while (!rest.empty() && is_preposition(rest[0])) rest = rest.subspan(1);  // "in/on"
  command.place = joined_words(rest);
  return command.object.empty() ? std::nullopt : std::optional(command);
}

std::string house_command_text(const HouseCommand& command) {
  const std::string_view verb = house_verb_name(command.verb);
  switch (command.verb) {
    case HouseVerb::kLook:
      return std::string(verb);
    case HouseVerb::kGo:
      return fmt::format("go to {}", command.place);
    case HouseVerb::kOpen:
    case HouseVerb::kClose:
      return fmt::format("{} {}", verb, command.place);
    default:
      break;
  }
  if (command.place.empty()) return fmt::format("{} {}", verb, command.object);
  const std::string_view link = command.verb == HouseVerb::kTake  ? "from"
                                : command.verb == HouseVerb::kPut ? "in"
                                                                  : "with";
  return fmt::format("{} {} {} {}", verb, command.object, link, command.place);
}

std::string thing_name(const House& house, int thing) {
  return fmt::format("{} {}", house.things[thing].kind, number_of(house.things, thing));
}

std::string place_name(const House& house, int place) {
  return fmt::format("{} {}", house.places[place].kind, number_of(house.places, place));
}

std::string lamp_name(int lamp) { return fmt::format("lamp {}", lamp + 1); }

Status check_house(const House& house) {
  RETURN_IF_ERROR(check_rooms(house));
  RETURN_IF_ERROR(check_contents(house));
  RETURN_IF_ERROR(check_goal(house));
  if (fulfilled(house, enter(house))) return failure("\"goal\": it is fulfilled from the start");
  return {};
}

HouseState enter(const House& house) {
  HouseState state{.room = house.start};
  for (const HouseThing& thing : house.things) state.where.push_back(thing.place);
  state.condition.assign(house.things.size(), 0);
  for (const HousePlace& place : house.places) state.open.push_back(place.open);
  state.lit.assign(house.lamps.size(), false);
  return state;
}

std::string perform(const House& house, const HouseCommand& command, HouseState& state) {
  return Deed(house, command, state).perform();
}

std::string look_around(const House& house, const HouseState& state) {
  std::string text = room_text(house, state.room);
  if (state.at >= 0) {
    text += fmt::format(" You stand at {}. {}", place_name(house, state.at),
                        contents(house, state, state.at));
  }
  text += state.holding < 0
              ? std::string(" You carry nothing.")
              : fmt::format(" You carry {}.", thing_with_condition(house, state, state.holding));
  return text;
}

std::string goal_text(const House& house) {
  const HouseGoal& goal = house.goal;
  if (goal.task == "light") {
    return fmt::format(
        "Look at {} in the light of a lamp: stand at a lamp that is switched on, "
        "with the {} in your hands.",
        with_article(goal.object), goal.object);
  }
  const std::string place = fmt::format("{} {}", preposition(goal.place), with_article(goal.place));
  if (goal.task == "two") {
    return fmt::format("Put two {} {}, both of them {} the same {}.",
                       find_thing_kind(goal.object)->plural, place, preposition(goal.place),
                       goal.place);
  }
  if (goal.task == "place") return fmt::format("Put {} {}.", with_article(goal.object), place);
  return fmt::format("{} {} and put it {}.", capitalised(goal.task), with_article(goal.object),
                     place);
}

std::string tell_house(const House& house) {
  const HouseState state = enter(house);
  std::string text;
  for (int room = 0; room < std::ssize(house.rooms); ++room) {
    std::vector<std::string> doors;
    for (const int next : neighbours(house, room)) doors.push_back("the " + house.rooms[next]);
    text += capitalised(house.rooms[room]);
    if (!doors.empty()) text += fmt::format(" (next to {})", enumeration(doors));
    text += ":\n";
    for (int place = 0; place < std::ssize(house.places); ++place) {
      if (house.places[place].room != room) continue;
      const auto names = seen_at(house, state, place);
      text += fmt::format("- {}{}: {}\n", place_name(house, place),
                          !opens(house, place) ? ""
                          : state.open[place]  ? " (open)"
                                               : " (closed)",
                          names.empty() ? std::string("nothing") : enumeration(names));
    }
  }
  return text;
}

bool fulfilled(const House& house, const HouseState& state) {
  const HouseGoal& goal = house.goal;
  if (goal.task == "light") {
    if (state.holding < 0 || house.things[state.holding].kind != goal.object) return false;
    for (std::size_t lamp = 0; lamp < house.lamps.size(); ++lamp) {
      if (state.at == house.lamps[lamp] && state.lit[lamp]) return true;
    }
    return false;
  }
  const int needed = goal.task == "two" ? 2 : 1;
  const int care = goal.task == "clean"  ? kClean
                   : goal.task == "heat" ? kHot
                   : goal.task == "cool" ? kCold
                                         : 0;
  std::vector<int> found(house.places.size());
  for (std::size_t thing = 0; thing < house.things.size(); ++thing) {
    const int place = state.where[thing];
    if (place < 0 || house.things[thing].kind != goal.object) continue;
    if (house.places[place].kind != goal.place || (state.condition[thing] & care) != care) continue;
    if (++found[place] >= needed) return true;
  }
  return false;
}

}  // namespace redqueen
