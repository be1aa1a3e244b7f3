#include <algorithm>
#include <functional>
#include <queue>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/hardening.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/order.h"
#include "redqueen/gym/common/sequence/segments.h"

namespace redqueen {
namespace {

struct MinimumChromaticNumber_SegmentOverlap {
  static constexpr Card card{
      .name = "MinimumChromaticNumber_SegmentOverlap",
      .published = true,
      .family = Family::kOptimization,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task =
          "Colour segments of a line with as few colours as possible such that segments with a "
          "common point differ.",
      .levels =
          "The number of segments grows from 3 by a tenth and one a level, and the line with it. "
          "Beyond level 60 the list would be too long to read.",
      .rewards =
          "-1 malformed, -0.5 another number of colours, a colour that is out of range, or one "
          "colour for two segments with a common point, else (fewest colours / colours)^5.",
      .differences =
          "A colour must lie within -10^9 … 10^9. From 5 segments on, segments are drawn "
          "again until a problem is not solved by giving each segment, in the order given or by "
          "right end, the first colour that is free; from 8 segments on, nor by length, the "
          "longest first.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "Up to level 4, with 7 segments, to give the longest ones first the first free colour is "
          "mostly right.",
      .guess_until_level = 4,
      .source = "Interval partitioning: J. Kleinberg and E. Tardos, Algorithm Design, 4.1.",
      .version = 2,
      .max_level = 60,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kStrictFrom = 5;
  static constexpr int kStricterFrom = 8;  // with fewer segments, no problem is left
  static constexpr int kDraws = 100;
  static constexpr int kSteps = 100;  // of changes to one draw
  static constexpr std::int64_t kMaxColour = 1'000'000'000;
  static constexpr int kMaxPlace = 1'000'000'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<Segment> segments;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, segments, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const auto change = [&](Problem& problem) {
      const auto ends = std::minmax({draw_end(config.N, rng), draw_end(config.N, rng)});
      rng.choice(problem.segments) = {ends.first, ends.second};
      problem.gold_answer = colours_in(solve(problem));
    };
    return draw_hardened(
        kDraws, kSteps, [&] { return drawn(config.N, rng); }, change,
        [&](const Problem& problem, int enough) {
          if (problem.gold_answer == 1 || problem.gold_answer == problem.N) return kHopelesslyEasy;
          return config.N < kStrictFrom
                     ? 0
                     : solving_rules<MinimumChromaticNumber_SegmentOverlap>(problem, enough);
        });
  }

  // Random numbers of segments, those of each group apart from one another, in random order.
  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    Problem problem{.N = n, .segments = {}, .gold_answer = 0};
    const auto cuts = static_cast<std::size_t>(rng.integer(2, n) - 1);
    std::vector<std::int64_t> groups = rng.sample(1, n, cuts);
    groups.push_back(n);
    std::ranges::sort(groups);
    std::vector<int> ends;
    for (const std::int64_t group : groups) {
      ends.clear();
      for (auto left = 2 * (group - std::ssize(problem.segments)); left > 0; --left) {
        ends.push_back(draw_end(n, rng));
      }
      std::ranges::sort(ends);
      for (std::size_t i = 0; i < ends.size(); i += 2) {
        problem.segments.emplace_back(ends[i], ends[i + 1]);
      }
    }
    rng.shuffle(problem.segments);
    problem.gold_answer = colours_in(solve(problem));
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxShownNumbers));
    RETURN_IF_ERROR(check_segments("segments", problem.segments, problem.N, -kMaxPlace, kMaxPlace));
    return reference_is("gold_answer", problem.gold_answer, colours_in(solve(problem)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "There are {0} segments on a line, numbered from 0 to {1}. Each of these lines gives a "
        "segment's number, its left end and its right end; both ends belong to it, and where they "
        "are equal it is a single point:\n"
        "{2}\n"
        "Give each segment a colour such that any two segments with at least one common point, be "
        "it only an end, have different colours. Use as few different colours as possible. A "
        "colour is an integer of your choice from {3} to {4}.\n"
        "Answer with the colours of the segments 0 to {1}, in this order on one line, separated by "
        "spaces.",
        problem.N, problem.N - 1, format_segments(problem.segments), -kMaxColour, kMaxColour);
  }

  // Sorted by left end, the segments of one colour must each begin beyond the one before.
  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != problem.N) return kInvalidReward;
    for (const std::int64_t colour : answer) {
      if (colour < -kMaxColour || colour > kMaxColour) return kInvalidReward;
    }
    const auto colour_and_left = [&](std::int64_t i) {
      return std::tuple(answer[i], problem.segments[i].first, problem.segments[i].second);
    };
    std::vector<std::int64_t> order = ascending_order(problem.N);
    std::ranges::sort(order, {}, colour_and_left);
    std::int64_t colours = 1;
    for (std::size_t i = 1; i < order.size(); ++i) {
      if (answer[order[i]] != answer[order[i - 1]]) {
        ++colours;
      } else if (problem.segments[order[i]].first <= problem.segments[order[i - 1]].second) {
        return kInvalidReward;
      }
    }
    return minimise_reward(colours, problem.gold_answer, kBeta);
  }

  // Each segment, by left end, takes the colour that was free first, if one is free: no more
  // colours than segments meet at one point.
  static Answer solve(const Problem& problem) {
    using Used = std::pair<int, std::int64_t>;  // right end of its last segment, colour
    std::priority_queue<Used, std::vector<Used>, std::greater<>> used;
    Answer colours(problem.segments.size());
    for (const std::int64_t i : by(problem, [](const Segment& s) { return s.first; })) {
      std::int64_t colour = std::ssize(used) + 1;
      if (!used.empty() && used.top().first < problem.segments[i].first) {
        colour = used.top().second;
        used.pop();
      }
      used.emplace(problem.segments[i].second, colour);
      colours[i] = colour;
    }
    return colours;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer colours(problem.segments.size());
    for (std::int64_t& colour : colours) colour = rng.integer(1, problem.N);
    return colours;
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    std::vector<SimpleRule<Answer>> rules{
        {"the first free colour, by right end",
         first_free(problem, by(problem, [](const Segment& s) { return s.second; }))},
        {"the first free colour, in the order given",
         first_free(problem, ascending_order(problem.N))}};
    if (problem.N >= kStricterFrom) rules.push_back(longest_first(problem));
    return rules;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    auto named = as_shortcuts(rules(problem));
    if (problem.N < kStricterFrom) {
      const auto [rule, answer] = longest_first(problem);
      named.push_back({std::string(rule), format_answer(answer)});
    }
    named.push_back({"all different", format_answer(ascending_order(problem.N))});
    return named;
  }

 private:
  // Segments of some colours, those of each apart from one another, in random order.
  static Problem drawn(int n, Rng& rng) {
    Problem problem{.N = n, .segments = {}, .gold_answer = 0};
    const std::int64_t colours = rng.integer(2, std::max(2, n / 2));
    std::vector<int> ends;
    for (std::int64_t colour = 0; colour < colours; ++colour) {
      const std::int64_t size = (n - std::ssize(problem.segments)) / (colours - colour);
      ends.clear();
      for (std::int64_t i = 0; i < 2 * size; ++i) {
        ends.push_back(draw_end(n, rng));
      }
      std::ranges::sort(ends);
      for (std::size_t i = 0; i < ends.size(); i += 2) {
        problem.segments.emplace_back(ends[i], ends[i + 1]);
      }
    }
    rng.shuffle(problem.segments);
    problem.gold_answer = colours_in(solve(problem));
    return problem;
  }

  static int draw_end(int n, Rng& rng) { return static_cast<int>(rng.integer(1, 2 * n - 1)); }

  static SimpleRule<Answer> longest_first(const Problem& problem) {
    const auto shorter = [](const Segment& s) { return s.first - s.second; };
    return {"the first free colour, longest segment first",
            first_free(problem, by(problem, shorter))};
  }

  template <typename Key>
  static std::vector<std::int64_t> by(const Problem& problem, Key key) {
    std::vector<std::int64_t> order = ascending_order(problem.N);
    std::ranges::stable_sort(order, {}, [&](std::int64_t i) { return key(problem.segments[i]); });
    return order;
  }

  static Answer first_free(const Problem& problem, const std::vector<std::int64_t>& order) {
    Answer colours(problem.segments.size(), 0);
    std::vector<char> taken;
    for (const std::int64_t i : order) {
      taken.assign(problem.segments.size() + 2, 0);
      for (std::int64_t j = 0; j < problem.N; ++j) {
        if (problem.segments[j].first <= problem.segments[i].second &&
            problem.segments[i].first <= problem.segments[j].second) {
          taken[colours[j]] = 1;
        }
      }
      std::int64_t colour = 1;
      while (taken[colour]) ++colour;
      colours[i] = colour;
    }
    return colours;
  }

  static std::int64_t colours_in(const Answer& colours) { return std::ranges::max(colours); }
};
REDQUEEN_ENVIRONMENT(MinimumChromaticNumber_SegmentOverlap);

}  // namespace
}  // namespace redqueen
