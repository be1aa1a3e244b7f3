#include <algorithm>
#include <array>

#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/residue_answer.h"
#include "redqueen/gym/common/number/prime_field.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct SingingGirlStory {
  static constexpr Card card{
      .name = "SingingGirlStory",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Count the arrays of integers of 1 … A whose largest elements on given intervals are "
          "given, modulo a prime.",
      .levels =
          "The bound on the length and on the number of intervals is 3 and grows by one a level.",
      .rewards = "-1 malformed, -0.5 no residue, 0 wrong, 1 right.",
      .differences =
          "The length, A and the number of intervals lie in the upper parts of their ranges, no "
          "interval occurs twice, most intervals take up a third of the array at most, and the "
          "count is not what it were with upper bounds only or with every interval for itself. "
          "Up to length 12, counts are drawn evenly among those that come up.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "At level 0 there are three places and two or three values, so that at most 26 arrays "
          "are left.",
      .guess_until_level = 0,
  };

  static constexpr std::array<std::int64_t, 3> kPrimes{666'623'333, 998'244'353, 1'000'000'007};
  static constexpr int kMaxLength = 1000;
  static constexpr int kMaxConditions = 1000;
  static constexpr int kShort = 12;  // up to here, counts are drawn evenly
  static constexpr int kDraws = 8;

  using Condition = std::array<int, 3>;  // l, r, v

  struct Config {
    int MAX_N_M = 0;
    REDQUEEN_FIELDS(MAX_N_M)
  };
  struct Problem {
    int MAX_N_M = 0;
    int N = 0;
    int A = 0;
    std::vector<Condition> conditions;
    std::int64_t MOD = 0;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(MAX_N_M, N, A, conditions, MOD, reference_answer)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.MAX_N_M = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    const int draws = config.MAX_N_M <= kShort ? kDraws : 2;
    return draw_spread(draws, rng, [&]() -> std::optional<std::pair<Answer, Problem>> {
      Problem problem = draw(config, rng);
      if (problem.reference_answer <= 1) return std::nullopt;
      if (config.MAX_N_M > 3 && some_rule_solves<SingingGirlStory>(problem)) return std::nullopt;
      const Answer answer = problem.reference_answer;
      return std::pair(answer, std::move(problem));
    });
  }

  // The length, A, the number of intervals and the lengths of these are uniform, and intervals may
  // repeat.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.MAX_N_M = config.MAX_N_M};
    problem.N = static_cast<int>(rng.integer(3, config.MAX_N_M));
    problem.A = static_cast<int>(rng.integer(2, problem.N));
    std::vector<int> hidden(static_cast<std::size_t>(problem.N));
    for (int& height : hidden) height = static_cast<int>(rng.integer(1, problem.A));
    for (std::int64_t left = rng.integer(1, config.MAX_N_M); left > 0; --left) {
      problem.conditions.push_back(draw_condition(hidden, problem.N, rng));
    }
    problem.MOD = rng.choice(kPrimes);
    problem.reference_answer = count(problem);
    return problem;
  }

  // Of two places at least and `longest` at most.
  static Condition draw_condition(const std::vector<int>& hidden, std::int64_t longest, Rng& rng) {
    const std::int64_t length = rng.integer(2, longest);
    const auto l = static_cast<int>(rng.integer(1, std::ssize(hidden) - length + 1));
    const auto r = static_cast<int>(l + length - 1);
    return {l, r, *std::max_element(hidden.begin() + l - 1, hidden.begin() + r)};
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxLength));
    RETURN_IF_ERROR(within("A", problem.A, 1, 1'000'000));
    RETURN_IF_ERROR(within("conditions", std::ssize(problem.conditions), 0, kMaxConditions));
    for (const auto& [l, r, v] : problem.conditions) {
      RETURN_IF_ERROR(within("conditions", r, 1, problem.N));
      RETURN_IF_ERROR(within("conditions", l, 1, r));
      RETURN_IF_ERROR(within("conditions", v, 1, problem.A));
    }
    if (std::ranges::find(kPrimes, problem.MOD) == kPrimes.end()) {
      return failure("\"MOD\": expected {}, found {}", fmt::join(kPrimes, " or "), problem.MOD);
    }
    return reference_is("reference_answer", problem.reference_answer, count(problem));
  }

  static std::string prompt(const Problem& problem) {
    std::string list;
    for (const auto& [l, r, v] : problem.conditions) {
      append_format(list, "max(H[{}], …, H[{}]) = {}\n", l, r, v);
    }
    return fmt::format(
        "Count the arrays H[1], …, H[{0}] of integers from 1 to {1} that meet all of these "
        "conditions on the largest element between two places, both of them included:\n"
        "{2}"
        "What is the remainder of their number when divided by {3}?\n"
        "Answer with one integer from 0 to {4}.",
        problem.N, problem.A, list, problem.MOD, problem.MOD - 1);
  }

  static double score(const Problem& problem, Answer answer) {
    return residue_reward(answer, problem.reference_answer, problem.MOD);
  }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(0, problem.MOD - 1);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const PrimeField field(problem.MOD);
    std::int64_t bounds = 1;
    for (const int cap : caps(problem)) bounds = field.multiply(bounds, std::min(cap, problem.A));
    // Every interval for itself: v^length − (v − 1)^length; places outside of all are free.
    std::int64_t apart = 1;
    for (const auto& [l, r, v] : problem.conditions) {
      const std::int64_t length = r - l + 1;
      apart =
          field.multiply(apart, field.subtract(field.power(v, length), field.power(v - 1, length)));
    }
    for (const int cap : caps(problem))
      apart = cap > problem.A ? field.multiply(apart, cap - 1) : apart;
    return {{"1", 1},
            {"upper bounds only", bounds},
            {"no conditions", field.power(problem.A, problem.N)},
            {"every interval for itself", apart}};
  }

 private:
  static Problem draw(const Config& config, Rng& rng) {
    Problem problem{.MAX_N_M = config.MAX_N_M};
    problem.N = static_cast<int>(draw_upper_half(3, config.MAX_N_M, rng));
    problem.A = static_cast<int>(rng.integer(std::max(2, (problem.N + 1) / 2), problem.N));
    std::vector<int> hidden(static_cast<std::size_t>(problem.N));
    for (int& height : hidden) height = static_cast<int>(rng.integer(1, problem.A));
    const std::int64_t count = draw_upper_half(1, config.MAX_N_M, rng);
    // Long intervals have one largest element in common, so most are short.
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t longest = rng.chance(0.7) ? std::max(2, problem.N / 3) : problem.N;
      const Condition condition = draw_condition(hidden, longest, rng);
      if (std::ranges::find(problem.conditions, condition) == problem.conditions.end()) {
        problem.conditions.push_back(condition);
      }
    }
    problem.MOD = kPrimes[rng.below(kPrimes.size())];
    problem.reference_answer = SingingGirlStory::count(problem);
    return problem;
  }

  // The least v of the intervals over each place; A + 1 outside of all.
  static std::vector<int> caps(const Problem& problem) {
    std::vector<int> caps(static_cast<std::size_t>(problem.N), problem.A + 1);
    for (const auto& [l, r, v] : problem.conditions) {
      for (int i = l - 1; i < r; ++i) caps[i] = std::min(caps[i], v);
    }
    return caps;
  }

  // An interval's v can only stand on places whose cap it is, so that the values v separate.
  static std::int64_t count(const Problem& problem) {
    const PrimeField field(problem.MOD);
    const std::vector<int> cap = caps(problem);
    std::int64_t product = 1;
    std::vector<int> values;
    for (const int c : cap) {
      if (c > problem.A) product = field.multiply(product, problem.A);
    }
    values.reserve(problem.conditions.size());
    for (const Condition& condition : problem.conditions) values.push_back(condition[2]);
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    for (const int v : values) product = field.multiply(product, arrays_with(problem, cap, v));
    return product;
  }

  // The ways to fill the places of cap v. by_last[i]: those of the first places in which place i is
  // the last one that holds v itself; place 0 is in front of all and stands for none.
  static std::int64_t arrays_with(const Problem& problem, const std::vector<int>& cap, int v) {
    const PrimeField field(problem.MOD);
    // By its end, the latest begin of an interval of this v.
    std::vector<int> latest(static_cast<std::size_t>(problem.N) + 1);
    for (const auto& [l, r, value] : problem.conditions) {
      if (value == v) latest[r] = std::max(latest[r], l);
    }
    std::vector<std::int64_t> by_last(static_cast<std::size_t>(problem.N) + 1);
    by_last[0] = 1;
    int first = 0;  // the last place of v cannot be before it
    for (int i = 1; i <= problem.N; ++i) {
      if (cap[i - 1] == v) {
        std::int64_t sum = 0;
        for (int last = first; last < i; ++last) {
          sum = field.add(sum, by_last[last]);
          by_last[last] = field.multiply(by_last[last], v - 1);
        }
        by_last[i] = sum;
      }
      first = std::max(first, latest[i]);
    }
    std::int64_t sum = 0;
    for (int last = first; last <= problem.N; ++last) sum = field.add(sum, by_last[last]);
    return sum;
  }
};
REDQUEEN_ENVIRONMENT(SingingGirlStory);

}  // namespace
}  // namespace redqueen
