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

struct Longest_RepeatedPalindrome {
  static constexpr Card card{
      .name = "Longest_RepeatedPalindrome",
      .published = true,
      .family = Family::kStrings,
      .answer = AnswerKind::kString,
      .scoring = Scoring::kMaximise,
      .task =
          "Find the longest substring of a binary string that is some X, its reversal, X again and "
          "the reversal again.",
      .levels =
          "The string grows from 5 characters by a tenth and one a level. Beyond level 80 it would "
          "be too long to read.",
      .rewards =
          "-1 no answer, -0.5 not in the string or not of this form, else (length / greatest "
          "length)^5.",
      .differences =
          "Below 30 characters there is one best answer, and of several draws each is as likely. A "
          "string is drawn again, from 12 characters on, that its longest run solves, from 14 on "
          "also one that its longest even palindrome solves, and from 30 on one whose best answer "
          "has the middle of that palindrome.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "There are two answers of 4 characters, 0000 and 1111, and four of 8: below 8 "
          "characters, up to level 2, there are no others, and below 12, up to level 5, no longer "
          "ones. Below 30, up to level 13, the longest even palindrome has the same middle; where "
          "the answer begins is still to be found.",
      .guess_until_level = 13,
      .source = "Shanghai team selection 2011 (SHOI 2011), double palindromes.",
      .max_level = 80,
  };

  static constexpr int kRunsFrom = 12;
  static constexpr int kPalindromeFrom = 14;
  static constexpr int kDecoyFrom = 30;
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
  using Answer = std::string;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(5, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const int n = config.N;
    const auto draw = [&] {
      Problem problem{.N = n, .S = {}, .gold_answer = 0};
      problem.S = n < kDecoyFrom ? plain_string(n, rng) : string_with_decoy(n, rng);
      problem.gold_answer = best_piece(problem.S, palindrome_lengths(problem.S)).length;
      return problem;
    };
    const auto accept = [&](const Problem& problem) {
      if (n < kDecoyFrom && !has_one_best(problem)) return false;
      auto tried = rules(problem);
      tried.resize(n < kRunsFrom ? 0 : n < kPalindromeFrom ? 1 : n < kDecoyFrom ? 2 : 3);
      return std::ranges::none_of(
          tried, [&](const auto& rule) { return score(problem, rule.answer) >= kSolvedReward; });
    };
    using Candidate = std::optional<std::pair<Answer, Problem>>;
    return draw_spread(n < kDecoyFrom ? kCandidates : 1, rng, [&]() -> Candidate {
      Problem problem = draw_accepted(kDraws, draw, accept);
      Answer answer = solve(problem);
      return std::pair(std::move(answer), std::move(problem));
    });
  }

  // A, its mirror, A, its mirror, for a random A, between random characters.
  static Problem published(const Config& config, Rng& rng) {
    const double ones = rng.real(0.1, 0.9);
    const auto bits = [&](std::int64_t length) {
      std::string s;
      for (; length > 0; --length) s += rng.chance(ones) ? '1' : '0';
      return s;
    };
    const std::int64_t length = rng.integer(1, config.N / 4);
    const std::string half = mirrored(bits(length));
    const std::int64_t before = rng.integer(0, config.N - 4 * length);
    Problem problem{.N = config.N, .S = {}, .gold_answer = 0};
    problem.S = bits(before) + half + half;
    problem.S += bits(config.N - std::ssize(problem.S));
    problem.gold_answer = best_piece(problem.S, palindrome_lengths(problem.S)).length;
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 4, kMaxShownNumbers));
    RETURN_IF_ERROR(check_text("S", problem.S, problem.N, "01", "characters 0 or 1"));
    const std::int64_t longest = best_piece(problem.S, palindrome_lengths(problem.S)).length;
    if (longest == 0) return failure("\"S\": no substring of it is of the asked form");
    return reference_is("gold_answer", problem.gold_answer, longest);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a string of {} characters: {}\n"
        "For a non-empty string X, let R be X read backwards, and let T be X R X R: the four "
        "written one after the other, of four times the length of X. (Of X = 011, T is "
        "011110011110.) Which is the longest T of this form that occurs in the string as a "
        "contiguous block? If several are longest, any of them will do.\n"
        "Answer with T itself, without spaces or quotes.",
        problem.N, problem.S);
  }

  static std::optional<Answer> parse(std::string_view text) { return Answer(trim(text)); }

  static double score(const Problem& problem, const Answer& answer) {
    if (answer.size() > problem.S.size() || !has_form(answer) ||
        problem.S.find(answer) == std::string::npos) {
      return kInvalidReward;
    }
    return maximise_reward(std::ssize(answer), problem.gold_answer);
  }

  static Answer solve(const Problem& problem) {
    const Piece piece = best_piece(problem.S, palindrome_lengths(problem.S));
    return problem.S.substr(piece.first, piece.length);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    if (rng.chance(0.5)) return rng.chance(0.5) ? "0000" : "1111";
    const std::int64_t length = 4 * rng.integer(1, problem.N / 4);
    return problem.S.substr(rng.integer(0, problem.N - length), length);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const std::string& s = problem.S;
    const std::vector<int> lengths = palindrome_lengths(s);
    int middle = 0;  // of the longest even palindrome
    Answer run;
    for (int i = 0, first = 0; i < problem.N; ++i) {
      if (lengths[2 * i] > lengths[2 * middle]) middle = i;
      if (s[i] != s[first]) first = i;
      const int length = (i + 1 - first) / 4 * 4;
      if (length > std::ssize(run)) run = s.substr(first, length);
    }
    const int longest = lengths[2 * middle];
    const Piece around = best_around(middle, lengths, 0);
    return {{"the longest run of one character, cut to a multiple of 4", run},
            {"the longest even palindrome", s.substr(middle - longest / 2, longest)},
            {"the best around the middle of the longest even palindrome",
             s.substr(around.first, around.length)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    auto named = as_shortcuts(rules(problem));
    named.push_back({"0000", "0000"});
    named.push_back({"the whole string", problem.S});
    return named;
  }

 private:
  struct Piece {
    int first = 0;
    int length = 0;
  };

  static bool has_form(const std::string& t) {
    if (t.empty() || t.size() % 4 != 0) return false;
    const std::size_t half = t.size() / 2;
    return std::equal(t.begin(), t.begin() + static_cast<std::ptrdiff_t>(half), t.rbegin()) &&
           t.compare(half, half, t, 0, half) == 0;
  }

  // The longest piece of the form around a gap, if it is longer than `least`: an even palindrome,
  // whose left half is one, too.
  static Piece best_around(int gap, const std::vector<int>& lengths, int least) {
    for (int length = lengths[2 * gap] / 4 * 4; length > least; length -= 4) {
      if (lengths[2 * gap - length / 2] >= length / 2) return {gap - length / 2, length};
    }
    return {};
  }

  // Fast, since of two long palindromes whose middles are near a long piece of the form comes.
  static Piece best_piece(const std::string& s, const std::vector<int>& lengths) {
    Piece best;
    for (int gap = 2; gap < static_cast<int>(s.size()); ++gap) {
      const Piece piece = best_around(gap, lengths, best.length);
      if (piece.length > best.length) best = piece;
    }
    return best;
  }

  static bool has_one_best(const Problem& problem) {
    const std::vector<int> lengths = palindrome_lengths(problem.S);
    const auto least = static_cast<int>(problem.gold_answer - 4);
    std::string_view best;
    for (int gap = 2; gap < problem.N; ++gap) {
      const Piece piece = best_around(gap, lengths, least);
      const auto text = std::string_view(problem.S).substr(piece.first, piece.length);
      if (text.empty() || text == best) continue;
      if (!best.empty()) return false;
      best = text;
    }
    return !best.empty();
  }

  static std::string random_bits(std::int64_t length, Rng& rng) {
    std::string bits;
    for (std::int64_t i = 0; i < length; ++i) bits += rng.chance(0.5) ? '1' : '0';
    return bits;
  }

  static std::string mirrored(std::string half) {
    half.append(half.rbegin(), half.rend());
    return half;
  }

  // X R X R for a random X, seldom one of equal characters if it has several.
  static std::string planted(std::int64_t quarter, Rng& rng) {
    std::string x = random_bits(quarter, rng);
    const char other = x[0] == '0' ? '1' : '0';
    if (quarter > 1 && x.find(other) == std::string::npos && !rng.chance(0.1)) {
      x[rng.below(x.size())] = other;
    }
    return mirrored(mirrored(x));
  }

  // In longer strings, the planted piece is the middle of a longer palindrome.
  static std::string plain_string(int n, Rng& rng) {
    const int least = n < kPalindromeFrom ? 0 : 1;
    const std::int64_t largest = (n - 2 * least) / 4;
    const std::int64_t quarter =
        n < kRunsFrom ? rng.integer(1, largest)  // there are more different longer pieces
                      : std::max(rng.integer(2, largest), rng.integer(2, largest));
    const std::string side = random_bits(rng.integer(least, (n - 4 * quarter) / 2), rng);
    const std::string piece =
        std::string(side.rbegin(), side.rend()) + planted(quarter, rng) + side;
    const std::int64_t left = rng.integer(0, n - std::ssize(piece));
    return random_bits(left, rng) + piece + random_bits(n - std::ssize(piece) - left, rng);
  }

  // A longer palindrome lies beside the planted piece.
  static std::string string_with_decoy(int n, Rng& rng) {
    const std::int64_t largest = (n - 2) / 8;
    const std::int64_t quarter = rng.integer(std::max<std::int64_t>(3, largest / 2), largest);
    std::string piece = planted(quarter, rng);
    std::string other =
        mirrored(random_bits(rng.integer(2 * quarter + 1, n / 2 - 2 * quarter), rng));
    if (rng.chance(0.5)) std::swap(piece, other);
    const std::int64_t free = n - std::ssize(piece) - std::ssize(other);
    const std::int64_t left = rng.integer(0, free);
    const std::int64_t between = rng.integer(0, free - left);
    return random_bits(left, rng) + piece + random_bits(between, rng) + other +
           random_bits(free - left - between, rng);
  }
};
REDQUEEN_ENVIRONMENT(Longest_RepeatedPalindrome);

}  // namespace
}  // namespace redqueen
