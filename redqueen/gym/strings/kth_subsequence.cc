#include <algorithm>
#include <array>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/random_integer.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/text.h"

namespace redqueen {
namespace {

struct KthSubsequence {
  static constexpr Card card{
      .name = "KthSubsequence",
      .published = true,
      .family = Family::kStrings,
      .answer = AnswerKind::kString,
      .scoring = Scoring::kExact,
      .task = "Give the K-th of all different subsequences of a string, in lexicographical order.",
      .levels =
          "The string grows from 3 letters by a tenth and one a level. Beyond level 40 the "
          "positions would have hundreds of digits.",
      .rewards = "-1 other letters than a and b, 0 wrong, 1 right.",
      .differences =
          "Both letters are about as frequent, and neither letter alone nor the whole string is "
          "the answer from 5 letters on.",
      .max_level = 40,
  };

  static constexpr int kFewLetters = 5;
  static constexpr int kDraws = 200;
  static constexpr int kMaxLength = 2000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::string S;
    BigInt K;
    std::string reference_answer;
    REDQUEEN_FIELDS(N, S, K, reference_answer)
  };
  using Answer = std::string;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return draw(config, rng.real(0.3, 0.7), rng); },
        [&](const Problem& problem) {
          return config.N < kFewLetters || !some_rule_solves<KthSubsequence>(problem);
        });
  }

  // About so large a share of the letters is a.
  static Problem draw(const Config& config, double share, Rng& rng) {
    Problem problem{.N = config.N, .S = {}, .K = 1, .reference_answer = {}};
    for (int i = 0; i < config.N; ++i) problem.S += rng.chance(share) ? 'a' : 'b';
    if (config.N < kFitsWord) {
      const Automaton<std::int64_t> small(problem.S);
      const std::int64_t place = rng.integer(1, small.total());
      problem.K = place;
      problem.reference_answer = small.at(place);
    } else {
      const Automaton<BigInt> large(problem.S);
      problem.K = random_integer(1, large.total(), rng);
      problem.reference_answer = large.at(problem.K);
    }
    return problem;
  }

  // Letters in a proportion of any kind.
  static Problem published(const Config& config, Rng& rng) { return draw(config, rng.real(), rng); }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxLength));
    RETURN_IF_ERROR(check_text("S", problem.S, problem.N, "ab", "letters a or b"));
    const Automaton<BigInt> automaton(problem.S);
    if (problem.K < 1 || problem.K > automaton.total()) {
      return failure("\"K\": there are {} subsequences", automaton.total().str());
    }
    return reference_is("reference_answer", problem.reference_answer, automaton.at(problem.K));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a string of {} letters: {}\n"
        "A subsequence leaves out any letters, but not all, and keeps the order of the others. "
        "List all different strings that are subsequences of it, each once, in lexicographical "
        "order: a before b, and a string before all longer ones that begin with it.\n"
        "Which string is at place {} of this list, the first place being 1?\n"
        "Answer with this string, without spaces or quotes.",
        problem.N, problem.S, problem.K.str());
  }

  static std::optional<Answer> parse(std::string_view text) {
    text = trim(text);
    if (text.find_first_not_of("ab") != std::string_view::npos) return std::nullopt;
    return Answer(text);
  }

  static double score(const Problem& problem, const Answer& answer) {
    return exact_reward(answer == problem.reference_answer);
  }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer answer;
    while (answer.empty()) {
      for (const char c : problem.S) {
        if (rng.chance(0.5)) answer += c;
      }
    }
    return answer;
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const std::string& s = problem.S;
    const auto of = [&](char c) { return static_cast<std::size_t>(std::ranges::count(s, c)); };
    std::vector<SimpleRule<Answer>> found{{"the whole string", s},
                                          {"all letters b", std::string(of('b'), 'b')},
                                          {"all letters a", std::string(of('a'), 'a')}};
    if (problem.K <= problem.N) {
      const auto count = problem.K.convert_to<std::size_t>();
      found.push_back({"as many letters a as the place says", std::string(count, 'a')});
    }
    return found;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    auto named = as_shortcuts(rules(problem));
    named.resize(3);
    return named;
  }

 private:
  static constexpr int kFitsWord = 62;  // shorter strings have less than 2^62 subsequences

  // Every subsequence is read at the earliest places it can be. Number holds the counts, below
  // 2^length.
  template <typename Number>
  class Automaton {
   public:
    explicit Automaton(const std::string& s) : next_(s.size() + 1), from_(s.size() + 1) {
      const int n = static_cast<int>(s.size());
      next_[n] = {n, n};
      from_[n] = 0;
      for (int i = n - 1; i >= 0; --i) {
        next_[i] = next_[i + 1];
        next_[i][s[i] - 'a'] = i;
        from_[i] = after(next_[i][0]) + after(next_[i][1]);
      }
    }

    Number total() const { return from_[0]; }

    // 1 ≤ k ≤ total().
    std::string at(Number k) const {
      std::string found;
      for (int i = 0; k > 0;) {
        const Number with_a = after(next_[i][0]);
        const int letter = k <= with_a ? 0 : 1;
        if (letter == 1) k -= with_a;
        found += static_cast<char>('a' + letter);
        k -= 1;
        i = next_[i][letter] + 1;
      }
      return found;
    }

   private:
    // Subsequences whose first letter is read at `place`.
    Number after(int place) const {
      if (place + 1 >= static_cast<int>(from_.size())) return 0;
      return from_[place + 1] + 1;
    }

    std::vector<std::array<int, 2>>
        next_;                  // the next place of each letter from here on, or the end
    std::vector<Number> from_;  // subsequences read from here on
  };
};
REDQUEEN_ENVIRONMENT(KthSubsequence);

}  // namespace
}  // namespace redqueen
