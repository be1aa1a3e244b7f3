#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/redraw.h"
#include "redqueen/gym/common/parameter/reference.h"

namespace redqueen {
namespace {

struct GridLocalMinimumCounting : StoredCount<0> {
  static constexpr Card card{
      .name = "GridLocalMinimumCounting",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task =
          "Count the ways to write 1 to N·M into a grid such that exactly the marked cells are "
          "smaller than all their neighbours.",
      .levels =
          "The bound on rows and columns starts at 3 and grows by one each level; grids have at "
          "most 20 cells more than twice the bound. Beyond level 30 there are too many sets of "
          "minima for the reference solution.",
      .rewards =
          "-1 malformed or negative, else (smaller / larger of answer and count)^10, which is 1 "
          "only if right.",
      .differences =
          "Large grids are long rather than square, and have at least half of the cells that the "
          "level allows: the count takes time exponential in the number of minima. From level 2 "
          "on, a grid is drawn again if its minima might be counted one by one as if they were "
          "independent and no other cell could be one.",
      .small_answer_space = "At level 0 a grid has between four and nine cells.",
      .guess_until_level = 0,
      .source = "Local minima (局部极小值), CQOI 2012",
      .max_level = 30,
  };

  static constexpr int kMaxCells = 128;
  static constexpr std::size_t kMaxSets = 1 << 16;
  static constexpr std::size_t kMaxDrawnSets = 1 << 12;

  struct Config {
    int MAX_N_M = 0;
    REDQUEEN_FIELDS(MAX_N_M)
  };
  struct Problem {
    int MAX_N_M = 0;
    int N = 0;
    int M = 0;
    std::vector<std::vector<std::string>> grid;
    BigInt reference_answer;
    REDQUEEN_FIELDS(MAX_N_M, N, M, grid, reference_answer)
  };

  static Config at_level(int level, Rng&) { return {.MAX_N_M = 3 + level}; }

  // The minima are those of a random filling.
  static Problem generate(const Config& config, Rng& rng) {
    const int most = std::min(config.MAX_N_M * config.MAX_N_M, 20 + 2 * config.MAX_N_M);
    const int shorter = static_cast<int>(rng.integer(2, std::min(config.MAX_N_M, most / 2)));
    const int longest = std::min(config.MAX_N_M, most / shorter);
    const int longer = static_cast<int>(
        rng.integer(std::clamp((most / 2 + shorter - 1) / shorter, 2, longest), longest));
    Problem problem{.MAX_N_M = config.MAX_N_M, .N = shorter, .M = longer};
    if (rng.chance(0.5)) std::swap(problem.N, problem.M);
    mark_minima(problem, rng);
    const Minima minima(problem, kMaxDrawnSets);
    if (minima.too_many()) throw Retry();
    problem.reference_answer = minima.count();
    if (config.MAX_N_M >= 5 && problem.reference_answer == as_if_independent(problem)) {
      throw Retry();
    }
    return problem;
  }

  // Rows and columns are uniform. RLVE-Gym gives up when counting takes too long, and so does this
  // with too many sets of minima: the grid is drawn again.
  static Problem published(const Config& config, Rng& rng) {
    return first_of_use([&]() -> std::optional<Problem> {
      Problem problem{.MAX_N_M = config.MAX_N_M,
                      .N = static_cast<int>(rng.integer(2, config.MAX_N_M)),
                      .M = static_cast<int>(rng.integer(2, config.MAX_N_M))};
      if (problem.N * problem.M > kMaxCells) return std::nullopt;
      mark_minima(problem, rng);
      const Minima minima(problem, kMaxDrawnSets);
      if (minima.too_many()) return std::nullopt;
      problem.reference_answer = minima.count();
      return problem;
    });
  }

  // Of a random filling.
  static void mark_minima(Problem& problem, Rng& rng) {
    const std::vector<int> filling = rng.permutation(problem.N * problem.M);
    problem.grid.assign(problem.N, std::vector<std::string>(problem.M, "."));
    for (int cell = 0; cell < problem.N * problem.M; ++cell) {
      bool least = true;
      for_each_neighbour(problem, cell,
                         [&](int other) { least &= filling[cell] < filling[other]; });
      if (least) problem.grid[cell / problem.M][cell % problem.M] = "X";
    }
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxCells));
    RETURN_IF_ERROR(within("M", problem.M, 1, kMaxCells / problem.N));
    if (problem.grid.size() != static_cast<std::size_t>(problem.N)) {
      return failure("\"grid\": expected \"N\" rows, found {}", problem.grid.size());
    }
    for (const auto& row : problem.grid) {
      if (row.size() != static_cast<std::size_t>(problem.M)) {
        return failure("\"grid\": expected rows of \"M\" cells, found {}", row.size());
      }
      for (const std::string& cell : row) {
        if (cell != "X" && cell != ".") return failure("\"grid\": a cell is neither X nor .");
      }
    }
    const Minima minima(problem, kMaxSets);
    if (minima.too_many()) return failure("\"grid\": too many sets of minima to count");
    return reference_is("reference_answer", problem.reference_answer, minima.count());
  }

  static std::string prompt(const Problem& problem) {
    std::string grid;
    for (const auto& row : problem.grid) {
      for (const std::string& cell : row) grid += cell;
      grid += '\n';
    }
    return fmt::format(
        "The numbers 1 to {2} are written into the cells of a grid with {0} rows and {1} columns, "
        "one into each cell, each number once. A cell is a local minimum if its number is smaller "
        "than the numbers of all cells next to it: up to 8 cells that share a side or a corner "
        "with it. In this grid, some cells are marked X:\n"
        "{3}"
        "In how many ways can the numbers be written such that the cells marked X are local "
        "minima and the cells marked . are not?\n"
        "Answer with one integer, all digits of it.",
        problem.N, problem.M, problem.N * problem.M, grid);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const int cells = problem.N * problem.M;
    return {{"minima as if independent, other cells as if they could be none",
             format_answer(as_if_independent(problem))},
            {"all ways to write the other numbers",
             format_answer(factorial(cells - static_cast<int>(marked(problem).size())))}};
  }

 private:
  // Cells, by place row · M + column.
  class CellSet {
   public:
    void insert(int cell) { words_[cell / 64] |= std::uint64_t{1} << (cell % 64); }
    bool contains(int cell) const { return (words_[cell / 64] >> (cell % 64) & 1) != 0; }
    CellSet operator|(const CellSet& other) const {
      CellSet both = *this;
      for (std::size_t i = 0; i < words_.size(); ++i) both.words_[i] |= other.words_[i];
      return both;
    }
    int size() const { return std::popcount(words_[0]) + std::popcount(words_[1]); }

   private:
    std::array<std::uint64_t, kMaxCells / 64> words_{};
  };

  template <typename Visit>
  static void for_each_neighbour(const Problem& problem, int cell, Visit visit) {
    const int row = cell / problem.M;
    const int column = cell % problem.M;
    for (int i = std::max(row - 1, 0); i <= std::min(row + 1, problem.N - 1); ++i) {
      for (int j = std::max(column - 1, 0); j <= std::min(column + 1, problem.M - 1); ++j) {
        if (i != row || j != column) visit(i * problem.M + j);
      }
    }
  }

  static CellSet with_neighbours(const Problem& problem, int cell) {
    CellSet cells;
    cells.insert(cell);
    for_each_neighbour(problem, cell, [&](int other) { cells.insert(other); });
    return cells;
  }

  static std::vector<int> marked(const Problem& problem) {
    std::vector<int> cells;
    for (int cell = 0; cell < problem.N * problem.M; ++cell) {
      if (problem.grid[cell / problem.M][cell % problem.M] == "X") cells.push_back(cell);
    }
    return cells;
  }

  static BigInt factorial(int n) {
    BigInt product = 1;
    for (int i = 2; i <= n; ++i) product *= i;
    return product;
  }

  static BigInt as_if_independent(const Problem& problem) {
    BigInt ways = factorial(problem.N * problem.M);
    for (const int cell : marked(problem)) ways /= with_neighbours(problem, cell).size();
    return ways;
  }

  // Inclusion and exclusion over the sets of cells that are minima: the marked ones and some
  // others, no two of them neighbours. The least number on a set of minima and all their neighbours
  // is at each of these places as likely, and must be one of the minima; then the same holds for
  // the others. So f(S) = Σ f(S without s) / |S and its neighbours|, where f(S) is the number of
  // ways in which all of S are minima.
  class Minima {
   public:
    Minima(const Problem& problem, std::size_t most_sets)
        : cells_(problem.N * problem.M), marked_(marked(problem)) {
      CellSet near_marked;
      for (const int cell : marked_) {
        if (near_marked.contains(cell)) has_neighbours_ = true;
        const CellSet near = with_neighbours(problem, cell);
        near_marked = near_marked | near;
        near_.push_back(near);
      }
      if (marked_.empty() || has_neighbours_) return;
      most_others_ = marked_.size() < 20 ? most_sets >> marked_.size() : 0;
      others_.push_back({});
      for (int cell = 0; cell < cells_ && !too_many(); ++cell) {
        if (!near_marked.contains(cell)) add_other(problem, cell);
      }
    }

    bool too_many() const { return others_.size() > most_others_; }

    // Not of too many sets.
    BigInt count() const {
      if (marked_.empty() || has_neighbours_) return 0;
      return cells_ <= kCellsFor128Bits ? BigInt(count_as<Int128>()) : count_as<BigInt>();
    }

   private:
    static constexpr int kCellsFor128Bits = 33;  // 33! < 2^127

    struct Others {
      CellSet chosen;
      CellSet near;
      std::vector<std::size_t> with_one_less{};  // places in others_
    };

    // Every set so far that has no neighbour of `cell`, with `cell` besides.
    void add_other(const Problem& problem, int cell) {
      const CellSet near = with_neighbours(problem, cell);
      std::vector<std::size_t> place_with(others_.size());
      const std::size_t before = others_.size();
      for (std::size_t i = 0; i < before; ++i) {
        if (others_[i].near.contains(cell)) continue;
        Others more{.chosen = others_[i].chosen, .near = others_[i].near | near};
        more.chosen.insert(cell);
        more.with_one_less.push_back(i);
        // Subsets come first.
        for (const std::size_t less : others_[i].with_one_less) {
          more.with_one_less.push_back(place_with[less]);
        }
        place_with[i] = others_.size();
        others_.push_back(std::move(more));
        if (too_many()) return;
      }
    }

    template <typename Number>
    Number count_as() const {
      const std::size_t subsets = std::size_t{1} << marked_.size();
      std::vector<CellSet> near(subsets);
      for (std::size_t set = 1; set < subsets; ++set) {
        near[set] = near[set & (set - 1)] | near_[std::countr_zero(set)];
      }
      std::vector<Number> ways(others_.size() * subsets);
      Number sum = 0;
      for (std::size_t i = 0; i < others_.size(); ++i) {
        Number* const row = ways.data() + i * subsets;
        for (std::size_t set = 0; set < subsets; ++set) {
          Number& entry = row[set];
          if (i == 0 && set == 0) {
            entry = 1;
            for (int k = 2; k <= cells_; ++k) entry *= k;
            continue;
          }
          for (std::size_t rest = set; rest != 0; rest &= rest - 1) {
            entry += row[set ^ (rest & -rest)];
          }
          for (const std::size_t less : others_[i].with_one_less) {
            entry += ways[less * subsets + set];
          }
          entry /= (others_[i].near | near[set]).size();
        }
        if (others_[i].with_one_less.size() % 2 == 0) {
          sum += row[subsets - 1];
        } else {
          sum -= row[subsets - 1];
        }
      }
      return sum;
    }

    int cells_;
    std::vector<int> marked_;
    std::vector<CellSet> near_;  // of each marked cell
    bool has_neighbours_ = false;
    std::size_t most_others_ = 1;
    std::vector<Others> others_;  // sets of further minima, every set after its subsets
  };
};
REDQUEEN_ENVIRONMENT(GridLocalMinimumCounting);

}  // namespace
}  // namespace redqueen
