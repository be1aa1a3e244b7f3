#include <algorithm>
#include <optional>
#include <set>

#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"

namespace redqueen {
namespace {

struct BoundedAdjacencyDifference_Permutation_Counting : StoredCount<0> {
  static constexpr Card card{
      .name = "BoundedAdjacencyDifference_Permutation_Counting",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task =
          "Count the permutations whose neighbouring elements differ by little and are no "
          "forbidden pairs.",
      .levels = "The permutation has 4 elements and one more a level.",
      .rewards =
          "-1 malformed or negative, else (smaller / larger of answer and count)^10, which is 1 "
          "only if right.",
      .differences =
          "Some pairs of elements must not be neighbours: without them there were at most three "
          "problems a level. (A parameter without the key \"forbidden\" has no such pairs.)",
      .small_answer_space = "At level 0 there are at most twelve permutations.",
      .guess_until_level = 0,
  };

  static constexpr int kMaxLength = 150;
  static constexpr int kMaxDifference = 5;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    int K = 0;
    // Pairs (a, b) with a < b ≤ a + K, ascending.
    std::optional<std::vector<std::pair<int, int>>> forbidden;
    BigInt reference_answer;
    REDQUEEN_FIELDS(N, K, forbidden, reference_answer)
  };

  static Config at_level(int level, Rng&) { return {.N = 4 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.N = config.N,
                    .K = static_cast<int>(rng.integer(2, std::min(4, config.N - 2)))};
    std::set<std::pair<int, int>> pairs;
    const auto count = static_cast<std::size_t>(rng.integer(1, std::max(2, config.N / 3)));
    while (pairs.size() < count) {
      const auto a = static_cast<int>(rng.integer(1, config.N - 1));
      pairs.emplace(a, static_cast<int>(rng.integer(a + 1, std::min(a + problem.K, config.N))));
    }
    problem.forbidden.emplace(pairs.begin(), pairs.end());
    problem.reference_answer = Paths(problem).count();
    if (problem.reference_answer == 0) throw Retry();
    return problem;
  }

  // No pair is forbidden.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N,
                    .K = static_cast<int>(rng.integer(2, std::min(4, config.N - 2)))};
    problem.reference_answer = Paths(problem).count();
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxLength));
    RETURN_IF_ERROR(within("K", problem.K, 1, kMaxDifference));
    const std::pair<int, int>* before = nullptr;
    for (const auto& pair : forbidden(problem)) {
      const auto [a, b] = pair;
      if (a < 1 || b > problem.N || b <= a || b > a + problem.K) {
        return failure(
            "\"forbidden\": [{}, {}] is no ascending pair of 1..{} that differs by up to {}", a, b,
            problem.N, problem.K);
      }
      if (before != nullptr && *before >= pair) {
        return failure("\"forbidden\": [{}, {}] is not in ascending order", a, b);
      }
      before = &pair;
    }
    const Status right =
        reference_is("reference_answer", problem.reference_answer, Paths(problem).count());
    if (!right && !problem.forbidden) {
      return failure("{}; is \"forbidden\" missing?", right.error().message);
    }
    return right;
  }

  static std::string prompt(const Problem& problem) {
    std::string pairs;
    for (const auto& [a, b] : forbidden(problem)) {
      append_format(pairs, "{}{} and {}", pairs.empty() ? "" : "; ", a, b);
    }
    return fmt::format(
        "Count the permutations of the numbers 1 to {} in which any two elements next to each "
        "other differ by at most {}.{}\n"
        "Answer with one integer.",
        problem.N, problem.K,
        pairs.empty() ? ""
                      : fmt::format(" Besides, these pairs of numbers must not stand next to each "
                                    "other, in either order: {}.",
                                    pairs));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    Problem without = problem;
    without.forbidden.reset();
    BigInt all = 1;
    for (int i = 2; i <= problem.N; ++i) all *= i;
    return {{"no pair is forbidden", format_answer(Paths(without).count())},
            {"all permutations", format_answer(all)}};
  }

 private:
  static const std::vector<std::pair<int, int>>& forbidden(const Problem& problem) {
    static const std::vector<std::pair<int, int>> kNone;
    return problem.forbidden ? *problem.forbidden : kNone;
  }

  // A permutation is a path through all numbers, in one of two directions; an edge joins numbers
  // that may be neighbours. Numbers come in ascending order, each with its edges to smaller ones.
  // What lies more than K back matters no longer, so that a state is what pieces of paths look like
  // at the last numbers: the number v has the slot v mod (K + 1).
  class Paths {
   public:
    explicit Paths(const Problem& problem)
        : n_(problem.N), k_(problem.K), slots_(problem.K + 1), allowed_(n_ + 1) {
      for (int v = 1; v <= n_; ++v) {
        for (int u = std::max(1, v - k_); u < v; ++u) {
          if (!std::ranges::binary_search(forbidden(problem), std::pair(u, v))) {
            allowed_[v].push_back(slot_of(u));
          }
        }
      }
    }

    BigInt count() {
      if (n_ == 1) return 1;
      place_.assign(std::size_t{1} << (kBits * slots_), -1);
      State nothing = 0;
      for (int slot = 0; slot < slots_; ++slot) nothing = with(nothing, slot, kInner);
      std::vector<Entry> entries{{nothing, 1}};
      for (int v = 1; v <= n_; ++v) {
        next_.clear();
        const int slot = slot_of(v);
        for (const auto& [state, ways] : entries) {
          const State alone = with(state, slot, slot);
          leave(alone, v, ways);
          for (std::size_t i = 0; i < allowed_[v].size(); ++i) {
            const State once = joined(alone, allowed_[v][i], slot);
            if (once == kImpossible) continue;
            leave(once, v, ways);
            for (std::size_t j = i + 1; j < allowed_[v].size(); ++j) {
              const State twice = joined(once, allowed_[v][j], slot);
              if (twice != kImpossible) leave(twice, v, ways);
            }
          }
        }
        for (const Entry& entry : next_) place_[entry.state] = -1;
        std::swap(entries, next_);
      }
      BigInt paths = 0;
      for (const auto& [state, ways] : entries) {
        if (is_one_path(state)) paths += ways;
      }
      return 2 * paths;
    }

   private:
    // What a slot says, in three bits: the slot of the other end of its piece (its own, if it has
    // no edge yet), or one of these.
    static constexpr unsigned kBits = 3;
    static constexpr int kInner = 6;  // has two edges, or is none of the numbers any more
    static constexpr int kLeft = 7;   // an end whose other end is an end of the whole path, left
    using State = std::uint32_t;
    static constexpr State kImpossible = ~State{0};
    struct Entry {
      State state;
      BigInt ways;
    };

    int slot_of(int number) const { return number % slots_; }
    static int at(State state, int slot) { return static_cast<int>(state >> (kBits * slot) & 7U); }
    static State with(State state, int slot, int says) {
      return (state & ~(State{7} << (kBits * slot))) | static_cast<State>(says) << (kBits * slot);
    }

    // The edge between two slots, if both can have one more and it closes no cycle.
    State joined(State state, int u, int v) const {
      const int far_u = at(state, u);
      const int far_v = at(state, v);
      if (far_u == kInner || far_v == kInner || far_u == v) return kImpossible;
      if (far_u != u) state = with(state, u, kInner);
      if (far_v != v) state = with(state, v, kInner);
      if (far_u != kLeft) state = with(state, far_u, far_v);
      if (far_v != kLeft) state = with(state, far_v, far_u);
      // Between two ends of the whole path, the edge completes it: nothing else may be left.
      if (far_u == kLeft && far_v == kLeft && state != all_inner()) return kImpossible;
      return state;
    }

    // Takes the number K before v out of the state and adds the state to the next ones, unless it
    // can come to no path.
    void leave(State state, int v, const BigInt& ways) {
      if (v > k_) {
        const int slot = slot_of(v - k_);
        const int far = at(state, slot);
        if (far == slot) return;  // no edge, and none to come
        if (far == kLeft) {       // the last end of a path
          if (v < n_ || with(state, slot, kInner) != all_inner()) return;
        } else if (far != kInner) {
          state = with(state, far, kLeft);
        }
        state = with(state, slot, kInner);
      }
      int ends = 0;
      for (int slot = 0; slot < slots_; ++slot) ends += at(state, slot) == kLeft;
      if (ends > 2 || (v < n_ && state == all_inner())) return;
      int& place = place_[state];
      if (place < 0) {
        place = static_cast<int>(next_.size());
        next_.push_back({state, ways});
      } else {
        next_[place].ways += ways;
      }
    }

    State all_inner() const {
      State state = 0;
      for (int slot = 0; slot < slots_; ++slot) state = with(state, slot, kInner);
      return state;
    }

    // At most one piece has ends in the slots. One that has both there shows each of them, one that
    // has one there shows only that.
    bool is_one_path(State state) const {
      int halves = 0;
      for (int slot = 0; slot < slots_; ++slot) {
        const int says = at(state, slot);
        if (says == slot) return false;
        if (says != kInner) halves += says == kLeft ? 2 : 1;
      }
      return halves <= 2;
    }

    int n_;
    int k_;
    int slots_;
    std::vector<std::vector<int>> allowed_;  // of each number, the slots of smaller neighbours
    std::vector<int> place_;                 // of each state in next_, −1 if it is not there
    std::vector<Entry> next_;
  };
};
REDQUEEN_ENVIRONMENT(BoundedAdjacencyDifference_Permutation_Counting);

}  // namespace
}  // namespace redqueen
