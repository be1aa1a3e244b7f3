// The vocabulary of the household world: kinds of rooms, of places in them, and of things.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace redqueen {

// The places where a thing usually stands; bits.
enum HouseholdZone : std::uint8_t {
  kFoodZone = 1,    // fridge, microwave, pantry shelf
  kDishZone = 2,    // cupboards and tables of a kitchen
  kStudyZone = 4,   // desks, shelves, sofas
  kWashZone = 8,    // baths and laundry
  kCloseZone = 16,  // drawers and safes: whatever is small
};

// The operations on a thing, as bits; as the condition of a thing, those that were done.
enum HouseholdCare : std::uint8_t {
  kClean = 1,
  kHot = 2,
  kCold = 4,
};

struct PlaceKind {
  std::string_view name;
  std::string_view preposition;  // "in" or "on"
  bool opens;                    // has a door or a lid, and may be closed
  std::uint8_t zones;            // HouseholdZone
  std::uint8_t device;           // HouseholdCare that one can do here; 0: none
};

struct ThingKind {
  std::string_view name;
  std::string_view plural;
  std::uint8_t zones;  // HouseholdZone: stands where one of them is
  std::uint8_t care;   // HouseholdCare that a task may ask for
};

struct RoomKind {
  std::string_view name;
  std::span<const std::string_view> places;  // kinds that stand in such a room
};

std::span<const ThingKind> thing_kinds();
std::span<const RoomKind> room_kinds();  // the first is the kitchen, which has every device

// nullptr: there is no such kind.
const PlaceKind* find_place_kind(std::string_view name);
const ThingKind* find_thing_kind(std::string_view name);
const RoomKind* find_room_kind(std::string_view name);

}  // namespace redqueen
