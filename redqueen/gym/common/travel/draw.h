// Drawing journeys: what can be booked, and what is asked for.
#pragma once

#include "redqueen/gym/common/travel/travel.h"

namespace redqueen {

struct TravelSize {
  int region_cities = 0;
  int cities = 0;  // to be seen
  int days = 0;
  int hotels = 0;       // a city
  int restaurants = 0;  // a city; at least 2 · days
  int sights = 0;       // a city; at least days
  int wishes = 0;       // of room, guest, cuisine and mode
  int people = 0;       // at most
};

// A request without a budget, and offers for it. Every city has a hotel that suits the wishes.
TravelRequest draw_request(const TravelSize& size, Rng& rng);
TravelOffers draw_offers(const TravelSize& size, const TravelRequest& request, Rng& rng);

}  // namespace redqueen
