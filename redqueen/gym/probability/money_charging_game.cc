#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/answer/residue_answer.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/number/prime_field.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct MoneyChargingGame {
  static constexpr Card card{
      .name = "MoneyChargingGame",
      .published = true,
      .family = Family::kProbability,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Items of random weights 1 to 3 are drawn until all have appeared; find the probability, "
          "modulo a prime, that first appearances keep an order given by the edges of a tree.",
      .levels =
          "There are 2 items, a tenth and one more each level. Beyond level 50 checking an answer "
          "takes too long.",
      .rewards = "-1 malformed, -0.5 outside 0 … 998244352, 0 wrong, 1 right.",
      .differences = "Two items of the same odds are drawn again: the answer would be one half.",
      .max_level = 50,
  };

  static constexpr std::int64_t kPrime = 998244353;
  static constexpr int kMaxItems = 1000;
  static constexpr std::int64_t kMaxOdds = 1'000'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> A;       // odds of weight 1, of each item
    std::vector<std::int64_t> B;       // of weight 2
    std::vector<std::int64_t> C;       // of weight 3
    std::vector<Edge> T_inequalities;  // earlier item, later item
    REDQUEEN_FIELDS(N, A, B, C, T_inequalities)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(2, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem = published(config, rng);
    if (config.N == 2 && have_same_odds(problem)) throw Retry();
    return problem;
  }

  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .A = {}, .B = {}, .C = {}, .T_inequalities = {}};
    for (auto* odds : {&problem.A, &problem.B, &problem.C}) {
      for (int i = 0; i < config.N; ++i) odds->push_back(rng.integer(1, config.N));
    }
    const double swapped = rng.real();
    const std::vector<int> order = rng.permutation(config.N);
    problem.T_inequalities = random_recursive_tree(order, rng);
    for (auto& [earlier, later] : problem.T_inequalities) {
      if (rng.chance(swapped)) std::swap(earlier, later);
    }
    rng.shuffle(problem.T_inequalities);
    return problem;
  }

  static bool have_same_odds(const Problem& problem) {
    const auto& [a, b, c] = std::tie(problem.A, problem.B, problem.C);
    return a[0] * b[1] == a[1] * b[0] && a[0] * c[1] == a[1] * c[0];
  }

  static Status check(const Problem& problem) {
    if (auto sound = within("N", problem.N, 1, kMaxItems); !sound) return sound;
    for (const auto& [key, odds] :
         {std::pair{"A", &problem.A}, std::pair{"B", &problem.B}, std::pair{"C", &problem.C}}) {
      if (std::cmp_not_equal(odds->size(), problem.N)) {
        return failure("\"{}\": expected \"N\" numbers, found {}", key, odds->size());
      }
      for (const std::int64_t value : *odds) {
        if (auto sound = within(key, value, 1, kMaxOdds); !sound) return sound;
      }
    }
    if (!root_tree(problem.N, problem.T_inequalities, 0)) {
      return failure("\"T_inequalities\": not the edges of a tree on 0 to \"N\" - 1");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    std::string text = fmt::format(
        "Each of the items 0 to {} gets a random weight, independently: 1, 2 or 3, with "
        "probabilities proportional to the three numbers of its line.\n",
        problem.N - 1);
    for (int i = 0; i < problem.N; ++i) {
      text += fmt::format("item {}: {} {} {}\n", i, problem.A[i], problem.B[i], problem.C[i]);
    }
    text +=
        "Then items are drawn with replacement, each draw independent of the others and taking an "
        "item with probability (its weight)/(sum of all weights), until every item has been drawn. "
        "T[i] is the number of the draw in which item i is drawn for the first time. What is the "
        "probability that ";
    text += problem.N == 2 ? "this inequality holds?\n" : "all of these inequalities hold?\n";
    for (const auto& [earlier, later] : problem.T_inequalities) {
      text += fmt::format("T[{}] < T[{}]\n", earlier, later);
    }
    return text + ask_for_fraction_residue(kPrime);
  }

  static double score(const Problem&, Answer answer, Answer right) {
    return residue_reward(answer, right, kPrime);
  }

  // Place s: for the total weight s of a part of the tree, a sum over the weights of its items.
  using Weights = std::vector<std::int64_t>;

  // If all inequalities led away from the root, each item would have to be the first of its
  // subtree: ∏ (weight of item)/(weight of subtree). One that leads towards the root holds as often
  // as none is there, less as often as its reverse holds; what is cut off counts for itself.
  static Answer solve(const Problem& problem) {
    const PrimeField field(kPrime);
    const auto tree = root_tree(problem.N, problem.T_inequalities, 0);
    const auto inverse = field.inverses(3 * problem.N);
    std::vector<Weights> parts;
    for (int i = 0; i < problem.N; ++i) parts.push_back(single_item(problem, i));
    for (auto place = tree->order.rbegin(); place != tree->order.rend(); ++place) {
      Weights& part = parts[*place];
      for (std::size_t s = 1; s < part.size(); ++s) part[s] = field.multiply(part[s], inverse[s]);
      if (tree->parent[*place] == -1) break;
      const bool away = problem.T_inequalities[tree->edge[*place]].second == *place;
      Weights& above = parts[tree->parent[*place]];
      above = away ? joined(field, above, part) : joined_reversed(field, above, part);
      Weights().swap(part);
    }
    return total(field, parts[0]);
  }

  static Weights single_item(const Problem& problem, int i) {
    const PrimeField field(kPrime);
    const std::int64_t share = field.inverse(problem.A[i] + problem.B[i] + problem.C[i]);
    Weights weights{0, problem.A[i], 2 * problem.B[i], 3 * problem.C[i]};
    for (std::int64_t& weight : weights) weight = field.multiply(weight, share);
    return weights;
  }

  static std::int64_t total(const PrimeField& field, const Weights& weights) {
    std::int64_t sum = 0;
    for (const std::int64_t weight : weights) sum = field.add(sum, weight);
    return sum;
  }

  static Weights joined(const PrimeField& field, const Weights& a, const Weights& b) {
    Weights sum(a.size() + b.size() - 1);
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a[i] == 0) continue;
      for (std::size_t j = 0; j < b.size(); ++j) {
        sum[i + j] = field.add(sum[i + j], field.multiply(a[i], b[j]));
      }
    }
    return sum;
  }

  static Weights joined_reversed(const PrimeField& field, const Weights& above,
                                 const Weights& part) {
    Weights weights = joined(field, above, part);
    const std::int64_t alone = total(field, part);
    for (std::size_t s = 0; s < weights.size(); ++s) {
      const std::int64_t cut = s < above.size() ? field.multiply(above[s], alone) : 0;
      weights[s] = field.subtract(cut, weights[s]);
    }
    return weights;
  }

  static Answer random_answer(const Problem&, Rng& rng) { return rng.integer(0, kPrime - 1); }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const PrimeField field(kPrime);
    const std::int64_t each = field.power(field.inverse(2), problem.N - 1);
    return {{"one half for each inequality", format_answer(each)}};
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(MoneyChargingGame);

}  // namespace
}  // namespace redqueen
