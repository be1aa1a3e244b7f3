#include <algorithm>
#include <array>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/text.h"

namespace redqueen {
namespace {

struct MaxMultSplit {
  static constexpr Card card{
      .name = "MaxMultSplit",
      .published = true,
      .family = Family::kStrings,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMaximise,
      .task =
          "Cut a string of digits into a given number of numbers so that their product is as large "
          "as possible.",
      .levels =
          "The string grows from 3 digits by a tenth and one a level; there are 2 cuts or a share "
          "from 5 to 95 % of the digits. Beyond level 30 the products would be too long to "
          "multiply.",
      .rewards =
          "-1 malformed, -0.5 another number of pieces or pieces that do not give the string, else "
          "(product / greatest product)^3.",
      .differences =
          "The string is not cut into single digits, which is one way only, where it has more "
          "than 3. In some problems only a few different digits occur. From 5 digits on, a problem "
          "is drawn again that cutting before the greatest digits solves, from 8 on also one that "
          "equal lengths or a single long piece solve.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "There is one way at level 0 and 3 at level 1; with 5 digits, at level 2, there are 4 or "
          "6, and with 6, at level 3, 5 or 10.",
      .guess_until_level = 3,
      .max_level = 30,
  };

  static constexpr std::array kShares{0.05, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95};
  static constexpr double kBeta = 3.0;
  static constexpr int kMaxDigits = 150;
  static constexpr int kGreatestFrom = 5;
  static constexpr int kAllRulesFrom = 8;
  static constexpr int kGreatestRules = 3;
  static constexpr int kDraws = 300;

  struct Config {
    int N = 0;
    int K = 0;
    REDQUEEN_FIELDS(N, K)
  };
  struct Problem {
    int N = 0;
    int K = 0;
    std::string string;
    BigInt gold_answer;
    REDQUEEN_FIELDS(N, K, string, gold_answer)
  };
  using Answer = std::vector<BigInt>;

  static Config at_level(int level, Rng& rng) {
    const int n = grow_by_tenth(3, level);
    std::vector<int> cuts{2};
    for (const double share : kShares) {
      const auto k = static_cast<int>(n * share);
      if (k > cuts.back() && k < n - 1) cuts.push_back(k);
    }
    return {.N = n, .K = rng.choice(cuts)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    const auto draw = [&] {
      Problem problem{.N = config.N, .K = config.K, .string = {}, .gold_answer = 0};
      std::string digits = "123456789";
      rng.shuffle(digits);
      if (rng.chance(0.5)) digits.resize(rng.integer(2, 5));
      for (int i = 0; i < config.N; ++i) problem.string += rng.choice(digits);
      problem.gold_answer = Splits(problem).greatest_product();
      return problem;
    };
    return draw_accepted(kDraws, draw, [&](const Problem& problem) {
      if (config.N < kGreatestFrom) return true;
      const int tried = config.N < kAllRulesFrom ? kGreatestRules : static_cast<int>(kRules.size());
      for (int rule = 0; rule < tried; ++rule) {
        if (product(problem.string, begins_by(rule, problem)) == problem.gold_answer) return false;
      }
      return true;
    });
  }

  // 2 and N - 1 cuts, and the published shares of N between.
  static Config published_level(int level, Rng& rng) {
    const int n = grow_by_tenth(3, level);
    std::vector<int> cuts{2};
    for (const double share : kShares) {
      const auto k = static_cast<int>(n * share);
      if (k > cuts.back() && k < n) cuts.push_back(k);
    }
    if (cuts.back() != n - 1) cuts.push_back(n - 1);
    return {.N = n, .K = rng.choice(cuts)};
  }

  // Uniform digits.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .K = config.K, .string = {}, .gold_answer = 0};
    for (int i = 0; i < config.N; ++i) problem.string += static_cast<char>('1' + rng.below(9));
    problem.gold_answer = Splits(problem).greatest_product();
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMaxDigits));
    RETURN_IF_ERROR(within("K", problem.K, 1, problem.N - 1));
    RETURN_IF_ERROR(check_text("string", problem.string, problem.N, "123456789", "digits 1 to 9"));
    return reference_is("gold_answer", problem.gold_answer, Splits(problem).greatest_product());
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a string of {} digits, none of them 0: {}\n"
        "Cut it into exactly {} non-empty pieces of consecutive digits. Each piece is read as a "
        "decimal number. The product of these numbers shall be as large as possible; if several "
        "ways are best, any of them will do.\n"
        "Answer with the {} numbers in the order of the string, separated by spaces.",
        problem.N, problem.string, problem.K + 1, problem.K + 1);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != problem.K + 1) return kInvalidReward;
    std::string joined;
    for (const BigInt& piece : answer) {
      if (piece < 1) return kInvalidReward;
      joined += piece.str();
      if (joined.size() > problem.string.size()) return kInvalidReward;
    }
    if (joined != problem.string) return kInvalidReward;
    return maximise_reward(product(answer), problem.gold_answer, kBeta);
  }

  static Answer solve(const Problem& problem) {
    return pieces(problem.string, Splits(problem).best_begins());
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Begins begins = rng.sample(1, problem.N - 1, static_cast<std::size_t>(problem.K));
    std::ranges::sort(begins);
    return pieces(problem.string, begins);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    std::vector<NamedAnswer> named;
    for (int rule = 0; rule < std::ssize(kRules); ++rule) {
      named.push_back({std::string(kRules[rule]),
                       format_answer(pieces(problem.string, begins_by(rule, problem)))});
    }
    return named;
  }

 private:
  using Begins = std::vector<std::int64_t>;  // of all pieces but the first, ascending

  static constexpr std::array<std::string_view, 6> kRules{
      "cutting before the greatest digits, the first ones of equals",
      "cutting before the greatest digits, the last ones of equals",
      "cutting before the greatest endings of the string, in the order of a dictionary",
      "equal lengths",
      "a long first piece, then single digits",
      "single digits, then a long last piece"};

  static Begins begins_by(int rule, const Problem& problem) {
    const std::string& s = problem.string;
    if (rule < kGreatestRules) {
      Begins places(s.size() - 1);
      std::iota(places.begin(), places.end(), std::int64_t{1});
      std::ranges::sort(places, [&](std::int64_t i, std::int64_t j) {
        if (rule == 2) return s.compare(i, s.size(), s, j) > 0;
        if (s[i] != s[j]) return s[i] > s[j];
        return rule == 0 ? i < j : i > j;
      });
      places.resize(problem.K);
      std::ranges::sort(places);
      return places;
    }
    Begins places;
    for (std::int64_t i = 1; i <= problem.K; ++i) {
      places.push_back(rule == 3   ? problem.N * i / (problem.K + 1)
                       : rule == 4 ? problem.N - 1 - problem.K + i
                                   : i);
    }
    return places;
  }

  static BigInt value(std::string_view digits) {
    BigInt number = 0;
    constexpr std::size_t kWord = 18;
    while (!digits.empty()) {
      const std::string_view part = digits.substr(0, kWord);
      std::int64_t word = 0;
      std::int64_t scale = 1;
      for (const char c : part) {
        word = 10 * word + (c - '0');
        scale *= 10;
      }
      number = number * scale + word;
      digits.remove_prefix(part.size());
    }
    return number;
  }

  static Answer pieces(std::string_view s, const Begins& begins) {
    Answer numbers;
    std::int64_t first = 0;
    for (const std::int64_t begin : begins) {
      numbers.push_back(value(s.substr(first, begin - first)));
      first = begin;
    }
    numbers.push_back(value(s.substr(first)));
    return numbers;
  }

  static BigInt product(const Answer& numbers) {
    BigInt result = 1;
    for (const BigInt& number : numbers) result *= number;
    return result;
  }

  static BigInt product(std::string_view s, const Begins& begins) {
    constexpr std::size_t kFitsWord = 18;
    if (s.size() > kFitsWord) return product(pieces(s, begins));
    std::int64_t result = 1;
    std::int64_t piece = 0;
    auto next = begins.begin();
    for (std::int64_t i = 0; i < std::ssize(s); ++i) {
      if (next != begins.end() && *next == i) {
        result *= std::exchange(piece, 0);
        ++next;
      }
      piece = 10 * piece + (s[i] - '0');
    }
    return result * piece;
  }

  // The best way to cut each beginning of the string into each number of pieces, by dynamic
  // programming. A piece 0.d₁d₂… instead of d₁d₂… changes all products by the same power of ten,
  // so that doubles can hold them. Only products that are equal up to their errors are calculated
  // exactly.
  class Splits {
   public:
    explicit Splits(const Problem& problem)
        : s_(problem.string),
          width_(problem.N + 1),
          pieces_(problem.K + 1),
          best_(static_cast<std::size_t>(pieces_ + 1) * width_),
          exact_(best_.size()) {
      const int n = problem.N;
      std::vector<double> fraction(static_cast<std::size_t>(width_) * width_, 0.0);
      for (int j = 0; j < n; ++j) {
        double digit = 0.1;
        for (int i = j; i < n; ++i, digit /= 10.0) {
          fraction[place(j, i + 1)] = fraction[place(j, i)] + digit * (s_[i] - '0');
        }
      }
      best_[place(0, 0)].share = 1.0;
      for (int k = 1; k <= pieces_; ++k) {
        for (int i = k; i <= n - (pieces_ - k); ++i) {
          for (int j = k - 1; j < (k == 1 ? 1 : i); ++j) {
            consider(k, i, j, best_[place(k - 1, j)].share * fraction[place(j, i)]);
          }
        }
      }
    }

    BigInt greatest_product() { return exact(pieces_, width_ - 1); }

    Begins best_begins() const {
      Begins begins;
      for (int k = pieces_, i = width_ - 1; k > 1; --k) {
        i = best_[place(k, i)].from;
        begins.push_back(i);
      }
      std::ranges::reverse(begins);
      return begins;
    }

   private:
    struct Best {
      double share = 0.0;  // the product of the pieces as fractions
      int from = 0;        // where the last piece begins
    };

    std::size_t place(int k, int i) const { return static_cast<std::size_t>(k) * width_ + i; }

    // Of k pieces that hold the first i digits, the last one from j on.
    void consider(int k, int i, int j, double share) {
      constexpr double kError = 1e-11;  // of 150 products
      Best& best = best_[place(k, i)];
      if (share < best.share * (1.0 - kError)) return;
      if (share <= best.share * (1.0 + kError)) {
        BigInt other = exact(k - 1, j) * value(s_.substr(j, i - j));
        if (other <= exact(k, i)) return;
        exact_[place(k, i)] = std::move(other);
      } else {
        exact_[place(k, i)] = 0;
      }
      best = {share, j};
    }

    const BigInt& exact(int k, int i) {
      BigInt& known = exact_[place(k, i)];
      if (k == 0) known = 1;
      if (known == 0) {
        const int j = best_[place(k, i)].from;
        known = exact(k - 1, j) * value(s_.substr(j, i - j));
      }
      return known;
    }

    std::string_view s_;
    int width_;
    int pieces_;
    std::vector<Best> best_;     // by number of pieces and of digits
    std::vector<BigInt> exact_;  // 0: not calculated yet
  };
};
REDQUEEN_ENVIRONMENT(MaxMultSplit);

}  // namespace
}  // namespace redqueen
