#include <array>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct BezoutIdentity {
  static constexpr Card card{
      .name = "BezoutIdentity",
      .published = true,
      .family = Family::kNumberTheory,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task = "Combine given integers with integer factors to the smallest positive sum.",
      .levels =
          "The list grows from 2 numbers by one a level, the bound on them doubles from 32. Beyond "
          "level 30 the factors leave 128 bits.",
      .rewards = "-1 malformed, -0.5 wrong count or a sum that is not positive, else (gcd/sum)^5.",
      .differences =
          "Each of several primes divides all numbers but one or a few, so that neither a single "
          "number nor, from level 1 on, a pair attains the gcd of all.",
      .max_level = 30,
  };

  static constexpr std::int64_t kMaxNumber = std::int64_t{1} << 36;
  static constexpr std::array kPrimes{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};

  struct Config {
    int N = 0;
    std::int64_t MAX_A = 0;
    REDQUEEN_FIELDS(N, MAX_A)
  };
  struct Problem {
    int N = 0;
    std::int64_t MAX_A = 0;
    std::vector<std::int64_t> A;
    REDQUEEN_FIELDS(N, MAX_A, A)
  };
  using Answer = std::vector<BigInt>;

  static Config at_level(int level, Rng&) {
    return {.N = 2 + level, .MAX_A = multiply(32, 2, level)};
  }

  // Number i lacks prime i and holds the others, and every number beyond the primes lacks one of
  // them: the gcd needs numbers that lack each.
  static Problem generate(const Config& config, Rng& rng) {
    const std::vector<int> primes = draw_primes(config, rng);
    const auto count = static_cast<int>(primes.size());
    const std::int64_t product =
        std::accumulate(primes.begin(), primes.end(), std::int64_t{1}, std::multiplies<>());
    const std::int64_t room = config.MAX_A / (product / primes[0]);
    const std::int64_t shared = rng.integer(1, std::max<std::int64_t>(1, room / 4));
    Problem problem{.N = config.N, .MAX_A = config.MAX_A, .A = {}};
    for (int i = 0; i < config.N; ++i) {
      const int lacking = primes[i < count ? i : static_cast<int>(rng.below(primes.size()))];
      const std::int64_t base = product / lacking * shared;
      std::int64_t factor = rng.integer(1, config.MAX_A / base);
      if (factor % lacking == 0) --factor;
      problem.A.push_back(base * factor * (rng.chance(0.5) ? 1 : -1));
    }
    rng.shuffle(problem.A);
    return problem;
  }

  // As many as there are numbers, or fewer, ascending; all but the smallest multiply to MAX_A at
  // most.
  static std::vector<int> draw_primes(const Config& config, Rng& rng) {
    int most = 1;
    for (std::int64_t product = 1; most < std::min<int>(config.N, kPrimes.size()); ++most) {
      product *= kPrimes[most];
      if (product > config.MAX_A) break;
    }
    const auto count = static_cast<int>(rng.integer(std::min(3, most), most));
    std::vector<int> primes(kPrimes.begin(), kPrimes.begin() + count + 1);
    const auto left_out = static_cast<std::ptrdiff_t>(rng.below(primes.size()));
    std::int64_t product = 1;
    for (int i = left_out == 0 ? 2 : 1; i <= count; ++i) product *= i == left_out ? 1 : primes[i];
    primes.erase(product > config.MAX_A ? primes.end() - 1 : primes.begin() + left_out);
    return primes;
  }

  // Each number is the first of up to 1024 uniform ones that shares a factor with every number
  // before it; if none does, the first that shares factors with the most. Signs are random.
  static Problem published(const Config& config, Rng& rng) {
    constexpr int kTries = 1024;
    Problem problem{.N = config.N, .MAX_A = config.MAX_A, .A = {}};
    while (problem.A.size() < static_cast<std::size_t>(config.N)) {
      std::int64_t best = 0;
      std::int64_t most_shared = -1;
      const auto all = static_cast<std::int64_t>(problem.A.size());
      for (int i = 0; i < kTries && most_shared < all; ++i) {
        const std::int64_t number = rng.integer(2, config.MAX_A);
        const auto shared = std::ranges::count_if(
            problem.A, [&](std::int64_t a) { return std::gcd(number, a) > 1; });
        if (shared <= most_shared) continue;
        most_shared = shared;
        best = number;
      }
      problem.A.push_back(rng.chance(0.5) ? -best : best);
    }
    rng.shuffle(problem.A);
    return problem;
  }

  static Status check(const Problem& problem) {
    if (problem.N < 1 || problem.A.size() != static_cast<std::size_t>(problem.N)) {
      return failure("\"A\": expected \"N\" ≥ 1 numbers, found {}", problem.A.size());
    }
    for (const std::int64_t a : problem.A) {
      if (a == 0 || a < -kMaxNumber || a > kMaxNumber) {
        return failure("\"A\": {} is 0 or above {} in size", a, kMaxNumber);
      }
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    std::string sum = "A[1]·X[1]";
    if (problem.N > 2) sum += " + …";
    if (problem.N > 1) sum += fmt::format(" + A[{0}]·X[{0}]", problem.N);
    return fmt::format(
        "Here are {0} integers A[1] to A[{0}]:\n"
        "{1}\n"
        "Choose integers X[1] to X[{0}], of any sign and size, such that the sum S = {2} is "
        "positive and as small as possible.\n"
        "Answer with X[1] to X[{0}] on one line, separated by spaces.",
        problem.N, format_answer(problem.A), sum);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (answer.size() != problem.A.size()) return kInvalidReward;
    BigInt sum = 0;
    std::int64_t gcd = 0;
    for (std::size_t i = 0; i < answer.size(); ++i) {
      sum += answer[i] * problem.A[i];
      gcd = std::gcd(gcd, problem.A[i]);
    }
    if (sum <= 0) return kInvalidReward;
    return minimise_reward(sum, BigInt(gcd));
  }

  // Takes the numbers in order and uses those that lower the gcd so far. Every factor but the last
  // used one's is kept below that number, so that they stay small.
  static Answer solve(const Problem& problem) {
    const std::vector<std::int64_t>& a = problem.A;
    std::vector<Int128> x(a.size(), 0);
    std::int64_t gcd = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
      const Bezout bezout = extended_gcd(gcd, a[k]);
      if (bezout.gcd == gcd) continue;
      gcd = bezout.gcd;
      x[k] = bezout.y;
      for (std::size_t i = 0; i < k; ++i) {
        if (x[i] == 0) continue;
        const std::int64_t shared = std::gcd(a[i], a[k]);
        const Int128 scaled = x[i] * bezout.x;
        const Int128 excess = scaled / (a[k] / shared);
        x[i] = scaled - excess * (a[k] / shared);
        x[k] += excess * (a[i] / shared);
      }
    }
    return Answer(x.begin(), x.end());
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer answer;
    for (int i = 0; i < problem.N; ++i) answer.emplace_back(rng.integer(-9, 9));
    return answer;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const auto smallest =
        std::ranges::min_element(problem.A, {}, [](std::int64_t a) { return std::abs(a); });
    std::vector<int> unit(problem.A.size(), 0);
    unit[smallest - problem.A.begin()] = *smallest > 0 ? 1 : -1;
    std::vector<std::int64_t> pair(problem.A.size(), 0);
    if (problem.A.size() >= 2) {
      const Bezout bezout = extended_gcd(problem.A[0], problem.A[1]);
      pair[0] = bezout.x;
      pair[1] = bezout.y;
    }
    return {{"the smallest number alone", format_answer(unit)},
            {"the first two numbers alone", format_answer(pair)}};
  }
};
REDQUEEN_ENVIRONMENT(BezoutIdentity);

}  // namespace
}  // namespace redqueen
