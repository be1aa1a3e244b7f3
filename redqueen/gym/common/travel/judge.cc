// The constraints of a plan. Each is a function that returns what is wrong, or "".

#include <algorithm>
#include <set>

#include "redqueen/gym/common/travel/travel.h"
#include "redqueen/gym/common/worlds/words.h"

namespace redqueen {
namespace {

template <typename Items, typename Key>
auto* find_item(const Items& items, const std::string& name, Key key) {
  const auto found = std::ranges::find(items, name, key);
  return found == items.end() ? nullptr : &*found;
}

class PlanJudge {
 public:
  PlanJudge(const TravelOffers& offers, const TravelRequest& request, const TravelPlan& plan)
      : offers_(offers), request_(request), plan_(plan) {}

  TravelJudgement judge() {
    common("complete", complete());
    common("known", known());
    common("in_city", in_city());
    common("route", route());
    common("legs", legs());
    common("meals", meals());
    common("sights", sights());
    common("nights", nights());
    // As TravelPlanner has it: a plan that lacks parts, or names what is not there, keeps no hard
    // constraint.
    const bool judged = judgement_.checks[0].fault.empty() && judgement_.checks[1].fault.empty();
    judgement_.cost = cost();
    const auto hard = [&](std::string constraint, std::string fault) {
      if (!judged) fault = "the plan is not whole";
      judgement_.checks.push_back({std::move(constraint), true, std::move(fault)});
    };
    hard("budget", budget());
    if (!request_.room.empty()) hard("room", room());
    if (!request_.guest.empty()) hard("guest", guest());
    if (!request_.cuisines.empty()) hard("cuisine", cuisine());
    if (!request_.without.empty()) hard("mode", mode());
    return std::move(judgement_);
  }

 private:
  void common(std::string constraint, std::string fault) {
    judgement_.checks.push_back({std::move(constraint), false, std::move(fault)});
  }

  const TravelLeg* leg(const std::string& id) const {
    return find_item(offers_.legs, id, &TravelLeg::id);
  }
  const TravelHotel* hotel(const std::string& name) const {
    return find_item(offers_.hotels, name, &TravelHotel::name);
  }
  const TravelRestaurant* restaurant(const std::string& name) const {
    return find_item(offers_.restaurants, name, &TravelRestaurant::name);
  }
  const TravelSight* sight(const std::string& name) const {
    return find_item(offers_.sights, name, &TravelSight::name);
  }

  bool is_last(const TravelDay& day) const { return &day == &plan_.back(); }

  // Days in order, each with two meals and a sight, a hotel for every night, and a leg wherever the
  // city changes, at the start and at the end.
  std::string complete() const {
    if (std::ssize(plan_) != request_.days) {
      return fmt::format("{} days were asked for, the plan has {}", request_.days, plan_.size());
    }
    std::string before = request_.home;
    for (std::size_t i = 0; i < plan_.size(); ++i) {
      const TravelDay& day = plan_[i];
      if (day.day != static_cast<int>(i) + 1) return "days are not in order";
      if (day.lunch.empty() || day.dinner.empty()) {
        return fmt::format("day {} lacks a meal", day.day);
      }
      if (day.sights.empty()) return fmt::format("day {} has no sight", day.day);
      if (!is_last(day) && !day.hotel) return fmt::format("day {} has no hotel", day.day);
      if (is_last(day) && day.hotel) return "the last day has no night";
      const bool moves = day.city != before || is_last(day);
      if (moves && !day.travel) return fmt::format("day {} lacks its travel", day.day);
      if (!moves && day.travel) return fmt::format("nobody travels on day {}", day.day);
      before = day.city;
    }
    return {};
  }

  std::string known() const {
    for (const TravelDay& day : plan_) {
      if (day.travel && leg(*day.travel) == nullptr) return unknown(*day.travel);
      if (day.hotel && hotel(*day.hotel) == nullptr) return unknown(*day.hotel);
      for (const std::string& meal : {day.lunch, day.dinner}) {
        if (restaurant(meal) == nullptr) return unknown(meal);
      }
      for (const std::string& name : day.sights) {
        if (sight(name) == nullptr) return unknown(name);
      }
    }
    return {};
  }

  static std::string unknown(const std::string& name) {
    return fmt::format("there is no \"{}\"", quotable(name));
  }

  std::string in_city() const {
    for (const TravelDay& day : plan_) {
      const auto elsewhere = [&](const auto* item) {
        return item != nullptr && item->city != day.city;
      };
      const bool strays = elsewhere(restaurant(day.lunch)) || elsewhere(restaurant(day.dinner)) ||
                          (day.hotel && elsewhere(hotel(*day.hotel))) ||
                          std::ranges::any_of(day.sights, [&](const std::string& name) {
                            return elsewhere(sight(name));
                          });
      if (strays)
        return fmt::format("something of day {} is not in {}", day.day, quotable(day.city));
    }
    return {};
  }

  // As many cities of the region as were asked for, none left and come back to.
  std::string route() const {
    std::vector<std::string> cities;
    for (const TravelDay& day : plan_) {
      if (std::ranges::find(offers_.cities, day.city) == offers_.cities.end()) {
        return fmt::format("\"{}\" is no city of the region", quotable(day.city));
      }
      if (cities.empty() || cities.back() != day.city) cities.push_back(day.city);
    }
    if (std::set(cities.begin(), cities.end()).size() != cities.size()) {
      return "a city is come back to";
    }
    if (std::ssize(cities) != request_.cities) {
      return fmt::format("{} cities were asked for, the plan has {}", request_.cities,
                         cities.size());
    }
    return {};
  }

  // Every leg leaves on its day from where one is, and leads where one is next.
  std::string legs() const {
    std::string before = request_.home;
    for (const TravelDay& day : plan_) {
      if (is_last(day) && day.city != before) return "the last day has no time to change cities";
      const std::string& to = is_last(day) ? request_.home : day.city;
      if (day.travel) {
        const TravelLeg* taken = leg(*day.travel);
        if (taken != nullptr &&
            (taken->day != day.day || taken->from != before || taken->to != to)) {
          return fmt::format("{} does not lead from {} to {} on day {}", taken->id,
                             quotable(before), quotable(to), day.day);
        }
      }
      before = day.city;
    }
    return {};
  }

  std::string meals() const {
    std::set<std::string> seen;
    for (const TravelDay& day : plan_) {
      for (const std::string& meal : {day.lunch, day.dinner}) {
        if (!seen.insert(meal).second) return fmt::format("{} comes twice", quotable(meal));
      }
    }
    return {};
  }

  std::string sights() const {
    std::set<std::string> seen;
    for (const TravelDay& day : plan_) {
      for (const std::string& name : day.sights) {
        if (!seen.insert(name).second) return fmt::format("{} comes twice", quotable(name));
      }
    }
    return {};
  }

  std::string nights() const {
    for (std::size_t i = 0; i < plan_.size();) {
      std::size_t end = i + 1;
      while (end < plan_.size() && plan_[end].hotel == plan_[i].hotel) ++end;
      const TravelHotel* stay = plan_[i].hotel ? hotel(*plan_[i].hotel) : nullptr;
      if (stay != nullptr && end - i < static_cast<std::size_t>(stay->min_nights)) {
        return fmt::format("{} takes guests for {} nights or more", stay->name, stay->min_nights);
      }
      i = end;
    }
    return {};
  }

  std::int64_t cost() const {
    std::int64_t sum = 0;
    for (const TravelDay& day : plan_) {
      std::int64_t each = 0;  // a person
      const auto add = [&](const auto* item) { each += item == nullptr ? 0 : item->price; };
      if (day.travel) add(leg(*day.travel));
      add(restaurant(day.lunch));
      add(restaurant(day.dinner));
      for (const std::string& name : day.sights) add(sight(name));
      sum += each * request_.people;
      const TravelHotel* stay = day.hotel ? hotel(*day.hotel) : nullptr;
      if (stay == nullptr) continue;
      const int rooms = (request_.people + stay->capacity - 1) / stay->capacity;
      sum += rooms * stay->price;
    }
    return sum;
  }

  std::string budget() const {
    if (judgement_.cost <= request_.budget) return {};
    return fmt::format("the trip costs {} coins of {}", judgement_.cost, request_.budget);
  }

  template <typename Wrong>
  std::string hotels_that_are(Wrong wrong) const {
    for (const TravelDay& day : plan_) {
      const TravelHotel* stay = day.hotel ? hotel(*day.hotel) : nullptr;
      if (stay != nullptr && wrong(*stay)) return stay->name + " is not what was asked for";
    }
    return {};
  }

  std::string room() const {
    return hotels_that_are([&](const TravelHotel& stay) { return stay.room != request_.room; });
  }

  std::string guest() const {
    return hotels_that_are([&](const TravelHotel& stay) {
      return std::ranges::find(stay.forbids, request_.guest) != stay.forbids.end();
    });
  }

  std::string cuisine() const {
    std::set<std::string> eaten;
    for (const TravelDay& day : plan_) {
      for (const std::string& meal : {day.lunch, day.dinner}) {
        if (const TravelRestaurant* place = restaurant(meal)) eaten.insert(place->cuisine);
      }
    }
    for (const std::string& wanted : request_.cuisines) {
      if (!eaten.contains(wanted)) return fmt::format("no meal is {}", wanted);
    }
    return {};
  }

  std::string mode() const {
    for (const TravelDay& day : plan_) {
      const TravelLeg* taken = day.travel ? leg(*day.travel) : nullptr;
      if (taken != nullptr && taken->mode == request_.without) {
        return fmt::format("{} is a {}", taken->id, taken->mode);
      }
    }
    return {};
  }

  const TravelOffers& offers_;
  const TravelRequest& request_;
  const TravelPlan& plan_;
  TravelJudgement judgement_;
};

}  // namespace

double TravelJudgement::micro(bool hard) const {
  double all = 0.0;
  double kept = 0.0;
  for (const TravelCheck& check : checks) {
    if (check.hard != hard) continue;
    all += 1.0;
    kept += check.fault.empty() ? 1.0 : 0.0;
  }
  return all == 0.0 ? 0.0 : kept / all;
}

double TravelJudgement::macro(bool hard) const { return micro(hard) == 1.0 ? 1.0 : 0.0; }

TravelJudgement judge_plan(const TravelOffers& offers, const TravelRequest& request,
                           const TravelPlan& plan) {
  return PlanJudge(offers, request, plan).judge();
}

}  // namespace redqueen
