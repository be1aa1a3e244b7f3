#include "redqueen/recipes/azr/chance.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "redqueen/base/rng.h"
#include "redqueen/code_tasks/syntax.h"
#include "redqueen/recipes/azr/rewards.h"

namespace redqueen::azr {
namespace {

using code_tasks::CodeTask;
using code_tasks::TaskType;

constexpr int kGuesses = 48;             // random arguments a task
constexpr double kSignificance = 0.05;   // of success above chance
constexpr double kMostCpuSeconds = 0.5;  // of a guess: what takes longer is no likely answer

double chance_of_induction(const CodeTask& task) {
  std::map<std::string, int> shown;
  for (const code_tasks::InputOutput& pair : task.shown_pairs()) ++shown[pair.output];
  const auto most = std::ranges::max_element(
      shown, {}, [](const std::pair<const std::string, int>& one) { return one.second; });
  const bool constant = std::ranges::all_of(
      task.hidden_pairs(),
      [&](const code_tasks::InputOutput& pair) { return pair.output == most->first; });
  return constant ? 1.0 : 0.0;
}

// P(X ≥ k) of n tries with chance c each.
double tail(int k, int n, double c) {
  double sum = 0;
  for (int i = k; i <= n; ++i) {
    const double ways = std::lgamma(n + 1.0) - std::lgamma(i + 1.0) - std::lgamma(n - i + 1.0);
    sum += std::exp(ways + i * std::log(c) + (n - i) * std::log1p(-c));
  }
  return sum;
}

}  // namespace

std::vector<double> guess_chances(sandbox::Sandbox& sandbox, std::span<const CodeTask* const> tasks,
                                  const sandbox::Limits& limits) {
  std::vector<double> chances(tasks.size(), 0.0);
  std::vector<code_tasks::VariationRequest> requests;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (tasks[i]->type == TaskType::kInduction) {
      chances[i] = chance_of_induction(*tasks[i]);
    } else {
      requests.push_back({tasks[i]->input, hash_name(tasks[i]->source()), kGuesses});
      places.push_back(i);
    }
  }
  const std::vector<std::vector<std::string>> guesses =
      code_tasks::vary_arguments(sandbox, requests);

  std::vector<sandbox::Batch> batches;
  std::vector<std::size_t> owners;
  for (std::size_t k = 0; k < guesses.size(); ++k) {
    for (const std::string& guess : guesses[k]) {
      sandbox::Batch batch;
      batch.program.source = tasks[places[k]]->source();
      batch.program.profile = sandbox::code_profile();
      batch.program.limits = limits;
      batch.program.limits.cpu_seconds = std::min(limits.cpu_seconds, kMostCpuSeconds);
      batch.calls.push_back(sandbox::Call::literal("f", guess));
      batches.push_back(std::move(batch));
      owners.push_back(places[k]);
    }
  }
  const auto outcomes = sandbox.run_many(batches);

  std::vector<int> hits(tasks.size(), 0);
  std::vector<sandbox::Comparison> pairs;
  std::vector<std::size_t> compared;
  for (std::size_t b = 0; b < outcomes.size(); ++b) {
    const sandbox::Outcome& outcome = outcomes[b].front();
    const CodeTask& task = *tasks[owners[b]];
    if (task.type == TaskType::kError) {
      hits[owners[b]] += outcome.exception == task.output ? 1 : 0;
    } else if (outcome.ok() && !outcome.canonical.empty()) {
      pairs.push_back({outcome.canonical, task.output});
      compared.push_back(owners[b]);
    }
  }
  const std::vector<sandbox::Equality> equal = sandbox.compare_many(pairs, /*strict=*/false);
  for (std::size_t p = 0; p < equal.size(); ++p)
    hits[compared[p]] += equal[p] == sandbox::Equality::kEqual ? 1 : 0;
  for (std::size_t k = 0; k < places.size(); ++k) {
    if (guesses[k].empty()) continue;
    chances[places[k]] =
        static_cast<double>(hits[places[k]]) / static_cast<double>(guesses[k].size());
  }
  return chances;
}

double learnability_above(double success_rate, int answers, double chance) {
  if (learnability(success_rate) <= 0 || chance >= 1) return 0;
  if (chance <= 0) return learnability(success_rate);
  const int solved = static_cast<int>(std::lround(success_rate * answers));
  if (success_rate <= chance || tail(solved, answers, chance) > kSignificance) return 0;
  return 1 - (success_rate - chance) / (1 - chance);
}

}  // namespace redqueen::azr
