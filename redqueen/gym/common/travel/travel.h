// Journeys of the itinerary world: what can be booked, what a traveller asks for, and the
// constraints on a plan. Money is in whole coins, days count from 1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/field_list.h"
#include "redqueen/base/rng.h"

namespace redqueen {

// A flight or a train: leaves on `day` in the morning or, on the last day of a trip, in the
// evening.
struct TravelLeg {
  std::string id;    // "F12"
  std::string mode;  // "flight" or "train"
  std::string from;
  std::string to;
  int day = 0;
  std::int64_t price = 0;  // a person
  REDQUEEN_FIELDS(id, mode, from, to, day, price)
};

struct TravelHotel {
  std::string name;
  std::string city;
  std::string room;                  // of kTravelRooms
  std::vector<std::string> forbids;  // of kTravelGuests
  int capacity = 0;                  // people a room
  int min_nights = 0;                // that one must stay in a row
  std::int64_t price = 0;            // a room and night
  REDQUEEN_FIELDS(name, city, room, forbids, capacity, min_nights, price)
};

struct TravelRestaurant {
  std::string name;
  std::string city;
  std::string cuisine;
  std::int64_t price = 0;  // a person and meal
  REDQUEEN_FIELDS(name, city, cuisine, price)
};

struct TravelSight {
  std::string name;
  std::string city;
  std::int64_t price = 0;  // a person
  REDQUEEN_FIELDS(name, city, price)
};

// The offers that can be booked. Ids and names are all different.
struct TravelOffers {
  std::vector<std::string> cities;  // of the region; not the traveller's own
  std::vector<TravelLeg> legs;
  std::vector<TravelHotel> hotels;
  std::vector<TravelRestaurant> restaurants;
  std::vector<TravelSight> sights;
  REDQUEEN_FIELDS(cities, legs, hotels, restaurants, sights)
};

inline constexpr std::string_view kTravelRooms[] = {"private room", "shared room", "whole flat"};
inline constexpr std::string_view kTravelGuests[] = {"pets", "smoking", "children", "visitors"};
inline constexpr std::string_view kTravelModes[] = {"flight", "train"};

// The traveller's request. "" and empty lists: no such wish.
struct TravelRequest {
  std::string home;  // a city that is none of the region
  std::string region;
  int people = 0;
  int days = 0;
  int cities = 0;  // to be seen; days ≥ cities + 1, for the last day has no night
  std::int64_t budget = 0;
  std::string room;                   // every hotel is of this kind
  std::string guest;                  // no hotel forbids this
  std::vector<std::string> cuisines;  // each at one meal at least
  std::string without;                // a mode that is not to be used
  REDQUEEN_FIELDS(home, region, people, days, cities, budget, room, guest, cuisines, without)
};

// One day of a plan. On the first day and on days with another city than the day before one travels
// first; on the last day one travels home at the end.
struct TravelDay {
  int day = 0;
  std::string city;
  std::optional<std::string> travel;  // the id of a leg
  std::string lunch;
  std::string dinner;
  std::vector<std::string> sights;
  std::optional<std::string> hotel;  // of all days but the last
  REDQUEEN_FIELDS(day, city, travel, lunch, dinner, sights, hotel)
};
using TravelPlan = std::vector<TravelDay>;

// The constraints on a plan, one entry for each, in the order of their names.
//
// Common sense, 8: complete, known, in_city, route, legs, meals, sights, nights.
// Hard, up to 5: budget always; room, guest, cuisine, mode if the request has such a wish.
struct TravelCheck {
  std::string constraint;
  bool hard = false;
  std::string fault;  // "": it holds
};
struct TravelJudgement {
  std::vector<TravelCheck> checks;
  std::int64_t cost = 0;

  // TravelPlanner (Xie et al. 2024, section 3.4), of one plan: the share of the constraints that
  // hold, and 1 if all of them do.
  double micro(bool hard) const;
  double macro(bool hard) const;
  bool solved() const { return macro(false) == 1.0 && macro(true) == 1.0; }
};

// A plan of at most kMostPlanDays days. What it names and is not there costs nothing and breaks
// `known`; hard constraints do not hold of a plan that breaks `complete` or `known`, as in
// TravelPlanner.
inline constexpr std::size_t kMostPlanDays = 30;
TravelJudgement judge_plan(const TravelOffers& offers, const TravelRequest& request,
                           const TravelPlan& plan);

// An error that names the key unless offers and request are well made, and at most kMost… long.
inline constexpr std::size_t kMostTravelOffers = 4000;
Status check_travel(const TravelOffers& offers, const TravelRequest& request);

// The wishes in whole sentences.
std::string request_text(const TravelRequest& request);

// The lines of the tables, one offer each.
std::string describe(const TravelLeg& leg);
std::string describe(const TravelHotel& hotel);
std::string describe(const TravelRestaurant& restaurant);
std::string describe(const TravelSight& sight);

// The cheapest plan that keeps every constraint but the budget; nullopt: there is none.
//
// Exact: all orders of cities and all days of moving are tried. Within them the cheapest leg of a
// day, the cheapest hotel for all nights in a city and the cheapest sights are best on their own;
// meals are chosen by dynamic programming over the cuisines that are still missing.
std::optional<TravelPlan> cheapest_plan(const TravelOffers& offers, const TravelRequest& request);

}  // namespace redqueen
