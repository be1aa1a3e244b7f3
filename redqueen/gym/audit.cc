#include "redqueen/gym/audit.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <functional>
#include <map>
#include <set>

#include "redqueen/base/rng.h"
#include "redqueen/core/batch.h"

namespace redqueen {
namespace {

using Clock = std::chrono::steady_clock;

double cpu_microseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e6 * static_cast<double>(now.tv_sec) + 1e-3 * static_cast<double>(now.tv_nsec);
}

double median(std::vector<double> values) {
  if (values.empty()) return 0.0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Problems {
  std::vector<ProblemPtr> list;
  std::vector<std::string> references;
};

// Generates until there are enough or the time is up; fills the timings of `level`.
Problems make_problems(const Environment& environment, const AuditOptions& options,
                       LevelAudit& level) {
  Problems problems;
  std::vector<double> generate;
  std::vector<double> prompt;
  std::vector<double> score;
  std::set<std::string> prompts;
  const auto end = Clock::now() + std::chrono::duration<double>(options.seconds);
  for (int seed = 0; seed < options.problems && Clock::now() < end; ++seed) {
    const double start = cpu_microseconds();
    auto problem = environment.generate(level.level, static_cast<std::uint64_t>(seed));
    const double generated = cpu_microseconds();
    if (!problem) {
      ++level.failures;
      continue;
    }
    std::string text = (*problem)->prompt();
    const double prompted = cpu_microseconds();
    problems.references.push_back((*problem)->reference());
    const double solved = cpu_microseconds();
    (*problem)->score(problems.references.back());
    score.push_back(cpu_microseconds() - solved);
    generate.push_back(generated - start);
    prompt.push_back(prompted - generated);
    prompts.insert(std::move(text));
    problems.list.push_back(std::move(*problem));
  }
  level.problems = static_cast<int>(problems.list.size());
  level.distinct = static_cast<int>(prompts.size());
  level.generate_us = median(std::move(generate));
  level.prompt_us = median(std::move(prompt));
  level.score_us = median(std::move(score));
  return problems;
}

// Measures the reward of `answer_of` each problem; problems without an answer ("" from an absent
// example) are left out.
GuessAudit try_rule(std::string rule, const Problems& problems, AnswerReading reading,
                    const std::function<std::string(const Problem&)>& answer_of) {
  GuessAudit guess{.rule = std::move(rule)};
  std::vector<std::string> answers;
  answers.reserve(problems.list.size());
  for (const ProblemPtr& problem : problems.list) answers.push_back(answer_of(*problem));
  std::vector<AnswerRequest> requests;
  requests.reserve(answers.size());
  for (std::size_t i = 0; i < answers.size(); ++i)
    requests.push_back({problems.list[i].get(), answers[i]});
  for (const Verdict& verdict : score_all(requests, {.reading = reading})) {
    guess.mean_reward += verdict.reward;
    guess.solved += verdict.solved;
  }
  const auto count = static_cast<double>(std::max<std::size_t>(problems.list.size(), 1));
  guess.mean_reward /= count;
  guess.solved /= count;
  return guess;
}

// The constant that solves most, of 0, 1 and the most frequent references.
GuessAudit best_constant(const Problems& problems, AnswerReading reading) {
  constexpr std::size_t kCandidates = 30;
  std::map<std::string, int> frequency;
  for (const std::string& reference : problems.references) ++frequency[reference];
  std::vector<std::pair<int, std::string>> ranked;
  ranked.reserve(frequency.size() + 2);
  for (const auto& [text, count] : frequency) ranked.emplace_back(-count, text);
  std::ranges::sort(ranked);
  ranked.resize(std::min(ranked.size(), kCandidates));
  ranked.emplace_back(0, "0");
  ranked.emplace_back(0, "1");
  GuessAudit best{.rule = "best constant", .mean_reward = -1.0};
  for (const auto& candidate : ranked) {
    const GuessAudit guess = try_rule("best constant", problems, reading,
                                      [&](const Problem&) { return candidate.second; });
    if (std::pair(guess.solved, guess.mean_reward) > std::pair(best.solved, best.mean_reward))
      best = guess;
  }
  return best;
}

void add_shortcuts(const Problems& problems, AnswerReading reading,
                   std::vector<GuessAudit>& guesses) {
  if (problems.list.empty()) return;
  for (std::size_t i = 0; i < problems.list.front()->shortcuts().size(); ++i) {
    guesses.push_back(try_rule(problems.list.front()->shortcuts()[i].rule, problems, reading,
                               [i](const Problem& problem) {
                                 const auto answers = problem.shortcuts();
                                 return i < answers.size() ? answers[i].answer : std::string();
                               }));
  }
}

}  // namespace

const GuessAudit& LevelAudit::worst() const {
  return *std::ranges::max_element(guesses, {},
                                   [](const GuessAudit& guess) { return guess.solved; });
}

std::vector<LevelAudit> audit(const Environment& environment, const AuditOptions& options) {
  std::vector<LevelAudit> levels;
  for (const int number : options.levels) {
    if (number > environment.card().max_level) continue;
    LevelAudit level{.level = number};
    const Problems problems = make_problems(environment, options, level);
    Rng rng({.purpose = hash_name("audit"), .step = static_cast<std::uint64_t>(number)});
    level.guesses.push_back(
        try_rule("empty", problems, options.reading, [](const Problem&) { return std::string(); }));
    level.guesses.push_back(best_constant(problems, options.reading));
    level.guesses.push_back(
        try_rule("random", problems, options.reading,
                 [&](const Problem& problem) { return problem.random_answer(rng); }));
    if (!problems.list.empty() && !problems.list.front()->example().empty()) {
      level.guesses.push_back(try_rule("example", problems, options.reading,
                                       [](const Problem& problem) { return problem.example(); }));
    }
    add_shortcuts(problems, options.reading, level.guesses);
    levels.push_back(std::move(level));
  }
  return levels;
}

Json to_json(const Environment& environment, const std::vector<LevelAudit>& levels) {
  Json list = Json::array();
  for (const LevelAudit& level : levels) {
    Json guesses = Json::array();
    for (const GuessAudit& guess : level.guesses) {
      guesses.push_back(
          Json{{"rule", guess.rule}, {"mean_reward", guess.mean_reward}, {"solved", guess.solved}});
    }
    list.push_back(Json{{"level", level.level},
                        {"problems", level.problems},
                        {"failures", level.failures},
                        {"distinct", level.distinct},
                        {"generate_us", level.generate_us},
                        {"prompt_us", level.prompt_us},
                        {"score_us", level.score_us},
                        {"guesses", std::move(guesses)}});
  }
  return Json{{"environment", environment.name()},
              {"version", environment.card().version},
              {"levels", std::move(list)}};
}

double allowed_share(const Card& card, int level) {
  return level <= card.guess_until_level ? 1.0 : card.guess_bound;
}

std::string objection(const Environment& environment, const std::vector<LevelAudit>& levels) {
  for (const LevelAudit& level : levels) {
    if (level.level < 2 || level.problems == 0) continue;
    const GuessAudit& worst = level.worst();
    if (worst.solved > allowed_share(environment.card(), level.level)) {
      return fmt::format("level {}: \"{}\" solves {:.0f} %", level.level, worst.rule,
                         100 * worst.solved);
    }
  }
  return {};
}

}  // namespace redqueen
