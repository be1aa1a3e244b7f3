#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <utility>

#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct QuantumLockPuzzle {
  static constexpr Card card{
      .name = "QuantumLockPuzzle",
      .published = true,
      .family = Family::kPuzzles,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kFeasibility,
      .task =
          "Press buttons that add to, subtract from or multiply a number, each in two ways that "
          "take turns, until the number has a given value.",
      .levels =
          "The number of buttons starts at 2 and grows by one a level; the hidden sequence has 2 "
          "to 11 presses.",
      .rewards = "-1 malformed, -0.5 a button that is not there, 0 another number, 1 right.",
      .differences =
          "Of several hidden sequences, that is taken whose target needs most presses, as far as "
          "counted, and which pressing the button that leads nearest does not solve.",
      .slow_reason = SlowReason::kStricter,
      .version = 2,
  };

  static constexpr int kMaxButtons = 1000;
  static constexpr std::int64_t kMaxTerm = 1000;
  static constexpr std::int64_t kMaxFactor = 10;
  static constexpr std::int64_t kMaxNumber = 1'000'000'000'000'000;
  static constexpr int kSequences = 16;
  static constexpr std::size_t kMaxReached = 100;  // numbers whose successors are looked at
  static constexpr int kNearestPresses = 40;

  using Rule = std::pair<std::string, std::int64_t>;  // "+", "-" or "*", and a number
  using Button = std::array<Rule, 2>;                 // for X = 0, for X = 1

  struct Config {
    int N = 0;
    int steps = 0;
    REDQUEEN_FIELDS(N, steps)
  };
  struct Problem {
    int N = 0;
    std::int64_t Y_start = 0;
    std::int64_t Y_target = 0;
    std::vector<Button> buttons;
    std::string reference_answer;
    REDQUEEN_FIELDS(N, Y_start, Y_target, buttons, reference_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng& rng) {
    return {.N = 2 + level, .steps = static_cast<int>(rng.integer(2, 10))};
  }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem = draw_lock(config, rng);
    const std::vector<std::vector<std::int64_t>> reached = numbers_reached(problem, config.steps);
    std::size_t most_presses = 0;
    Answer hidden;
    for (int i = 0; i < kSequences; ++i) {
      const Answer presses = draw_presses(problem, config.steps, rng);
      const std::int64_t target = number_after(problem, presses);
      const std::size_t needed = presses_needed(reached, target);
      if (needed <= most_presses || number_after(problem, nearest(problem, target)) == target) {
        continue;
      }
      most_presses = needed;
      problem.Y_target = target;
      hidden = presses;
    }
    if (most_presses < std::min<std::size_t>(3, reached.size())) throw Retry();
    problem.reference_answer = format_answer(hidden);
    return problem;
  }

  // The target is the last new number that a random sequence of presses leads to.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem = draw_lock(config, rng);
    const Answer presses = draw_presses(problem, config.steps, rng);
    problem.Y_target = number_after(problem, presses);
    problem.reference_answer = format_answer(presses);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxButtons));
    RETURN_IF_ERROR(within("Y_start", problem.Y_start, -kMaxNumber, kMaxNumber));
    RETURN_IF_ERROR(within("Y_target", problem.Y_target, -kMaxNumber, kMaxNumber));
    if (std::ssize(problem.buttons) != problem.N) {
      return failure("\"buttons\": expected \"N\" of them, found {}", problem.buttons.size());
    }
    for (const Button& button : problem.buttons) {
      for (const auto& [operation, number] : button) {
        if (operation == "*") {
          RETURN_IF_ERROR(within("buttons", number, 2, kMaxFactor));
        } else if (operation == "+" || operation == "-") {
          RETURN_IF_ERROR(within("buttons", number, 1, kMaxTerm));
        } else {
          return failure("\"buttons\": expected \"+\", \"-\" or \"*\", found \"{}\"", operation);
        }
      }
    }
    const auto presses = parse_int_list(problem.reference_answer);
    if (!presses || score(problem, *presses) != 1.0) {
      return failure("\"reference_answer\" does not lead to \"Y_target\"");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    std::string buttons;
    for (int i = 0; i < problem.N; ++i) {
      const auto& [even, odd] = problem.buttons[i];
      append_format(buttons, "{}: if X = 0, Y {} {}; if X = 1, Y {} {}\n", i, even.first,
                    even.second, odd.first, odd.second);
    }
    return fmt::format(
        "A lock has {} buttons and shows two integers, X and Y. X is 0 at the start, Y is {}. Each "
        "button changes Y in one of two ways, depending on X; after that, the press also changes X "
        "from 0 to 1 or from 1 to 0. This is what the buttons do to Y:\n"
        "{}"
        "Press buttons such that Y is {} in the end. X may be 0 or 1 then, and each button may be "
        "pressed as often as you like, in any order. Any such sequence of presses will do.\n"
        "Answer with the numbers of the buttons in the order of the presses, separated by spaces.",
        problem.N, problem.Y_start, buttons, problem.Y_target);
  }

  static double score(const Problem& problem, const Answer& answer) {
    for (const std::int64_t button : answer) {
      if (button < 0 || button >= problem.N) return kInvalidReward;
    }
    return exact_reward(number_after(problem, answer) == problem.Y_target);
  }

  static Answer solve(const Problem& problem) { return *parse_int_list(problem.reference_answer); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer presses(static_cast<std::size_t>(rng.integer(1, 6)));
    for (std::int64_t& button : presses) button = draw_button(problem, rng);
    return presses;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"the button that leads nearest, again and again",
             format_answer(nearest(problem, problem.Y_target))},
            {"the best one or two presses", format_answer(best_pair(problem))},
            {"the last button once", format_answer(Answer{problem.N - 1})}};
  }

 private:
  // A problem without its target.
  static Problem draw_lock(const Config& config, Rng& rng) {
    Problem problem{.N = config.N,
                    .Y_start = rng.integer(-config.N, config.N),
                    .Y_target = 0,
                    .buttons = {},
                    .reference_answer = {}};
    for (int i = 0; i < config.N; ++i) {
      Button& button = problem.buttons.emplace_back();
      for (Rule& rule : button) rule = draw_rule(config.N, rng);
    }
    return problem;
  }

  // Once |Y| is this large, no list of presses that fits into memory brings it back to a target:
  // a press takes at most kMaxTerm from it.
  static constexpr std::int64_t kLost = 100'000'000'000'000'000;

  static std::int64_t pressed(const Problem& problem, std::int64_t button, std::size_t turn,
                              std::int64_t number) {
    const auto& [operation, by] = problem.buttons[button][turn % 2];
    if (std::abs(number) > kLost) return number;
    const char sign = operation[0];
    return sign == '+' ? number + by : sign == '-' ? number - by : number * by;
  }

  static std::int64_t number_after(const Problem& problem, const Answer& presses) {
    std::int64_t number = problem.Y_start;
    for (std::size_t i = 0; i < presses.size(); ++i) {
      number = pressed(problem, presses[i], i, number);
    }
    return number;
  }

  static std::int64_t draw_button(const Problem& problem, Rng& rng) {
    return rng.integer(0, problem.N - 1);
  }

  static Rule draw_rule(int n, Rng& rng) {
    const double kind = rng.real();
    if (kind < 0.4) return {"+", rng.integer(1, n)};
    if (kind < 0.8) return {"-", rng.integer(1, n)};
    return {"*", rng.integer(2, 3)};
  }

  // Random presses, up to the last at which Y takes a value for the first time.
  static Answer draw_presses(const Problem& problem, int steps, Rng& rng) {
    Answer presses;
    std::vector<std::int64_t> seen{problem.Y_start};
    std::size_t kept = 0;
    const std::int64_t count = steps + rng.integer(0, 1);
    for (std::int64_t i = 0; i < count; ++i) {
      presses.push_back(draw_button(problem, rng));
      const std::int64_t number = pressed(problem, presses.back(), presses.size() - 1, seen.back());
      if (std::ranges::find(seen, number) == seen.end()) kept = presses.size();
      seen.push_back(number);
    }
    presses.resize(kept);
    return presses;
  }

  // What Y can be after 0, 1, … presses, as far as there are few values; each list ascends.
  static std::vector<std::vector<std::int64_t>> numbers_reached(const Problem& problem, int steps) {
    std::vector<std::vector<std::int64_t>> reached{{problem.Y_start}};
    std::vector<std::int64_t> next;
    for (int turn = 0; turn < steps && reached.back().size() <= kMaxReached; ++turn) {
      next.clear();
      for (int button = 0; button < problem.N; ++button) {
        for (const std::int64_t number : reached.back()) {
          next.push_back(pressed(problem, button, static_cast<std::size_t>(turn), number));
        }
      }
      reached.push_back(ascending(next));
    }
    return reached;
  }

  // The different ones of these numbers. Those that lie close together are marked in a row of bits,
  // which is quicker than to sort them.
  static std::vector<std::int64_t> ascending(std::vector<std::int64_t>& numbers) {
    const auto [least, greatest] = std::ranges::minmax(numbers);
    const auto width = static_cast<std::uint64_t>(greatest) - static_cast<std::uint64_t>(least);
    if (width / 64 > numbers.size()) {
      std::ranges::sort(numbers);
      return {numbers.begin(), std::unique(numbers.begin(), numbers.end())};
    }
    std::vector<std::uint64_t> marked(width / 64 + 1);
    for (const std::int64_t number : numbers) {
      const auto place = static_cast<std::uint64_t>(number) - static_cast<std::uint64_t>(least);
      marked[place / 64] |= std::uint64_t{1} << place % 64;
    }
    std::vector<std::int64_t> different;
    different.reserve(numbers.size());
    for (std::size_t word = 0; word < marked.size(); ++word) {
      for (std::uint64_t rest = marked[word]; rest != 0; rest &= rest - 1) {
        different.push_back(least + static_cast<std::int64_t>(64 * word) + std::countr_zero(rest));
      }
    }
    return different;
  }

  static std::size_t presses_needed(const std::vector<std::vector<std::int64_t>>& reached,
                                    std::int64_t target) {
    std::size_t presses = 0;
    while (presses < reached.size() && !std::ranges::binary_search(reached[presses], target)) {
      ++presses;
    }
    return presses;
  }

  static Answer nearest(const Problem& problem, std::int64_t target) {
    Answer presses;
    std::int64_t number = problem.Y_start;
    while (number != target && std::ssize(presses) < kNearestPresses) {
      std::int64_t best = 0;
      std::int64_t distance = std::numeric_limits<std::int64_t>::max();
      for (std::int64_t button = 0; button < problem.N; ++button) {
        const std::int64_t away =
            std::abs(pressed(problem, button, presses.size(), number) - target);
        if (away < distance) best = button;
        distance = std::min(distance, away);
      }
      number = pressed(problem, best, presses.size(), number);
      presses.push_back(best);
    }
    return presses;
  }

  static Answer best_pair(const Problem& problem) {
    Answer best{0};
    const auto away = [&](const Answer& presses) {
      return std::abs(number_after(problem, presses) - problem.Y_target);
    };
    for (std::int64_t first = 0; first < problem.N; ++first) {
      if (away({first}) < away(best)) best = {first};
      for (std::int64_t second = 0; second < problem.N; ++second) {
        if (away({first, second}) < away(best)) best = {first, second};
      }
    }
    return best;
  }
};
REDQUEEN_ENVIRONMENT(QuantumLockPuzzle);

}  // namespace
}  // namespace redqueen
