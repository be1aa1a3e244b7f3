// A house, what it may be asked for, and what changes in it while somebody walks around.
//
// Things and places are called by kind and number, "mug 2": the second mug of the list. Rooms are
// called by their kind alone; a house has at most one of each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/field_list.h"

namespace redqueen {

struct HousePlace {
  std::string kind;  // of the catalogue
  int room = 0;
  bool open = false;  // at the start; of kinds that do not open: false
  REDQUEEN_FIELDS(kind, room, open)
};

struct HouseThing {
  std::string kind;  // of the catalogue
  int place = 0;     // at the start
  REDQUEEN_FIELDS(kind, place)
};

// The six tasks of ALFRED and ALFWorld.
//
//   place          some `object` in or on some `place`
//   light          some `object` in the hands of somebody who stands at a lamp that is on
//   clean, heat,   as place, after it was cleaned, heated or cooled
//   cool
//   two            two `object`s in or on one and the same `place`
struct HouseGoal {
  std::string task;
  std::string object;  // a kind of thing
  std::string place;   // a kind of place; of light: ""
  REDQUEEN_FIELDS(task, object, place)
};

inline constexpr std::string_view kHouseTasks[] = {"place", "light", "clean",
                                                   "heat",  "cool",  "two"};

struct House {
  bool told = false;               // whether the prompt says where everything is
  std::vector<std::string> rooms;  // kinds of the catalogue, all different
  std::vector<std::pair<int, int>> doors;
  std::vector<HousePlace> places;
  std::vector<HouseThing> things;
  std::vector<int> lamps;  // places where a lamp stands: lamp 1, lamp 2, …
  int start = 0;           // a room
  HouseGoal goal;
  REDQUEEN_FIELDS(told, rooms, doors, places, things, lamps, start, goal)
};

// The part of a house that changes.
struct HouseState {
  int room = 0;
  int at = -1;                 // the place at which one stands; -1: at none
  int holding = -1;            // a thing; -1: nothing
  std::vector<int> where;      // by thing: its place; -1: in the hands
  std::vector<int> condition;  // by thing: HouseholdCare that it got
  std::vector<bool> open;      // by place
  std::vector<bool> lit;       // by lamp
  int commands = 0;            // so far, understood or not
  int understood = 0;
  REDQUEEN_FIELDS(room, at, holding, where, condition, open, lit, commands, understood)
};

enum class HouseVerb { kGo, kOpen, kClose, kTake, kPut, kClean, kHeat, kCool, kUse, kLook };

// A command as somebody wrote it: names are normalised (common/worlds/words.h), and may name
// nothing.
struct HouseCommand {
  HouseVerb verb = HouseVerb::kLook;
  std::string object;  // of take, put, clean, heat, cool, use
  std::string place;   // of go, open, close; of others: "" or a place that must fit
  bool operator==(const HouseCommand&) const = default;
};

// "take mug 1 from desk 2", "go to the hall": nullopt if no verb or not its nouns are there.
std::optional<HouseCommand> read_house_command(std::string_view line);

// The same as read_house_command reads it.
std::string house_command_text(const HouseCommand& command);

std::string_view house_verb_name(HouseVerb verb);
std::optional<HouseVerb> find_house_verb(std::string_view name);

// "mug 2"
std::string thing_name(const House& house, int thing);
std::string place_name(const House& house, int place);
std::string lamp_name(int lamp);

// An error that names the key unless the house is well built: kinds of the catalogue, indices in
// range, all rooms connected, lamps and things at places, a goal of the six tasks whose object and
// place are in the house. At most kMostRooms rooms, kMostPlaces places, kMostThings things.
inline constexpr int kMostRooms = 12;
inline constexpr int kMostPlaces = 200;
inline constexpr int kMostThings = 300;
Status check_house(const House& house);

HouseState enter(const House& house);

// Carries a command out as far as it can be, and says what came of it, in whole sentences.
std::string perform(const House& house, const HouseCommand& command, HouseState& state);

// Describes the view: the room, the place at which one stands, the things that one carries.
std::string look_around(const House& house, const HouseState& state);

// The task in a sentence.
std::string goal_text(const House& house);

// Every room, place and thing, for whoever may know.
std::string tell_house(const House& house);

bool fulfilled(const House& house, const HouseState& state);

}  // namespace redqueen
