#include <algorithm>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/sequence/indices.h"

namespace redqueen {
namespace {

struct MitterTransportation {
  static constexpr Card card{
      .name = "MitterTransportation",
      .published = true,
      .family = Family::kTrees,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Change as few values of the vertices of a rooted tree as possible such that the "
          "children "
          "of each vertex share its value equally.",
      .levels =
          "From 3 vertices, a tenth and one more a level. Beyond level 50, the lists would be too "
          "long to read.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences =
          "Trees are long, bushy or neither, and of several draws every answer is as likely. "
          "Vertices "
          "that keep their values are left out where these would need more than twelve digits. "
          "From "
          "8 vertices on, a problem is drawn again in which the root keeps its value, or the most "
          "frequent value is that of all vertices that keep theirs.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "The answer is less than the number of vertices, which is 3 to 8 at levels 0 to 5.",
      .guess_until_level = 5,
      .max_level = 50,
  };

  static constexpr int kFewVertices = 8;
  static constexpr int kDraws = 24;  // among which answers are made as likely
  static constexpr std::int64_t kLargest = 1'000'000'000'000;           // drawn values
  static constexpr std::int64_t kMaxShare = 1'000'000'000'000'000'000;  // of the root in a vertex
  __extension__ using Wide = __int128;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::optional<int>> parents;  // none of the root, 0
    std::vector<std::int64_t> A;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(N, parents, A, reference_answer)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_spread(kDraws, rng, [&]() -> std::optional<std::pair<Answer, Problem>> {
      Problem draft = drawn(config, random_shaped_tree, kLargest, rng);
      if (config.N >= kFewVertices && some_rule_solves<MitterTransportation>(draft)) {
        return std::nullopt;
      }
      return std::pair{draft.reference_answer, std::move(draft)};
    });
  }

  // The root's value is at most kMaxShare, where the published one has no bound.
  static Problem published(const Config& config, Rng& rng) {
    return drawn(config, random_recursive_tree, kMaxShare, rng);
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxVertices));
    RETURN_IF_ERROR(within("parents", std::ssize(problem.parents), problem.N, problem.N));
    if (problem.parents[0]) return failure("\"parents\": the root has none");
    for (int v = 1; v < problem.N; ++v) {
      if (!problem.parents[v]) return failure("\"parents\": vertex {} has none", v);
      RETURN_IF_ERROR(within("parents", *problem.parents[v], 0, v - 1));
    }
    RETURN_IF_ERROR(check_numbers("A", problem.A, problem.N, 1, kMaxShare));
    if (!shares_of(problem.parents)) {
      return failure("\"parents\": a vertex has less than 1/{} of the root's value", kMaxShare);
    }
    return reference_is("reference_answer", problem.reference_answer, fewest_changes(problem));
  }

  static std::string prompt(const Problem& problem) {
    std::vector<Edge> edges;
    for (int v = 1; v < problem.N; ++v) edges.emplace_back(*problem.parents[v], v);
    return fmt::format(
        "A rooted tree has the vertices 0 to {}; its root is 0. Each line gives a vertex and one "
        "of its children:\n"
        "{}\n"
        "The vertices have these values:\n"
        "{}\n"
        "Any value may be changed to any positive real number. Afterwards, all children of a "
        "vertex must have the same value, and the sum of these must be the value of the vertex; "
        "this must hold for each vertex that has children. What is the least possible number of "
        "vertices whose values change?\n"
        "Answer with one integer.",
        problem.N - 1, format_edges(edges), with_indices("A", problem.A));
  }

  static double score(const Problem& problem, Answer answer) {
    return exact_reward(answer == problem.reference_answer);
  }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(0, problem.N - 1);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const std::vector<std::int64_t> shares = *shares_of(problem.parents);
    Answer with_root = 0;
    Answer agreeing = 0;  // edges whose upper end may keep its value with the lower one
    for (int v = 0; v < problem.N; ++v) {
      with_root += Wide{problem.A[v]} * shares[v] == problem.A[0];
      if (v == 0) continue;
      const int parent = *problem.parents[v];
      agreeing += Wide{problem.A[v]} * shares[v] == Wide{problem.A[parent]} * shares[parent];
    }
    std::vector<std::int64_t> values = problem.A;
    return {{"the root keeps its value", problem.N - with_root},
            {"the most frequent value is kept", problem.N - most_frequent(values)},
            {"one change for each edge that does not fit", problem.N - 1 - agreeing}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    auto named = as_shortcuts(rules(problem));
    named.push_back({"all but one", format_answer(problem.N - 1)});
    return named;
  }

 private:
  template <typename DrawTree>
  static Problem drawn(const Config& config, DrawTree draw_tree, std::int64_t most, Rng& rng) {
    Problem problem{.N = config.N,
                    .parents = {std::nullopt},
                    .A = std::vector<std::int64_t>(static_cast<std::size_t>(config.N)),
                    .reference_answer = 0};
    std::vector<int> order(static_cast<std::size_t>(config.N));
    std::iota(order.begin(), order.end(), 0);
    for (const auto& [parent, child] : draw_tree(order, rng)) {
      problem.parents.emplace_back(parent);
    }
    const auto shares = shares_of(problem.parents);
    if (!shares) throw Retry();
    std::int64_t whole = 1;  // the root's value: the least common multiple of what is kept
    for (const std::int64_t v :
         rng.sample(0, config.N - 1, static_cast<std::size_t>(rng.integer(1, config.N - 1)))) {
      const std::int64_t factor = (*shares)[v] / std::gcd(whole, (*shares)[v]);
      if (factor > most / whole) continue;
      whole *= factor;
      problem.A[v] = 1;
    }
    std::int64_t largest = 1;
    for (int v = 0; v < config.N; ++v) {
      if (problem.A[v] == 0) continue;
      problem.A[v] = whole / (*shares)[v];
      largest = std::max(largest, problem.A[v]);
    }
    for (std::int64_t& value : problem.A) {
      if (value == 0) value = rng.integer(1, largest);
    }
    problem.reference_answer = fewest_changes(problem);
    return problem;
  }

  // A vertex must hold the root's value divided by this; nullopt if one exceeds kMaxShare.
  static std::optional<std::vector<std::int64_t>> shares_of(
      const std::vector<std::optional<int>>& parents) {
    std::vector<std::int64_t> children(parents.size());
    for (std::size_t v = 1; v < parents.size(); ++v) ++children[*parents[v]];
    std::vector<std::int64_t> shares(parents.size(), 1);
    for (std::size_t v = 1; v < parents.size(); ++v) {
      const int parent = *parents[v];
      if (shares[parent] > kMaxShare / children[parent]) return std::nullopt;
      shares[v] = shares[parent] * children[parent];
    }
    return shares;
  }

  template <typename Number>
  static Answer most_frequent(std::vector<Number>& numbers) {
    std::ranges::sort(numbers);
    Answer most = 0;
    Answer run = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      run = i > 0 && numbers[i] == numbers[i - 1] ? run + 1 : 1;
      most = std::max(most, run);
    }
    return most;
  }

  // All vertices that ask for the same value of the root can keep theirs.
  static Answer fewest_changes(const Problem& problem) {
    const std::vector<std::int64_t> shares = *shares_of(problem.parents);
    std::vector<Wide> roots;
    roots.reserve(shares.size());
    for (std::size_t v = 0; v < shares.size(); ++v) roots.push_back(Wide{problem.A[v]} * shares[v]);
    return problem.N - most_frequent(roots);
  }
};
REDQUEEN_ENVIRONMENT(MitterTransportation);

}  // namespace
}  // namespace redqueen
