#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct MinXorPair {
  static constexpr Card card{
      .name = "MinXorPair",
      .published = true,
      .family = Family::kBits,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task =
          "Find two numbers of a list whose bitwise XOR, in disguise, is "
          "smallest.",
      .levels =
          "The list grows from 3 numbers by a tenth and one a level; the "
          "numbers have 3 bits or "
          "more, such that more than twice as many values as numbers are "
          "possible.",
      .rewards =
          "-1 malformed or not two numbers, -0.5 not two indices in "
          "ascending order, else (least "
          "value / value)^5.",
      .differences =
          "Where the least value is 1 or 2, exactly one pair has it; there were several, and 1 was "
          "the least nearly always. From 5 numbers on, the two nearest numbers seldom are that "
          "pair: "
          "where a draw is found in time, others are as near.",
      .small_answer_space = "There are few pairs at low levels, three at level 0.",
      .guess_until_level = 0,
      .version = 2,
      .max_level = 60,
  };

  static constexpr double kBeta = 5.0;

  static constexpr int kFewNumbers = 5;
  static constexpr int kDraws = 30;
  static constexpr double kPlainShare = 0.1;

  struct Config {
    int N = 0;
    int max_bit_length = 0;
    REDQUEEN_FIELDS(N, max_bit_length)
  };
  struct Problem {
    int N = 0;
    int max_bit_length = 0;
    std::vector<std::int64_t> A;
    REDQUEEN_FIELDS(N, max_bit_length, A)
  };
  using Answer = std::pair<std::int64_t, std::int64_t>;

  static Config at_level(int level, Rng&) {
    return climb(Config{.N = 3, .max_bit_length = 3}, level, [](Config config) {
      config.N = grow_by_tenth(config.N, 1);
      while ((std::int64_t{1} << config.max_bit_length) <= 2 * std::int64_t{config.N}) {
        ++config.max_bit_length;
      }
      return config;
    });
  }

  static Problem generate(const Config& config, Rng& rng) {
    const bool plain = config.N < kFewNumbers || rng.chance(kPlainShare);
    return draw_preferred(
        kDraws, [&] { return draw(config, rng); },
        [&](const Problem& problem) {
          return plain || score(problem, nearest_numbers(problem)) < kSolvedReward;
        });
  }

  // Numbers that differ in more than the last bit, so that no pair gives 1, and
  // two that differ in the bit before it only also differ in the last, so that
  // none gives 2. Then one pair is made to give 1 or, where that can be, 2.
  static Problem draw(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .max_bit_length = config.max_bit_length, .A = {}};
    std::vector<std::int64_t>& a = problem.A;
    a = rng.sample(0, (std::int64_t{1} << (config.max_bit_length - 1)) - 1,
                   static_cast<std::size_t>(config.N));
    std::ranges::sort(a);
    std::vector<std::size_t> twins;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const bool twin = i > 0 && a[i] % 2 == 1 && a[i - 1] / 2 == a[i] - 1;
      const std::int64_t last = twin ? 1 - a[i - 1] % 2 : rng.integer(0, 1);
      if (twin) twins.push_back(i);
      a[i] = 2 * a[i] + last;
    }
    if (twins.empty() || rng.chance(0.5)) {
      const std::size_t copied = rng.below(a.size());
      const std::size_t lost = (copied + 1 + rng.below(a.size() - 1)) % a.size();
      a[lost] = a[copied] ^ 1;
    } else {
      a[rng.choice(twins)] ^= 1;
    }
    rng.shuffle(a);
    return problem;
  }

  // Different uniform numbers.
  static Problem published(const Config& config, Rng& rng) {
    return {.N = config.N,
            .max_bit_length = config.max_bit_length,
            .A = rng.sample(0, (std::int64_t{1} << config.max_bit_length) - 1,
                            static_cast<std::size_t>(config.N))};
  }

  static Status check(const Problem& problem) {
    if (problem.N < 2 || problem.A.size() != static_cast<std::size_t>(problem.N)) {
      return failure("\"A\": expected \"N\" ≥ 2 numbers, found {}", problem.A.size());
    }
    for (const std::int64_t a : problem.A) {
      if (Status fits = within("A", a, 0, std::int64_t{1} << 61); !fits) return fits;
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is an array A of {} different integers, indexed from 0:\n"
        "{}\n"
        "Find two indices i < j such that (A[i] AND A[j]) XOR (A[i] OR A[j]) "
        "is as small as "
        "possible; AND, OR and XOR are bitwise. If several pairs are best, any "
        "of them will do.\n"
        "Answer with the two indices, the smaller one first, separated by a "
        "space.",
        problem.N, format_answer(problem.A));
  }

  static std::optional<Answer> parse(std::string_view answer) {
    const auto numbers = parse_int_list(answer);
    if (!numbers || numbers->size() != 2) return std::nullopt;
    return Answer{(*numbers)[0], (*numbers)[1]};
  }

  static std::string format(const Answer& answer) {
    return fmt::format("{} {}", answer.first, answer.second);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (answer.first < 0 || answer.first >= answer.second || answer.second >= problem.N) {
      return kInvalidReward;
    }
    return minimise_reward(value(problem, answer), value(problem, solve(problem)), kBeta);
  }

  // In ascending order, the least XOR is that of two neighbours.
  static Answer solve(const Problem& problem) {
    return best_neighbours(problem, [](std::int64_t x, std::int64_t y) { return x ^ y; });
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    const std::vector<std::int64_t> pair = rng.sample(0, problem.N - 1, 2);
    return std::minmax(pair[0], pair[1]);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"the first two numbers", "0 1"},
            {"the two nearest numbers", format(nearest_numbers(problem))}};
  }

  static Answer nearest_numbers(const Problem& problem) {
    return best_neighbours(problem, [](std::int64_t x, std::int64_t y) { return y - x; });
  }

 private:
  static std::int64_t value(const Problem& problem, const Answer& pair) {
    return problem.A[pair.first] ^ problem.A[pair.second];
  }

  // The first of the pairs of neighbours in ascending order for which
  // cost(smaller, larger) is least.
  template <typename Cost>
  static Answer best_neighbours(const Problem& problem, Cost cost) {
    std::vector<std::pair<std::int64_t, std::int64_t>> sorted;
    sorted.reserve(problem.A.size());
    for (std::size_t i = 0; i < problem.A.size(); ++i) {
      sorted.emplace_back(problem.A[i], static_cast<std::int64_t>(i));
    }
    std::ranges::sort(sorted);
    std::size_t best = 1;
    for (std::size_t i = 2; i < sorted.size(); ++i) {
      if (cost(sorted[i - 1].first, sorted[i].first) <
          cost(sorted[best - 1].first, sorted[best].first)) {
        best = i;
      }
    }
    return std::minmax(sorted[best - 1].second, sorted[best].second);
  }
};
REDQUEEN_ENVIRONMENT(MinXorPair);

}  // namespace
}  // namespace redqueen
