#include "redqueen/gym/common/household/catalogue.h"

#include <algorithm>
#include <array>

namespace redqueen {
namespace {

constexpr std::uint8_t kTable = kDishZone | kStudyZone;

constexpr std::array kPlaces{
    PlaceKind{"fridge", "in", true, kFoodZone, kCold},
    PlaceKind{"microwave", "in", true, kFoodZone, kHot},
    PlaceKind{"sink", "in", false, kDishZone | kWashZone, kClean},
    PlaceKind{"counter", "on", false, kFoodZone | kDishZone, 0},
    PlaceKind{"cupboard", "in", true, kDishZone, 0},
    PlaceKind{"drawer", "in", true, kCloseZone, 0},
    PlaceKind{"table", "on", false, kTable | kFoodZone, 0},
    PlaceKind{"shelf", "on", false, kTable, 0},
    PlaceKind{"bin", "in", true, kFoodZone | kStudyZone, 0},
    PlaceKind{"desk", "on", false, kStudyZone | kCloseZone, 0},
    PlaceKind{"sofa", "on", false, kStudyZone, 0},
    PlaceKind{"armchair", "on", false, kStudyZone, 0},
    PlaceKind{"bed", "on", false, kStudyZone, 0},
    PlaceKind{"wardrobe", "in", true, kWashZone | kStudyZone, 0},
    PlaceKind{"nightstand", "on", false, kTable | kCloseZone, 0},
    PlaceKind{"safe", "in", true, kCloseZone, 0},
    PlaceKind{"bathtub", "in", false, kWashZone, 0},
    PlaceKind{"laundry basket", "in", true, kWashZone, 0},
    PlaceKind{"rack", "on", false, kWashZone, 0},
    PlaceKind{"chest", "in", true, kStudyZone | kWashZone, 0},
    PlaceKind{"crate", "in", false, kFoodZone | kStudyZone, 0},
    PlaceKind{"workbench", "on", false, kStudyZone | kCloseZone, 0},
};

constexpr std::uint8_t kAnyCare = kClean | kHot | kCold;

constexpr std::array kThings{
    ThingKind{"apple", "apples", kFoodZone, kAnyCare},
    ThingKind{"egg", "eggs", kFoodZone, kAnyCare},
    ThingKind{"potato", "potatoes", kFoodZone, kAnyCare},
    ThingKind{"tomato", "tomatoes", kFoodZone, kAnyCare},
    ThingKind{"carrot", "carrots", kFoodZone, kAnyCare},
    ThingKind{"bun", "buns", kFoodZone, kHot | kCold},
    ThingKind{"mug", "mugs", kDishZone, kAnyCare},
    ThingKind{"cup", "cups", kDishZone, kAnyCare},
    ThingKind{"plate", "plates", kDishZone, kAnyCare},
    ThingKind{"bowl", "bowls", kDishZone, kAnyCare},
    ThingKind{"pan", "pans", kDishZone, kClean | kCold},
    ThingKind{"fork", "forks", kDishZone | kCloseZone, kClean},
    ThingKind{"knife", "knives", kDishZone | kCloseZone, kClean},
    ThingKind{"spoon", "spoons", kDishZone | kCloseZone, kClean},
    ThingKind{"book", "books", kStudyZone, 0},
    ThingKind{"newspaper", "newspapers", kStudyZone, 0},
    ThingKind{"letter", "letters", kStudyZone | kCloseZone, 0},
    ThingKind{"pencil", "pencils", kStudyZone | kCloseZone, 0},
    ThingKind{"key", "keys", kStudyZone | kCloseZone, 0},
    ThingKind{"watch", "watches", kStudyZone | kCloseZone, 0},
    ThingKind{"phone", "phones", kStudyZone | kCloseZone, 0},
    ThingKind{"vase", "vases", kTable, kClean},
    ThingKind{"pillow", "pillows", kStudyZone, 0},
    ThingKind{"camera", "cameras", kStudyZone | kCloseZone, 0},
    ThingKind{"candle", "candles", kTable | kWashZone, 0},
    ThingKind{"towel", "towels", kWashZone, kClean},
    ThingKind{"soap bar", "soap bars", kWashZone, 0},
    ThingKind{"sponge", "sponges", kWashZone | kDishZone, kClean},
    ThingKind{"shirt", "shirts", kWashZone, kClean},
    ThingKind{"comb", "combs", kWashZone | kCloseZone, kClean},
};

constexpr std::array<std::string_view, 10> kKitchen{"fridge",   "microwave", "sink",  "counter",
                                                    "cupboard", "drawer",    "table", "shelf",
                                                    "bin",      "crate"};
constexpr std::array<std::string_view, 8> kBathroom{"sink",   "bathtub", "laundry basket", "rack",
                                                    "drawer", "shelf",   "wardrobe",       "bin"};
constexpr std::array<std::string_view, 8> kBedroom{"bed",    "nightstand", "wardrobe", "desk",
                                                   "drawer", "shelf",      "chest",    "armchair"};
constexpr std::array<std::string_view, 7> kLiving{"sofa",  "armchair", "table", "shelf",
                                                  "chest", "drawer",   "bin"};
constexpr std::array<std::string_view, 7> kStudy{"desk", "shelf", "safe",    "drawer",
                                                 "bin",  "chest", "armchair"};
constexpr std::array<std::string_view, 6> kDining{"table",  "cupboard", "shelf",
                                                  "drawer", "counter",  "chest"};
constexpr std::array<std::string_view, 5> kHall{"wardrobe", "shelf", "chest", "drawer", "rack"};
constexpr std::array<std::string_view, 5> kGarage{"workbench", "shelf", "crate", "bin", "drawer"};
constexpr std::array<std::string_view, 5> kLaundry{"sink", "laundry basket", "rack", "shelf",
                                                   "table"};
constexpr std::array<std::string_view, 4> kCellar{"shelf", "crate", "chest", "cupboard"};

constexpr std::array kRooms{
    RoomKind{"kitchen", kKitchen},
    RoomKind{"living room", kLiving},
    RoomKind{"bedroom", kBedroom},
    RoomKind{"bathroom", kBathroom},
    RoomKind{"study", kStudy},
    RoomKind{"dining room", kDining},
    RoomKind{"hall", kHall},
    RoomKind{"guest room", kBedroom},
    RoomKind{"laundry room", kLaundry},
    RoomKind{"garage", kGarage},
    RoomKind{"cellar", kCellar},
    RoomKind{"library", kStudy},
};

template <typename Kinds>
auto* find_kind(const Kinds& kinds, std::string_view name) {
  const auto found = std::ranges::find(kinds, name, [](const auto& kind) { return kind.name; });
  return found == kinds.end() ? nullptr : &*found;
}

}  // namespace

std::span<const ThingKind> thing_kinds() { return kThings; }
std::span<const RoomKind> room_kinds() { return kRooms; }

const PlaceKind* find_place_kind(std::string_view name) { return find_kind(kPlaces, name); }
const ThingKind* find_thing_kind(std::string_view name) { return find_kind(kThings, name); }
const RoomKind* find_room_kind(std::string_view name) { return find_kind(kRooms, name); }

}  // namespace redqueen
