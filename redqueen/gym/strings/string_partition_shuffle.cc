#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/spread.h"

namespace redqueen {
namespace {

struct StringPartitionShuffle {
  static constexpr Card card{
      .name = "StringPartitionShuffle",
      .published = true,
      .family = Family::kStrings,
      .answer = AnswerKind::kPairs,
      .scoring = Scoring::kElementWise,
      .task =
          "Cut a binary string into a given number of pieces and put them into an order that "
          "spells another given string.",
      .levels = "The string has 4 characters and one more a level.",
      .rewards =
          "-1 malformed or another number of pieces, -0.5 not pieces of the string, each place in "
          "one of them, else (characters that are right / N)^10.",
      .differences =
          "There are 3 pieces, or up to a third as many as characters, which makes cutting hard, "
          "and no two of them that were neighbours stay so. The other string is not a rotation of "
          "the first. From 6 characters on, a problem is drawn again that is solved by taking the "
          "longest piece that fits, from the left or from the right, and from 8 on by keeping a "
          "piece at one end and rotating the rest.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "A string of 4 characters, at level 0, can be cut and put into order in 18 ways, and one "
          "of 6, at level 2, be cut into three in ten.",
      .guess_until_level = 2,
  };

  static constexpr int kGreedyFrom = 6;
  static constexpr int kSomeCharacters = 8;
  static constexpr double kRotations = 0.6;  // how often a rotation may do in shorter strings
  static constexpr int kManyCharacters = 7;
  static constexpr int kCandidates = 4;
  static constexpr int kDraws = 300;
  static constexpr int kMaxLength = 5'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    int K = 0;
    std::string S;
    std::string T;
    std::string reference_answer;  // pieces, planted
    REDQUEEN_FIELDS(N, K, S, T, reference_answer)
  };
  using Answer = std::vector<std::pair<std::int64_t, std::int64_t>>;

  static Config at_level(int level, Rng&) { return {.N = 4 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    using Candidate = std::optional<std::pair<std::string, Problem>>;
    const int candidates = config.N < kManyCharacters ? kCandidates : 1;
    return draw_spread(candidates, rng, [&]() -> Candidate {
      Problem problem = draw_accepted(
          kDraws, [&] { return draw_problem(config.N, rng); },
          [&](const Problem& drawn) { return !is_easy(drawn, rng); });
      return std::pair(problem.reference_answer, std::move(problem));
    });
  }

  // Three pieces in every second problem, else any number of them, in random order.
  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    Problem problem{.N = n, .K = 0, .S = {}, .T = {}, .reference_answer = {}};
    problem.K = rng.chance(0.5) ? 3 : static_cast<int>(rng.integer(2, n - 1));
    const double ones = rng.real(0.1, 0.9);
    for (int i = 0; i < n; ++i) problem.S += rng.chance(ones) ? '1' : '0';
    const Answer pieces = random_pieces(problem, rng);
    problem.T = spelled(problem, pieces);
    problem.reference_answer = format_answer(pieces);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxLength));
    RETURN_IF_ERROR(within("K", problem.K, 1, problem.N));
    for (const std::string* s : {&problem.S, &problem.T}) {
      if (std::ssize(*s) != problem.N || s->find_first_not_of("01") != std::string::npos) {
        return failure("\"S\" and \"T\": expected {} characters 0 or 1", problem.N);
      }
    }
    const auto planted = parse_int_pairs(problem.reference_answer);
    if (!planted || score(problem, *planted) != 1.0) {
      return failure("\"reference_answer\": expected {} pieces of S that spell T", problem.K);
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here are two strings of {0} characters:\n"
        "S = {1}\n"
        "T = {2}\n"
        "The places of S are numbered from 0 to {3}, and for L < R, S[L, R) is the piece of the "
        "characters at the places L to R - 1. Cut S into exactly {4} non-empty pieces, such that "
        "each place is in one of them, and put the pieces into an order in which, written one "
        "after the other, they give T. This is possible; if there are several ways, any of them "
        "will do.\n"
        "Answer with {4} lines, one for each piece in this order: its L and its R, separated by a "
        "space.",
        problem.N, problem.S, problem.T, problem.N - 1, problem.K);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != problem.K) return kMalformedReward;
    std::int64_t length = 0;
    for (const auto& [begin, end] : answer) {
      if (begin < 0 || end <= begin || end > problem.N) return kInvalidReward;
      length += end - begin;
    }
    if (length != problem.N) return kInvalidReward;
    std::vector<char> covered(static_cast<std::size_t>(problem.N), 0);
    std::int64_t place = 0;
    std::int64_t matches = 0;
    for (const auto& [begin, end] : answer) {
      for (std::int64_t i = begin; i < end; ++i) {
        if (std::exchange(covered[i], 1) != 0) return kInvalidReward;
        matches += problem.S[i] == problem.T[place++];
      }
    }
    return share_reward(matches, problem.N);
  }

  static Answer solve(const Problem& problem) { return *parse_int_pairs(problem.reference_answer); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_pieces(problem, rng);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    Answer in_order;
    for (int i = 0; i + 1 < problem.K; ++i) in_order.emplace_back(i, i + 1);
    in_order.emplace_back(problem.K - 1, problem.N);
    Answer reversed(in_order.rbegin(), in_order.rend());
    return {
        {"S as it is", format_answer(in_order)},
        {"its first characters in reverse order", format_answer(reversed)},
        {"the longest that fits, from the left", format_answer(longest_first(problem))},
        {"the longest that fits, from the right",
         format_answer(from_right(problem, longest_first))},
        {"the beginning kept, the rest rotated", format_answer(rotated_rest(problem))},
        {"the ending kept, the rest rotated", format_answer(from_right(problem, rotated_rest))}};
  }

 private:
  // No two pieces that are neighbours in S are so in T, and if S is not short, the pieces at its
  // ends move.
  static Problem draw_problem(int n, Rng& rng) {
    Problem problem{.N = n, .K = 0, .S = {}, .T = {}, .reference_answer = {}};
    problem.K = static_cast<int>(rng.integer(3, std::max(3, n / 3)));
    const double share = rng.real(0.35, 0.65);
    for (int i = 0; i < n; ++i) problem.S += rng.chance(share) ? '1' : '0';
    const auto are_neighbours = [](const auto& a, const auto& b) { return a.second == b.first; };
    Answer planted;
    const auto stays = [&] {
      return std::ranges::adjacent_find(planted, are_neighbours) != planted.end() ||
             (n >= kSomeCharacters && (planted.front().first == 0 || planted.back().second == n));
    };
    do {
      planted = random_pieces(problem, rng);
    } while (stays());
    problem.T = spelled(problem, planted);
    problem.reference_answer = format_answer(planted);
    return problem;
  }

  // Whether a rule solves the problem that should not at its size.
  static bool is_easy(const Problem& problem, Rng& rng) {
    if ((problem.S + problem.S).find(problem.T) != std::string::npos) return true;
    if (problem.N < kGreedyFrom) return false;
    const auto solves = [&](const Answer& answer) {
      return score(problem, answer) >= kSolvedReward;
    };
    if (solves(longest_first(problem)) || solves(from_right(problem, longest_first))) return true;
    return (problem.N >= kSomeCharacters || !rng.chance(kRotations)) &&
           (solves(rotated_rest(problem)) || solves(from_right(problem, rotated_rest)));
  }

  // K pieces that cover 0 … N − 1, in random order. K ≤ N.
  static Answer random_pieces(const Problem& problem, Rng& rng) {
    std::vector<std::int64_t> ends =
        rng.sample(1, problem.N - 1, static_cast<std::size_t>(problem.K) - 1);
    ends.push_back(problem.N);
    std::ranges::sort(ends);
    Answer pieces;
    std::int64_t begin = 0;
    for (const std::int64_t end : ends) pieces.emplace_back(std::exchange(begin, end), end);
    rng.shuffle(pieces);
    return pieces;
  }

  static std::string spelled(const Problem& problem, const Answer& pieces) {
    std::string text;
    for (const auto& [begin, end] : pieces) {
      text.append(problem.S, static_cast<std::size_t>(begin),
                  static_cast<std::size_t>(end - begin));
    }
    return text;
  }

  // At each step the longest piece of what is left of S that goes on with T, the first if there are
  // several. There may be too many.
  static Answer longest_first(const Problem& problem) {
    const int n = problem.N;
    std::vector<char> used(static_cast<std::size_t>(n), 0);
    Answer pieces;
    for (int place = 0; place < n;) {
      int longest = 0;
      int from = 0;
      for (int begin = 0; begin < n; ++begin) {
        int length = 0;
        while (begin + length < n && place + length < n && used[begin + length] == 0 &&
               problem.S[begin + length] == problem.T[place + length]) {
          ++length;
        }
        if (length > longest) {
          longest = length;
          from = begin;
        }
      }
      if (longest == 0) return pieces;
      std::fill_n(used.begin() + from, longest, char{1});
      pieces.emplace_back(from, from + longest);
      place += longest;
    }
    return cut_further(std::move(pieces), problem.K);
  }

  // A beginning that S and T share, the longest if there are several, and the rest of S in two
  // pieces the other way round; none if T cannot be made so.
  static Answer rotated_rest(const Problem& problem) {
    const auto [end, end_of_t] = std::ranges::mismatch(problem.S, problem.T);
    for (auto kept = end - problem.S.begin(); kept >= 0; --kept) {
      const std::string rest = problem.S.substr(static_cast<std::size_t>(kept));
      const std::size_t found = (rest + rest).find(problem.T.c_str() + kept, 0, rest.size());
      if (found == std::string::npos) continue;
      const std::int64_t cut = kept + static_cast<std::int64_t>(found);
      Answer pieces;
      if (kept > 0) pieces.emplace_back(0, kept);
      if (cut < problem.N) pieces.emplace_back(cut, problem.N);
      if (cut > kept) pieces.emplace_back(kept, cut);
      return cut_further(std::move(pieces), problem.K);
    }
    return {};
  }

  // What a rule answers that reads both strings backwards.
  static Answer from_right(const Problem& problem, Answer (*rule)(const Problem&)) {
    Problem mirrored = problem;
    std::ranges::reverse(mirrored.S);
    std::ranges::reverse(mirrored.T);
    Answer pieces = rule(mirrored);
    std::ranges::reverse(pieces);
    for (auto& [begin, end] : pieces) begin = problem.N - std::exchange(end, problem.N - begin);
    return pieces;
  }

  // Cuts off single characters until there are k pieces, if there are fewer.
  static Answer cut_further(Answer pieces, int k) {
    for (std::size_t i = 0; i < pieces.size() && std::ssize(pieces) < k; ++i) {
      auto& [begin, end] = pieces[i];
      if (end - begin == 1) continue;
      const std::int64_t first = begin++;
      pieces.insert(pieces.begin() + static_cast<std::ptrdiff_t>(i), {first, first + 1});
    }
    return pieces;
  }
};
REDQUEEN_ENVIRONMENT(StringPartitionShuffle);

}  // namespace
}  // namespace redqueen
