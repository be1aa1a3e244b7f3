#include <algorithm>
#include <array>
#include <bitset>
#include <numeric>
#include <set>

#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct Disinfection {
  static constexpr Card card{
      .name = "Disinfection",
      .published = true,
      .family = Family::kOptimization,
      .answer = AnswerKind::kIntegerMatrix,
      .scoring = Scoring::kMinimise,
      .task =
          "Cover given cells of a three-dimensional grid with boxes, each of which costs its "
          "shortest side, as cheaply as possible.",
      .levels =
          "The bound on the sides starts at 2 and grows by one a level; the shortest side is at "
          "most 10, or else the best boxes would take long to find. The cells grow in number.",
      .rewards =
          "-1 malformed, -0.5 a box that is empty or leaves the grid, -0.2 a cell is not covered, "
          "else (least cost / cost)^5.",
      .differences =
          "The cells are scattered over a few layers of the grid across different axes: a box "
          "around cells of independent places is nearly always best. From a bound of 4 on, a "
          "problem is drawn again that is solved by this box, by a box for each cell, by all "
          "layers across one axis, or by the layer with most cells, again and again.",
      .slow_reason = SlowReason::kStricter,
      .source = "HNOI 2013: Disinfection (BZOJ 3140)",
  };

  static constexpr double kUncovered = -0.2;
  static constexpr double kBeta = 5.0;
  static constexpr int kSmallBound = 4;
  static constexpr int kMostLayers = 10;
  static constexpr int kDraws = 500;
  static constexpr std::int64_t kMaxSide = 200;
  static constexpr std::int64_t kMaxShortest = 16;
  static constexpr std::int64_t kMaxCells = 2000;

  struct Config {
    int MAX_A_B_C = 0;
    REDQUEEN_FIELDS(MAX_A_B_C)
  };
  struct Problem {
    int MAX_A_B_C = 0;
    int A = 0;
    int B = 0;
    int C = 0;
    std::vector<std::tuple<int, int, int>> one_coordinates;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(MAX_A_B_C, A, B, C, one_coordinates, gold_answer)
  };
  using Answer = std::vector<std::vector<std::int64_t>>;  // x1 x2 y1 y2 z1 z2

  static std::optional<Answer> parse(std::string_view text) {
    auto boxes = parse_int_matrix(text);
    if (!boxes) return std::nullopt;
    for (const auto& box : *boxes) {
      if (box.size() != 6) return std::nullopt;
    }
    return boxes;
  }

  static Config at_level(int level, Rng&) { return {.MAX_A_B_C = 2 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return drawn(config, rng); },
        [&](Problem& problem) {
          if (config.MAX_A_B_C < kSmallBound) {
            problem.gold_answer = std::ssize(fewest_layers(problem));
            return true;
          }
          // Where a rule does with as many layers as these cells need, the search is spared.
          const std::int64_t needed = cells_apart(problem);
          const std::int64_t by_shape = least_cost_by_shape(problem);
          if (by_shape == needed) return false;
          std::vector<Layer> fullest = fullest_layers(problem);
          const std::int64_t by_rules = std::min(by_shape, std::ssize(fullest));
          if (by_rules == needed) return false;
          problem.gold_answer = std::ssize(Search(problem, std::move(fullest)).best());
          return problem.gold_answer < by_rules;
        });
  }

  // Any cells of a box with random sides, at coordinates of which some are left out.
  static Problem published(const Config& config, Rng& rng) {
    const int bound = config.MAX_A_B_C;
    Cell sides{};
    do {
      for (int& side : sides) side = static_cast<int>(rng.integer(1, bound));
    } while (std::ranges::max(sides) == 1);
    if (std::ranges::min(sides) > kMaxShortest) throw Retry();
    std::array<std::vector<std::int64_t>, 3> places;
    std::int64_t cells = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto count = static_cast<std::size_t>(rng.integer(1, sides[axis]));
      places[axis] = rng.sample(0, sides[axis] - 1, count);
      cells *= std::ssize(places[axis]);
    }
    const std::int64_t count = rng.integer(1, cells);
    if (count > kMaxCells) throw Retry();
    Problem problem{.MAX_A_B_C = bound,
                    .A = sides[0],
                    .B = sides[1],
                    .C = sides[2],
                    .one_coordinates = {},
                    .gold_answer = 0};
    for (const std::int64_t cell : rng.sample(0, cells - 1, static_cast<std::size_t>(count))) {
      const std::int64_t row = cell / std::ssize(places[2]);
      problem.one_coordinates.emplace_back(places[0][row / std::ssize(places[1])],
                                           places[1][row % std::ssize(places[1])],
                                           places[2][cell % std::ssize(places[2])]);
    }
    problem.gold_answer = std::ssize(fewest_layers(problem));
    return problem;
  }

  static Status check(const Problem& problem) {
    const Cell sides = sides_of(problem);
    RETURN_IF_ERROR(within("A", sides[0], 1, kMaxSide));
    RETURN_IF_ERROR(within("B", sides[1], 1, kMaxSide));
    RETURN_IF_ERROR(within("C", sides[2], 1, kMaxSide));
    RETURN_IF_ERROR(within("A", std::ranges::min(sides), 1, kMaxShortest));
    RETURN_IF_ERROR(within("one_coordinates", std::ssize(problem.one_coordinates), 1, kMaxCells));
    for (const Cell& cell : cells_of(problem)) {
      for (int axis = 0; axis < 3; ++axis) {
        RETURN_IF_ERROR(within("one_coordinates", cell[axis], 0, sides[axis] - 1));
      }
    }
    return reference_is("gold_answer", problem.gold_answer, std::ssize(fewest_layers(problem)));
  }

  static std::string prompt(const Problem& problem) {
    std::string cells;
    for (const auto& [x, y, z] : problem.one_coordinates) {
      append_format(cells, "{} {} {}\n", x, y, z);
    }
    return fmt::format(
        "A grid has the cells (x, y, z) with 0 ≤ x < {0}, 0 ≤ y < {1} and 0 ≤ z < {2}. Some of "
        "them are infected; each of these lines gives x, y and z of one:\n"
        "{3}"
        "An operation cleans all cells of a box, that is, those with x1 ≤ x < x2, y1 ≤ y < y2 and "
        "z1 ≤ z < z2, where 0 ≤ x1 < x2 ≤ {0}, 0 ≤ y1 < y2 ≤ {1} and 0 ≤ z1 < z2 ≤ {2}. It costs "
        "the least of x2 - x1, y2 - y1 and z2 - z1. Clean all infected cells such that the "
        "operations cost as little as possible together; boxes may overlap and may hold cells that "
        "are not infected.\n"
        "Answer with one operation a line: x1 x2 y1 y2 z1 z2, separated by spaces.",
        problem.A, problem.B, problem.C, cells);
  }

  static double score(const Problem& problem, const Answer& answer) {
    const Cell sides = sides_of(problem);
    std::int64_t cost = 0;
    for (const auto& box : answer) {
      std::int64_t shortest = kMaxSide;
      for (int axis = 0; axis < 3; ++axis) {
        const std::int64_t low = box[2 * axis];
        const std::int64_t high = box[2 * axis + 1];
        if (low < 0 || low >= high || high > sides[axis]) return kInvalidReward;
        shortest = std::min(shortest, high - low);
      }
      cost += shortest;
    }
    const auto holds = [](const std::vector<std::int64_t>& box, const Cell& cell) {
      for (int axis = 0; axis < 3; ++axis) {
        if (cell[axis] < box[2 * axis] || cell[axis] >= box[2 * axis + 1]) return false;
      }
      return true;
    };
    for (const Cell& cell : cells_of(problem)) {
      const bool covered =
          std::ranges::any_of(answer, [&](const auto& box) { return holds(box, cell); });
      if (!covered) return kUncovered;
    }
    return minimise_reward(cost, problem.gold_answer, kBeta);
  }

  static Answer solve(const Problem& problem) { return boxes_of(problem, fewest_layers(problem)); }

  // Layers that cover one open cell after another.
  static Answer random_answer(const Problem& problem, Rng& rng) {
    std::set<Layer> layers;
    for (const Cell& cell : cells_of(problem)) {
      bool covered = false;
      for (int axis = 0; axis < 3; ++axis) covered |= layers.contains({axis, cell[axis]});
      if (covered) continue;
      const int axis = static_cast<int>(rng.below(3));
      layers.emplace(axis, cell[axis]);
    }
    return boxes_of(problem, {layers.begin(), layers.end()});
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    Answer alone;
    for (const auto& [x, y, z] : problem.one_coordinates) {
      alone.push_back({x, x + 1, y, y + 1, z, z + 1});
    }
    return {{"the box around all infected cells", {bounding_box(problem)}},
            {"a box for each cell", alone},
            {"all layers with infected cells across one axis",
             boxes_of(problem, fewest_across_one_axis(problem))},
            {"the layer with most infected cells, again and again",
             boxes_of(problem, fullest_layers(problem))}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    auto named = as_shortcuts(rules(problem));
    named.push_back(
        {"the whole grid", fmt::format("0 {} 0 {} 0 {}", problem.A, problem.B, problem.C)});
    return named;
  }

 private:
  using Cell = std::array<int, 3>;
  using Layer = std::pair<int, int>;  // axis, coordinate: all cells with it

  static Cell sides_of(const Problem& problem) { return {problem.A, problem.B, problem.C}; }

  static std::vector<Cell> cells_of(const Problem& problem) {
    std::vector<Cell> cells;
    cells.reserve(problem.one_coordinates.size());
    for (const auto& [x, y, z] : problem.one_coordinates) cells.push_back({x, y, z});
    return cells;
  }

  // A layer is a box of cost 1.
  static Answer boxes_of(const Problem& problem, const std::vector<Layer>& layers) {
    Answer boxes;
    for (const auto& [axis, coordinate] : layers) {
      boxes.push_back({0, problem.A, 0, problem.B, 0, problem.C});
      boxes.back()[2 * axis] = coordinate;
      boxes.back()[2 * axis + 1] = coordinate + 1;
    }
    return boxes;
  }

  // Some cells in each of a few layers.
  static Problem drawn(const Config& config, Rng& rng) {
    const int bound = config.MAX_A_B_C;
    const int most = std::min(bound, kMostLayers);
    const int shortest = static_cast<int>(rng.integer(std::max(2, 2 * most / 3), most));
    Cell sides{shortest, 0, 0};
    for (int axis = 1; axis < 3; ++axis) {
      sides[axis] = static_cast<int>(rng.integer(std::max(shortest, bound / 2), bound));
    }
    rng.shuffle(sides);
    int layers = static_cast<int>(rng.integer((shortest + 1) / 2, shortest - 1));
    if (bound == 2 && rng.chance(0.25)) layers = 2;
    std::set<Layer> planted;
    while (std::ssize(planted) < layers) {
      const int axis = static_cast<int>(rng.below(3));
      planted.emplace(axis, static_cast<int>(rng.integer(0, sides[axis] - 1)));
    }
    std::vector<Cell> cells;
    for (const auto& [axis, coordinate] : planted) {
      for (std::int64_t count = rng.integer(2, 3 + bound / 6); count > 0; --count) {
        Cell cell{};
        for (int other = 0; other < 3; ++other) {
          cell[other] = static_cast<int>(rng.integer(0, sides[other] - 1));
        }
        cell[axis] = coordinate;
        cells.push_back(cell);
      }
    }
    std::ranges::sort(cells);
    cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
    rng.shuffle(cells);
    Problem problem{.MAX_A_B_C = bound,
                    .A = sides[0],
                    .B = sides[1],
                    .C = sides[2],
                    .one_coordinates = {},
                    .gold_answer = 0};
    for (const auto& [x, y, z] : cells) problem.one_coordinates.emplace_back(x, y, z);
    return problem;
  }

  // Of rules() but the last; all of them clean everything.
  static std::int64_t least_cost_by_shape(const Problem& problem) {
    std::int64_t least = std::ssize(problem.one_coordinates);
    for (int axis = 0; axis < 3; ++axis) {
      std::bitset<kMaxSide> layers;
      int low = kMaxSide;
      int high = 0;
      for (const auto& [x, y, z] : problem.one_coordinates) {
        const int coordinate = Cell{x, y, z}[axis];
        layers.set(static_cast<std::size_t>(coordinate));
        low = std::min(low, coordinate);
        high = std::max(high, coordinate + 1);
      }
      least =
          std::min({least, std::int64_t{high - low}, static_cast<std::int64_t>(layers.count())});
    }
    return least;
  }

  // A number of cells of which no two lie in one layer, whatever the axis.
  static std::int64_t cells_apart(const Problem& problem) {
    std::array<std::bitset<kMaxSide>, 3> taken;
    std::int64_t count = 0;
    for (const auto& [x, y, z] : problem.one_coordinates) {
      if (taken[0][x] || taken[1][y] || taken[2][z]) continue;
      taken[0][x] = taken[1][y] = taken[2][z] = true;
      ++count;
    }
    return count;
  }

  static std::vector<std::int64_t> bounding_box(const Problem& problem) {
    const std::vector<Cell> cells = cells_of(problem);
    std::vector<std::int64_t> box;
    for (int axis = 0; axis < 3; ++axis) {
      int low = kMaxSide;
      int high = 0;
      for (const Cell& cell : cells) {
        low = std::min(low, cell[axis]);
        high = std::max(high, cell[axis] + 1);
      }
      box.push_back(low);
      box.push_back(high);
    }
    return box;
  }

  static std::vector<Layer> fewest_across_one_axis(const Problem& problem) {
    std::vector<Layer> fewest;
    const std::vector<Cell> cells = cells_of(problem);
    for (int axis = 0; axis < 3; ++axis) {
      std::vector<Layer> layers;
      for (const Cell& cell : cells) layers.emplace_back(axis, cell[axis]);
      std::ranges::sort(layers);
      layers.erase(std::ranges::unique(layers).begin(), layers.end());
      if (axis == 0 || layers.size() < fewest.size()) fewest = std::move(layers);
    }
    return fewest;
  }

  static std::vector<Layer> fullest_layers(const Problem& problem) {
    std::vector<Cell> open = cells_of(problem);
    std::vector<Layer> layers;
    std::array<std::vector<int>, 3> counts;
    while (!open.empty()) {
      Layer fullest{0, open[0][0]};
      for (int axis = 0; axis < 3; ++axis) {
        counts[axis].assign(static_cast<std::size_t>(sides_of(problem)[axis]), 0);
        for (const Cell& cell : open) ++counts[axis][cell[axis]];
        const auto place = std::ranges::max_element(counts[axis]);
        if (*place > counts[fullest.first][fullest.second]) {
          fullest = {axis, static_cast<int>(place - counts[axis].begin())};
        }
      }
      layers.push_back(fullest);
      std::erase_if(open, [&](const Cell& cell) { return cell[fullest.first] == fullest.second; });
    }
    return layers;
  }

  // Boxes of cost c can be replaced by c layers, so the fewest layers are best. Layers across the
  // shortest axis are taken or left one after another. The cells that are left in layers form a
  // bipartite graph of their other two coordinates: its greatest matching is as large as the fewest
  // layers across these that cover it (D. Kőnig, 1931), and a lower bound on the way.
  class Search {
   public:
    // `known` layers cover all cells.
    Search(const Problem& problem, std::vector<Layer> known)
        : cells_(cells_of(problem)), best_(std::move(known)) {
      const Cell sides = sides_of(problem);
      axis_ = static_cast<int>(std::ranges::min_element(sides) - sides.begin());
      near_.resize(static_cast<std::size_t>(sides[left()]));
      by_layer_.resize(static_cast<std::size_t>(sides[axis_]));
      for (const Cell& cell : cells_) {
        by_layer_[cell[axis_]].emplace_back(cell[left()], cell[right()]);
      }
      order_.resize(by_layer_.size());
      std::iota(order_.begin(), order_.end(), 0);
      std::erase_if(order_, [&](int layer) { return by_layer_[layer].empty(); });
      std::ranges::stable_sort(order_, std::greater(),
                               [&](int layer) { return by_layer_[layer].size(); });
      std::vector<int> matched(static_cast<std::size_t>(sides[right()]), -1);
      visit(0, matched, 0);
    }

    const std::vector<Layer>& best() const { return best_; }

   private:
    int left() const { return axis_ == 0 ? 1 : 0; }
    int right() const { return axis_ == 2 ? 1 : 2; }

    // `matched`: the left vertex of each right one, −1: none; `size` of them have one.
    void visit(std::size_t depth, std::vector<int> matched, int size) {
      if (std::ssize(taken_) + size >= std::ssize(best_)) return;
      if (depth == order_.size()) {
        best_ = taken_;
        add_cover(matched);
        return;
      }
      const int layer = order_[depth];
      taken_.emplace_back(axis_, layer);
      visit(depth + 1, matched, size);
      taken_.pop_back();
      for (const auto& [u, v] : by_layer_[layer]) {
        near_[u].push_back(v);
        size += augment(u, matched);
      }
      visit(depth + 1, std::move(matched), size);
      for (const auto& [u, v] : by_layer_[layer]) near_[u].pop_back();
    }

    // Whether the matching grew by a path from u, which has a new edge, or from elsewhere to it.
    bool augment(int u, std::vector<int>& matched) {
      std::vector<char> has_partner(near_.size());
      for (const int partner : matched) {
        if (partner >= 0) has_partner[partner] = 1;
      }
      seen_.assign(matched.size(), 0);
      if (!has_partner[u]) return extend(u, matched);
      for (int other = 0; other < std::ssize(near_); ++other) {
        if (!has_partner[other] && !near_[other].empty() && extend(other, matched)) return true;
      }
      return false;
    }

    bool extend(int u, std::vector<int>& matched) {
      for (const int v : near_[u]) {
        if (seen_[v]) continue;
        seen_[v] = 1;
        if (matched[v] < 0 || extend(matched[v], matched)) {
          matched[v] = u;
          return true;
        }
      }
      return false;
    }

    // What free left vertices reach along alternating paths decides the cover.
    void add_cover(const std::vector<int>& matched) {
      std::vector<char> reached(near_.size(), 1);
      for (const int partner : matched) {
        if (partner >= 0) reached[partner] = 0;
      }
      std::vector<char> covered(matched.size());
      std::vector<int> open;
      for (int u = 0; u < std::ssize(near_); ++u) {
        if (reached[u]) open.push_back(u);
      }
      while (!open.empty()) {
        const int u = open.back();
        open.pop_back();
        for (const int v : near_[u]) {
          if (std::exchange(covered[v], 1) == 1) continue;
          best_.emplace_back(right(), v);
          if (!std::exchange(reached[matched[v]], 1)) open.push_back(matched[v]);
        }
      }
      for (int u = 0; u < std::ssize(near_); ++u) {
        if (!reached[u] && !near_[u].empty()) best_.emplace_back(left(), u);
      }
    }

    std::vector<Cell> cells_;
    std::vector<Layer> best_;
    int axis_ = 0;                                            // the shortest
    std::vector<std::vector<std::pair<int, int>>> by_layer_;  // cells across it
    std::vector<int> order_;                                  // of the layers, fullest first
    std::vector<Layer> taken_;
    std::vector<std::vector<int>> near_;  // right vertices of the left ones
    std::vector<char> seen_;              // right vertices in this search
  };

  static std::vector<Layer> fewest_layers(const Problem& problem) {
    return Search(problem, fullest_layers(problem)).best();
  }
};
REDQUEEN_ENVIRONMENT(Disinfection);

}  // namespace
}  // namespace redqueen
