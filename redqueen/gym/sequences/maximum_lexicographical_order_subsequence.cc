#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/indices.h"

namespace redqueen {
namespace {

struct MaximumLexicographicalOrderSubsequence {
  static constexpr Card card{
      .name = "MaximumLexicographicalOrderSubsequence",
      .published = true,
      .family = Family::kSequences,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kElementWise,
      .task = "Find the lexicographically greatest subsequence of K elements of an array.",
      .levels =
          "The array grows from 3 numbers by a tenth and one a level, its values with it. Beyond "
          "level 80 it would be too long to read.",
      .rewards =
          "-1 malformed, -0.5 no subsequence of K elements, else (elements that are right / K)^5.",
      .differences =
          "K is at most two thirds of N. From 5 numbers on, a problem is drawn again that is "
          "solved "
          "by the last K elements, the K greatest, or the greatest element and what follows it.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space = "At level 0 the problem asks for two of three elements.",
      .guess_until_level = 0,
      .max_level = 80,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kFewNumbers = 5;
  static constexpr int kDraws = 300;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    int K = 0;
    std::vector<std::int64_t> A;
    std::vector<std::int64_t> gold_answer;
    REDQUEEN_FIELDS(N, K, A, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const auto draw = [&] {
      Problem problem{.N = config.N, .K = 0, .A = {}, .gold_answer = {}};
      problem.K = static_cast<int>(rng.integer(2, std::max(2, 2 * config.N / 3)));
      problem.A = draw_numbers(config.N, 1, config.N, rng);
      problem.gold_answer = greatest(problem);
      return problem;
    };
    return draw_accepted(kDraws, draw, [&](const Problem& problem) {
      return config.N < kFewNumbers ||
             !some_rule_solves<MaximumLexicographicalOrderSubsequence>(problem);
    });
  }

  // All numbers are uniform, and K is uniform in 2 … N - 1.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .K = 0, .A = {}, .gold_answer = {}};
    problem.K = static_cast<int>(rng.integer(2, config.N - 1));
    problem.A = draw_numbers(config.N, 1, config.N, rng);
    problem.gold_answer = greatest(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxShownNumbers));
    RETURN_IF_ERROR(within("K", problem.K, 1, problem.N));
    RETURN_IF_ERROR(check_numbers("A", problem.A, problem.N, -1'000'000'000, 1'000'000'000));
    return reference_is("gold_answer", problem.gold_answer, greatest(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is an array of {} integers:\n"
        "{}\n"
        "Delete all but {} of its elements, keeping the order of those that stay. Of all sequences "
        "of {} values that can be left, find the lexicographically greatest: the one whose first "
        "value is greatest, among these the one whose second value is greatest, and so on.\n"
        "Answer with its {} values (not their places) in order on one line, separated by spaces.",
        problem.N, format_answer(problem.A), problem.K, problem.K, problem.K);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != problem.K) return kInvalidReward;
    auto from = problem.A.begin();
    for (const std::int64_t value : answer) {
      from = std::find(from, problem.A.end(), value);
      if (from == problem.A.end()) return kInvalidReward;
      ++from;
    }
    std::int64_t matches = 0;
    for (int i = 0; i < problem.K; ++i) matches += answer[i] == problem.gold_answer[i];
    return share_reward(matches, problem.K, kBeta);
  }

  static Answer solve(const Problem& problem) { return problem.gold_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer places = rng.sample(0, problem.N - 1, static_cast<std::size_t>(problem.K));
    std::ranges::sort(places);
    for (std::int64_t& place : places) place = problem.A[place];
    return places;
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    std::vector<std::int64_t> places(problem.A.size());
    for (int i = 0; i < problem.N; ++i) places[i] = i;
    std::ranges::stable_sort(places, std::greater(), [&](auto i) { return problem.A[i]; });
    std::sort(places.begin(), places.begin() + problem.K);
    Answer largest;
    for (int i = 0; i < problem.K; ++i) largest.push_back(problem.A[places[i]]);
    const auto top = std::max_element(problem.A.begin(), problem.A.end() - problem.K + 1);
    return {
        {"the last K elements", Answer(problem.A.end() - problem.K, problem.A.end())},
        {"the K greatest in their order", largest},
        {"the greatest that leaves K, and the elements after it", Answer(top, top + problem.K)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  // An element gives way to a greater one as long as enough are left.
  static Answer greatest(const Problem& problem) {
    Answer kept;
    kept.reserve(problem.A.size());
    std::int64_t spare = problem.N - problem.K;
    for (const std::int64_t value : problem.A) {
      for (; spare > 0 && !kept.empty() && kept.back() < value; --spare) kept.pop_back();
      kept.push_back(value);
    }
    kept.resize(problem.K);
    return kept;
  }
};
REDQUEEN_ENVIRONMENT(MaximumLexicographicalOrderSubsequence);

}  // namespace
}  // namespace redqueen
