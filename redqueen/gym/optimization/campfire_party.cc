#include <algorithm>
#include <array>
#include <optional>

#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"
#include "redqueen/gym/common/parameter/witness.h"

namespace redqueen {
namespace {

struct CampfireParty {
  static constexpr Card card{
      .name = "CampfireParty",
      .published = true,
      .family = Family::kOptimization,
      .answer = AnswerKind::kIntegerMatrix,
      .scoring = Scoring::kMinimise,
      .task =
          "Students sit in a circle; let groups of them exchange seats in turn, with as few moves "
          "as possible, until each sits between the two that he wishes for.",
      .levels =
          "From 4 students, a tenth and one more a level. Beyond level 70 the list of wishes would "
          "be too long to read.",
      .rewards =
          "-1 malformed, -0.5 a student who does not exist or comes twice in a line, -0.2 a wish "
          "is not fulfilled, else (least number of moves / moves)^3.",
      .differences =
          "The two wishes of a student come in random order. From 5 students on, a circle that "
          "already fulfils all wishes is not drawn; from 6 on, neither is one that is best seated "
          "around the first or the last student, who stays, with his first wish on the next seat.",
      .source = "P1053, NOIP 2005: campfire party (Luogu)",
      .max_level = 70,
  };

  static constexpr double kUnfulfilled = -0.2;
  static constexpr double kBeta = 3.0;
  static constexpr int kFewestMoved = 5;
  static constexpr int kFewestGuarded = 6;
  static constexpr int kDraws = 200;
  static constexpr std::int64_t kMaxN = 10'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::pair<int, int>> desired_neighbors;
    std::string reference_answer;
    std::int64_t reference_answer_cost = 0;
    REDQUEEN_FIELDS(N, desired_neighbors, reference_answer, reference_answer_cost)
  };
  using Answer = std::vector<std::vector<std::int64_t>>;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(4, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    auto problem = draw_accepted(
        kDraws, [&] { return drawn(config, rng); },
        [&](const Problem& drawn) {
          if (config.N >= kFewestMoved && drawn.reference_answer_cost == 0) return false;
          return config.N < kFewestGuarded || !some_rule_solves<CampfireParty>(drawn);
        });
    problem.reference_answer = format_answer(solve(problem));
    return problem;
  }

  // A random circle; each student names first the one before him, then the one behind him.
  static Problem published(const Config& config, Rng& rng) {
    const auto n = static_cast<std::size_t>(config.N);
    const std::vector<int> circle = rng.permutation(config.N);
    Problem problem{.N = config.N,
                    .desired_neighbors = std::vector<std::pair<int, int>>(n),
                    .reference_answer = {},
                    .reference_answer_cost = 0};
    for (std::size_t i = 0; i < n; ++i) {
      problem.desired_neighbors[circle[i]] = {circle[(i + n - 1) % n], circle[(i + 1) % n]};
    }
    const Seating seating = best_seating(problem);
    problem.reference_answer_cost = cost_of(seating);
    problem.reference_answer = format_answer(operations(seating));
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 3, kMaxN));
    RETURN_IF_ERROR(
        within("desired_neighbors", std::ssize(problem.desired_neighbors), problem.N, problem.N));
    for (const auto& [a, b] : problem.desired_neighbors) {
      RETURN_IF_ERROR(within("desired_neighbors", a, 0, problem.N - 1));
      RETURN_IF_ERROR(within("desired_neighbors", b, 0, problem.N - 1));
    }
    if (!is_circle(problem)) return failure("\"desired_neighbors\": they form no single circle");
    RETURN_IF_ERROR(reference_is("reference_answer_cost", problem.reference_answer_cost,
                                 cost_of(best_seating(problem))));
    return check_witness<CampfireParty>("reference_answer", problem.reference_answer, problem);
  }

  static std::string prompt(const Problem& problem) {
    std::string wishes;
    for (int student = 0; student < problem.N; ++student) {
      const auto& [a, b] = problem.desired_neighbors[student];
      append_format(wishes, "{}: {} {}\n", student, a, b);
    }
    return fmt::format(
        "{0} students, numbered 0 to {1}, sit around a fire on {0} seats, also numbered 0 to {1}. "
        "Seats with consecutive numbers are next to each other, and so are seat {1} and seat 0. At "
        "first, student i sits on seat i. Each student names two others between whom he wants to "
        "sit, on either side:\n"
        "{2}"
        "The students change seats by operations. An operation is a list of different students b1 "
        "b2 … bm: at the same time, b1 moves to the seat of b2, b2 to the seat of b3, and so on, "
        "and bm moves to the seat of b1. It costs m. Give operations, carried out one after "
        "another, after which each student has both named students on the seats next to his own. "
        "The sum of their costs must be as small as possible.\n"
        "Answer with one operation a line, its students b1 b2 … bm separated by spaces. If no "
        "operation is needed, leave the answer empty.",
        problem.N, problem.N - 1, wishes);
  }

  static double score(const Problem& problem, const Answer& answer) {
    std::vector<int> seat_of(static_cast<std::size_t>(problem.N));
    for (int student = 0; student < problem.N; ++student) seat_of[student] = student;
    std::vector<std::size_t> last_line(seat_of.size());  // that a student moved in, from 1
    std::int64_t moves = 0;
    for (std::size_t line = 0; line < answer.size(); ++line) {
      const auto& group = answer[line];
      for (const std::int64_t student : group) {
        if (student < 0 || student >= problem.N) return kInvalidReward;
        if (std::exchange(last_line[student], line + 1) == line + 1) return kInvalidReward;
      }
      moves += std::ssize(group);
      if (group.empty()) continue;
      const int first_seat = seat_of[group.front()];
      for (std::size_t i = 0; i + 1 < group.size(); ++i) seat_of[group[i]] = seat_of[group[i + 1]];
      seat_of[group.back()] = first_seat;
    }
    for (int student = 0; student < problem.N; ++student) {
      const auto& [a, b] = problem.desired_neighbors[student];
      if (!are_neighbours(problem.N, seat_of[student], seat_of[a]) ||
          !are_neighbours(problem.N, seat_of[student], seat_of[b])) {
        return kUnfulfilled;
      }
    }
    return minimise_reward(moves, problem.reference_answer_cost, kBeta);
  }

  static Answer solve(const Problem& problem) { return operations(best_seating(problem)); }

  // Some of the students in random order as one group.
  static Answer random_answer(const Problem& problem, Rng& rng) {
    const auto size = static_cast<std::size_t>(rng.integer(2, problem.N));
    return {rng.sample(0, problem.N - 1, size)};
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    return {{"around student 0, his first wish on the next seat",
             operations(seating_around(problem, 0))},
            {"around the last student, his first wish on the next seat",
             operations(seating_around(problem, problem.N - 1))}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  using Seating = std::vector<int>;  // the seat of each student

  static Problem drawn(const Config& config, Rng& rng) {
    Problem problem{.N = config.N,
                    .desired_neighbors = std::vector<std::pair<int, int>>(config.N),
                    .reference_answer = {},
                    .reference_answer_cost = 0};
    const std::vector<int> circle = rng.permutation(config.N);
    for (int i = 0; i < config.N; ++i) {
      std::pair wishes{circle[(i + config.N - 1) % config.N], circle[(i + 1) % config.N]};
      if (rng.chance(0.5)) std::swap(wishes.first, wishes.second);
      problem.desired_neighbors[circle[i]] = wishes;
    }
    problem.reference_answer_cost = cost_of(best_seating(problem));
    return problem;
  }

  static bool are_neighbours(int n, int seat, int other) {
    return (seat + 1) % n == other || (other + 1) % n == seat;
  }

  // The wanted circle from `first` over the first student of his wish.
  static std::vector<int> circle_from(const Problem& problem, int first) {
    std::vector<int> circle(static_cast<std::size_t>(problem.N));
    int before = first;
    int student = problem.desired_neighbors[first].first;
    circle[0] = first;
    for (int i = 1; i < problem.N; ++i) {
      circle[i] = student;
      const auto& [a, b] = problem.desired_neighbors[student];
      before = std::exchange(student, a == before ? b : a);
    }
    return circle;
  }

  // Wishes of numbers in range.
  static bool is_circle(const Problem& problem) {
    const std::vector<int> circle = circle_from(problem, 0);
    std::vector<char> seen(circle.size());
    for (int i = 0; i < problem.N; ++i) {
      if (std::exchange(seen[circle[i]], 1) == 1) return false;
      const int before = circle[(i + problem.N - 1) % problem.N];
      const int after = circle[(i + 1) % problem.N];
      const auto& wishes = problem.desired_neighbors[circle[i]];
      if (wishes != std::pair{before, after} && wishes != std::pair{after, before}) return false;
    }
    return true;
  }

  static Seating seating_around(const Problem& problem, int student) {
    const std::vector<int> circle = circle_from(problem, student);
    Seating seats(circle.size());
    for (int i = 0; i < problem.N; ++i) seats[circle[i]] = (student + i) % problem.N;
    return seats;
  }

  // Every student who is not on his seat moves once at least, and once is enough. So the turn of
  // the circle, in either direction, is best that leaves most students where they are.
  static Seating best_seating(const Problem& problem) {
    std::vector<int> circle = circle_from(problem, 0);
    Seating best(circle.size());
    int most = -1;
    for (int direction = 0; direction < 2; ++direction) {
      std::vector<int> staying(circle.size());  // by the turn
      for (int i = 0; i < problem.N; ++i) ++staying[(circle[i] - i + problem.N) % problem.N];
      const auto place = std::ranges::max_element(staying);
      if (*place > most) {
        most = *place;
        const int turn = static_cast<int>(place - staying.begin());
        for (int i = 0; i < problem.N; ++i) best[circle[i]] = (i + turn) % problem.N;
      }
      std::ranges::reverse(circle);
    }
    return best;
  }

  static std::int64_t cost_of(const Seating& seats) {
    std::int64_t moved = 0;
    for (std::size_t student = 0; student < seats.size(); ++student) {
      moved += seats[student] != static_cast<int>(student);
    }
    return moved;
  }

  // The cycles of the seating.
  static Answer operations(const Seating& seats) {
    Answer groups;
    std::vector<char> seen(seats.size());
    for (int student = 0; student < std::ssize(seats); ++student) {
      if (seen[student] || seats[student] == student) continue;
      groups.emplace_back();
      for (int next = student; !seen[next]; next = seats[next]) {
        seen[next] = 1;
        groups.back().push_back(next);
      }
    }
    return groups;
  }
};
REDQUEEN_ENVIRONMENT(CampfireParty);

}  // namespace
}  // namespace redqueen
