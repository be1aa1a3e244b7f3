#include <algorithm>
#include <bit>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct MinSumPreXor {
  static constexpr Card card{
      .name = "MinSumPreXor",
      .published = true,
      .family = Family::kBits,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task =
          "Fill the gaps of an array so that the sum of its prefix XORs is "
          "smallest.",
      .levels = "The array grows from 3 numbers by one a level, its values with it.",
      .rewards =
          "-1 malformed, -0.5 wrong count, a given number changed or a "
          "negative one filled in, "
          "else (least sum / sum)^5.",
      .differences =
          "At most half of the array is missing, and from 5 numbers "
          "on it is not best to make the "
          "prefix XOR 0 at every gap, nor to make each zero one of the "
          "prefix XORs up to the next gap; when nearly all was "
          "missing, the first solved the problem, and the second "
          "solved two in three.",
      .slow_reason = SlowReason::kStricter,
      .version = 2,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kDraws = 200;
  static constexpr std::int64_t kValuesPerPlace = 2;
  static constexpr std::int64_t kFree = -1;
  static constexpr std::int64_t kMaxValue = std::int64_t{1} << 40;
  static constexpr int kMaxCount = 1'000'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> P;
    REDQUEEN_FIELDS(N, P)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.N = config.N,
                    .P = std::vector<std::int64_t>(static_cast<std::size_t>(config.N))};
    return draw_accepted(
        kDraws,
        [&] {
          for (std::int64_t& p : problem.P) p = rng.integer(0, kValuesPerPlace * config.N);
          const auto gaps = static_cast<std::size_t>(rng.integer(1, config.N / 2));
          for (const std::int64_t place : rng.sample(0, config.N - 1, gaps)) {
            problem.P[place] = kFree;
          }
          return problem;
        },
        [](const Problem& drawn) {
          if (drawn.N < 5) return true;
          return sum_of_prefixes(one_zero_a_run(drawn)) != sum_of_prefixes(solve(drawn));
        });
  }

  // All numbers but one may be missing.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .P = {}};
    for (int i = 0; i < config.N; ++i) {
      problem.P.push_back(rng.integer(0, kValuesPerPlace * config.N));
    }
    const auto gaps = static_cast<std::size_t>(rng.integer(1, config.N - 1));
    for (const std::int64_t place : rng.sample(0, config.N - 1, gaps)) problem.P[place] = kFree;
    return problem;
  }

  static Status check(const Problem& problem) {
    if (problem.N < 1 || problem.N > kMaxCount ||
        problem.P.size() != static_cast<std::size_t>(problem.N)) {
      return failure("\"P\": expected \"N\" numbers, 1 to {}, found {}", kMaxCount,
                     problem.P.size());
    }
    for (const std::int64_t p : problem.P) {
      if (Status fits = within("P", p, kFree, kMaxValue); !fits) return fits;
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is an array P[1] to P[{0}]; -1 marks a number that is missing:\n"
        "{1}\n"
        "Replace every -1 by an integer ≥ 0 and leave the other numbers as they are. Let "
        "B[1] = P[1] and B[i] = B[i-1] XOR P[i] for i > 1 (bitwise). Make the sum of B[1] to "
        "B[{0}] as small as possible; if there are several ways, any of them will do.\n"
        "Answer with all {0} numbers of the completed array P on one line, separated by spaces.",
        problem.N, format_answer(problem.P));
  }

  // A number beyond 64 bits is read as the largest of them, and is as far from
  // best as that.
  static double score(const Problem& problem, const Answer& answer) {
    if (answer.size() != problem.P.size()) return kInvalidReward;
    for (std::size_t i = 0; i < answer.size(); ++i) {
      if (answer[i] < 0 || (problem.P[i] != kFree && answer[i] != problem.P[i])) {
        return kInvalidReward;
      }
    }
    return minimise_reward(sum_of_prefixes(answer), sum_of_prefixes(solve(problem)), kBeta);
  }

  // A gap can give B any value, so every run of given numbers after a gap can
  // be treated on its own, and every bit of it: B keeps or flips with the bit's
  // prefix XOR since the gap, and the start with fewer ones is taken.
  static Answer solve(const Problem& problem) {
    return fill(problem, [&](std::size_t gap) {
      std::array<std::int64_t, 41> ones{};
      std::int64_t length = 1;
      std::int64_t prefix = 0;
      for (std::size_t i = gap + 1; i < problem.P.size() && problem.P[i] != kFree; ++i, ++length) {
        prefix ^= problem.P[i];
        for (std::int64_t rest = prefix; rest != 0; rest &= rest - 1) {
          ++ones[std::countr_zero(static_cast<std::uint64_t>(rest))];
        }
      }
      std::int64_t start = 0;
      for (std::size_t bit = 0; bit < ones.size(); ++bit) {
        if (2 * ones[bit] > length) start |= std::int64_t{1} << bit;
      }
      return start;
    });
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer answer = problem.P;
    for (std::int64_t& p : answer) {
      if (p == kFree) p = rng.integer(0, kValuesPerPlace * problem.N);
    }
    return answer;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    Answer zeros = problem.P;
    std::ranges::replace(zeros, kFree, 0);
    return {{"zero in every gap", format_answer(zeros)},
            {"prefix XOR zero at every gap", format_answer(zero_at_gaps(problem))},
            {"prefix XOR zero once after every gap", format_answer(one_zero_a_run(problem))}};
  }

 private:
  // Every gap filled such that B is wanted(gap) there.
  template <typename Wanted>
  static Answer fill(const Problem& problem, Wanted wanted) {
    Answer answer = problem.P;
    std::int64_t b = 0;
    for (std::size_t i = 0; i < answer.size(); ++i) {
      if (answer[i] == kFree) answer[i] = b ^ wanted(i);
      b ^= answer[i];
    }
    return answer;
  }

  static Answer zero_at_gaps(const Problem& problem) {
    return fill(problem, [](std::size_t) { return std::int64_t{0}; });
  }

  // The best of the ways that make the prefix XOR 0 at the gap or at one of the places up to the
  // next gap. No worse than zero_at_gaps.
  static Answer one_zero_a_run(const Problem& problem) {
    return fill(problem, [&](std::size_t gap) {
      std::vector<std::int64_t> prefixes{0};  // of the run, from the gap on
      for (std::size_t i = gap + 1; i < problem.P.size() && problem.P[i] != kFree; ++i) {
        prefixes.push_back(prefixes.back() ^ problem.P[i]);
      }
      std::int64_t best = 0;
      std::optional<Int128> least;
      for (const std::int64_t start : prefixes) {
        Int128 sum = 0;
        for (const std::int64_t prefix : prefixes) sum += start ^ prefix;
        if (!least || sum < *least) {
          least = sum;
          best = start;
        }
      }
      return best;
    });
  }

  static Int128 sum_of_prefixes(const Answer& p) {
    Int128 sum = 0;
    std::int64_t b = 0;
    for (const std::int64_t number : p) {
      b ^= number;
      sum += b;
    }
    return sum;
  }
};
REDQUEEN_ENVIRONMENT(MinSumPreXor);

}  // namespace
}  // namespace redqueen
