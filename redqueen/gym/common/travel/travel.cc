#include "redqueen/gym/common/travel/travel.h"

#include <algorithm>
#include <set>

#include "redqueen/gym/common/parameter/within.h"
#include "redqueen/gym/common/worlds/words.h"

namespace redqueen {
namespace {

constexpr std::int64_t kMostPrice = 1'000'000;

bool is_one_of(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

Status check_name(std::string_view key, const std::string& name, std::set<std::string>& known) {
  constexpr std::size_t kMostBytes = 60;
  if (name.empty() || name.size() > kMostBytes || quotable(name) != name) {
    return failure("\"{}\": a name is one line of 1 to {} bytes", key, kMostBytes);
  }
  if (!known.insert(name).second) return failure("\"{}\": \"{}\" is there twice", key, name);
  return {};
}

Status check_size(std::string_view key, std::size_t size) {
  return within(key, static_cast<std::int64_t>(size), 0, kMostTravelOffers);
}

Status check_legs(const TravelOffers& offers, const std::set<std::string>& places) {
  RETURN_IF_ERROR(check_size("legs", offers.legs.size()));
  std::set<std::string> ids;
  for (const TravelLeg& leg : offers.legs) {
    RETURN_IF_ERROR(check_name("legs", leg.id, ids));
    if (!is_one_of(kTravelModes, leg.mode)) {
      return failure("\"legs\": the mode of {} is neither flight nor train", leg.id);
    }
    if (!places.contains(leg.from) || !places.contains(leg.to) || leg.from == leg.to) {
      return failure("\"legs\": {} does not lead from one of the cities to another", leg.id);
    }
    RETURN_IF_ERROR(within("legs", leg.day, 1, kMostPlanDays));
    RETURN_IF_ERROR(within("legs", leg.price, 0, kMostPrice));
  }
  return {};
}

Status check_hotels(const TravelOffers& offers, const std::set<std::string>& places,
                    std::set<std::string>& names) {
  RETURN_IF_ERROR(check_size("hotels", offers.hotels.size()));
  for (const TravelHotel& hotel : offers.hotels) {
    RETURN_IF_ERROR(check_name("hotels", hotel.name, names));
    if (!places.contains(hotel.city)) return failure("\"hotels\": {} is nowhere", hotel.name);
    if (!is_one_of(kTravelRooms, hotel.room)) {
      return failure("\"hotels\": {} has rooms of no known kind", hotel.name);
    }
    for (const std::string& guest : hotel.forbids) {
      if (!is_one_of(kTravelGuests, guest)) {
        return failure("\"hotels\": {} forbids what nobody asks for", hotel.name);
      }
    }
    RETURN_IF_ERROR(within("hotels", hotel.capacity, 1, 20));
    RETURN_IF_ERROR(within("hotels", hotel.min_nights, 1, kMostPlanDays));
    RETURN_IF_ERROR(within("hotels", hotel.price, 0, kMostPrice));
  }
  return {};
}

// Restaurants and sights.
template <typename Items>
Status check_venues(std::string_view key, const Items& items, const std::set<std::string>& places,
                    std::set<std::string>& names) {
  RETURN_IF_ERROR(check_size(key, items.size()));
  for (const auto& item : items) {
    RETURN_IF_ERROR(check_name(key, item.name, names));
    if (!places.contains(item.city)) return failure("\"{}\": {} is nowhere", key, item.name);
    RETURN_IF_ERROR(within(key, item.price, 0, kMostPrice));
  }
  return {};
}

Status check_request(const TravelOffers& offers, const TravelRequest& request) {
  constexpr int kMostCities = 3;
  constexpr int kMostDays = 9;
  constexpr std::size_t kMostCuisines = 4;
  RETURN_IF_ERROR(within("request", request.people, 1, 20));
  RETURN_IF_ERROR(within("request", request.cities, 1,
                         std::min<std::int64_t>(kMostCities, std::ssize(offers.cities))));
  RETURN_IF_ERROR(within("request", request.days, request.cities + 1, kMostDays));
  RETURN_IF_ERROR(within("request", request.budget, 0, std::int64_t{1} << 40));
  if (!request.room.empty() && !is_one_of(kTravelRooms, request.room)) {
    return failure("\"request\": there is no room \"{}\"", quotable(request.room));
  }
  if (!request.guest.empty() && !is_one_of(kTravelGuests, request.guest)) {
    return failure("\"request\": there is no guest \"{}\"", quotable(request.guest));
  }
  if (!request.without.empty() && !is_one_of(kTravelModes, request.without)) {
    return failure("\"request\": there is no mode \"{}\"", quotable(request.without));
  }
  std::set<std::string> cuisines;
  for (const std::string& cuisine : request.cuisines) {
    RETURN_IF_ERROR(check_name("request", cuisine, cuisines));
  }
  return within("request", std::ssize(request.cuisines), 0, kMostCuisines);
}

std::string coins(std::int64_t count) { return fmt::format("{} coins", count); }

}  // namespace

Status check_travel(const TravelOffers& offers, const TravelRequest& request) {
  std::set<std::string> names;
  constexpr int kMostCities = 12;
  RETURN_IF_ERROR(within("cities", std::ssize(offers.cities), 1, kMostCities));
  for (const std::string& city : offers.cities) RETURN_IF_ERROR(check_name("cities", city, names));
  RETURN_IF_ERROR(check_name("request", request.home, names));
  RETURN_IF_ERROR(check_name("request", request.region, names));
  std::set<std::string> places(offers.cities.begin(), offers.cities.end());
  places.insert(request.home);
  RETURN_IF_ERROR(check_legs(offers, places));
  RETURN_IF_ERROR(check_hotels(offers, places, names));
  RETURN_IF_ERROR(check_venues("restaurants", offers.restaurants, places, names));
  RETURN_IF_ERROR(check_venues("sights", offers.sights, places, names));
  for (const TravelRestaurant& restaurant : offers.restaurants) {
    std::set<std::string> alone;
    RETURN_IF_ERROR(check_name("restaurants", restaurant.cuisine, alone));
  }
  return check_request(offers, request);
}

std::string request_text(const TravelRequest& request) {
  std::string text = fmt::format(
      "{} from {} for a trip of {} days through the region {}: {} of its cities {} to be seen, "
      "and the whole trip may cost at most {} in all.",
      request.people == 1 ? std::string("One person sets out")
                          : fmt::format("A party of {} sets out", request.people),
      request.home, request.days, request.region, request.cities,
      request.cities == 1 ? "is" : "are", coins(request.budget));
  if (!request.room.empty()) {
    text += fmt::format(" Every night must be spent in {}.", with_article(request.room));
  }
  if (!request.guest.empty()) {
    text += fmt::format(" No hotel may forbid {}.", request.guest);
  }
  if (!request.cuisines.empty()) {
    text += fmt::format(" Of all meals, at least one must be {}.",
                        fmt::join(request.cuisines, ", at least one "));
  }
  if (!request.without.empty()) {
    text += fmt::format(" No {} may be taken.", request.without);
  }
  return text;
}

std::string describe(const TravelLeg& leg) {
  return fmt::format("{}: {} from {} to {} on day {}, {} a person", leg.id, leg.mode, leg.from,
                     leg.to, leg.day, coins(leg.price));
}

std::string describe(const TravelHotel& hotel) {
  std::string text = fmt::format("{}: {} for up to {}, {} a night", hotel.name, hotel.room,
                                 hotel.capacity, coins(hotel.price));
  if (hotel.min_nights > 1) text += fmt::format(", at least {} nights in a row", hotel.min_nights);
  if (!hotel.forbids.empty()) text += fmt::format("; forbids {}", enumeration(hotel.forbids));
  return text;
}

std::string describe(const TravelRestaurant& restaurant) {
  return fmt::format("{}: {}, {} a person and meal", restaurant.name, restaurant.cuisine,
                     coins(restaurant.price));
}

std::string describe(const TravelSight& sight) {
  return fmt::format("{}: {} a person", sight.name, coins(sight.price));
}

}  // namespace redqueen
