#include <algorithm>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/max_flow.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/chain.h"
#include "redqueen/gym/common/sequence/indices.h"

namespace redqueen {
namespace {

struct MinCostReducingLNDS {
  static constexpr Card card{
      .name = "MinCostReducingLNDS",
      .published = true,
      .family = Family::kSequences,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task =
          "Erase elements of an array, as cheaply as possible, so that its longest non-decreasing "
          "subsequence gets shorter.",
      .levels =
          "The array grows from 3 numbers by a tenth and one a level, values up to 2N, costs up to "
          "N. Beyond level 50 the least cost would take long to find.",
      .rewards =
          "-1 malformed, -0.5 places that do not exist or come twice, -0.2 the subsequence can "
          "still be as long, else (least cost / cost)^3.",
      .differences =
          "In half of the problems with 6 to 20 numbers, the values stand in two or three runs "
          "that ascend, each below the one before, but for some exchanges. From 5 numbers on, a "
          "problem is drawn again that is solved by the cheapest element, by the cheapest set of "
          "all "
          "elements at which longest subsequences so far have the same length, or by erasing the "
          "cheapest element of some longest subsequence again and again. Up to 7 numbers, fewer "
          "problems are solved by a single element.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "Of five numbers, at level 2, there are 31 sets to erase; where the rules fail, some of "
          "them solve a fifth of the problems each.",
      .guess_until_level = 2,
      .max_level = 50,
  };

  static constexpr double kUnchanged = -0.2;
  static constexpr double kBeta = 3.0;
  static constexpr int kFewNumbers = 5;
  static constexpr int kSeveralNumbers = 8;
  static constexpr int kManyNumbers = 21;
  static constexpr double kSingleRefused = 0.4;
  static constexpr int kDraws = 300;
  static constexpr std::int64_t kMaxNumbers = 2000;
  static constexpr std::int64_t kMaxValue = 1'000'000'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> A;
    std::vector<std::int64_t> B;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, A, B, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const int n = config.N;
    const bool in_runs = n > kFewNumbers && n < kManyNumbers && rng.chance(0.5);
    Problem problem{.N = n, .A = {}, .B = {}, .gold_answer = 0};
    for (int draw = 0; draw < kDraws; ++draw) {
      problem.A = draw_numbers(n, 1, 2 * n, rng);
      problem.B = draw_numbers(n, 1, n, rng);
      if (in_runs) arrange(problem.A, rng);
      const Answer best = solve(problem);
      problem.gold_answer = cost(problem, best);
      if (n < kFewNumbers) return problem;
      if (best.size() == 1 && n < kSeveralNumbers && rng.chance(kSingleRefused)) continue;
      if (!some_rule_is_best(problem)) return problem;
    }
    throw Retry();
  }

  // Values and costs are uniform.
  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    Problem problem{.N = n, .A = {}, .B = {}, .gold_answer = 0};
    problem.A = draw_numbers(n, 1, 2 * n, rng);
    problem.B = draw_numbers(n, 1, n, rng);
    problem.gold_answer = cost(problem, solve(problem));
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxNumbers));
    RETURN_IF_ERROR(check_numbers("A", problem.A, problem.N, -kMaxValue, kMaxValue));
    RETURN_IF_ERROR(check_numbers("B", problem.B, problem.N, 1, kMaxValue));
    return reference_is("gold_answer", problem.gold_answer, cost(problem, solve(problem)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here are an array A of {0} integers and an array B of {0} costs, with places from 0:\n"
        "{1}\n"
        "{2}\n"
        "A subsequence of A keeps the order and may leave out any elements; consider those that "
        "never decrease (equal elements may follow each other). Erase elements of A so that the "
        "longest of these subsequences gets shorter, by 1 or more, than it is in all of A. Erasing "
        "A[i] costs B[i]; the sum of the costs shall be as small as possible. (All elements may be "
        "erased: the length is 0 then.)\n"
        "Answer with the places i of the erased elements (not the values), in any order, on one "
        "line, separated by spaces.",
        problem.N, with_indices("A", problem.A), with_indices("B", problem.B));
  }

  static double score(const Problem& problem, const Answer& answer) {
    std::vector<char> erased(problem.A.size());
    for (const std::int64_t place : answer) {
      if (place < 0 || place >= problem.N || erased[place]) return kInvalidReward;
      erased[place] = 1;
    }
    if (!gets_shorter(problem, erased)) return kUnchanged;
    return minimise_reward(cost(problem, answer), problem.gold_answer, kBeta);
  }

  // In a longest subsequence, the longest one that ends at its k-th element has length k. So these
  // subsequences are the paths from a first to a last layer, the elements by this length, and what
  // is sought is a set of vertices that cuts all paths. An element is an arc from its entrance,
  // vertex 2i, to its exit, 2i + 1, with its cost as the capacity.
  static Answer solve(const Problem& problem) {
    const std::vector<int> lengths = chain_lengths(problem.A, Equal::kKeeps);
    const int longest = *std::ranges::max_element(lengths);
    const int source = 2 * problem.N;
    const int sink = source + 1;
    FlowNetwork network(sink + 1);
    std::vector<int> latest(static_cast<std::size_t>(longest) + 1, -1);  // element of each layer
    std::vector<int> earlier(lengths.size());                            // one of the same layer
    for (int i = 0; i < problem.N; ++i) {
      const int length = lengths[i];
      network.add_arc(2 * i, 2 * i + 1, problem.B[i]);
      if (length == 1) network.add_arc(source, 2 * i, FlowNetwork::kUnbounded);
      if (length == longest) network.add_arc(2 * i + 1, sink, FlowNetwork::kUnbounded);
      // Of a layer, earlier elements are greater.
      for (int j = latest[length - 1]; j >= 0 && problem.A[j] <= problem.A[i]; j = earlier[j]) {
        network.add_arc(2 * j + 1, 2 * i, FlowNetwork::kUnbounded);
      }
      earlier[i] = std::exchange(latest[length], i);
    }
    network.maximise_flow(source, sink);
    const std::vector<char> reached = network.source_side(source);
    Answer places;
    for (int i = 0; i < problem.N; ++i) {
      if (reached[2 * i] && !reached[2 * i + 1]) places.push_back(i);
    }
    return places;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_indices(problem.N, rng);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    return {{"the cheapest element", {cheapest(problem)}},
            {"the cheapest set of elements that end subsequences of one length",
             cheapest_layer(problem)},
            {"the cheapest element of a longest subsequence, again and again", greedy(problem)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  // The rules, one after another.
  static bool some_rule_is_best(const Problem& problem) {
    if (problem.B[cheapest(problem)] == problem.gold_answer) return true;
    return cost(problem, cheapest_layer(problem)) == problem.gold_answer ||
           cost(problem, greedy(problem)) == problem.gold_answer;
  }

  // Two or three ascending runs, each below the one before; then some values change places.
  static void arrange(std::vector<std::int64_t>& values, Rng& rng) {
    const std::int64_t n = std::ssize(values);
    std::ranges::sort(values, std::greater());
    const std::int64_t runs = rng.integer(2, n < 9 ? 2 : 3);
    for (std::int64_t run = 0; run < runs; ++run) {
      std::reverse(values.begin() + n * run / runs, values.begin() + n * (run + 1) / runs);
    }
    for (std::int64_t swaps = rng.integer(1, n / 3); swaps > 0; --swaps) {
      std::swap(rng.choice(values), rng.choice(values));
    }
  }

  static std::int64_t cost(const Problem& problem, const Answer& places) {
    std::int64_t sum = 0;
    for (const std::int64_t place : places) sum += problem.B[place];
    return sum;
  }

  static bool gets_shorter(const Problem& problem, const std::vector<char>& erased) {
    std::vector<std::int64_t> left;
    left.reserve(problem.A.size());
    for (int i = 0; i < problem.N; ++i) {
      if (!erased[i]) left.push_back(problem.A[i]);
    }
    return longest_chain_length(left, Equal::kKeeps) <
           longest_chain_length(problem.A, Equal::kKeeps);
  }

  static std::int64_t cheapest(const Problem& problem) {
    return std::ranges::min_element(problem.B) - problem.B.begin();
  }

  static Answer cheapest_layer(const Problem& problem) {
    const std::vector<int> lengths = chain_lengths(problem.A, Equal::kKeeps);
    std::vector<std::int64_t> costs(static_cast<std::size_t>(*std::ranges::max_element(lengths)) +
                                    1);
    for (int i = 0; i < problem.N; ++i) costs[lengths[i]] += problem.B[i];
    const auto layer = std::ranges::min_element(costs.begin() + 1, costs.end()) - costs.begin();
    Answer places;
    for (int i = 0; i < problem.N; ++i) {
      if (lengths[i] == layer) places.push_back(i);
    }
    return places;
  }

  static Answer greedy(const Problem& problem) {
    std::vector<std::int64_t> left = problem.A;
    Answer place_of(problem.A.size());
    std::iota(place_of.begin(), place_of.end(), 0);
    Answer places;
    std::size_t longest = 0;
    while (true) {
      const std::vector<std::int64_t> chain = longest_chain(left, Equal::kKeeps);
      if (chain.size() < longest) return places;
      longest = chain.size();
      const std::int64_t worst = *std::ranges::min_element(
          chain, {}, [&](auto link) { return problem.B[place_of[link]]; });
      places.push_back(place_of[worst]);
      left.erase(left.begin() + worst);
      place_of.erase(place_of.begin() + worst);
    }
  }
};
REDQUEEN_ENVIRONMENT(MinCostReducingLNDS);

}  // namespace
}  // namespace redqueen
