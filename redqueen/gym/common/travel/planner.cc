#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "redqueen/gym/common/travel/travel.h"

namespace redqueen {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max() / 4;

// The best choice of meals in one city: by the set of wished cuisines that they cover.
struct MealChoice {
  std::int64_t cost = kNever;      // a person
  std::vector<int> restaurants{};  // indices into the offers
};
using MealTable = std::vector<MealChoice>;

// A block of days in one city.
struct Block {
  int city = 0;
  int first = 0;  // day
  int days = 0;
};

// What one block costs, apart from its meals: everybody together.
struct Stay {
  bool possible = false;
  std::int64_t cost = 0;
  int hotel = -1;  // -1: no night is spent
  std::vector<int> sights;
};

class TravelPlanner {
 public:
  TravelPlanner(const TravelOffers& offers, const TravelRequest& request)
      : offers_(offers), request_(request) {
    for (std::size_t i = 0; i < offers.legs.size(); ++i) {
      const TravelLeg& leg = offers.legs[i];
      if (leg.mode == request.without) continue;
      int& best = legs_.try_emplace({leg.day, leg.from, leg.to}, static_cast<int>(i)).first->second;
      if (leg.price < offers.legs[best].price) best = static_cast<int>(i);
    }
  }

  std::optional<TravelPlan> plan() {
    std::vector<Block> blocks;
    choose_blocks(blocks, 1);
    if (best_blocks_.empty()) return std::nullopt;
    return write_plan();
  }

 private:
  // All orders of cities, and all days on which to move.
  void choose_blocks(std::vector<Block>& blocks, int first) {
    const int left = request_.cities - static_cast<int>(blocks.size());
    const int days = request_.days - first + 1;
    if (left == 0) {
      if (days == 0) consider(blocks);
      return;
    }
    for (int city = 0; city < std::ssize(offers_.cities); ++city) {
      if (std::ranges::any_of(blocks, [&](const Block& block) { return block.city == city; })) {
        continue;
      }
      for (int length = 1; length <= days - (left - 1); ++length) {
        // The last day travels home: where that is all there is to a block, it has two legs.
        if (left == 1 && length != days) continue;
        if (left == 1 && length == 1) continue;
        blocks.push_back({city, first, length});
        choose_blocks(blocks, first + length);
        blocks.pop_back();
      }
    }
  }

  // The cheapest leg of a day; -1: none.
  int leg(int day, const std::string& from, const std::string& to) const {
    const auto found = legs_.find({day, from, to});
    return found == legs_.end() ? -1 : found->second;
  }

  // The legs of a route; empty if one is missing.
  std::vector<int> legs_of(const std::vector<Block>& blocks) const {
    std::vector<int> legs;
    std::string before = request_.home;
    for (const Block& block : blocks) {
      const std::string& city = offers_.cities[block.city];
      legs.push_back(leg(block.first, before, city));
      before = city;
    }
    legs.push_back(leg(request_.days, before, request_.home));
    if (std::ranges::find(legs, -1) != legs.end()) legs.clear();
    return legs;
  }

  void consider(const std::vector<Block>& blocks) {
    const std::vector<int> legs = legs_of(blocks);
    if (legs.empty()) return;
    std::int64_t cost = 0;
    for (const int leg : legs) cost += offers_.legs[leg].price * request_.people;
    for (const Block& block : blocks) {
      const Stay& stay = stay_in(block);
      if (!stay.possible) return;
      cost += stay.cost;
    }
    if (cost >= best_cost_) return;
    const MealTable meals = meals_of(blocks);
    const std::int64_t each = meals.back().cost;
    if (each >= kNever || cost + each * request_.people >= best_cost_) return;
    best_cost_ = cost + each * request_.people;
    best_blocks_ = blocks;
    best_legs_ = legs;
    best_meals_ = meals.back().restaurants;
  }

  int nights(const Block& block) const {
    return block.first + block.days - 1 == request_.days ? block.days - 1 : block.days;
  }

  const Stay& stay_in(const Block& block) {
    const std::array key{block.city, block.days, nights(block)};
    const auto [found, fresh] = stays_.try_emplace(key);
    if (fresh) found->second = best_stay(block);
    return found->second;
  }

  Stay best_stay(const Block& block) const {
    const std::string& city = offers_.cities[block.city];
    Stay stay{.possible = true};
    stay.sights = cheapest_sights(city, block.days);
    if (std::ssize(stay.sights) < block.days) return {};
    for (const int sight : stay.sights) stay.cost += offers_.sights[sight].price * request_.people;
    const int count = nights(block);
    std::int64_t best = kNever;
    for (int i = 0; i < std::ssize(offers_.hotels); ++i) {
      const TravelHotel& hotel = offers_.hotels[i];
      if (hotel.city != city || hotel.min_nights > count || !suits(hotel)) continue;
      const int rooms = (request_.people + hotel.capacity - 1) / hotel.capacity;
      const std::int64_t cost = rooms * hotel.price * count;
      if (cost >= best) continue;
      best = cost;
      stay.hotel = i;
    }
    if (stay.hotel < 0) return {};
    stay.cost += best;
    return stay;
  }

  bool suits(const TravelHotel& hotel) const {
    if (!request_.room.empty() && hotel.room != request_.room) return false;
    return std::ranges::find(hotel.forbids, request_.guest) == hotel.forbids.end();
  }

  std::vector<int> cheapest_sights(const std::string& city, int count) const {
    std::vector<int> sights;
    for (int i = 0; i < std::ssize(offers_.sights); ++i) {
      if (offers_.sights[i].city == city) sights.push_back(i);
    }
    std::ranges::stable_sort(sights, {}, [&](int i) { return offers_.sights[i].price; });
    if (std::ssize(sights) > count) sights.resize(static_cast<std::size_t>(count));
    return sights;
  }

  // The wished cuisines that a restaurant covers, as bits.
  std::size_t covers(const TravelRestaurant& restaurant) const {
    for (std::size_t i = 0; i < request_.cuisines.size(); ++i) {
      if (request_.cuisines[i] == restaurant.cuisine) return std::size_t{1} << i;
    }
    return 0;
  }

  // Cheapest sets of `count` restaurants of a city, by the cuisines that they cover: one restaurant
  // after the other is taken or left.
  const MealTable& meals_in(int city, int count) {
    const auto [found, fresh] = meals_.try_emplace({city, count});
    if (!fresh) return found->second;
    const std::size_t sets = std::size_t{1} << request_.cuisines.size();
    std::vector<MealTable> by_count(static_cast<std::size_t>(count) + 1, MealTable(sets));
    by_count[0][0].cost = 0;
    for (int i = 0; i < std::ssize(offers_.restaurants); ++i) {
      const TravelRestaurant& restaurant = offers_.restaurants[i];
      if (restaurant.city != offers_.cities[city]) continue;
      for (std::size_t taken = by_count.size() - 1; taken > 0; --taken) {
        for (std::size_t set = 0; set < sets; ++set) {
          const MealChoice& before = by_count[taken - 1][set];
          MealChoice& after = by_count[taken][set | covers(restaurant)];
          if (before.cost >= kNever || before.cost + restaurant.price >= after.cost) continue;
          after = {before.cost + restaurant.price, before.restaurants};
          after.restaurants.push_back(i);
        }
      }
    }
    return found->second = std::move(by_count.back());
  }

  // The meals of all blocks in their order; the last entry covers all wishes.
  MealTable meals_of(const std::vector<Block>& blocks) {
    const std::size_t sets = std::size_t{1} << request_.cuisines.size();
    MealTable all(sets);
    all[0].cost = 0;
    for (const Block& block : blocks) {
      const MealTable& here = meals_in(block.city, 2 * block.days);
      MealTable next(sets);
      for (std::size_t a = 0; a < sets; ++a) {
        for (std::size_t b = 0; b < sets; ++b) {
          const std::int64_t cost = all[a].cost + here[b].cost;
          if (cost >= next[a | b].cost) continue;
          next[a | b] = {cost, all[a].restaurants};
          auto& list = next[a | b].restaurants;
          list.insert(list.end(), here[b].restaurants.begin(), here[b].restaurants.end());
        }
      }
      all = std::move(next);
    }
    return all;
  }

  TravelPlan write_plan() {
    TravelPlan plan;
    std::size_t meal = 0;
    for (std::size_t i = 0; i < best_blocks_.size(); ++i) {
      const Block& block = best_blocks_[i];
      const Stay& stay = stay_in(block);
      for (int j = 0; j < block.days; ++j) {
        TravelDay day{.day = block.first + j, .city = offers_.cities[block.city]};
        if (j == 0) day.travel = offers_.legs[best_legs_[i]].id;
        if (day.day == request_.days) day.travel = offers_.legs[best_legs_.back()].id;
        day.lunch = offers_.restaurants[best_meals_[meal++]].name;
        day.dinner = offers_.restaurants[best_meals_[meal++]].name;
        day.sights.push_back(offers_.sights[stay.sights[j]].name);
        if (day.day < request_.days) day.hotel = offers_.hotels[stay.hotel].name;
        plan.push_back(std::move(day));
      }
    }
    return plan;
  }

  const TravelOffers& offers_;
  const TravelRequest& request_;
  std::map<std::tuple<int, std::string, std::string>, int> legs_;  // cheapest by day, from and to
  std::map<std::array<int, 3>, Stay> stays_;                       // by city, days and nights
  std::map<std::pair<int, int>, MealTable> meals_;                 // by city and number of meals
  std::int64_t best_cost_ = kNever;
  std::vector<Block> best_blocks_;
  std::vector<int> best_legs_;
  std::vector<int> best_meals_;
};

}  // namespace

std::optional<TravelPlan> cheapest_plan(const TravelOffers& offers, const TravelRequest& request) {
  return TravelPlanner(offers, request).plan();
}

}  // namespace redqueen
