// Itinerary: the shape of TravelPlanner. A trip is planned day by day from what can be booked, and
// must keep common sense and the traveller's wishes.

#include "redqueen/core/contract.h"
#include "redqueen/core/tool.h"
#include "redqueen/core/turns_contract.h"
#include "redqueen/gym/common/travel/draw.h"
#include "redqueen/gym/common/travel/travel.h"
#include "redqueen/gym/common/worlds/turn.h"
#include "redqueen/gym/common/worlds/words.h"

namespace redqueen {
namespace {

struct Itinerary {
  static constexpr Card card{
      .name = "itinerary",
      .family = Family::kWorlds,
      .answer = AnswerKind::kTurns,
      .scoring = Scoring::kExact,
      .task =
          "Plan a trip through several cities, day by day and as JSON, from flights, trains, "
          "hotels, restaurants and sights that tools list, within a budget and by the "
          "traveller's wishes.",
      .levels =
          "Level 0 is a trip of 3 days to one of 2 cities, all offers told and no wish but "
          "the budget. Levels add wishes up to 4, offers, people, and a city every third "
          "level; trips have 5 days and 2 cities from level 5 on, 7 days and 3 cities from "
          "level 10 on. The budget is 30 % above the cheapest plan at level 0, 3 % less "
          "at every level, and 2 % above it in the end.",
      .rewards =
          "-1 without a call or plan that can be understood, 0 if the plan is missing or "
          "breaks a constraint, 1 if it keeps all of them.",
      .source =
          "Xie et al., TravelPlanner: A Benchmark for Real-World Planning with Language "
          "Agents, ICML 2024, https://arxiv.org/abs/2402.01622",
      .max_level = 20};

  struct Config {
    int region_cities = 0;
    int cities = 0;
    int days = 0;
    int hotels = 0;
    int restaurants = 0;
    int sights = 0;
    int wishes = 0;
    int people = 0;
    int slack = 0;  // percent of the cheapest plan's cost
    bool told = false;
    REDQUEEN_FIELDS(region_cities, cities, days, hotels, restaurants, sights, wishes, people, slack,
                    told)
  };
  struct Problem {
    bool told = false;  // whether the prompt holds all offers
    TravelRequest request;
    TravelOffers offers;
    REDQUEEN_FIELDS(told, request, offers)
  };
  struct State {
    int calls = 0;  // so far, understood or not
    int understood = 0;
    bool submitted = false;
    TravelPlan plan;
    REDQUEEN_FIELDS(calls, understood, submitted, plan)
  };

  // Arguments of the tools.
  struct Nothing {
    REDQUEEN_FIELDS()
  };
  struct InCity {
    std::string city;
    REDQUEEN_FIELDS(city)
  };
  struct Between {
    std::string from;
    std::string to;
    REDQUEEN_FIELDS(from, to)
  };
  struct Days {
    TravelPlan days;
    REDQUEEN_FIELDS(days)
  };

  static Config at_level(int level, Rng&) {
    const int cities = std::min(3, 1 + level / 5);
    const int days = 1 + 2 * cities;
    return {.region_cities = 2 + level / 3,
            .cities = cities,
            .days = days,
            .hotels = 3 + level / 3,
            .restaurants = 2 * days + 2 + level / 2,
            .sights = days + 1 + level / 4,
            .wishes = std::min(level, 4),
            .people = std::min(2 + level / 3, 6),
            .slack = std::max(30 - 3 * level, 2),
            .told = level == 0};
  }

  static Problem generate(const Config& config, Rng& rng) {
    const TravelSize size{config.region_cities, config.cities, config.days,   config.hotels,
                          config.restaurants,   config.sights, config.wishes, config.people};
    Problem problem{.told = config.told, .request = draw_request(size, rng)};
    problem.offers = draw_offers(size, problem.request, rng);
    const auto plan = cheapest_plan(problem.offers, problem.request);
    if (!plan) throw Retry();
    const std::int64_t cost = judge_plan(problem.offers, problem.request, *plan).cost;
    problem.request.budget = cost * (100 + config.slack) / 100;
    // The wishes must change something.
    if (config.wishes > 0 && keeps_all(problem, thrifty_plan(problem))) throw Retry();
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_travel(problem.offers, problem.request));
    const auto plan = cheapest_plan(problem.offers, problem.request);
    if (!plan) return failure("\"request\": no plan keeps every wish");
    if (!keeps_all(problem, *plan)) {
      return failure("\"request\": the budget is below the cheapest plan's cost");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    const TravelRequest& request = problem.request;
    std::string text = fmt::format(
        "Plan a trip. {}\n\n"
        "Give one command a line:\n"
        "- cities: lists the cities of the region\n"
        "- travel FROM TO: lists the flights and trains from one city to another\n"
        "- hotels CITY, restaurants CITY, sights CITY: lists what a city has\n"
        "- plan JSON: gives the plan, once; text that is nothing but the JSON does, too\n\n"
        "The plan is a list of {} days, such as\n{}\n"
        "(a made-up day).\n\n"
        "Rules:\n"
        "- \"city\" is where the day is spent and the night after it. On day 1, and when the city "
        "is another one than the day before, \"travel\" names the flight or train taken that "
        "morning; on day {} it names the one home in the evening, and there is no hotel. On other "
        "days \"travel\" is null.\n"
        "- The trip starts and ends in {}. Days in one city follow each other; the last day is "
        "spent in the city of the night before.\n"
        "- Every day has lunch, dinner and at least one sight, all in its city. No restaurant and "
        "no sight comes twice.\n"
        "- A hotel may ask for a number of nights in a row. A room holds so many people; the party "
        "takes as many rooms as it needs in one hotel.\n"
        "- Travel, meals and sights are paid for every person, hotels for every room and night.\n\n"
        "If you write other text as well, begin each command's line with \">\". You have {} "
        "commands in all, and every line and every call is one.",
        request_text(request), request.days, kExampleDay, request.days, request.home,
        max_turns(problem));
    if (problem.told) text += "\n\nAll offers:\n" + everything(problem);
    return text;
  }

  static std::vector<ToolSpec> tools(const Problem&) {
    return {tool<Nothing>("cities", "Lists the cities of the region."),
            tool<Between>("travel", "Lists the flights and trains from one city to another."),
            tool<InCity>("hotels", "Lists the hotels of a city."),
            tool<InCity>("restaurants", "Lists the restaurants of a city."),
            tool<InCity>("sights", "Lists the sights of a city."),
            tool<Days>("plan", "Gives the plan, once.", {{"days", "the days in order"}})};
  }

  // Enough to ask for everything, with some mistakes.
  static int max_turns(const Problem& problem) {
    const auto cities = static_cast<int>(problem.offers.cities.size());
    return 10 + 3 * cities + cities * (cities + 1);
  }

  static State begin(const Problem&) { return {}; }

  static Observation step(const Problem& problem, State& state, const Action& action) {
    Observation seen;
    const auto whole = action.tool_calls.empty() ? json_of(action.text) : std::nullopt;
    if (whole) {
      ++state.calls;
      seen.messages = {{.role = "user", .content = take_plan(problem, state, *whole)}};
    } else {
      seen.messages = play_turn(
          action, [&](std::string_view line) { return play_line(problem, state, line); },
          [&](const ToolCall& call) { return play_call(problem, state, call); },
          [&] { return state.submitted || state.calls >= max_turns(problem); });
    }
    seen.terminated = state.submitted;
    seen.truncated = !seen.terminated && state.calls >= max_turns(problem);
    if (seen.terminated) seen.info = figures(problem, state);
    return seen;
  }

  static Verdict verdict(const Problem& problem, const State& state) {
    if (state.understood == 0) return {};
    return verdict_of(exact_reward(state.submitted && keeps_all(problem, state.plan)));
  }

  // Asks for what the cheapest plan is made of, then gives it.
  static std::vector<Action> solve_turns(const Problem& problem) {
    const TravelPlan plan = *cheapest_plan(problem.offers, problem.request);
    std::vector<Action> turns{call("cities", Json::object())};
    std::string before = problem.request.home;
    for (const TravelDay& day : plan) {
      if (day.city == before) continue;
      turns.push_back(call("travel", to_json(Between{before, day.city})));
      for (const char* list : {"hotels", "restaurants", "sights"}) {
        turns.push_back(call(list, to_json(InCity{day.city})));
      }
      before = day.city;
    }
    turns.push_back(call("travel", to_json(Between{before, problem.request.home})));
    turns.push_back(call("plan", to_json(Days{plan})));
    return turns;
  }

  // A plan of the asked form, of things that there are.
  static std::vector<Action> random_turns(const Problem& problem, Rng& rng) {
    const TravelOffers& offers = problem.offers;
    const auto any = [&](const auto& items) -> const auto& {
      return items[rng.below(items.size())];
    };
    TravelPlan plan;
    for (int day = 1; day <= problem.request.days; ++day) {
      plan.push_back({.day = day,
                      .city = any(offers.cities),
                      .travel = any(offers.legs).id,
                      .lunch = any(offers.restaurants).name,
                      .dinner = any(offers.restaurants).name,
                      .sights = {any(offers.sights).name},
                      .hotel = any(offers.hotels).name});
    }
    plan.back().hotel.reset();
    return {call("plan", to_json(Days{plan}))};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const auto guess = [](std::string rule, const TravelPlan& plan) {
      const std::vector<Action> turns{call("plan", to_json(Days{plan}))};
      return NamedAnswer{std::move(rule), transcript(turns)};
    };
    TravelPlan first = first_plan(problem);
    TravelPlan still = first;
    for (TravelDay& day : still) day.travel.reset();
    return {guess("the first of every list", first),
            guess("the first of every list, and no travel", still),
            guess("the cheapest plan without the wishes", thrifty_plan(problem))};
  }

 private:
  static constexpr std::string_view kExampleDay =
      R"([{"day": 1, "city": "Nowhere", "travel": "F1", "lunch": "The Bread", "dinner": "The Soup", )"
      R"("sights": ["Old Wall"], "hotel": "Hay Inn"}, …])";

  static Action call(std::string name, Json arguments) {
    return {.tool_calls = {{.name = std::move(name), .arguments = std::move(arguments)}}};
  }

  static bool keeps_all(const Problem& problem, const TravelPlan& plan) {
    return judge_plan(problem.offers, problem.request, plan).solved();
  }

  // The cheapest plan of somebody who looks at prices alone; empty: there is none.
  static TravelPlan thrifty_plan(const Problem& problem) {
    TravelRequest plain = problem.request;
    plain.room.clear();
    plain.guest.clear();
    plain.cuisines.clear();
    plain.without.clear();
    return cheapest_plan(problem.offers, plain).value_or(TravelPlan{});
  }

  // As many cities as are asked for in the order of their list, with what each lists first.
  static TravelPlan first_plan(const Problem& problem) {
    const TravelRequest& request = problem.request;
    const TravelOffers& offers = problem.offers;
    std::map<std::string, std::size_t> meals;
    std::map<std::string, std::size_t> sights;
    const auto take = [](const auto& items, const std::string& city, std::size_t& next) {
      std::size_t seen = 0;
      for (const auto& item : items) {
        if (item.city == city && seen++ == next) {
          ++next;
          return item.name;
        }
      }
      return std::string("none");
    };
    TravelPlan plan;
    std::string before = request.home;
    for (int day = 1; day <= request.days; ++day) {
      const bool last = day == request.days;
      const auto block = static_cast<std::size_t>((day - 1) * request.cities / request.days);
      TravelDay next{.day = day, .city = offers.cities[block]};
      const std::string& to = last ? request.home : next.city;
      for (const TravelLeg& leg : offers.legs) {
        if (!next.travel && leg.day == day && leg.from == before && leg.to == to) {
          next.travel = leg.id;
        }
      }
      next.lunch = take(offers.restaurants, next.city, meals[next.city]);
      next.dinner = take(offers.restaurants, next.city, meals[next.city]);
      next.sights = {take(offers.sights, next.city, sights[next.city])};
      std::size_t hotel = 0;
      if (!last) next.hotel = take(offers.hotels, next.city, hotel);
      before = next.city;
      plan.push_back(std::move(next));
    }
    return plan;
  }

  // ----------------------------------------------------------------------------------------------
  // Lists

  template <typename Items>
  static std::string list_in(const Items& items, const std::string& city) {
    std::string text;
    for (const auto& item : items) {
      if (item.city == city) text += (text.empty() ? "" : "\n") + describe(item);
    }
    return text.empty() ? fmt::format("{} has none.", city) : text;
  }

  static std::string list_legs(const Problem& problem, const std::string& from,
                               const std::string& to) {
    std::string text;
    for (const TravelLeg& leg : problem.offers.legs) {
      if (leg.from == from && leg.to == to) text += (text.empty() ? "" : "\n") + describe(leg);
    }
    return text.empty() ? fmt::format("Nothing leads from {} to {}.", from, to) : text;
  }

  static std::string list_cities(const Problem& problem) {
    return fmt::format("{}: {}.", problem.request.region, enumeration(problem.offers.cities));
  }

  static std::string everything(const Problem& problem) {
    const TravelOffers& offers = problem.offers;
    std::string text = list_cities(problem) + "\n\nFlights and trains:";
    for (const TravelLeg& leg : offers.legs) text += "\n" + describe(leg);
    for (const std::string& city : offers.cities) {
      text +=
          fmt::format("\n\nHotels in {0}:\n{1}\n\nRestaurants in {0}:\n{2}\n\nSights in {0}:\n{3}",
                      city, list_in(offers.hotels, city), list_in(offers.restaurants, city),
                      list_in(offers.sights, city));
    }
    return text;
  }

  // The city that a name means, in any spelling that normalised() allows.
  static const std::string* find_city(const Problem& problem, std::string_view name) {
    constexpr std::size_t kMostBytes = 200;
    const std::string wanted = normalised(name.substr(0, kMostBytes));
    for (const std::string& city : problem.offers.cities) {
      if (normalised(city) == wanted) return &city;
    }
    return normalised(problem.request.home) == wanted ? &problem.request.home : nullptr;
  }

  static std::string no_city(std::string_view name) {
    return fmt::format("There is no city called \"{}\" here.", quotable(name));
  }

  // ----------------------------------------------------------------------------------------------
  // Playing

  // The JSON that a text is, alone, in a fence or between answer tags.
  static std::optional<std::string_view> json_of(std::string_view text) {
    if (const auto marked = extract_answer(text, MarkerStyle::kAnswerTag)) text = *marked;
    text = trim(text);
    constexpr std::string_view kFence = "```";
    if (text.starts_with(kFence) && text.ends_with(kFence) && text.size() > 2 * kFence.size()) {
      text = text.substr(kFence.size(), text.size() - 2 * kFence.size());
      if (text.starts_with("json")) text.remove_prefix(4);
      text = trim(text);
    }
    return text.starts_with('[') || text.starts_with('{') ? std::optional(text) : std::nullopt;
  }

  static std::string play_line(const Problem& problem, State& state, std::string_view line) {
    ++state.calls;
    const auto words = split_words(line);
    const std::string verb = words.empty() ? "" : normalised(quotable(words[0]));
    const auto named = [&](std::size_t i) { return std::string(words[i]); };
    if (verb == "cities" && words.size() == 1) return cities(problem, state);
    if (verb == "travel" && words.size() == 3) {
      return travel(problem, state, {named(1), named(2)});
    }
    if (words.size() > 1) {
      const std::string_view rest = trim(line.substr(words[0].size()));
      if (verb == "plan") return take_plan(problem, state, rest);
      if (auto reply = list(problem, state, verb, rest)) return *reply;
    }
    return fmt::format(
        "\"{}\" is no command. Commands are: cities, travel FROM TO, hotels CITY, "
        "restaurants CITY, sights CITY, plan JSON.",
        quotable(line));
  }

  static std::string play_call(const Problem& problem, State& state, const ToolCall& made) {
    ++state.calls;
    const auto faulty = [](const Error& error) { return "error: " + error.message; };
    if (made.name == "cities") return cities(problem, state);
    if (made.name == "travel") {
      const auto given = from_json<Between>(made.arguments);
      return given ? travel(problem, state, *given) : faulty(given.error());
    }
    if (made.name == "plan") return take_days(problem, state, made.arguments);
    if (made.name != "hotels" && made.name != "restaurants" && made.name != "sights") {
      return unknown_tool_message(made, tools(problem)).content;
    }
    const auto given = from_json<InCity>(made.arguments);
    return given ? *list(problem, state, made.name, given->city) : faulty(given.error());
  }

  static std::string cities(const Problem& problem, State& state) {
    ++state.understood;
    return list_cities(problem);
  }

  static std::string travel(const Problem& problem, State& state, const Between& given) {
    ++state.understood;
    const std::string* from = find_city(problem, given.from);
    const std::string* to = find_city(problem, given.to);
    if (from == nullptr || to == nullptr) return no_city(from == nullptr ? given.from : given.to);
    return list_legs(problem, *from, *to);
  }

  // nullopt: there is no such list.
  static std::optional<std::string> list(const Problem& problem, State& state,
                                         std::string_view what, std::string_view where) {
    if (what != "hotels" && what != "restaurants" && what != "sights") return std::nullopt;
    ++state.understood;
    const std::string* city = find_city(problem, where);
    if (city == nullptr) return no_city(where);
    if (what == "hotels") return list_in(problem.offers.hotels, *city);
    if (what == "restaurants") return list_in(problem.offers.restaurants, *city);
    return list_in(problem.offers.sights, *city);
  }

  static std::string take_plan(const Problem& problem, State& state, std::string_view text) {
    auto json = parse_json(text);
    if (!json) return "error: the plan is no JSON: " + json.error().message;
    if (json->is_array()) json = Json{{"days", *std::move(json)}};
    return take_days(problem, state, *json);
  }

  static std::string take_days(const Problem& problem, State& state, const Json& json) {
    auto given = from_json<Days>(json);
    if (!given) return "error: " + given.error().message;
    if (given->days.size() > kMostPlanDays) {
      return fmt::format("error: a plan has at most {} days", kMostPlanDays);
    }
    for (const TravelDay& day : given->days) {
      constexpr std::size_t kMostSights = 20;
      if (day.sights.size() > kMostSights) {
        return fmt::format("error: a day has at most {} sights", kMostSights);
      }
    }
    ++state.understood;
    state.submitted = true;
    state.plan = std::move(given->days);
    std::string text;
    for (const TravelCheck& check :
         judge_plan(problem.offers, problem.request, state.plan).checks) {
      if (!check.fault.empty()) text += fmt::format("\n- {}: {}", check.constraint, check.fault);
    }
    return text.empty() ? "The plan keeps every constraint."
                        : "The plan breaks constraints:" + text;
  }

  static Json figures(const Problem& problem, const State& state) {
    const auto judgement = judge_plan(problem.offers, problem.request, state.plan);
    return {{"common_sense_micro", judgement.micro(false)},
            {"common_sense_macro", judgement.macro(false)},
            {"hard_micro", judgement.micro(true)},
            {"hard_macro", judgement.macro(true)},
            {"cost", judgement.cost}};
  }
};

REDQUEEN_ENVIRONMENT(Itinerary);

}  // namespace
}  // namespace redqueen
