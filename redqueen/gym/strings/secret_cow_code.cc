#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/spread.h"

namespace redqueen {
namespace {

struct SecretCowCode {
  static constexpr Card card{
      .name = "SecretCowCode",
      .published = true,
      .family = Family::kStrings,
      .answer = AnswerKind::kString,
      .scoring = Scoring::kExact,
      .task =
          "Give the K-th letter of a word that is prolonged again and again by its own rotation.",
      .levels =
          "The bound on the word's length starts at 5 and grows by a tenth and one a level, that "
          "on K starts at 8 and doubles up to 2^62. Beyond level 80 the word would be too long to "
          "read.",
      .rewards = "-1 not a letter of the word, 0 wrong, 1 right.",
      .differences =
          "The length lies in the upper third and K in the upper half of its range, no letter "
          "comes twice up to 26, and of several draws of K, each letter of the word among them is "
          "as likely.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "The answer is one of the letters of the word, 4 or 5 at level 0 and 5 to 7 at level 2.",
      .guess_until_level = 2,
      .max_level = 80,
  };

  static constexpr std::int64_t kMaxPlace = std::int64_t{1} << 62;
  static constexpr int kCandidates = 8;

  struct Config {
    int MAX_N = 0;
    std::int64_t MAX_K = 0;
    REDQUEEN_FIELDS(MAX_N, MAX_K)
  };
  struct Problem {
    std::string S;
    std::int64_t K = 0;
    REDQUEEN_FIELDS(S, K)
  };
  using Answer = std::string;

  static Config at_level(int level, Rng&) {
    return {.MAX_N = grow_by_tenth(5, level), .MAX_K = multiply(8, 2, level)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    const std::int64_t length = rng.integer(config.MAX_N - config.MAX_N / 3, config.MAX_N);
    std::string word;
    while (std::ssize(word) < length) {
      std::string alphabet = "abcdefghijklmnopqrstuvwxyz";
      rng.shuffle(alphabet);
      word += alphabet.substr(0, static_cast<std::size_t>(length) - word.size());
    }
    using Candidate = std::optional<std::pair<std::uint64_t, Problem>>;
    return draw_spread(kCandidates, rng, [&]() -> Candidate {
      Problem problem{.S = word, .K = draw_upper_half(length + 1, config.MAX_K, rng)};
      return std::pair(place_in_word(problem), std::move(problem));
    });
  }

  // Random letters, of which some may be alike, and a uniform K.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.S = {}, .K = 0};
    for (std::int64_t left = rng.integer(2, config.MAX_N); left > 0; --left) {
      problem.S += static_cast<char>('a' + rng.below(26));
    }
    problem.K = rng.integer(std::ssize(problem.S) + 1, config.MAX_K);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("S", std::ssize(problem.S), 1, 4 * kMaxShownNumbers));
    RETURN_IF_ERROR(within("K", problem.K, 1, kMaxPlace));
    for (const char c : problem.S) {
      if (c < 'a' || c > 'z') return failure("\"S\": expected letters a to z");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "For a word w, let r(w) be w with its last letter moved to the front, and let F(w) be w "
        "followed by r(w). (So F(abc) = abccab.)\n"
        "Start with the word {} and apply F again and again: each word is the beginning of the "
        "next. Which letter is at place {} of the words that are long enough, the first place "
        "being 1?\n"
        "Answer with this one letter.",
        problem.S, problem.K);
  }

  static std::optional<Answer> parse(const Problem& problem, std::string_view text) {
    text = trim(text);
    if (text.size() != 1 || problem.S.find(text[0]) == std::string::npos) return std::nullopt;
    return Answer(text);
  }

  static double score(const Problem& problem, const Answer& answer) {
    return exact_reward(answer == solve(problem));
  }

  static Answer solve(const Problem& problem) {
    return std::string(1, problem.S[place_in_word(problem)]);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return std::string(1, problem.S[rng.below(problem.S.size())]);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const auto place = static_cast<std::size_t>(problem.K - 1) % problem.S.size();
    return {{"the word repeated without rotation", std::string(1, problem.S[place])},
            {"the first letter", std::string(1, problem.S.front())},
            {"the last letter", std::string(1, problem.S.back())}};
  }

 private:
  // Where the K-th letter comes from, counted from 0. In a word of two halves, the first letter of
  // the second half is the last of the first, and any other is one place behind its like.
  static std::uint64_t place_in_word(const Problem& problem) {
    const auto start = static_cast<std::uint64_t>(problem.S.size());
    auto place = static_cast<std::uint64_t>(problem.K) - 1;
    std::uint64_t half = start;
    while (half <= place / 2) half *= 2;
    for (; place >= start; half /= 2) {
      if (place < half) continue;
      place = place == half ? half - 1 : place - half - 1;
    }
    return place;
  }
};
REDQUEEN_ENVIRONMENT(SecretCowCode);

}  // namespace
}  // namespace redqueen
