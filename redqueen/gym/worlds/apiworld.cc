// apiworld: tasks that an assistant does with the tools of small services; what the services hold
// in the end decides.

#include <algorithm>
#include <set>

#include "redqueen/core/contract.h"
#include "redqueen/core/tool.h"
#include "redqueen/core/turns_contract.h"
#include "redqueen/gym/worlds/apiworld/goals.h"
#include "redqueen/gym/worlds/apiworld/services.h"

namespace redqueen {

struct Apiworld {
  static constexpr Card card{
      .name = "apiworld",
      .family = Family::kWorlds,
      .answer = AnswerKind::kTurns,
      .scoring = Scoring::kExact,
      .task =
          "Do tasks for a user with the tools of a calendar, a bank, a shop, messages and files. "
          "The services have rules: events do not overlap, balances and stock do not go below "
          "zero, what belongs to others stays. Looking up is free; what the services hold after "
          "each request of the user decides.",
      .levels =
          "Level 0 has two services with few entries and one task that names every value. From "
          "level 1 on things must be looked up first, from level 2 on chosen by a rule, from "
          "level 4 on carried from one service to another. The highest level has five services "
          "and 6 tasks, in one request or one after the other.",
      .rewards =
          "-1 for a turn without a call and without a word, 0 if a request left the services "
          "in another state than it asked for, or was not finished in time, 1 if none did.",
      .source =
          "After API-Bank (Li et al., EMNLP 2023) and the multi-turn part of the Berkeley "
          "Function Calling Leaderboard (Patil et al., 2025); services, tasks and checks are "
          "our own.",
      .max_level = 15};

  struct Config {
    int level = 0;  // the highest level of the kinds of tasks that are drawn
    int services = 0;
    int goals = 0;
    int size = 0;  // of the world: entries of each kind
    REDQUEEN_FIELDS(level, services, goals, size)
  };

  struct Problem {
    std::string today;
    std::vector<std::string> services;
    apiworld::World world;  // before the first turn
    std::vector<apiworld::Goal> goals;
    bool at_once = false;  // all tasks in the first message; else one after the other
    REDQUEEN_FIELDS(today, services, world, goals, at_once)
  };

  struct State {
    apiworld::World world;
    int done = 0;  // tasks that the user was content with
    bool failed = false;
    bool malformed = false;
    REDQUEEN_FIELDS(world, done, failed, malformed)
  };

  static Config at_level(int level, Rng&) {
    return {.level = level,
            .services = std::min(5, 2 + level / 2),
            .goals = 1 + level / 3,
            .size = 3 + level};
  }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem;
    const worlds::Day today =
        worlds::Day(std::chrono::year(2027) / 1 / 1) + std::chrono::days(rng.below(365));
    problem.today = worlds::format_day(today);
    problem.services.assign(std::begin(apiworld::kServices), std::end(apiworld::kServices));
    rng.shuffle(problem.services);
    problem.services.resize(static_cast<std::size_t>(config.services));
    problem.world = apiworld::draw_world(config.size, today, rng);
    apiworld::World world = problem.world;
    for (int i = 0; i < config.goals; ++i)
      problem.goals.push_back(draw_goal(config, problem.services, today, world, rng));
    problem.at_once = rng.chance(0.5);
    if (apiworld::essence(world) == apiworld::essence(problem.world)) throw Retry();
    return problem;
  }

  static Status check(const Problem& problem) {
    if (!worlds::parse_day(problem.today))
      return failure("\"today\": \"{}\" is no day", problem.today);
    std::set<std::string> seen;
    for (const std::string& service : problem.services) {
      if (std::ranges::find(apiworld::kServices, service) == std::end(apiworld::kServices) ||
          !seen.insert(service).second) {
        return failure("\"services\": \"{}\" is none, or there twice", service);
      }
    }
    if (auto sound = apiworld::check_world(problem.world); !sound)
      return failure("\"world\": {}", sound.error().message);
    if (problem.goals.empty() || problem.goals.size() > kMostGoals)
      return failure("\"goals\": expected 1 to {} of them", kMostGoals);
    return check_goals(problem);
  }

  static std::string prompt(const Problem& problem) {
    const auto today = worlds::parse_day(problem.today);
    return fmt::format(
        "You are the assistant of {} and do tasks with the tools of some services.\n"
        "- Do exactly what is asked, and change nothing else. Looking things up is free.\n"
        "- When everything that was asked for is done, say so in a turn without a call.\n"
        "Today is {}, {}.\n\n{}",
        problem.world.user, worlds::weekday(*today), worlds::day_in_words(*today),
        request_in_words(problem, 0));
  }

  static std::vector<ToolSpec> tools(const Problem& problem) {
    return apiworld::tools_of(problem.services);
  }

  // Enough for each task to look up, to make its calls one by one, and to say that it is done.
  static int max_turns(const Problem& problem) {
    return 4 * (1 + static_cast<int>(problem.goals.size())) +
           static_cast<int>(kMostGoalCalls * problem.goals.size());
  }

  static State begin(const Problem& problem) { return {.world = problem.world}; }

  static Observation step(const Problem& problem, State& state, const Action& action) {
    Observation seen;
    if (!action.tool_calls.empty()) {
      make_calls(problem, state, action.tool_calls, seen);
      return seen;
    }
    if (trim(action.text).empty()) {
      state.malformed = true;
      seen.terminated = true;
      seen.info = {{"fault", "a turn without a call and without a word"}};
      return seen;
    }
    // The assistant says that it is done.
    state.done += problem.at_once ? static_cast<int>(problem.goals.size()) : 1;
    if (apiworld::essence(state.world) != apiworld::essence(wanted_world(problem, state.done))) {
      state.failed = true;
      seen.terminated = true;
      seen.info = {{"fault", "the services are not in the state that was asked for"}};
      return seen;
    }
    seen.terminated = all_done(problem, state);
    if (!seen.terminated) {
      const auto next = static_cast<std::size_t>(state.done);
      seen.messages.push_back({.role = "user", .content = request_in_words(problem, next)});
    }
    return seen;
  }

  static Verdict verdict(const Problem& problem, const State& state) {
    if (state.malformed) return {};
    return verdict_of(exact_reward(all_done(problem, state) && !state.failed));
  }

  static std::vector<Action> solve_turns(const Problem& problem) {
    std::vector<Action> turns;
    apiworld::World world = problem.world;
    for (std::size_t i = 0; i < problem.goals.size(); ++i) {
      auto calls = apiworld::carry_out(world, problem.goals[i]);
      if (calls) turns.push_back({.text = {}, .tool_calls = *std::move(calls)});
      if (!problem.at_once || i + 1 == problem.goals.size()) turns.push_back({.text = "Done."});
    }
    return turns;
  }

  static std::vector<Action> random_turns(const Problem& problem, Rng& rng) {
    const std::vector<ToolSpec> offered = tools(problem);
    std::vector<Action> turns;
    for (std::int64_t i = rng.integer(1, 4); i > 0; --i) {
      const ToolSpec& tool = rng.choice(offered);
      Json arguments = Json::object();
      for (const auto& [key, schema] : tool.parameters["properties"].items())
        arguments[key] = random_value(problem, key, schema, rng);
      turns.push_back({.text = {}, .tool_calls = {{.name = tool.name, .arguments = arguments}}});
    }
    turns.push_back({.text = "Done."});
    return turns;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const std::vector<Action> claims(problem.goals.size(), Action{.text = "Done."});
    std::vector<Action> first_task = solve_turns(problem);
    first_task.resize(1);
    first_task.insert(first_task.end(), claims.begin(), claims.end());
    std::vector<Action> reading;
    for (const std::string_view name : {"list_messages", "list_accounts", "list_orders"}) {
      reading.push_back({.text = {}, .tool_calls = {{.name = std::string(name)}}});
    }
    reading.insert(reading.end(), claims.begin(), claims.end());
    std::vector<NamedAnswer> guesses{{"claiming that it is done", transcript(claims)},
                                     {"looking up, then claiming so", transcript(reading)}};
    // Of one task alone, its first turn is all there is to do.
    if (problem.goals.size() > 1)
      guesses.push_back({"the first task alone", transcript(first_task)});
    return guesses;
  }

 private:
  static constexpr std::size_t kMostGoals = 12;
  static constexpr std::size_t kMostGoalCalls = 8;
  static constexpr std::size_t kMostCalls = 16;  // of a turn; so many are made

  static apiworld::Goal draw_goal(const Config& config, const std::vector<std::string>& services,
                                  worlds::Day today, apiworld::World& world, Rng& rng) {
    std::vector<const apiworld::GoalKind*> kinds;
    for (const apiworld::GoalKind& kind : apiworld::goal_kinds()) {
      if (kind.level <= config.level && served(kind, services)) kinds.push_back(&kind);
    }
    if (kinds.empty()) throw Retry();
    constexpr int kAttempts = 50;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const apiworld::GoalKind& kind = *rng.choice(kinds);
      auto goal = kind.draw(world, today, rng);
      if (!goal) continue;
      goal->kind = kind.name;
      apiworld::World after = world;
      const auto calls = apiworld::carry_out_new(after, *goal);
      if (!calls || calls->size() > kMostGoalCalls) continue;
      world = std::move(after);
      return *std::move(goal);
    }
    throw Retry();
  }

  static bool served(const apiworld::GoalKind& kind, std::span<const std::string> services) {
    return std::ranges::all_of(kind.services, [&](std::string_view service) {
      return std::ranges::find(services, service) != services.end();
    });
  }

  static Status check_goals(const Problem& problem) {
    apiworld::World world = problem.world;
    for (std::size_t i = 0; i < problem.goals.size(); ++i) {
      const apiworld::GoalKind* kind = apiworld::find_goal_kind(problem.goals[i].kind);
      if (kind == nullptr || !served(*kind, problem.services))
        return failure("\"goals[{}]\": no service does \"{}\"", i, problem.goals[i].kind);
      const auto calls = apiworld::carry_out_new(world, problem.goals[i]);
      if (!calls) return failure("\"goals[{}]\": {}", i, calls.error().message);
      if (calls->size() > kMostGoalCalls)
        return failure("\"goals[{}]\": more than {} calls", i, kMostGoalCalls);
    }
    if (apiworld::essence(world) == apiworld::essence(problem.world))
      return failure("\"goals\": together they change nothing");
    return {};
  }

  static std::string request_in_words(const Problem& problem, std::size_t first) {
    const auto words = [&](const apiworld::Goal& goal) {
      return apiworld::find_goal_kind(goal.kind)->words(goal);
    };
    if (!problem.at_once || problem.goals.size() == 1) return words(problem.goals[first]);
    std::string text = "Please do these tasks, in this order:";
    for (std::size_t i = 0; i < problem.goals.size(); ++i)
      text += fmt::format("\n{}. {}", i + 1, words(problem.goals[i]));
    return text;
  }

  static void make_calls(const Problem& problem, State& state, std::span<const ToolCall> calls,
                         Observation& seen) {
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (i == kMostCalls) {
        seen.messages.push_back(tool_message(
            calls[i], fmt::format("error: a turn makes {} calls at most; the others were not made",
                                  kMostCalls)));
        return;
      }
      const auto answer = apiworld::execute(state.world, problem.services, calls[i]);
      seen.messages.push_back(
          tool_message(calls[i], answer ? dump_json(*answer) : "error: " + answer.error().message));
    }
  }

  // The world after so many tasks.
  static apiworld::World wanted_world(const Problem& problem, int tasks) {
    apiworld::World world = problem.world;
    for (const apiworld::Goal& goal :
         std::span(problem.goals).first(static_cast<std::size_t>(tasks))) {
      [[maybe_unused]] const auto calls = apiworld::carry_out(world, goal);
      assert(calls.has_value());
    }
    return world;
  }

  static bool all_done(const Problem& problem, const State& state) {
    return static_cast<std::size_t>(state.done) == problem.goals.size();
  }

  // A value of the world that an argument of this name could take.
  static Json random_value(const Problem& problem, const std::string& key, const Json& schema,
                           Rng& rng) {
    const apiworld::World& world = problem.world;
    if (schema["type"] == "integer") return rng.integer(1, world.next_id);
    if (schema["type"] == "number") return static_cast<double>(rng.integer(1, 10000)) / 100.0;
    if (key == "date") {
      return worlds::format_day(*worlds::parse_day(problem.today) +
                                std::chrono::days(rng.integer(1, 5)));
    }
    if (key == "start" || key == "end")
      return worlds::format_time(static_cast<int>(30 * rng.integer(16, 38)));
    if (key.ends_with("account") && !world.accounts.empty()) return rng.choice(world.accounts).name;
    if (key == "product" && !world.products.empty()) return rng.choice(world.products).name;
    if (key.ends_with("folder") && !world.files.empty()) return rng.choice(world.files).folder;
    if (key == "name" && !world.files.empty()) return rng.choice(world.files).name;
    return world.user;
  }
};

REDQUEEN_ENVIRONMENT(Apiworld);

}  // namespace redqueen
