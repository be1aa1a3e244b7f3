#include <array>
#include <bit>
#include <limits>
#include <set>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/number/sieve.h"
#include "redqueen/gym/common/number/smooth.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

constexpr std::array kPrimes{2,  3,  5,  7,  11, 13, 17, 19, 23, 29, 31, 37,
                             41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89};

// Searches the ways to write K as a product of factors that do not grow: the exponents, plus one,
// of 2, 3, 5, …
class SmallestWithDivisors {
 public:
  explicit SmallestWithDivisors(std::int64_t count) : divisors_(divisors_of(count)) {
    search(count, count, 0.0);
  }

  const BigInt& value() const { return best_; }

 private:
  // Logarithms bound the search; where they cannot tell two numbers apart, the numbers do.
  static constexpr double kDoubt = 1e-9;

  void search(std::int64_t left, std::int64_t largest, double logarithm) {
    if (logarithm > best_logarithm_ + kDoubt) return;
    if (left == 1) {
      const BigInt found = product();
      if (best_ != 0 && found >= best_) return;
      best_ = found;
      best_logarithm_ = logarithm;
      return;
    }
    if (factors_.size() == kPrimes.size()) return;
    const double step = std::log(kPrimes[factors_.size()]);
    for (const std::int64_t factor : divisors_) {
      if (factor > largest || factor > left) break;
      if (factor == 1 || left % factor != 0) continue;
      factors_.push_back(factor);
      search(left / factor, factor, logarithm + static_cast<double>(factor - 1) * step);
      factors_.pop_back();
    }
  }

  BigInt product() const {
    BigInt result = 1;
    for (std::size_t i = 0; i < factors_.size(); ++i) {
      result *= pow(BigInt(kPrimes[i]), static_cast<unsigned>(factors_[i] - 1));
    }
    return result;
  }

  std::vector<std::int64_t> divisors_;
  std::vector<std::int64_t> factors_;
  BigInt best_ = 0;
  double best_logarithm_ = std::numeric_limits<double>::infinity();
};

struct MinKDivisorNumber {
  static constexpr Card card{
      .name = "MinKDivisorNumber",
      .published = true,
      .family = Family::kNumberTheory,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kMinimise,
      .task = "Find the smallest positive integer with exactly K divisors.",
      .levels = "The bound on K starts at 5 and doubles each level, up to level 20.",
      .rewards =
          "-1 malformed or not positive, 0 if the number of divisors is not K, else "
          "(smallest/answer)^2.",
      .differences =
          "From level 2 on K is composite and has no prime above 13, and from level 4 on the "
          "number with one prime for each prime factor of K is seldom the smallest: 2^(K-1), with "
          "hundreds of digits, and that rule would answer almost all. Answers more than a million "
          "times too large earn 0, where they would earn less than 1e-12.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "A problem is one number K, and up to 80, level 4, one prime for each prime factor of K "
          "is enough for all but 8, 16, 24, 32, 48, 64, 72 and 80.",
      .guess_until_level = 4,
      .source = "Find the positive integer (求正整数), HNOI 2001",
      .version = 2,
      .max_level = 20,
  };

  static constexpr std::int64_t kMaxK = (std::int64_t{1} << 23) - 1;
  static constexpr std::int64_t kMaxPrime = 14'000;  // of K, so that the answer has 4300 digits
  static constexpr std::int64_t kMaxWritten = 2000;  // of K, beyond which nobody writes 2^(K-1)
  static constexpr int kTooLarge = 1'000'000;
  static constexpr std::int64_t kManyTwos = 80;  // from here on, there are such K to choose from
  static constexpr double kPlainShare = 0.15;
  static constexpr double kBeta = 2.0;
  static constexpr std::array kFactors{2, 2, 2, 3, 3, 5, 5, 7, 11, 13};
  static constexpr std::array kOddFactors{3, 3, 3, 5, 5, 7, 11, 13};

  struct Config {
    std::int64_t MAX_K = 0;
    REDQUEEN_FIELDS(MAX_K)
  };
  struct Problem {
    std::int64_t MAX_K = 0;
    std::int64_t K = 0;
    REDQUEEN_FIELDS(MAX_K, K)
  };
  using Answer = BigInt;

  static Config at_level(int level, Rng&) { return {.MAX_K = multiply(5, 2, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.MAX_K = config.MAX_K, .K = 0};
    if (config.MAX_K <= 10) {
      problem.K = rng.integer(2, config.MAX_K);
      return problem;
    }
    // A few numbers come up most often: each that did come up is as likely.
    const bool few = config.MAX_K < kManyTwos;
    std::set<std::int64_t> drawn;
    for (int i = few ? 10 : 30; i > 0; --i) drawn.insert(draw_count(config.MAX_K, rng));
    std::vector<std::int64_t> counts(drawn.begin(), drawn.end());
    rng.shuffle(counts);
    const bool may_be_plain = few || rng.chance(kPlainShare);
    for (const std::int64_t count : counts) {
      if (count == 1 || is_prime(count)) continue;
      problem.K = count;
      if (may_be_plain || !is_plain(count)) return problem;
    }
    throw Retry();
  }

  // It takes many factors 2 for plain_number not to be the smallest: some of them then join.
  static std::int64_t draw_count(std::int64_t bound, Rng& rng) {
    const std::int64_t limit = draw_upper_half(2, bound, rng);
    if (rng.chance(bound < kManyTwos ? 0.6 : 0.2)) return draw_smooth(kFactors, limit, rng);
    const auto least_twos = rng.integer(3, std::bit_width(static_cast<std::uint64_t>(limit)) - 1);
    std::int64_t count = draw_smooth(kOddFactors, limit >> least_twos, rng);
    while (count <= limit / 2) count *= 2;
    return count;
  }

  // With exponent p − 1 for every prime factor p of K, largest first.
  static Answer plain_number(std::int64_t count) {
    std::vector<std::int64_t> factors;
    for (const auto& [prime, exponent] : factorise(count)) {
      factors.insert(factors.begin(), static_cast<std::size_t>(exponent), prime);
    }
    Answer plain = 1;
    for (std::size_t i = 0; i < factors.size(); ++i) {
      plain *= pow(BigInt(kPrimes[i]), static_cast<unsigned>(factors[i] - 1));
    }
    return plain;
  }

  static bool is_plain(std::int64_t count) {
    return SmallestWithDivisors(count).value() == plain_number(count);
  }

  // A uniform K, which may be 1 or a prime. An answer of more than 4300 digits, which RLVE-Gym
  // cannot print, is drawn again.
  static Problem published(const Config& config, Rng& rng) {
    const Problem problem{.MAX_K = config.MAX_K, .K = rng.integer(1, config.MAX_K)};
    if (!check(problem)) throw Retry();
    return problem;
  }

  static Status check(const Problem& problem) {
    if (auto sound = within("K", problem.K, 1, kMaxK); !sound) return sound;
    if (problem.K > 1 && factorise(problem.K).back().prime > kMaxPrime) {
      return failure("\"K\": {} has a prime factor above {}", problem.K, kMaxPrime);
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Find the smallest positive integer that has exactly {} positive divisors (1 and the "
        "number itself included).\n"
        "Answer with one integer, written out in full.",
        problem.K);
  }

  static double score(const Problem& problem, const Answer& answer, const Answer& right) {
    if (answer <= 0) return kMalformedReward;
    if (answer == right) return kSolvedReward;
    if (answer < right || answer > right * kTooLarge) return 0.0;
    if (count_divisors(answer) != problem.K) return 0.0;
    return minimise_reward(answer, right, kBeta);
  }

  // 0 where what is left after the primes below 1000 does not fit 62 bits; then the count cannot be
  // K. For as K has less than 24 prime factors, each prime above 1000 could be replaced by one
  // below 100, which makes the number 10 times smaller or more, yet not smaller than the smallest:
  // at most 6 such primes, and 10^6 · 100^6 < 2^62.
  static std::int64_t count_divisors(BigInt number) {
    static const std::vector<int> kSmallPrimes = primes_up_to(1000);
    std::int64_t count = 1;
    const BigInt most = std::numeric_limits<std::int64_t>::max() / 2;
    for (const int prime : kSmallPrimes) {
      if (number <= most) break;  // the rest is quicker in machine words
      int exponent = 0;
      for (; number % prime == 0; number /= prime) ++exponent;
      count *= exponent + 1;
      if (count > kMaxK) return 0;
    }
    if (number > most) return 0;
    for (const PrimePower& power : factorise(number.convert_to<std::int64_t>())) {
      count *= power.exponent + 1;
    }
    return count;
  }

  static Answer solve(const Problem& problem) { return SmallestWithDivisors(problem.K).value(); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_count(solve(problem), rng);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    std::vector<NamedAnswer> answers{
        {"one prime for each prime factor of K", format_answer(plain_number(problem.K))}};
    if (problem.K <= kMaxWritten) {
      answers.push_back({"a power of two", format_answer(BigInt(BigInt(1) << (problem.K - 1)))});
    }
    return answers;
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(MinKDivisorNumber);

}  // namespace
}  // namespace redqueen
