// A whole environment that takes turns, as an example and for tests: guess a hidden number with a
// tool that says "higher" or "lower".
#pragma once

#include <bit>

#include "redqueen/core/contract.h"
#include "redqueen/core/tool.h"
#include "redqueen/core/turns_contract.h"

namespace redqueen {

struct HiddenNumber {
  static constexpr Card card{
      .name = "HiddenNumber",
      .family = Family::kWorlds,
      .answer = AnswerKind::kTurns,
      .scoring = Scoring::kExact,
      .task = "Find a hidden number with a tool that compares guesses to it.",
      .levels = "The range starts with 1 to 4 and doubles with every level.",
      .rewards = "-1 without a guess, 0 if the number was not found, 1 if it was.",
      .max_level = 20};

  struct Config {
    std::int64_t limit = 0;
    REDQUEEN_FIELDS(limit)
  };
  struct Problem {
    std::int64_t limit = 0;   // the number lies in 1..limit
    std::int64_t number = 0;  // hidden: the prompt does not tell it
    REDQUEEN_FIELDS(limit, number)
  };
  struct State {
    int guesses = 0;
    bool found = false;
    REDQUEEN_FIELDS(guesses, found)
  };
  struct Guess {
    std::int64_t number = 0;
    REDQUEEN_FIELDS(number)
  };

  static Config at_level(int level, Rng&) { return {.limit = std::int64_t{4} << level}; }

  static Problem generate(const Config& config, Rng& rng) {
    return {.limit = config.limit, .number = rng.integer(1, config.limit)};
  }

  static Status check(const Problem& problem) {
    if (problem.limit < 1 || problem.limit > kMaxLimit) {
      return failure("\"limit\": {} is not in 1..{}", problem.limit, kMaxLimit);
    }
    if (problem.number < 1 || problem.number > problem.limit) {
      return failure("\"number\": {} is not in 1..{}", problem.number, problem.limit);
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format("A number from 1 to {} is hidden. Find it in at most {} turns: call guess.",
                       problem.limit, max_turns(problem));
  }

  static std::vector<ToolSpec> tools(const Problem&) {
    return {tool<Guess>("guess", "Compares a number with the hidden one.",
                        {{"number", "the number that you guess"}})};
  }

  // Returns the turns that halving the range needs in the worst case.
  static int max_turns(const Problem& problem) {
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(problem.limit)));
  }

  static State begin(const Problem&) { return {}; }

  static Observation step(const Problem& problem, State& state, const Action& action) {
    Observation seen;
    for (const ToolCall& call : action.tool_calls) {
      const bool first = seen.messages.empty();
      seen.messages.push_back(first ? answer(problem, state, call)
                                    : tool_message(call, "error: one call a turn"));
    }
    if (seen.messages.empty()) seen.messages.push_back({.role = "user", .content = "Call guess."});
    seen.terminated = state.found;
    return seen;
  }

  static Verdict verdict(const Problem&, const State& state) {
    return verdict_of(state.guesses == 0 ? kMalformedReward : exact_reward(state.found));
  }

  static std::vector<Action> solve_turns(const Problem& problem) {
    std::vector<Action> turns;
    std::int64_t low = 1;
    std::int64_t high = problem.limit;
    while (true) {
      const std::int64_t middle = low + (high - low) / 2;
      turns.push_back(guess(middle));
      if (middle == problem.number) return turns;
      (middle < problem.number ? low : high) = middle + (middle < problem.number ? 1 : -1);
    }
  }

  static std::vector<Action> random_turns(const Problem& problem, Rng& rng) {
    std::vector<Action> turns;
    for (int i = 0; i < max_turns(problem); ++i) {
      turns.push_back(guess(rng.integer(1, problem.limit)));
    }
    return turns;
  }

  static Action guess(std::int64_t number) {
    return {.tool_calls = {{.name = "guess", .arguments = to_json(Guess{number})}}};
  }

 private:
  static constexpr std::int64_t kMaxLimit = std::int64_t{1} << 40;

  static Message answer(const Problem& problem, State& state, const ToolCall& call) {
    if (call.name != "guess") return unknown_tool_message(call, tools(problem));
    const auto guess = from_json<Guess>(call.arguments);
    if (!guess) return tool_message(call, "error: " + guess.error().message);
    ++state.guesses;
    if (guess->number == problem.number) {
      state.found = true;
      return tool_message(call, "found");
    }
    return tool_message(call, guess->number < problem.number ? "higher" : "lower");
  }
};

}  // namespace redqueen
