#include <algorithm>
#include <set>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/spread.h"

namespace redqueen {
namespace {

struct ZeroPrefixSubsetCounting : StoredCount<0> {
  static constexpr Card card{
      .name = "ZeroPrefixSubsetCounting",
      .published = true,
      .family = Family::kStrings,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task =
          "Count the non-empty choices of given strings in which none is the beginning of another.",
      .levels = "There are 3 strings of up to 3 letters, and one more of both a level.",
      .rewards = "-1 malformed or negative, else (min/max)^10 of the answer and the number.",
      .differences =
          "Many strings grow out of others in branches; of several draws, each number among them "
          "is as likely. From 4 strings on, a problem is drawn again if the number follows from "
          "taking at most one of the strings that begin alike, or if all choices count. Only the "
          "exact number is solved.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space = "At level 0 there are four numbers.",
      .guess_until_level = 0,
  };

  static constexpr int kCandidates = 3;
  static constexpr int kFewStrings = 6;
  static constexpr int kManyCandidates = 5;
  static constexpr int kManyStrings = 16;
  static constexpr int kRulesFrom = 4;
  static constexpr int kDraws = 60;
  static constexpr int kFitsWord = 61;  // so many strings have less than 2^62 subsets
  static constexpr int kMaxStrings = 2'000;
  static constexpr std::size_t kMaxLetters = 400'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::string> array;
    BigInt reference_answer;
    REDQUEEN_FIELDS(N, array, reference_answer)
  };

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    using Candidate = std::optional<std::pair<BigInt, Problem>>;
    const int candidates = config.N < kFewStrings    ? kManyCandidates
                           : config.N < kManyStrings ? kCandidates
                                                     : 1;
    return draw_spread(candidates, rng, [&]() -> Candidate {
      for (int draw = 0; draw < kDraws; ++draw) {
        Problem problem{.N = config.N, .array = draw_strings(config.N, rng), .reference_answer = 0};
        problem.reference_answer = count(problem.array);
        if (config.N >= kRulesFrom && some_rule_solves<ZeroPrefixSubsetCounting>(problem)) continue;
        return std::pair(problem.reference_answer, std::move(problem));
      }
      return std::nullopt;
    });
  }

  // A random share of the strings are beginnings of others, which are random; drawn again until all
  // are different.
  static Problem published(const Config& config, Rng& rng) {
    constexpr int kTries = 10'000;
    const auto draw = [&] {
      Problem problem{.N = config.N, .array = {}, .reference_answer = 0};
      const int n = config.N;
      const int whole = n - static_cast<int>(n * rng.real(0.1, 0.9));
      while (std::ssize(problem.array) < whole) {
        std::string s(rng.integer(2, n), 'a');
        for (char& letter : s) letter = rng.chance(0.5) ? 'b' : 'a';
        if (std::ranges::find(problem.array, s) == problem.array.end()) {
          problem.array.push_back(std::move(s));
        }
      }
      for (int i = whole; i < n; ++i) {
        const std::string& of = problem.array[rng.below(static_cast<std::uint64_t>(whole))];
        problem.array.push_back(of.substr(0, rng.integer(1, std::ssize(of) - 1)));
      }
      return problem;
    };
    Problem problem = draw_accepted(kTries, draw, [](const Problem& drawn) {
      const std::set<std::string_view> different(drawn.array.begin(), drawn.array.end());
      return different.size() == drawn.array.size();
    });
    rng.shuffle(problem.array);
    problem.reference_answer = count(problem.array);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxStrings));
    std::size_t letters = 0;
    for (const std::string& s : problem.array) {
      if (s.empty() || s.find_first_not_of("ab") != std::string::npos) {
        return failure("\"array\": expected non-empty strings of letters a and b");
      }
      letters += s.size();
    }
    const std::set<std::string> different(problem.array.begin(), problem.array.end());
    if (std::ssize(problem.array) != problem.N || different.size() != problem.array.size() ||
        letters > kMaxLetters) {
      return failure("\"array\": expected {} different strings of at most {} letters together",
                     problem.N, kMaxLetters);
    }
    return reference_is("reference_answer", problem.reference_answer, count(problem.array));
  }

  static std::string prompt(const Problem& problem) {
    std::string lines;
    for (const std::string& s : problem.array) lines += s + '\n';
    return fmt::format(
        "Here are {} different strings, one a line:\n"
        "{}"
        "In how many ways can one or more of them be chosen such that no chosen string is a "
        "beginning of another chosen string? (ab is a beginning of aba, but not of bab. The order "
        "in which they are chosen does not matter.)\n"
        "Answer with this number, one integer.",
        problem.N, lines);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    std::vector<std::string> sorted = problem.array;
    std::ranges::sort(sorted);
    BigInt groups = 1;
    std::int64_t group = 0;  // strings that begin with the one that begins no other so far
    std::string_view first;
    for (const std::string& s : sorted) {
      if (group > 0 && s.starts_with(first)) {
        ++group;
        continue;
      }
      groups *= group + 1;
      group = 1;
      first = s;
    }
    groups *= group + 1;
    return {{"all choices", (BigInt(1) << problem.N) - 1},
            {"at most one of those that begin alike", groups - 1}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    std::int64_t pairs = 0;
    for (const std::string& s : problem.array) {
      for (const std::string& other : problem.array) pairs += &s != &other && other.starts_with(s);
    }
    std::vector<NamedAnswer> named = as_shortcuts(rules(problem));
    named.push_back({"all choices less the pairs that exclude each other",
                     format_answer(BigInt((BigInt(1) << problem.N) - 1 - pairs))});
    named.push_back({"N", format_answer(problem.N)});
    return named;
  }

 private:
  // New strings, beginnings of strings at hand, and strings at hand prolonged, with drawn
  // probabilities.
  static std::vector<std::string> draw_strings(int n, Rng& rng) {
    const double related = rng.real(0.3, 0.9);
    std::vector<std::string> strings;
    while (std::ssize(strings) < n) {
      std::string s;
      std::int64_t length = rng.integer(2, n);
      if (!strings.empty() && rng.chance(related)) {
        s = rng.choice(strings);
        const auto size = std::ssize(s);
        length = rng.chance(0.3) ? rng.integer(1, size)
                                 : std::min<std::int64_t>(n, size + rng.integer(1, 2));
        if (length < size) s.resize(length);
      }
      while (std::ssize(s) < length) s += rng.chance(0.5) ? 'a' : 'b';
      if (std::ranges::find(strings, s) == strings.end()) strings.push_back(std::move(s));
    }
    rng.shuffle(strings);
    return strings;
  }

  // Sorted, every string comes before those that it begins, which follow it without a gap. The
  // choices among it and them: itself alone, or any choice among each of its branches.
  template <typename Number>
  static Number count_with(std::vector<std::string> strings) {
    std::ranges::sort(strings);
    struct Open {
      const std::string* s;
      Number choices;  // among the branches seen so far, none included
    };
    const std::string root;
    std::vector<Open> open{{&root, Number(1)}};
    const auto close = [&] {
      const Number with_itself = open.back().choices + 1;
      open.pop_back();
      open.back().choices *= with_itself;
    };
    for (const std::string& s : strings) {
      while (!s.starts_with(*open.back().s)) close();
      open.push_back({&s, Number(1)});
    }
    while (open.size() > 1) close();
    return open.back().choices - 1;
  }

  static BigInt count(const std::vector<std::string>& strings) {
    if (strings.size() <= kFitsWord) return BigInt(count_with<std::int64_t>(strings));
    return count_with<BigInt>(strings);
  }
};
REDQUEEN_ENVIRONMENT(ZeroPrefixSubsetCounting);

}  // namespace
}  // namespace redqueen
