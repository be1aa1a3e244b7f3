#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/parameter/text.h"
#include "redqueen/gym/common/sequence/palindromes.h"

namespace redqueen {
namespace {

struct Longest_DoublePalindrome {
  static constexpr Card card{
      .name = "Longest_DoublePalindrome",
      .published = true,
      .family = Family::kStrings,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMaximise,
      .task =
          "Find the longest piece of a binary string that is one palindrome followed by another.",
      .levels =
          "The string grows from 5 characters by a tenth and one a level. Beyond level 80 it would "
          "be too long to read.",
      .rewards =
          "-1 not three integers, -0.5 no two pieces, or one that is no palindrome, else (length / "
          "greatest length)^5.",
      .differences =
          "No string is nearly constant. Below 16 characters there is one best choice, and of "
          "several draws each is as likely. From 9 characters on, a string is drawn again that "
          "its two halves or the longest palindrome and what adjoins it solve, from 16 on also one "
          "whose longest "
          "piece begins or ends it. Long strings hold a palindrome that is longer than either half "
          "of the planted piece.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "Below 16 characters, which is up to level 7, the longest piece mostly begins or ends "
          "the string; where it is cut is still to be found.",
      .guess_until_level = 7,
      .max_level = 80,
  };

  static constexpr int kGreedyFrom = 9;
  static constexpr int kEndsFrom = 16;
  static constexpr int kDecoyFrom = 20;
  static constexpr int kCandidates = 6;
  static constexpr int kDraws = 500;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::string S;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, S, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;  // A, B, C

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(5, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const int n = config.N;
    const auto draw = [&] {
      Problem problem{.N = n, .S = {}, .gold_answer = 0};
      problem.S = n < kDecoyFrom ? plain_string(n, rng) : string_with_decoy(n, rng);
      const Answer piece = solve(problem);
      problem.gold_answer = piece[2] - piece[0];
      return problem;
    };
    const auto accept = [&](const Problem& problem) {
      if (n < kEndsFrom && !has_one_best(problem)) return false;
      auto tried = rules(problem);
      tried.resize(n < kGreedyFrom ? 0 : n < kEndsFrom ? 2 : tried.size());
      return std::ranges::none_of(
          tried, [&](const auto& rule) { return score(problem, rule.answer) >= kSolvedReward; });
    };
    using Candidate = std::optional<std::pair<Answer, Problem>>;
    return draw_spread(n < kEndsFrom ? kCandidates : 1, rng, [&]() -> Candidate {
      Problem problem = draw_accepted(kDraws, draw, accept);
      Answer answer = solve(problem);
      return std::pair(std::move(answer), std::move(problem));
    });
  }

  // Two palindromes side by side at random places, between random characters.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .S = two_palindromes(config.N, 0.1, 0.9, rng), .gold_answer = 0};
    const Answer piece = solve(problem);
    problem.gold_answer = piece[2] - piece[0];
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, 4 * kMaxShownNumbers));
    RETURN_IF_ERROR(check_text("S", problem.S, problem.N, "01", "characters 0 or 1"));
    const Answer piece = solve(problem);
    return reference_is("gold_answer", problem.gold_answer, piece[2] - piece[0]);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a string of {0} characters, with places from 0: {1}\n"
        "A piece from place x to place y holds the characters from place x on, up to but without "
        "the one at place y; the piece from 0 to {0} is the whole string. Choose A, B and C with "
        "0 <= A < B < C <= {0} such that the piece from A to B and the piece from B to C both read "
        "the same backwards (a single character does), and C - A is as large as possible. If "
        "several choices are best, any of them will do.\n"
        "Answer with the three integers A B C, separated by spaces.",
        problem.N, problem.S);
  }

  static std::optional<Answer> parse(std::string_view text) {
    auto answer = parse_int_list(text);
    if (answer && answer->size() != 3) return std::nullopt;
    return answer;
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (answer[0] < 0 || answer[1] <= answer[0] || answer[2] <= answer[1] ||
        answer[2] > problem.N) {
      return kInvalidReward;
    }
    if (!mirrored(problem.S, answer[0], answer[1]) || !mirrored(problem.S, answer[1], answer[2])) {
      return kInvalidReward;
    }
    return maximise_reward(answer[2] - answer[0], problem.gold_answer);
  }

  static Answer solve(const Problem& problem) {
    const Reach reach(problem.S);
    Answer best{0, 1, 2};
    for (int b = 1; b < problem.N; ++b) {
      if (reach.end[b] - reach.begin[b] > best[2] - best[0]) {
        best = {reach.begin[b], b, reach.end[b]};
      }
    }
    return best;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    const std::int64_t middle = rng.integer(1, problem.N - 1);
    if (rng.chance(0.3)) return {middle - 1, middle, middle + 1};
    return {rng.integer(0, middle - 1), middle, rng.integer(middle + 1, problem.N)};
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const Reach reach(problem.S);
    const int n = problem.N;
    Answer from_first{0, 1, 1};
    Answer to_last{n - 1, n - 1, n};
    for (int b = 1; b < n; ++b) {
      if (is_palindrome(reach.lengths, 0, b)) {
        from_first = std::max(from_first, Answer{0, b, reach.end[b]},
                              [](const Answer& a, const Answer& c) { return a[2] < c[2]; });
      }
      if (is_palindrome(reach.lengths, b, n)) {
        to_last = std::min(to_last, Answer{reach.begin[b], b, n},
                           [](const Answer& a, const Answer& c) { return a[0] < c[0]; });
      }
    }
    return {{"the longest palindrome with what adjoins it", beside_longest(problem.N, reach)},
            {"halves", Answer{0, n / 2, n}},
            {"the longest from the first character on", from_first},
            {"the longest up to the last character", to_last}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  // For each place b, where the longest palindrome that ends before it begins, and where the
  // longest one that begins there ends.
  struct Reach {
    std::vector<int> lengths;
    std::vector<int> begin;
    std::vector<int> end;

    // What reaches over one place more reaches over this one, so that the middles of the longest
    // ones move in one direction.
    explicit Reach(const std::string& s)
        : lengths(palindrome_lengths(s)), begin(s.size() + 1), end(s.size() + 1) {
      const int n = static_cast<int>(s.size());
      for (int b = 1, middle = 0; b <= n; ++b) {
        while (middle + lengths[middle] < 2 * b) ++middle;
        begin[b] = middle - b;
      }
      for (int b = n - 1, middle = 2 * n; b >= 0; --b) {
        while (middle - lengths[middle] > 2 * b) --middle;
        end[b] = middle - b;
      }
    }
  };

  static bool mirrored(std::string_view s, std::int64_t first, std::int64_t end) {
    const std::string_view piece = s.substr(first, end - first);
    return std::equal(piece.begin(), piece.begin() + std::ssize(piece) / 2, piece.rbegin());
  }

  static bool has_one_best(const Problem& problem) {
    const Reach reach(problem.S);
    int best = 0;
    for (int b = 1; b < problem.N; ++b) {
      best += reach.end[b] - reach.begin[b] == problem.gold_answer;
    }
    return best == 1;
  }

  // The first longest palindrome, shorter than the string, and the longer of its two neighbours.
  static Answer beside_longest(int n, const Reach& reach) {
    const auto middle =
        static_cast<int>(std::ranges::max_element(reach.lengths) - reach.lengths.begin());
    const int first = (middle - reach.lengths[middle]) / 2;
    const int end = first + reach.lengths[middle];
    if (first == 0 && end == n) return {0, 1, n};
    const int left = first > 0 ? first - reach.begin[first] : 0;
    const int right = end < n ? reach.end[end] - end : 0;
    return left > right ? Answer{reach.begin[first], first, end}
                        : Answer{first, end, reach.end[end]};
  }

  static std::string random_bits(std::int64_t length, double ones, Rng& rng) {
    std::string bits;
    for (std::int64_t i = 0; i < length; ++i) bits += rng.chance(ones) ? '1' : '0';
    return bits;
  }

  static std::string random_palindrome(std::int64_t length, double ones, Rng& rng) {
    std::string half = random_bits((length + 1) / 2, ones, rng);
    std::string whole = half;
    whole.append(half.rbegin() + length % 2, half.rend());
    return whole;
  }

  static std::string plain_string(int n, Rng& rng) { return two_palindromes(n, 0.3, 0.7, rng); }

  // The share of ones is about uniform between the two.
  static std::string two_palindromes(int n, double fewest_ones, double most_ones, Rng& rng) {
    const double ones = rng.real(fewest_ones, most_ones);
    std::vector<std::int64_t> cuts = rng.sample(0, n, 3);
    std::ranges::sort(cuts);
    return random_bits(cuts[0], ones, rng) + random_palindrome(cuts[1] - cuts[0], ones, rng) +
           random_palindrome(cuts[2] - cuts[1], ones, rng) + random_bits(n - cuts[2], ones, rng);
  }

  // Two palindromes of lengths a ≥ b side by side, and elsewhere one that is longer than a but
  // shorter than both together.
  static std::string string_with_decoy(int n, Rng& rng) {
    const double ones = rng.real(0.35, 0.65);
    const std::int64_t a = rng.integer(n / 5, n / 3);
    const std::int64_t b = rng.integer(2 * a / 3, a);
    const std::int64_t longest = std::min<std::int64_t>(a + b - 2, n - a - b - 3);
    if (longest <= a) throw Retry();
    const std::int64_t decoy = rng.integer(a + 1, longest);
    std::string piece = rng.chance(0.5)
                            ? random_palindrome(a, ones, rng) + random_palindrome(b, ones, rng)
                            : random_palindrome(b, ones, rng) + random_palindrome(a, ones, rng);
    std::string other = random_palindrome(decoy, ones, rng);
    if (rng.chance(0.5)) std::swap(piece, other);
    const std::int64_t free = n - a - b - decoy;
    const std::int64_t left = rng.integer(1, free - 2);
    const std::int64_t between = rng.integer(1, free - left - 1);
    return random_bits(left, ones, rng) + piece + random_bits(between, ones, rng) + other +
           random_bits(free - left - between, ones, rng);
  }
};
REDQUEEN_ENVIRONMENT(Longest_DoublePalindrome);

}  // namespace
}  // namespace redqueen
