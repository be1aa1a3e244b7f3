#include <algorithm>
#include <numeric>

#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/lazy_rules.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct SetCover {
  static constexpr Card card{
      .name = "SetCover",
      .published = true,
      .family = Family::kPuzzles,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kFeasibility,
      .task = "Choose sets such that every item lies in exactly one of them.",
      .levels = "There are 3 items, and one more each level, and up to two sets for each.",
      .rewards =
          "-1 malformed, -0.5 a set that does not exist or two chosen sets with a common item, "
          "else (covered items / items)^10.",
      .differences =
          "There are at least as many sets as items, no two are equal and none holds all items; "
          "those that are not planted have sizes like the planted ones. From 5 items on, a problem "
          "is drawn again that is solved by taking what still fits in the order of the list, of "
          "size or in one of twelve random orders, or for the rarest item.",
      .slow_reason = SlowReason::kStricter,
      .source = "R. Karp, Reducibility among combinatorial problems, 1972: exact cover",
  };

  static constexpr int kRulesFrom = 5;
  static constexpr int kDraws = 300;
  static constexpr int kRandomChoices = 12;
  static constexpr int kMaxItems = 2000;
  static constexpr std::int64_t kMaxSets = 10'000;
  static constexpr std::int64_t kMaxTotal = 100'000;  // items of all sets

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  using Set = std::vector<int>;
  struct Problem {
    int N = 0;
    std::vector<Set> Sets;
    std::string reference_answer;  // places of the planted sets
    REDQUEEN_FIELDS(N, Sets, reference_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    auto drawn = draw_accepted(
        kDraws, [&] { return draw(config.N, rng); },
        [&](const std::pair<Problem, Answer>& problem_and_sets) {
          if (config.N < kRulesFrom) return true;
          const Problem& problem = problem_and_sets.first;
          return !random_orders_solve(problem, rng) &&
                 !some_rule_is_best<SetCover>(
                     problem, [&](const Answer& sets) { return covers_all(problem, sets); });
        });
    drawn.first.reference_answer = format_answer(drawn.second);
    return std::move(drawn.first);
  }

  // There are 3 to 2 N sets before empty ones are left out. Two to all but one of them are planted:
  // each item is in one, all equally likely. Each other set has items with a random probability.
  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    const std::int64_t count = rng.integer(3, 2 * n);
    const std::int64_t parts = rng.integer(2, count - 1);
    std::vector<Set> sets(static_cast<std::size_t>(count));
    for (int item = 0; item < n; ++item) sets[rng.integer(0, parts - 1)].push_back(item);
    for (std::int64_t i = parts; i < count; ++i) {
      const double probability = rng.real();
      for (int item = 0; item < n; ++item) {
        if (rng.chance(probability)) sets[i].push_back(item);
      }
    }
    Problem problem{.N = n};
    Answer planted;
    for (const int set : rng.permutation(static_cast<int>(count))) {
      if (sets[set].empty()) continue;
      if (set < parts) planted.push_back(std::ssize(problem.Sets));
      problem.Sets.push_back(std::move(sets[set]));
    }
    problem.reference_answer = format_answer(planted);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxItems));
    RETURN_IF_ERROR(within("Sets", std::ssize(problem.Sets), 1, kMaxSets));
    std::int64_t total = 0;
    std::vector<std::size_t> last(problem.N, problem.Sets.size());  // set that has the item
    for (std::size_t i = 0; i < problem.Sets.size(); ++i) {
      for (const int item : problem.Sets[i]) {
        RETURN_IF_ERROR(within("Sets", item, 0, problem.N - 1));
        if (std::exchange(last[item], i) == i) {
          return failure("\"Sets\": one of them has {} twice", item);
        }
        ++total;
      }
    }
    RETURN_IF_ERROR(within("Sets", total, 1, kMaxTotal));
    const auto chosen = parse_int_list(problem.reference_answer);
    if (!chosen || score(problem, *chosen) < kSolvedReward) {
      return failure("\"reference_answer\": not sets that have each item once");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    std::string lines;
    for (std::size_t i = 0; i < problem.Sets.size(); ++i) {
      append_format(lines, "set {}: {}\n", i, fmt::join(problem.Sets[i], " "));
    }
    return fmt::format(
        "There are the items 0 to {} and {} sets of items. After the number of a set come its "
        "items:\n"
        "{}"
        "Choose sets such that every item lies in exactly one of the chosen sets. This is "
        "possible, and any choice will do.\n"
        "Answer with the numbers of the chosen sets in any order on one line, separated by spaces.",
        problem.N - 1, problem.Sets.size(), lines);
  }

  // A set that is named twice is chosen once.
  static double score(const Problem& problem, const Answer& answer) {
    std::vector<char> chosen(problem.Sets.size());
    std::vector<char> covered(problem.N);
    std::int64_t count = 0;
    for (const std::int64_t set : answer) {
      if (set < 0 || set >= std::ssize(chosen)) return kInvalidReward;
      if (std::exchange(chosen[set], 1) == 1) continue;
      for (const int item : problem.Sets[set]) {
        if (std::exchange(covered[item], 1) == 1) return kInvalidReward;
        ++count;
      }
    }
    return share_reward(count, problem.N);
  }

  static Answer solve(const Problem& problem) { return *parse_int_list(problem.reference_answer); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer order = places(problem);
    rng.shuffle(order);
    return fitting(problem, order);
  }

  template <typename Visit>
  static bool try_rules(const Problem& problem, Visit visit) {
    const auto size = [&](std::int64_t set) { return problem.Sets[set].size(); };
    Answer order = places(problem);
    if (visit("what fits, as listed", fitting(problem, order))) return true;
    std::ranges::stable_sort(order, {}, size);
    if (visit("what fits, the smallest first", fitting(problem, order))) return true;
    std::ranges::stable_sort(order, std::greater(), size);
    return visit("what fits, the largest first", fitting(problem, order)) ||
           visit("the largest set that fits, for the rarest item", by_rarest(problem)) ||
           visit("the largest set", Answer{order[0]});
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(all_rules<SetCover>(problem));
  }

 private:
  // A problem without its reference, and the planted sets.
  static std::pair<Problem, Answer> draw(int n, Rng& rng) {
    const std::int64_t subsets = n < 10 ? (std::int64_t{1} << n) - 2 : 4 * n;
    const std::int64_t count = rng.integer(n, std::min<std::int64_t>(2 * n, subsets));
    const std::int64_t parts = rng.integer(std::max(2, n / 5), std::max(2, (n + 1) / 2));
    const std::vector<int> items = rng.permutation(n);
    std::vector<std::int64_t> cuts = rng.sample(1, n - 1, static_cast<std::size_t>(parts) - 1);
    cuts.push_back(n);
    std::ranges::sort(cuts);
    std::vector<Set> sets;
    std::int64_t first = 0;
    for (const std::int64_t cut : cuts) {
      sets.emplace_back(items.begin() + first, items.begin() + cut);
      std::ranges::sort(sets.back());
      first = cut;
    }
    for (std::int64_t attempts = 40 * count; std::ssize(sets) < count;) {
      if (attempts-- == 0) throw Retry();
      const std::int64_t like = std::ssize(sets[rng.below(parts)]) + rng.integer(-1, 1);
      Set set;
      for (const std::int64_t item : rng.sample(
               0, n - 1, static_cast<std::size_t>(std::clamp<std::int64_t>(like, 1, n - 1)))) {
        set.push_back(static_cast<int>(item));
      }
      std::ranges::sort(set);
      if (std::ranges::find(sets, set) == sets.end()) sets.push_back(std::move(set));
    }
    const std::vector<int> place = rng.permutation(static_cast<int>(count));
    Problem problem{.N = n, .Sets = std::vector<Set>(sets.size())};
    Answer planted(place.begin(), place.begin() + parts);
    for (std::size_t i = 0; i < sets.size(); ++i) problem.Sets[place[i]] = std::move(sets[i]);
    std::ranges::sort(planted);
    return {std::move(problem), std::move(planted)};
  }

  static Answer places(const Problem& problem) {
    Answer order(problem.Sets.size());
    std::iota(order.begin(), order.end(), 0);
    return order;
  }

  // Of sets that have no item in common.
  static bool covers_all(const Problem& problem, const Answer& sets) {
    std::size_t covered = 0;
    for (const std::int64_t set : sets) covered += problem.Sets[set].size();
    return covered == static_cast<std::size_t>(problem.N);
  }

  // Whether one of some random answers is right: made as random_answer() makes them, but for the
  // lists.
  static bool random_orders_solve(const Problem& problem, Rng& rng) {
    Answer order(problem.Sets.size());
    std::vector<char> covered(problem.N);
    for (int i = 0; i < kRandomChoices; ++i) {
      std::iota(order.begin(), order.end(), 0);
      rng.shuffle(order);
      std::ranges::fill(covered, 0);
      std::size_t count = 0;
      for (const std::int64_t place : order) {
        const Set& set = problem.Sets[place];
        if (!fits(set, covered)) continue;
        cover(set, covered);
        count += set.size();
      }
      if (count == covered.size()) return true;
    }
    return false;
  }

  static bool fits(const Set& set, const std::vector<char>& covered) {
    return std::ranges::none_of(set, [&](int item) { return covered[item] != 0; });
  }

  static void cover(const Set& set, std::vector<char>& covered) {
    for (const int item : set) covered[item] = 1;
  }

  static Answer fitting(const Problem& problem, const Answer& order) {
    std::vector<char> covered(problem.N);
    Answer chosen;
    for (const std::int64_t set : order) {
      if (!fits(problem.Sets[set], covered)) continue;
      cover(problem.Sets[set], covered);
      chosen.push_back(set);
    }
    return chosen;
  }

  // For the item in the fewest sets that fit, the largest of these, again and again.
  static Answer by_rarest(const Problem& problem) {
    std::vector<char> covered(problem.N);
    Answer chosen;
    while (true) {
      std::vector<int> frequency(problem.N);
      for (const Set& set : problem.Sets) {
        if (!fits(set, covered)) continue;
        for (const int item : set) ++frequency[item];
      }
      int rarest = -1;
      for (int item = 0; item < problem.N; ++item) {
        if (frequency[item] == 0) continue;
        if (rarest < 0 || frequency[item] < frequency[rarest]) rarest = item;
      }
      if (rarest < 0) return chosen;
      std::int64_t best = -1;
      for (const std::int64_t set : places(problem)) {
        const Set& candidate = problem.Sets[set];
        if (!fits(candidate, covered) || std::ranges::count(candidate, rarest) == 0) continue;
        if (best < 0 || candidate.size() > problem.Sets[best].size()) best = set;
      }
      cover(problem.Sets[best], covered);
      chosen.push_back(best);
    }
  }
};
REDQUEEN_ENVIRONMENT(SetCover);

}  // namespace
}  // namespace redqueen
