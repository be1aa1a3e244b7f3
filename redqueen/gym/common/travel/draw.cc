#include "redqueen/gym/common/travel/draw.h"

#include <algorithm>
#include <array>

#include "redqueen/gym/common/worlds/names.h"

namespace redqueen {
namespace {

using Words = std::span<const std::string_view>;

constexpr std::array<std::string_view, 20> kHotelWords{
    "Amber", "Bright",  "Copper",  "Dapper", "Evening", "Golden", "Harbour",
    "Ivy",   "Lantern", "Maple",   "North",  "Old",     "Pearl",  "Quiet",
    "River", "Silver",  "Station", "Swan",   "Tower",   "Walnut"};
constexpr std::array<std::string_view, 4> kHotelEnds{"Hotel", "Inn", "House", "Lodge"};
constexpr std::array<std::string_view, 24> kTableWords{
    "Blue",  "Busy",  "Clever", "Dancing", "Early", "Friendly", "Gentle", "Green",
    "Happy", "Jolly", "Little", "Lucky",   "Merry", "Orange",   "Proud",  "Red",
    "Round", "Salty", "Sleepy", "Spicy",   "Sunny", "Tall",     "White",  "Yellow"};
constexpr std::array<std::string_view, 16> kTableEnds{
    "Spoon", "Kettle", "Pan",   "Table", "Fork",  "Oven", "Goose", "Fig",
    "Onion", "Pepper", "Olive", "Ladle", "Plate", "Pear", "Trout", "Basket"};
constexpr std::array<std::string_view, 24> kSightWords{
    "Abbey",  "Acorn",   "Anchor", "Castle", "Chapel", "Crystal", "Dragon", "Eagle",
    "Falcon", "Founder", "Garnet", "Glass",  "Hill",   "King",    "Lake",   "Lion",
    "Market", "Mill",    "Moon",   "Queen",  "Rose",   "Stone",   "Sun",    "Water"};
constexpr std::array<std::string_view, 8> kSightEnds{"Museum", "Park",    "Gallery", "Garden",
                                                     "Bridge", "Theatre", "Square",  "Fountain"};
constexpr std::array<std::string_view, 8> kCuisines{"Greek",  "Thai",    "Mexican",  "Indian",
                                                    "French", "Turkish", "Japanese", "Peruvian"};

std::string drawn(Words words, Rng& rng) { return std::string(rng.choice(words)); }

void draw_legs(const TravelRequest& request, TravelOffers& offers, Rng& rng) {
  std::vector<std::string> places = offers.cities;
  places.push_back(request.home);
  for (std::size_t a = 0; a < places.size(); ++a) {
    for (std::size_t b = 0; b < places.size(); ++b) {
      if (a == b) continue;
      const std::int64_t base = rng.integer(30, 150);
      for (int day = 1; day <= request.days; ++day) {
        for (const std::string_view mode : kTravelModes) {
          if (!rng.chance(0.5)) continue;
          const std::int64_t extra = mode == "flight" ? rng.integer(0, 90) : rng.integer(0, 40);
          offers.legs.push_back({"", std::string(mode), places[a], places[b], day, base + extra});
        }
      }
    }
  }
  int number = 100;
  for (TravelLeg& leg : offers.legs) {
    leg.id = fmt::format("{}{}", leg.mode == "flight" ? 'F' : 'T', number++);
  }
}

void draw_hotels(const TravelSize& size, const TravelRequest& request, TravelOffers& offers,
                 Rng& rng) {
  auto names = draw_names(size.hotels * size.region_cities, kHotelWords, " ", kHotelEnds, rng);
  for (const std::string& city : offers.cities) {
    const auto planted = static_cast<int>(rng.below(static_cast<std::uint64_t>(size.hotels)));
    for (int i = 0; i < size.hotels; ++i) {
      TravelHotel hotel{.name = names.back(),
                        .city = city,
                        .room = drawn(kTravelRooms, rng),
                        .capacity = static_cast<int>(rng.integer(1, 4)),
                        .min_nights = static_cast<int>(rng.integer(1, 3)),
                        .price = rng.integer(40, 160)};
      names.pop_back();
      for (const std::string_view guest : kTravelGuests) {
        if (rng.chance(0.3)) hotel.forbids.emplace_back(guest);
      }
      if (i == planted) {
        if (!request.room.empty()) hotel.room = request.room;
        std::erase(hotel.forbids, request.guest);
        hotel.min_nights = 1;
      }
      offers.hotels.push_back(std::move(hotel));
    }
  }
}

}  // namespace

TravelRequest draw_request(const TravelSize& size, Rng& rng) {
  TravelRequest request{.home = draw_city_names(1, rng)[0],
                        .region = draw_region_names(1, rng)[0],
                        .people = static_cast<int>(rng.integer(1, size.people)),
                        .days = size.days,
                        .cities = size.cities};
  std::vector<int> kinds = rng.permutation(4);
  kinds.resize(static_cast<std::size_t>(size.wishes));
  for (const int kind : kinds) {
    if (kind == 0) request.room = drawn(kTravelRooms, rng);
    if (kind == 1) request.guest = drawn(kTravelGuests, rng);
    if (kind == 2) {
      for (const std::int64_t i : rng.sample(0, std::ssize(kCuisines) - 1, 2)) {
        request.cuisines.emplace_back(kCuisines[static_cast<std::size_t>(i)]);
      }
    }
    if (kind == 3) request.without = drawn(kTravelModes, rng);
  }
  return request;
}

TravelOffers draw_offers(const TravelSize& size, const TravelRequest& request, Rng& rng) {
  TravelOffers offers;
  for (std::string& city : draw_city_names(size.region_cities + 1, rng)) {
    if (city != request.home && std::ssize(offers.cities) < size.region_cities) {
      offers.cities.push_back(std::move(city));
    }
  }
  draw_legs(request, offers, rng);
  draw_hotels(size, request, offers, rng);
  auto tables =
      draw_names(size.restaurants * size.region_cities, kTableWords, " ", kTableEnds, rng);
  auto sights = draw_names(size.sights * size.region_cities, kSightWords, " ", kSightEnds, rng);
  for (const std::string& city : offers.cities) {
    for (int i = 0; i < size.restaurants; ++i) {
      offers.restaurants.push_back(
          {"The " + tables.back(), city, drawn(kCuisines, rng), rng.integer(8, 40)});
      tables.pop_back();
    }
    for (int i = 0; i < size.sights; ++i) {
      offers.sights.push_back({sights.back(), city, rng.integer(0, 25)});
      sights.pop_back();
    }
  }
  return offers;
}

}  // namespace redqueen
