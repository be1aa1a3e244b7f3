#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "redqueen/base/rng.h"
#include "redqueen/core/environment.h"
#include "redqueen/core/registry.h"
#include "redqueen/gym/common/travel/draw.h"
#include "redqueen/gym/common/travel/travel.h"

namespace redqueen {
namespace {

using testing::HasSubstr;
using testing::Not;

const Environment& itinerary() { return *Registry::native().find("itinerary"); }

ProblemPtr trip_problem(int level, std::uint64_t seed) {
  return *itinerary().generate(level, seed);
}

struct Trip {
  TravelOffers offers;
  TravelRequest request;
};

Trip trip_of(const Problem& problem) {
  return {*from_json<TravelOffers>(problem.parameter()["offers"]),
          *from_json<TravelRequest>(problem.parameter()["request"])};
}

// ------------------------------------------------------------------------------------------------
// The planner against all plans of small trips

class AllPlans {
 public:
  explicit AllPlans(const Trip& trip) : trip_(trip) {}

  // The least cost of a plan that keeps everything but the budget; −1: there is none.
  std::int64_t least_cost() {
    add_day();
    return best_;
  }

 private:
  void add_day() {
    const TravelRequest& request = trip_.request;
    if (std::ssize(plan_) == request.days) {
      const auto judgement = judge_plan(trip_.offers, unbounded(), plan_);
      if (judgement.solved() && (best_ < 0 || judgement.cost < best_)) best_ = judgement.cost;
      return;
    }
    const int day = static_cast<int>(plan_.size()) + 1;
    const std::string before = plan_.empty() ? request.home : plan_.back().city;
    for (const std::string& city : trip_.offers.cities) {
      if (city == before && day < request.days) choose(day, city, std::nullopt);
      for (const TravelLeg& leg : trip_.offers.legs) {
        const std::string& to = day == request.days ? request.home : city;
        if (day == request.days && city != before) continue;
        if (leg.day == day && leg.from == before && leg.to == to) choose(day, city, leg.id);
      }
    }
  }

  void choose(int day, const std::string& city, const std::optional<std::string>& travel) {
    const bool last = day == trip_.request.days;
    const auto eaten = [&](const std::string& name) {
      return std::ranges::any_of(
          plan_, [&](const TravelDay& d) { return d.lunch == name || d.dinner == name; });
    };
    for (const TravelRestaurant& lunch : trip_.offers.restaurants) {
      if (lunch.city != city || eaten(lunch.name)) continue;
      for (const TravelRestaurant& dinner : trip_.offers.restaurants) {
        if (dinner.city != city || dinner.name <= lunch.name || eaten(dinner.name)) continue;
        for (const TravelSight& sight : trip_.offers.sights) {
          if (sight.city != city) continue;
          for (const TravelHotel& hotel : trip_.offers.hotels) {
            if (hotel.city != city) continue;
            plan_.push_back({day,
                             city,
                             travel,
                             lunch.name,
                             dinner.name,
                             {sight.name},
                             last ? std::nullopt : std::optional(hotel.name)});
            add_day();
            plan_.pop_back();
            if (last) break;
          }
        }
      }
    }
  }

  TravelRequest unbounded() const {
    TravelRequest request = trip_.request;
    request.budget = std::int64_t{1} << 40;
    return request;
  }

  const Trip& trip_;
  TravelPlan plan_;
  std::int64_t best_ = -1;
};

TEST(Itinerary, PlansAtTheLeastCost) {
  int possible = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Rng rng({.seed = seed, .purpose = hash_name("small trips")});
    const bool two = seed % 3 == 0;
    const TravelSize size{.region_cities = 2,
                          .cities = two ? 2 : 1,
                          .days = two ? 3 : 2,
                          .hotels = 2,
                          .restaurants = 4,
                          .sights = two ? 2 : 3,
                          .wishes = static_cast<int>(seed % 5),
                          .people = 4};
    Trip trip{.request = draw_request(size, rng)};
    trip.offers = draw_offers(size, trip.request, rng);
    const std::int64_t least = AllPlans(trip).least_cost();
    const auto plan = cheapest_plan(trip.offers, trip.request);
    ASSERT_EQ(plan.has_value(), least >= 0) << "seed " << seed;
    if (!plan) continue;
    trip.request.budget = least;
    EXPECT_TRUE(judge_plan(trip.offers, trip.request, *plan).solved()) << "seed " << seed;
    --trip.request.budget;
    EXPECT_FALSE(judge_plan(trip.offers, trip.request, *plan).solved()) << "seed " << seed;
    ++possible;
  }
  EXPECT_GT(possible, 4);
}

TEST(Itinerary, FindsAPlanForEveryProblem) {
  for (const int level : {0, 1, 4, 7, 11}) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      const Trip trip = trip_of(*trip_problem(level, seed));
      const auto plan = cheapest_plan(trip.offers, trip.request);
      ASSERT_TRUE(plan.has_value());
      EXPECT_TRUE(judge_plan(trip.offers, trip.request, *plan).solved());
    }
  }
}

// ------------------------------------------------------------------------------------------------
// The constraints, one by one

// Two cities, three days; every wish.
Trip small_trip() {
  Trip trip;
  trip.offers.cities = {"Aldburg", "Bremford"};
  trip.offers.legs = {
      {"T1", "train", "Home", "Aldburg", 1, 10},     {"F1", "flight", "Home", "Aldburg", 1, 5},
      {"T2", "train", "Aldburg", "Bremford", 2, 10}, {"T3", "train", "Bremford", "Home", 3, 10},
      {"T4", "train", "Aldburg", "Home", 3, 10},     {"T5", "train", "Aldburg", "Bremford", 3, 10}};
  trip.offers.hotels = {{"A Inn", "Aldburg", "private room", {}, 2, 1, 20},
                        {"A Flat", "Aldburg", "whole flat", {}, 2, 1, 20},
                        {"A Long", "Aldburg", "private room", {}, 2, 2, 20},
                        {"B Inn", "Bremford", "private room", {"smoking"}, 1, 1, 20},
                        {"B Strict", "Bremford", "private room", {"pets"}, 1, 1, 20}};
  trip.offers.restaurants = {{"A1", "Aldburg", "Thai", 5},    {"A2", "Aldburg", "Greek", 5},
                             {"B1", "Bremford", "Greek", 5},  {"B2", "Bremford", "Greek", 5},
                             {"B3", "Bremford", "French", 5}, {"B4", "Bremford", "Greek", 5}};
  trip.offers.sights = {{"SA", "Aldburg", 1}, {"SB", "Bremford", 1}, {"SC", "Bremford", 1}};
  trip.request = {.home = "Home",
                  .region = "Ardmark",
                  .people = 3,
                  .days = 3,
                  .cities = 2,
                  .budget = 1000,
                  .room = "private room",
                  .guest = "pets",
                  .cuisines = {"Thai", "French"},
                  .without = "flight"};
  return trip;
}

TravelPlan small_plan() {
  return {{1, "Aldburg", "T1", "A1", "A2", {"SA"}, "A Inn"},
          {2, "Bremford", "T2", "B1", "B2", {"SB"}, "B Inn"},
          {3, "Bremford", "T3", "B3", "B4", {"SC"}, std::nullopt}};
}

std::vector<std::string> broken(const Trip& trip, const TravelPlan& plan) {
  std::vector<std::string> names;
  for (const TravelCheck& check : judge_plan(trip.offers, trip.request, plan).checks) {
    if (!check.fault.empty()) names.push_back(check.constraint);
  }
  return names;
}

TEST(Itinerary, CountsEveryCost) {
  const Trip trip = small_trip();
  ASSERT_TRUE(check_travel(trip.offers, trip.request).has_value());
  const auto judgement = judge_plan(trip.offers, trip.request, small_plan());
  EXPECT_TRUE(judgement.solved());
  // 3 legs, 6 meals and 3 sights for 3 people; 2 rooms and then 3 rooms for a night.
  EXPECT_EQ(judgement.cost, 3 * (30 + 30 + 3) + 2 * 20 + 3 * 20);
}

TEST(Itinerary, FindsWhatIsWrong) {
  using Change = void (*)(TravelPlan&);
  using Names = std::vector<std::string>;
  const std::vector<std::pair<Change, Names>> cases{
      {[](TravelPlan& p) { p[1].lunch = "B4", p[2].dinner = "B4"; }, {"meals"}},
      {[](TravelPlan& p) { p[2].sights = {"SB"}; }, {"sights"}},
      {[](TravelPlan& p) { p[0].hotel = "A Long"; }, {"nights"}},
      {[](TravelPlan& p) { p[0].hotel = "A Flat"; }, {"room"}},
      {[](TravelPlan& p) { p[1].hotel = "B Strict"; }, {"guest"}},
      {[](TravelPlan& p) { p[0].lunch = "B2", p[1].dinner = "A1"; }, {"in_city"}},
      {[](TravelPlan& p) { p[0].travel = "F1"; }, {"mode"}},
      {[](TravelPlan& p) { p[1].travel = "T5"; }, {"legs"}},
      {[](TravelPlan& p) { p[2].travel = "T4"; }, {"legs"}},
      {[](TravelPlan& p) { p[0].city = "Home"; }, {"complete", "in_city", "route", "legs"}},
      {[](TravelPlan& p) { p[2].travel.reset(); }, {"complete"}},
      {[](TravelPlan& p) { p[1].hotel.reset(); }, {"complete"}},
      {[](TravelPlan& p) { p[1].sights.clear(); }, {"complete"}},
      {[](TravelPlan& p) { p[1].lunch = "Nowhere"; }, {"known"}},
      {[](TravelPlan& p) { p.pop_back(); }, {"complete", "legs"}},
      {[](TravelPlan& p) { p.clear(); }, {"complete", "route"}}};
  const Trip trip = small_trip();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    TravelPlan plan = small_plan();
    cases[i].first(plan);
    Names expected = cases[i].second;
    if (expected[0] == "complete" || expected[0] == "known") {
      expected.insert(expected.end(), {"budget", "room", "guest", "cuisine", "mode"});
    }
    EXPECT_EQ(broken(trip, plan), expected) << "case " << i;
  }
  Trip poor = trip;
  poor.request.budget = 288;
  EXPECT_EQ(broken(poor, small_plan()), Names{"budget"});
  poor.request.budget = 289;
  EXPECT_EQ(broken(poor, small_plan()), Names{});
  Trip hungry = trip;
  hungry.request.cuisines = {"Turkish"};
  EXPECT_EQ(broken(hungry, small_plan()), Names{"cuisine"});
}

// A last day in a new city would leave no way home.
TEST(Itinerary, WantsTheLastDayWhereTheNightWas) {
  const Trip trip = small_trip();
  TravelPlan plan = small_plan();
  plan[1] = {2, "Aldburg", std::nullopt, "A1", "A2", {"SA"}, "A Inn"};
  plan[2].travel = "T5";
  EXPECT_THAT(broken(trip, plan), testing::Contains("legs"));
}

TEST(Itinerary, HasTheFourFiguresOfThePaper) {
  const Trip trip = small_trip();
  TravelPlan plan = small_plan();
  plan[2].sights = {"SB"};
  plan[0].hotel = "A Flat";
  const auto judgement = judge_plan(trip.offers, trip.request, plan);
  EXPECT_DOUBLE_EQ(judgement.micro(false), 7.0 / 8.0);
  EXPECT_DOUBLE_EQ(judgement.micro(true), 4.0 / 5.0);
  EXPECT_EQ(judgement.macro(false), 0.0);
  EXPECT_EQ(judgement.macro(true), 0.0);
  EXPECT_EQ(judge_plan(trip.offers, trip.request, small_plan()).macro(false), 1.0);
  Trip plain = trip;
  plain.request.room.clear();
  plain.request.guest.clear();
  plain.request.cuisines.clear();
  plain.request.without.clear();
  EXPECT_EQ(judge_plan(plain.offers, plain.request, small_plan()).checks.size(), 9u);
}

// ------------------------------------------------------------------------------------------------
// The world

std::string plan_json(const Problem& problem) {
  const auto calls = problem.reference_actions({});
  return dump_json(calls.back().tool_calls[0].arguments["days"]);
}

Verdict verdict_on_trip(const Problem& problem, const Action& action,
                        std::vector<Observation>* seen = nullptr) {
  return replay(problem, {}, {&action, 1}, seen)->verdict();
}

TEST(Itinerary, TakesAPlanInAnyForm) {
  const ProblemPtr problem = trip_problem(3, 1);
  const std::string plan = plan_json(*problem);
  for (const std::string& text :
       {plan, "{\"days\": " + plan + "}", "```json\n" + plan + "\n```",
        "Here it is: <answer>" + plan + "</answer>", "Cheap enough.\n> plan " + plan}) {
    std::vector<Observation> seen;
    EXPECT_TRUE(verdict_on_trip(*problem, {.text = text}, &seen).solved) << text.substr(0, 40);
    EXPECT_EQ(seen[1].info["hard_macro"], 1.0);
  }
  std::vector<Observation> seen;
  std::string shorter = plan;
  shorter.replace(shorter.find("\"lunch\":\"") + 9, 1, "X");
  EXPECT_FALSE(verdict_on_trip(*problem, {.text = shorter}, &seen).solved);
  EXPECT_THAT(seen[1].messages[0].content, HasSubstr("known: there is no"));
  EXPECT_TRUE(seen[1].terminated) << "a plan is given once";
}

TEST(Itinerary, ListsTheSameToLinesAndCalls) {
  const ProblemPtr problem = trip_problem(2, 2);
  const Trip trip = trip_of(*problem);
  const std::string city = trip.offers.cities[0];
  const std::vector<std::pair<std::string, ToolCall>> pairs{
      {"cities", {.name = "cities"}},
      {"hotels " + city, {.name = "hotels", .arguments = Json{{"city", city}}}},
      {"Restaurants  " + city, {.name = "restaurants", .arguments = Json{{"city", city}}}},
      {"sights " + city, {.name = "sights", .arguments = Json{{"city", city}}}},
      {"travel " + trip.request.home + " " + city,
       {.name = "travel", .arguments = Json{{"from", trip.request.home}, {"to", city}}}}};
  for (const auto& [line, call] : pairs) {
    std::vector<Observation> by_line;
    std::vector<Observation> by_call;
    verdict_on_trip(*problem, {.text = line}, &by_line);
    verdict_on_trip(*problem, {.tool_calls = {call}}, &by_call);
    EXPECT_EQ(by_line[1].messages[0].content, by_call[1].messages[0].content) << line;
    EXPECT_THAT(by_line[1].messages[0].content, Not(HasSubstr("is no command"))) << line;
  }
}

TEST(Itinerary, TellsEverythingOnTheFirstLevelAlone) {
  EXPECT_THAT(trip_problem(0, 1)->prompt(), HasSubstr("All offers:"));
  const ProblemPtr hidden = trip_problem(1, 1);
  for (const TravelHotel& hotel : trip_of(*hidden).offers.hotels) {
    EXPECT_THAT(hidden->prompt(), Not(HasSubstr(hotel.name)));
  }
}

TEST(Itinerary, FallsToNoShortcut) {
  for (const int level : {2, 6}) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const ProblemPtr problem = trip_problem(level, seed);
      for (const NamedAnswer& guess : problem->shortcuts()) {
        if (guess.rule == "the first of every list") continue;
        EXPECT_FALSE(problem->score(guess.answer).solved) << guess.rule;
      }
    }
  }
}

TEST(Itinerary, AnswersWhatCannotBeUnderstood) {
  const ProblemPtr problem = trip_problem(1, 1);
  const std::string million(1'000'000, 'x');
  const auto call = [](std::string name, Json arguments) {
    return Action{.tool_calls = {{.name = std::move(name), .arguments = std::move(arguments)}}};
  };
  const std::vector<std::pair<Action, std::string>> cases{
      {{.text = ""}, "is no command"},
      {{.text = "travel somewhere"}, "is no command"},
      {{.text = million}, "is no command"},
      {{.text = "[1, 2"}, "the plan is no JSON"},
      {{.text = "[1, 2]"}, "expected an object"},
      {{.text = "{}"}, "\"days\": missing"},
      {call("fly", Json::object()), "there is no tool \"fly\""},
      {call("hotels", Json{{"city", 3}}), "expected a string"},
      {call("hotels", Json{{"city", million}}), "There is no city called"},
      {call("travel", Json{{"from", "Aldburg"}}), "\"to\": missing"},
      {call("plan", Json{{"days", Json::array({Json{{"day", "one"}}})}}), "expected an integer"},
      {call("plan", Json{{"days", Json(std::vector<Json>(1000, to_json(small_plan()[0])))}}),
       "at most 30 days"}};
  for (const auto& [action, reply] : cases) {
    std::vector<Observation> seen;
    EXPECT_FALSE(verdict_on_trip(*problem, action, &seen).solved);
    EXPECT_THAT(seen[1].messages[0].content, HasSubstr(reply));
    EXPECT_LT(seen[1].messages[0].content.size(), 300u);
    EXPECT_FALSE(seen[1].terminated);
  }
  std::vector<Observation> seen;
  replay(*problem, {}, std::vector<Action>(200, {.text = "cities"}), &seen);
  EXPECT_TRUE(seen[static_cast<std::size_t>(problem->max_turns())].truncated);
}

}  // namespace
}  // namespace redqueen
