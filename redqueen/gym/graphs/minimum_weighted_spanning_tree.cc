#include <algorithm>
#include <bit>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/edge_choice.h"
#include "redqueen/gym/common/graph/edge_density.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/parameter/lazy_rules.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct MinimumWeightedSpanningTree {
  static constexpr Card card{
      .name = "MinimumWeightedSpanningTree",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task =
          "Find a root and a spanning tree of a graph with weights such that weights times "
          "distances from the root add up to as little as possible.",
      .levels =
          "From 3 vertices, one more a level, with half as many edges again as a tree has or more. "
          "Beyond level 11 the best tree would take long to find.",
      .rewards =
          "-1 malformed, empty or an even number of integers, -0.5 a root that does not exist or "
          "not a spanning tree of edges, else (least cost / cost)^5.",
      .differences =
          "Of the published densities, one of the three lowest is drawn that give at least half as "
          "many edges again as the tree has. The least cost is above 0. From 5 vertices on, a "
          "problem is drawn again that is solved, with the best root, by the lightest tree, by "
          "paths of fewest edges, or by always adding the cheapest vertex.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space = "Three vertices, at level 0, leave three trees.",
      .guess_until_level = 0,
      .source = "Chinese National Olympiad in Informatics in Provinces 2017: Treasure",
      .max_level = 11,
  };

  static constexpr double kBeta = 5.0;
  static constexpr std::array kDensities{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0};
  static constexpr int kFewVertices = 5;
  static constexpr int kDraws = 400;
  static constexpr int kMostVertices = 15;
  static constexpr std::int64_t kFar = std::int64_t{1} << 50;

  struct Config {
    int N = 0;
    double edge_density = 0;
    REDQUEEN_FIELDS(N, edge_density)
  };
  struct Problem {
    int N = 0;
    std::vector<WeightedEdge> edges;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, edges, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;  // the root, and both ends of each edge

  static Config at_level(int level, Rng& rng) {
    const int n = 3 + level;
    const auto densities = sparsest(kDensities, 3, (3 * n - 2) / 2, [n](double density) {
      return undirected_edges_at(n, density);
    });
    return {.N = n, .edge_density = rng.choice(densities)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    const int n = config.N;
    const std::int64_t count = undirected_edges_at(n, config.edge_density);
    const auto draw = [&] {
      const auto edges = draw_connected_edges(n, static_cast<std::size_t>(count), rng);
      return Problem{.N = n, .edges = weigh_edges(edges, 0, n, rng), .gold_answer = 0};
    };
    return draw_accepted(kDraws, draw, [&](Problem& problem) {
      // Where growing a tree is best, as it is mostly, a search for less soon ends.
      const bool few = n < kFewVertices;
      const auto best = cheapest(problem, by_growth(problem).cost - (few ? 0 : 1));
      if (!best) return false;
      problem.gold_answer = best->cost;
      return best->cost > 0 && (few || (lightest(problem).cost > best->cost &&
                                        by_fewest_edges(problem).cost > best->cost));
    });
  }

  static Config published_level(int level, Rng& rng) {
    const int n = 3 + level;
    return {.N = n, .edge_density = draw_density(kDensities, n, n, n * n, rng)};
  }

  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    const auto count = static_cast<std::size_t>(undirected_edges_at(n, config.edge_density));
    const auto edges = draw_connected_edges(n, count, rng);
    Problem problem{.N = n, .edges = weigh_edges(edges, 0, n, rng), .gold_answer = 0};
    problem.gold_answer = cheapest(problem, by_growth(problem).cost)->cost;
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMostVertices));
    RETURN_IF_ERROR(check_edges(problem.N, problem.edges, EdgeKind::kUndirected, 0));
    if (!is_connected(problem.N, problem.edges)) return failure("\"edges\": they join not all");
    return reference_is("gold_answer", problem.gold_answer,
                        cheapest(problem, by_growth(problem).cost)->cost);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A connected graph has {0} vertices, 0 to {1}. Each of these lines gives an edge by its "
        "two ends and its weight:\n"
        "{2}\n"
        "Choose a root among the vertices, and {1} of the edges that make a tree on all vertices. "
        "A chosen edge costs its weight times the number of edges on the way in the tree from the "
        "root to that end of it which is further from the root; an edge at the root costs its "
        "weight once. Make the sum of these costs as small as possible.\n"
        "Answer with the root and the ends of the chosen edges, \"root u1 v1 u2 v2 …\", {3} "
        "numbers "
        "on one line, separated by spaces.",
        problem.N, problem.N - 1, format_edges(problem.edges), 2 * problem.N - 1);
  }

  static std::optional<Answer> parse(std::string_view text) {
    auto numbers = parse_int_list(text);
    if (numbers && numbers->empty()) numbers.reset();
    return numbers;
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (answer[0] < 0 || answer[0] >= problem.N) return kInvalidReward;
    if (answer.size() % 2 == 0) return kMalformedReward;
    const auto cost = cost_of(problem, answer);
    return cost ? minimise_reward(*cost, problem.gold_answer, kBeta) : kInvalidReward;
  }

  static Answer solve(const Problem& problem) {
    return with_root(problem, *cheapest(problem, by_growth(problem).cost));
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    std::vector<int> order = all_places(problem.edges);
    rng.shuffle(order);
    return with_root(problem, static_cast<int>(rng.integer(0, problem.N - 1)),
                     acyclic_places(problem.N, problem.edges, order));
  }

  template <typename Visit>
  static bool try_rules(const Problem& problem, Visit visit) {
    return visit("always the vertex that costs least, from the best root",
                 with_root(problem, by_growth(problem))) ||
           visit("the lightest tree from its best root", with_root(problem, lightest(problem))) ||
           visit("paths of fewest edges from the best root",
                 with_root(problem, by_fewest_edges(problem)));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(all_rules<MinimumWeightedSpanningTree>(problem));
  }

 private:
  struct Tree {
    int root = 0;
    std::vector<int> places;  // of its edges
    std::int64_t cost = kFar;
  };

  // The edges by their ends.
  struct Weights {
    int n;
    std::vector<std::pair<std::int64_t, int>> edges;  // n × n: weight and place; kFar: none

    explicit Weights(const Problem& problem)
        : n(problem.N), edges(static_cast<std::size_t>(n) * n, {kFar, -1}) {
      for (int i = 0; i < static_cast<int>(problem.edges.size()); ++i) {
        const auto& [u, v, weight] = problem.edges[i];
        edges[u * n + v] = edges[v * n + u] = {weight, i};
      }
    }

    // Of the edges between v and a set.
    std::pair<std::int64_t, int> lightest(int v, unsigned set) const {
      std::pair<std::int64_t, int> best{kFar, -1};
      for (; set != 0; set &= set - 1) best = std::min(best, edges[v * n + std::countr_zero(set)]);
      return best;
    }
  };

  // All choices of vertices that come to a set at one distance.
  struct Layer {
    struct Choice {
      int vertex;
      std::int64_t cost;   // at this distance
      std::int64_t later;  // at least, further away
    };
    unsigned set;
    std::int64_t bound;
    std::array<Choice, kMostVertices> open;  // the first of these may come now or later
    std::size_t choices = 0;
    unsigned forced = 0;  // vertices that cost no less later
    std::int64_t forced_cost = 0;
    std::int64_t later = 0;  // of all that cannot come now, at least

    Layer(const Weights& weights, unsigned from, int depth, std::int64_t most)
        : set(from), bound(most) {
      for (int v = 0; v < weights.n; ++v) {
        if ((set >> v & 1) != 0) continue;
        const std::int64_t here = weights.lightest(v, set).first;
        const std::int64_t elsewhere = weights.lightest(v, ((1u << weights.n) - 1) & ~set).first;
        const std::int64_t least_later =
            std::min(here, elsewhere) >= kFar ? kFar : (depth + 1) * std::min(here, elsewhere);
        if (here >= kFar) {
          later += least_later;
        } else if (depth * here <= least_later) {
          forced |= 1u << v;
          forced_cost += depth * here;
        } else {
          open[choices++] = {v, depth * here, least_later};
          later += least_later;
        }
      }
    }

    void extend(std::int64_t cost, std::vector<std::int64_t>& now, std::vector<unsigned>& last) {
      choose(0, forced, cost + forced_cost, later, now, last);
    }

    void choose(std::size_t next, unsigned chosen, std::int64_t cost, std::int64_t rest,
                std::vector<std::int64_t>& now, std::vector<unsigned>& last) {
      if (cost + rest > bound) return;
      if (next == choices) {
        const unsigned whole = set | chosen;
        if (cost < now[whole]) {
          now[whole] = cost;
          last[whole] = chosen;
        }
        return;
      }
      const auto& [vertex, here, least_later] = open[next];
      choose(next + 1, chosen, cost, rest, now, last);
      choose(next + 1, chosen | 1u << vertex, cost + here, rest - least_later, now, last);
    }
  };

  // least[d][set]: the least cost of a tree on a set of vertices, none of them more than d edges
  // from its root. A vertex of distance d hangs on the lightest edge to a vertex that was there
  // before; if that one is nearer to the root, the sum is too high, but it is right for the best
  // tree. Sets whose other vertices would cost too much in any case are left out.
  // nullopt: no tree costs at most `bound`.
  static std::optional<Tree> cheapest(const Problem& problem, std::int64_t bound) {
    const Weights weights(problem);
    const int n = problem.N;
    const unsigned all = (1u << n) - 1;
    std::vector<std::vector<std::int64_t>> least(1, std::vector<std::int64_t>(all + 1, kFar));
    std::vector<std::vector<unsigned>> added(1);
    for (int root = 0; root < n; ++root) least[0][1u << root] = 0;
    for (int depth = 1; depth < n; ++depth) {
      const auto& before = least.back();
      std::vector<std::int64_t> now = before;
      std::vector<unsigned> last(all + 1);
      for (unsigned set = 1; set < all; ++set) {
        if (before[set] < kFar) {
          Layer(weights, set, depth, bound).extend(before[set], now, last);
        }
      }
      if (now == before) break;
      least.push_back(std::move(now));
      added.push_back(std::move(last));
    }
    if (least.back()[all] > bound) return std::nullopt;
    Tree tree{.root = 0, .places = {}, .cost = least.back()[all]};
    unsigned set = all;
    for (std::size_t depth = least.size() - 1; depth > 0; --depth) {
      if (least[depth][set] == least[depth - 1][set]) continue;
      const unsigned now = added[depth][set];
      for (unsigned rest = now; rest != 0; rest &= rest - 1) {
        tree.places.push_back(weights.lightest(std::countr_zero(rest), set & ~now).second);
      }
      set &= ~now;
    }
    tree.root = std::countr_zero(set);
    return tree;
  }

  static Answer with_root(const Problem& problem, int root, const std::vector<int>& places) {
    Answer answer{root};
    const Answer ends = edge_ends(problem.edges, places);
    answer.insert(answer.end(), ends.begin(), ends.end());
    return answer;
  }

  static Answer with_root(const Problem& problem, const Tree& tree) {
    return with_root(problem, tree.root, tree.places);
  }

  // nullopt: not a tree of edges.
  static std::optional<std::int64_t> cost_of(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != 2 * problem.N - 1) return std::nullopt;
    const auto places = EdgePlaces(problem.N, problem.edges, EdgeKind::kUndirected)
                            .of(std::span(answer).subspan(1));
    if (!places) return std::nullopt;
    return cost_from(problem, static_cast<int>(answer[0]), *places);
  }

  // nullopt: the edges at these places are no tree. There are as many as a tree has, so that they
  // are one if they lead to all vertices.
  static std::optional<std::int64_t> cost_from(const Problem& problem, int root,
                                               const std::vector<int>& places) {
    std::array<int, kMostVertices> depth;
    depth.fill(-1);
    depth[root] = 0;
    std::int64_t cost = 0;
    int reached = 1;
    for (int before = 0; before < reached && reached < problem.N;) {
      before = reached;
      for (const int place : places) {
        const auto& [u, v, weight] = problem.edges[place];
        if ((depth[u] < 0) == (depth[v] < 0)) continue;
        const int here = std::max(depth[u], depth[v]) + 1;
        depth[depth[u] < 0 ? u : v] = here;
        cost += here * weight;
        ++reached;
      }
    }
    if (reached < problem.N) return std::nullopt;
    return cost;
  }

  // tree_of(root) gives places of edges.
  template <typename TreeOf>
  static Tree best_root(const Problem& problem, TreeOf tree_of) {
    Tree best;
    for (int root = 0; root < problem.N; ++root) {
      std::vector<int> places = tree_of(root);
      const auto cost = cost_from(problem, root, places);
      if (!cost || *cost >= best.cost) continue;
      best = {.root = root, .places = std::move(places), .cost = *cost};
    }
    return best;
  }

  static Tree lightest(const Problem& problem) {
    const std::vector<int> places =
        acyclic_places(problem.N, problem.edges, places_by_weight(problem.edges));
    Tree best;
    for (int root = 0; root < problem.N; ++root) {
      const std::int64_t cost = *cost_from(problem, root, places);
      if (cost < best.cost) best = {.root = root, .places = {}, .cost = cost};
    }
    best.places = places;
    return best;
  }

  static Tree by_fewest_edges(const Problem& problem) {
    return best_root(problem, [&](int root) {
      return breadth_first_places(problem.N, problem.edges, EdgeKind::kUndirected, root);
    });
  }

  static Tree by_growth(const Problem& problem) {
    Tree best;
    std::vector<int> places;
    for (int root = 0; root < problem.N; ++root) {
      const std::int64_t cost = grow(problem, root, places);
      if (cost < best.cost) best = {.root = root, .places = places, .cost = cost};
    }
    return best;
  }

  // Its cost; `places` become those of its edges.
  static std::int64_t grow(const Problem& problem, int root, std::vector<int>& places) {
    std::array<int, kMostVertices> depth;
    depth.fill(-1);
    depth[root] = 0;
    places.clear();
    std::int64_t sum = 0;
    while (std::ssize(places) + 1 < problem.N) {
      int best = -1;
      std::int64_t least = kFar;
      for (int i = 0; i < static_cast<int>(problem.edges.size()); ++i) {
        const auto& [u, v, weight] = problem.edges[i];
        if ((depth[u] < 0) == (depth[v] < 0)) continue;
        const std::int64_t cost = weight * (std::max(depth[u], depth[v]) + 1);
        if (cost >= least) continue;
        least = cost;
        best = i;
      }
      const auto& [u, v, weight] = problem.edges[best];
      depth[depth[u] < 0 ? u : v] = std::max(depth[u], depth[v]) + 1;
      places.push_back(best);
      sum += least;
    }
    return sum;
  }
};
REDQUEEN_ENVIRONMENT(MinimumWeightedSpanningTree);

}  // namespace
}  // namespace redqueen
