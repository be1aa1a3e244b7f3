#include "redqueen/gym/common/worlds/lexicon.h"

#include <algorithm>

namespace redqueen::worlds {
namespace {

using View = std::string_view;

constexpr View kFirstNames[] = {"Ada",  "Bruno", "Celia", "Dario",  "Edith", "Felix", "Greta",
                                "Hugo", "Ines",  "Jonas", "Karin",  "Leon",  "Mira",  "Nils",
                                "Olga", "Pavel", "Rosa",  "Stefan", "Tilda", "Viktor"};
constexpr View kSurnames[] = {"Quist",   "Barlow",    "Castell", "Dunmore", "Ekberg",
                              "Farrow",  "Galvin",    "Hartog",  "Ivarson", "Jessop",
                              "Kellner", "Lindqvist", "Marsh",   "Norwood", "Oduya",
                              "Pascoe",  "Rourke",    "Selwyn",  "Tanner",  "Whitlock"};
constexpr View kAdjectives[] = {"Copper", "Silver", "Golden", "Quiet",  "Crooked", "Northern",
                                "Old",    "Little", "Grand",  "Hidden", "Sunny",   "Marble"};
constexpr View kThings[] = {"Kettle", "Heron",  "Lantern", "Anchor", "Orchard", "Compass",
                            "Garden", "Harbor", "Mill",    "Fox",    "Bridge",  "Acorn"};
constexpr View kCityStarts[] = {"Harrow", "Elder",  "Wester", "Norder", "Stone", "Brook",
                                "Ash",    "Linden", "Raven",  "Silver", "Kings", "Marble"};
constexpr View kCityEnds[] = {"gate", "ford", "haven", "wick", "mouth", "dale"};
constexpr View kHouseNumbers[] = {"3", "8", "14", "21", "27", "36", "45", "58", "62", "79"};
constexpr View kStreetNames[] = {"Alder Row",    "Mill Lane",    "Harbour Street", "Canal Walk",
                                 "Orchard Way",  "Station Road", "Chapel Hill",    "Linden Avenue",
                                 "Market Place", "Bridge Street"};
constexpr View kPhoneStarts[] = {"555-01", "555-02", "555-03", "555-07"};
constexpr View kTwoDigits[] = {"12", "18", "23", "31", "42", "47",
                               "56", "64", "75", "83", "90", "99"};
constexpr View kMailNames[] = {"quist",  "barlow", "castell", "dunmore", "ekberg", "farrow",
                               "galvin", "hartog", "jessop",  "kellner", "marsh",  "selwyn"};
constexpr View kMailHosts[] = {"harbour.example", "lantern.example", "northmail.example",
                               "orchard.example"};
constexpr View kLetters[] = {"QX", "LM", "RT", "BK", "ZN", "HV", "PD", "WS"};
constexpr View kNumbers[] = {"1042", "1187", "2093", "2465", "3310", "3978", "4126", "4809",
                             "5571", "6034", "6742", "7258", "8193", "8860", "9375", "9901"};
constexpr View kMaterials[] = {"oak",     "steel",   "glass",  "cotton",
                               "leather", "ceramic", "bamboo", "copper"};
constexpr View kGoods[] = {"shelf", "lamp", "basket", "mirror", "chair", "clock", "tray", "vase"};
constexpr View kSubjects[] = {"budget", "project", "travel", "design", "safety",
                              "summer", "website", "hiring", "garden", "delivery"};
constexpr View kForms[] = {"review", "meeting", "plan", "workshop", "report", "update"};
constexpr View kOpenings[] = {"please call",         "leave it at the door", "bring the papers",
                              "we are running late", "the code has changed", "ring the bell twice",
                              "ask for the manager", "nothing is urgent"};
constexpr View kClosings[] = {"before noon", "on arrival",  "this time",
                              "as agreed",   "if possible", "as always"};
constexpr View kRoomNames[] = {"kitchen",  "bedroom", "hallway", "study",
                               "bathroom", "cellar",  "attic",   "nursery"};

}  // namespace

const Lexicon kPeople{kFirstNames, " ", kSurnames};
const Lexicon kPlaces{kAdjectives, " ", kThings};
const Lexicon kCities{kCityStarts, "", kCityEnds};
const Lexicon kStreets{kHouseNumbers, " ", kStreetNames};
const Lexicon kPhones{kPhoneStarts, "", kTwoDigits};
const Lexicon kAddresses{kMailNames, "@", kMailHosts};
const Lexicon kCodes{kLetters, "-", kNumbers};
const Lexicon kProducts{kMaterials, " ", kGoods};
const Lexicon kTitles{kSubjects, " ", kForms};
const Lexicon kSentences{kOpenings, " ", kClosings};
const Lexicon kRooms{kRoomNames};

std::string Lexicon::text(std::size_t index) const {
  if (second.empty()) return std::string(first[index]);
  std::string text(first[index / second.size()]);
  text += separator;
  text += second[index % second.size()];
  return text;
}

bool Lexicon::contains(std::string_view text) const {
  for (const View start : first) {
    if (!text.starts_with(start)) continue;
    const View rest = text.substr(start.size());
    if (second.empty()) {
      if (rest.empty()) return true;
    } else if (rest.starts_with(separator)) {
      if (std::ranges::find(second, rest.substr(separator.size())) != second.end()) return true;
    }
  }
  return false;
}

}  // namespace redqueen::worlds
