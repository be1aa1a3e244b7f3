// The names of things in the worlds: composed of two parts, so that few words make many, and
// nothing in them can be known beforehand.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "redqueen/base/rng.h"

namespace redqueen::worlds {

// All texts first + separator + second. Without a second list: the first list alone.
struct Lexicon {
  std::span<const std::string_view> first;
  std::string_view separator = {};
  std::span<const std::string_view> second = {};

  std::size_t size() const { return first.size() * (second.empty() ? 1 : second.size()); }
  std::string text(std::size_t index) const;  // index < size()
  std::string draw(Rng& rng) const { return text(rng.below(size())); }
  bool contains(std::string_view text) const;
};

extern const Lexicon kPeople;     // "Ada Quist"
extern const Lexicon kPlaces;     // "Copper Kettle": restaurants, hotels, shops
extern const Lexicon kCities;     // "Harrowgate"
extern const Lexicon kStreets;    // "14 Alder Row"
extern const Lexicon kPhones;     // "555-0142"
extern const Lexicon kAddresses;  // "quist@harbour.example": of mail
extern const Lexicon kCodes;      // "QX-1042": of bookings, orders, accounts
extern const Lexicon kProducts;   // "oak shelf"
extern const Lexicon kTitles;     // "budget review": of events, messages, tasks
extern const Lexicon kSentences;  // "please call before noon": of notes
extern const Lexicon kRooms;      // "kitchen"

}  // namespace redqueen::worlds
