#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/fraction_answer.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/random_integer.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct Cinema {
  static constexpr Card card{
      .name = "Cinema",
      .published = true,
      .family = Family::kProbability,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kExact,
      .task =
          "N people take the first free one of K seats from a random seat on; find the probability "
          "that nobody has to stand.",
      .levels =
          "The bound on the number of seats starts at 4 and grows by half each level; people grow "
          "with it as long as the answer stays below 10^36, and from level 20 on hardly get more.",
      .rewards = "-1 malformed, 0 wrong or not in lowest terms, 1 right.",
      .differences =
          "K is the larger of two draws. N is bounded so that K^N is at most 10^36, because the "
          "published problems ask for numbers of thousands of digits at high levels.",
      .max_level = 20,
  };

  static constexpr int kMaxAnswerDigits = 36;  // of what is generated
  static constexpr std::int64_t kMaxSeats = 1'000'000;
  // K^N ≤ 10^(6·650) < 10^4300, the longest integer that can be answered.
  static constexpr std::int64_t kMaxPeople = 650;

  struct Config {
    std::int64_t MAX_N_K = 0;
    REDQUEEN_FIELDS(MAX_N_K)
  };
  struct Problem {
    std::int64_t MAX_N_K = 0;
    std::int64_t N = 0;
    std::int64_t K = 0;
    REDQUEEN_FIELDS(MAX_N_K, N, K)
  };
  using Answer = std::vector<BigInt>;

  static Config at_level(int level, Rng&) { return {.MAX_N_K = grow_by_half(4, level, kMaxSeats)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const std::int64_t one = rng.integer(2, config.MAX_N_K);
    const std::int64_t other = rng.integer(2, config.MAX_N_K);
    const std::int64_t seats = std::max(one, other);
    return {.MAX_N_K = config.MAX_N_K, .N = rng.integer(2, most_people(seats)), .K = seats};
  }

  // At most one to a seat, and answers of at most kMaxAnswerDigits digits.
  static std::int64_t most_people(std::int64_t seats) {
    static const BigInt limit = power_of_ten(kMaxAnswerDigits);
    std::int64_t people = 1;
    for (BigInt power = seats; people < seats && power * seats <= limit; ++people) power *= seats;
    return people;
  }

  static Problem published(const Config& config, Rng& rng) {
    const std::int64_t people = rng.integer(2, std::min(config.MAX_N_K, kMaxPeople));
    return {.MAX_N_K = config.MAX_N_K, .N = people, .K = rng.integer(people, config.MAX_N_K)};
  }

  static Status check(const Problem& problem) {
    return within("K", problem.K, 1, kMaxSeats).and_then([&] {
      return within("N", problem.N, 1, std::min(problem.K, kMaxPeople));
    });
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A cinema has {1} seats in a row, numbered 1 to {1}, all free. {0} people enter one after "
        "another. Each draws a seat number from 1 to {1}, uniformly and independently, and takes "
        "the first free seat among the drawn one and those with larger numbers; if all of these "
        "are taken, the person stands. What is the probability that nobody stands?\n"
        "Write it as a fraction in lowest terms. Answer with numerator and denominator, two "
        "integers separated by a space.",
        problem.N, problem.K);
  }

  static std::optional<Answer> parse(std::string_view answer) {
    auto numbers = parse_integer_list(answer);
    if (!numbers || numbers->size() != 2) return std::nullopt;
    return numbers;
  }

  static double score(const Problem& problem, const Answer& answer) {
    return exact_reward(answer == solve(problem));
  }

  // On a circle of K + 1 seats everybody sits, and each seat stays free with the same probability
  // (K + 1 − N)/(K + 1). Nobody stands on the row if the added seat stays free: (K + 1)^(N−1)·
  // (K + 1 − N) of the K^N draws (Konheim and Weiss 1966, parking functions).
  static Answer solve(const Problem& problem) {
    const auto people = static_cast<unsigned>(problem.N);
    const BigInt good =
        BigInt(pow(BigInt(problem.K + 1), people - 1)) * (problem.K + 1 - problem.N);
    const FractionAnswer fraction = reduced_fraction(good, BigInt(pow(BigInt(problem.K), people)));
    return {fraction.numerator, fraction.denominator};
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    const BigInt denominator = solve(problem)[1];
    const BigInt numerator = random_integer(1, denominator, rng);
    return {numerator, denominator};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    BigInt distinct = 1;
    for (std::int64_t i = 0; i < problem.N; ++i) distinct *= problem.K - i;
    const auto people = static_cast<unsigned>(problem.N);
    const FractionAnswer fraction =
        reduced_fraction(distinct, BigInt(pow(BigInt(problem.K), people)));
    return {{"all draws differ", format_answer(Answer{fraction.numerator, fraction.denominator})}};
  }
};
REDQUEEN_ENVIRONMENT(Cinema);

}  // namespace
}  // namespace redqueen
