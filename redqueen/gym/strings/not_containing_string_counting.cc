#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/string/borders.h"

namespace redqueen {
namespace {

struct NotContainingStringCounting : StoredResidue {
  static constexpr Card card{
      .name = "NotContainingStringCounting",
      .published = true,
      .family = Family::kStrings,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Count the binary strings of a given length in which a given string does not occur, "
          "modulo a given number.",
      .levels =
          "The bound on the length starts at 8 and doubles with every level, that on the string "
          "that is avoided starts at 3 and grows by a tenth and one. Beyond level 50 the reference "
          "solution would take too long.",
      .rewards = "-1 malformed, -0.5 outside 0 to MOD - 1, 0 wrong, 1 right.",
      .differences =
          "The length and the modulus lie in the upper half of their ranges, the length of the "
          "string that is avoided in the upper third. Of several strings, each way in which they "
          "overlap themselves is as likely, and in half of the problems it must overlap.",
      .source =
          "A standard task; L. J. Guibas and A. M. Odlyzko, String overlaps, pattern matching, and "
          "nontransitive games, 1981.",
      .max_level = 50,
  };

  static constexpr std::int64_t kMaxModulus = 10'000;  // drawn
  static constexpr std::int64_t kLargestModulus = 1 << 20;
  static constexpr int kMaxPattern = 2000;
  static constexpr std::int64_t kMaxLength = std::int64_t{1} << 62;
  static constexpr int kDraws = 6;

  struct Config {
    std::int64_t MAX_N = 0;
    int MAX_M = 0;
    REDQUEEN_FIELDS(MAX_N, MAX_M)
  };
  struct Problem {
    std::int64_t N = 0;
    std::string pattern;
    std::int64_t MOD = 1;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(N, pattern, MOD, reference_answer)
  };

  static Config at_level(int level, Rng&) {
    return {.MAX_N = multiply(8, 2, level), .MAX_M = grow_by_tenth(3, level)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.N = draw_upper_half(3, config.MAX_N, rng),
                    .pattern = {},
                    .MOD = draw_upper_half(2, kMaxModulus, rng),
                    .reference_answer = 0};
    const std::int64_t longest = std::min<std::int64_t>(config.MAX_M, problem.N - 1);
    const std::int64_t length = rng.integer(longest - longest / 3, longest);
    using Candidate = std::optional<std::pair<std::vector<int>, std::string>>;
    const bool must_overlap = rng.chance(0.5);
    problem.pattern = draw_spread(kDraws, rng, [&]() -> Candidate {
      std::string pattern;
      for (std::int64_t i = 0; i < length; ++i) pattern += rng.chance(0.5) ? '1' : '0';
      std::vector<int> borders = all_borders(pattern);
      if (must_overlap && borders.empty()) return std::nullopt;
      return std::pair(std::move(borders), std::move(pattern));
    });
    problem.reference_answer = count(problem, all_borders(problem.pattern));
    return problem;
  }

  // Uniform sizes and modulus, and characters in a proportion of any kind.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{
        .N = rng.integer(3, config.MAX_N), .pattern = {}, .MOD = 2, .reference_answer = 0};
    const std::int64_t length = rng.integer(2, std::min<std::int64_t>(problem.N - 1, config.MAX_M));
    const double ones = rng.real();
    for (std::int64_t i = 0; i < length; ++i) problem.pattern += rng.chance(ones) ? '1' : '0';
    problem.MOD = rng.integer(2, kMaxModulus);
    problem.reference_answer = count(problem, all_borders(problem.pattern));
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxLength));
    RETURN_IF_ERROR(within("MOD", problem.MOD, 2, kLargestModulus));
    RETURN_IF_ERROR(within("pattern", std::ssize(problem.pattern), 1, kMaxPattern));
    if (problem.pattern.find_first_not_of("01") != std::string::npos) {
      return failure("\"pattern\": expected characters 0 or 1");
    }
    return reference_is("reference_answer", problem.reference_answer,
                        count(problem, all_borders(problem.pattern)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "How many strings of {0} characters, each of them 0 or 1, do not contain {1} as a "
        "contiguous piece? Let c be their number.\n"
        "Answer with the remainder of c divided by {2}, one integer from 0 to {3}.",
        problem.N, problem.pattern, problem.MOD, problem.MOD - 1);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const std::int64_t mod = problem.MOD;
    const auto m = static_cast<int>(problem.pattern.size());
    const std::int64_t all = pow_mod(2, problem.N, mod);
    const std::int64_t places = std::max<std::int64_t>(0, problem.N - m + 1);
    const std::int64_t once =
        mul_mod(places % mod, pow_mod(2, std::max<std::int64_t>(0, problem.N - m), mod), mod);
    std::vector<int> constant;
    for (int border = m - 1; border > 0; --border) constant.push_back(border);
    return {{"all strings", format_answer(all)},
            {"all but those with it at each place", format_answer(residue(all - once, mod))},
            {"as if it could not overlap itself", format_answer(count(problem, {}))},
            {"as if its characters were equal", format_answer(count(problem, constant))}};
  }

 private:
  using Series = std::vector<std::uint64_t>;  // coefficients below the modulus, that of z^0 first

  // With c(z) = 1 + Σ z^(m − border), the numbers have the generating function
  // c(z) / (z^m + (1 − 2z) c(z)) (Guibas and Odlyzko, equation 1.5 for one word).
  static std::int64_t count(const Problem& problem, const std::vector<int>& borders) {
    const auto mod = static_cast<std::uint64_t>(problem.MOD);
    const std::size_t m = problem.pattern.size();
    Series overlaps(m, 0);
    overlaps[0] = 1;
    for (const int border : borders) overlaps[m - static_cast<std::size_t>(border)] = 1;
    Series denominator(m + 1, 0);
    denominator[m] = 1;
    for (std::size_t i = 0; i < m; ++i) {
      denominator[i] = (denominator[i] + overlaps[i]) % mod;
      denominator[i + 1] = (denominator[i + 1] + 2 * (mod - overlaps[i])) % mod;
    }
    return coefficient(std::move(overlaps), std::move(denominator), problem.N, mod);
  }

  // That of z^n in numerator / denominator, whose constant term is 1. A. Bostan and R. Mori, "A
  // simple and fast algorithm for computing the N-th term of a linearly recurrent sequence", 2021:
  // both are multiplied by denominator(−z), and every other coefficient falls out.
  static std::int64_t coefficient(Series numerator, Series denominator, std::int64_t n,
                                  std::uint64_t mod) {
    for (; n > 0; n /= 2) {
      Series turned = denominator;
      for (std::size_t i = 1; i < turned.size(); i += 2) turned[i] = (mod - turned[i]) % mod;
      numerator = every_other(numerator, turned, static_cast<std::size_t>(n % 2), mod);
      denominator = every_other(denominator, turned, 0, mod);
    }
    return static_cast<std::int64_t>(numerator[0] % mod);
  }

  // Coefficients first, first + 2, … of a·b. Sums stay below 2^64: there are at most 2001 products
  // of numbers below 2^20.
  static Series every_other(const Series& a, const Series& b, std::size_t first,
                            std::uint64_t mod) {
    Series product;
    for (std::size_t k = first; k < a.size() + b.size() - 1; k += 2) {
      std::uint64_t sum = 0;
      const std::size_t begin = k < b.size() ? 0 : k - b.size() + 1;
      const std::size_t end = std::min(k + 1, a.size());
      for (std::size_t i = begin; i < end; ++i) sum += a[i] * b[k - i];
      product.push_back(sum % mod);
    }
    if (product.empty()) product.push_back(0);
    return product;
  }
};
REDQUEEN_ENVIRONMENT(NotContainingStringCounting);

}  // namespace
}  // namespace redqueen
