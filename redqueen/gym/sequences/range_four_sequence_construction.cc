#include <algorithm>
#include <array>
#include <bit>
#include <set>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct RangeFourSequenceConstruction {
  static constexpr Card card{
      .name = "RangeFourSequenceConstruction",
      .published = true,
      .family = Family::kSequences,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kQuality,
      .task =
          "Build a sequence of 0, 1, 2 and 3 in which only some of them may be neighbours, such "
          "that given places hold different numbers.",
      .levels = "The sequence has 3 numbers and one more a level, and twice as many conditions.",
      .rewards =
          "-1 malformed, -0.5 another length, other numbers or forbidden neighbours, else "
          "(conditions that are met / conditions)^5.",
      .differences =
          "There are N to 2N conditions where so many can be, each with two places that could hold "
          "the same number. From 6 numbers on, they decide for each two such places whether they "
          "do, so that few solutions are left, none of period 2 or 4.",
      .small_answer_space =
          "At level 0 there are ten sequences with allowed neighbours, at level 2 there are 26; "
          "however conditions are drawn for these, one sequence meets those of a third of the "
          "problems. At level 3, one sequence meets those of a fifth.",
      .guess_until_level = 3,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kFewNumbers = 6;
  static constexpr int kDraws = 100;
  static constexpr int kMaxConditions = 100'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::vector<std::int64_t>> conditions;  // places from 1
    std::string reference_answer;                       // one sequence that meets all
    REDQUEEN_FIELDS(N, conditions, reference_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    const std::int64_t odd_one = 2 * rng.integer(0, 2) + 1;  // of few places: 1, 3 or 5
    for (int draw = 0; draw < kDraws; ++draw) {
      const Places places = places_by_number(draw_sequence(config.N, rng));
      if (config.N == 5 && std::ranges::count(places, std::vector{odd_one}) == 0) continue;
      const bool evens_differ = !places[0].empty() && !places[2].empty();
      const bool odds_differ = !places[1].empty() && !places[3].empty();
      const bool useful =
          config.N < kFewNumbers ? evens_differ || odds_differ : evens_differ && odds_differ;
      if (useful) return with_conditions(config.N, places, rng);
    }
    throw Retry();
  }

  // The numbers of the sequence are drawn by weights, themselves uniform in 1 … N, again where
  // neighbours are forbidden. Of all sets of two to four places that hold different numbers, some
  // become conditions, at most 2N.
  static Problem published(const Config& config, Rng& rng) {
    const std::int64_t n = config.N;
    std::array<double, 4> weights{};
    for (double& weight : weights) weight = static_cast<double>(rng.integer(1, n));
    Answer planted;
    while (std::ssize(planted) < n) {
      const auto next = static_cast<std::int64_t>(rng.weighted(weights));
      if (planted.empty() || may_be_neighbours(planted.back(), next)) planted.push_back(next);
    }
    const Places places = places_by_number(planted);
    constexpr unsigned kChoices = 16;  // of numbers, as bits
    std::array<std::int64_t, kChoices> sets{};
    std::int64_t all = 0;
    for (unsigned choice = 0; choice < kChoices; ++choice) {
      if (std::popcount(choice) < 2) continue;
      sets[choice] = 1;
      for (unsigned number = 0; number < 4; ++number) {
        if ((choice >> number & 1) != 0) sets[choice] *= std::ssize(places[number]);
      }
      all += sets[choice];
    }
    Problem problem{.N = config.N, .conditions = {}, .reference_answer = format_answer(planted)};
    const std::int64_t count = rng.integer(1, std::min(2 * n, all));
    for (std::int64_t set : rng.sample(0, all - 1, static_cast<std::size_t>(count))) {
      unsigned choice = 0;
      while (set >= sets[choice]) set -= sets[choice++];
      std::vector<std::int64_t> condition;
      for (unsigned number = 0; number < 4; ++number) {
        if ((choice >> number & 1) == 0) continue;
        condition.push_back(places[number][set % std::ssize(places[number])]);
        set /= std::ssize(places[number]);
      }
      rng.shuffle(condition);
      problem.conditions.push_back(std::move(condition));
    }
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxShownNumbers));
    RETURN_IF_ERROR(within("conditions", std::ssize(problem.conditions), 1, kMaxConditions));
    for (const auto& places : problem.conditions) {
      RETURN_IF_ERROR(within("conditions", std::ssize(places), 2, 4));
      for (const std::int64_t place : places) {
        RETURN_IF_ERROR(within("conditions", place, 1, problem.N));
        if (std::ranges::count(places, place) > 1) {
          return failure("\"conditions\": place {} comes twice in one", place);
        }
      }
    }
    const auto planted = parse_int_list(problem.reference_answer);
    if (planted && score(problem, *planted) == kSolvedReward) return {};
    return failure("\"reference_answer\": \"{}\" does not meet all conditions",
                   problem.reference_answer);
  }

  static std::string prompt(const Problem& problem) {
    std::string lines;
    for (const auto& places : problem.conditions) lines += format_answer(places) + '\n';
    return fmt::format(
        "Build a sequence of {} numbers, each of them 0, 1, 2 or 3. Two numbers may stand next to "
        "each other, in either order, only if they are 0 and 1, 0 and 3, or 1 and 2; in particular "
        "equal numbers may not.\n"
        "Besides, each of the following lines names some places of the sequence, counted from 1. "
        "The numbers at the places of a line must all be different from each other:\n"
        "{}"
        "All these conditions can be met together; any sequence that meets them is right.\n"
        "Answer with the {} numbers on one line, separated by spaces.",
        problem.N, lines, problem.N);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != problem.N) return kInvalidReward;
    for (std::size_t i = 0; i < answer.size(); ++i) {
      if (answer[i] < 0 || answer[i] > 3) return kInvalidReward;
      if (i > 0 && !may_be_neighbours(answer[i - 1], answer[i])) return kInvalidReward;
    }
    std::int64_t met = 0;
    for (const auto& places : problem.conditions) {
      unsigned seen = 0;
      for (const std::int64_t place : places) seen |= 1u << answer[place - 1];
      met += std::popcount(seen) == std::ssize(places);
    }
    return share_reward(met, std::ssize(problem.conditions), kBeta);
  }

  static Answer solve(const Problem& problem) { return *parse_int_list(problem.reference_answer); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return draw_sequence(problem.N, rng);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    std::vector<SimpleRule<Answer>> found;
    for (const std::string_view pattern : {"0121", "1210", "2101", "1012", "0103", "1030", "0301",
                                           "3010", "01", "10", "03", "30", "12", "21"}) {
      Answer answer;
      for (int i = 0; i < problem.N; ++i) answer.push_back(pattern[i % pattern.size()] - '0');
      found.push_back({pattern, std::move(answer)});
    }
    return found;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  using Places = std::array<std::vector<std::int64_t>, 4>;  // where each number stands, from 1

  static bool may_be_neighbours(std::int64_t a, std::int64_t b) {
    if (a > b) std::swap(a, b);
    return (a == 0 && (b == 1 || b == 3)) || (a == 1 && b == 2);
  }

  static Answer draw_sequence(int n, Rng& rng) {
    Answer sequence;
    sequence.reserve(n);
    while (std::ssize(sequence) < n) {
      const auto next = static_cast<std::int64_t>(rng.below(4));
      if (sequence.empty() || may_be_neighbours(sequence.back(), next)) sequence.push_back(next);
    }
    return sequence;
  }

  static Places places_by_number(const Answer& sequence) {
    Places places;
    for (std::size_t i = 0; i < sequence.size(); ++i) {
      places[sequence[i]].push_back(static_cast<std::int64_t>(i) + 1);
    }
    return places;
  }

  // Allowed neighbours differ in parity, so only places with 0 and 2, or with 1 and 3, make a
  // condition that not every sequence meets. First each place is bound to one with the other number
  // of its parity, such that all of a parity hang together; then come further conditions.
  static Problem with_conditions(int n, const Places& places, Rng& rng) {
    Answer planted(static_cast<std::size_t>(n));
    for (std::size_t number = 0; number < 4; ++number) {
      for (const std::int64_t place : places[number]) {
        planted[place - 1] = static_cast<std::int64_t>(number);
      }
    }
    Problem problem{.N = n, .conditions = {}, .reference_answer = format_answer(planted)};
    std::set<std::vector<std::int64_t>> seen;
    // Adds a condition with these two places, maybe others; none that was there before.
    const auto add = [&](std::int64_t one, std::int64_t other) {
      std::vector<std::int64_t> condition{one, other};
      const std::size_t parity = 1 - static_cast<std::size_t>(planted[one - 1]) % 2;
      for (const std::size_t number : {parity, parity + 2}) {
        if (places[number].empty() || rng.chance(0.7)) continue;
        condition.push_back(places[number][rng.below(places[number].size())]);
      }
      std::vector<std::int64_t> sorted = condition;
      std::ranges::sort(sorted);
      if (!seen.insert(std::move(sorted)).second) return;
      rng.shuffle(condition);
      problem.conditions.push_back(std::move(condition));
    };
    for (const std::size_t parity : {0, 1}) {
      std::vector<std::int64_t> low = places[parity];
      std::vector<std::int64_t> high = places[parity + 2];
      if (low.empty() || high.empty()) continue;
      rng.shuffle(low);
      rng.shuffle(high);
      add(low[0], high[0]);
      for (std::size_t i = 1; i < low.size(); ++i) add(low[i], high[rng.below(high.size())]);
      for (std::size_t i = 1; i < high.size(); ++i) add(high[i], low[rng.below(low.size())]);
    }
    const std::int64_t wanted = rng.integer(n, 2 * std::int64_t{n});
    for (std::int64_t draw = 0; draw < 4 * wanted && std::ssize(seen) < wanted; ++draw) {
      const std::size_t parity = rng.below(2);
      if (places[parity].empty() || places[parity + 2].empty()) continue;
      add(places[parity][rng.below(places[parity].size())],
          places[parity + 2][rng.below(places[parity + 2].size())]);
    }
    rng.shuffle(problem.conditions);
    return problem;
  }
};
REDQUEEN_ENVIRONMENT(RangeFourSequenceConstruction);

}  // namespace
}  // namespace redqueen
