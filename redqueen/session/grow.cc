#include "redqueen/session/grow.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "redqueen/base/clock.h"
#include "redqueen/recipes/evoenv/candidate_records.h"
#include "redqueen/recipes/evoenv/environment_author.h"
#include "redqueen/recipes/evoenv/evoenv_charts.h"
#include "redqueen/recipes/evoenv/evoenv_files.h"
#include "redqueen/recipes/evoenv/evoenv_settings.h"
#include "redqueen/recipes/step_log.h"
#include "redqueen/run/event_store.h"
#include "redqueen/run/run_directory.h"
#include "redqueen/session/load_policy.h"
#include "redqueen/synth/environment_folder.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr const char* kRecipe = "grow";  // in provenances

// Rounds of an author whose environments are collected, and nothing more.
class Growth {
 public:
  Growth(evoenv::EnvironmentAuthor author, const Policy& policy)
      : author_(std::move(author)), policy_(policy) {}

  // Takes up what earlier processes stored, and what the pool holds besides.
  Status take_up(run::EventStore& store) {
    ASSIGN_OR_RETURN(const auto items, store.items(evoenv::kCandidateItem));
    for (const run::ItemPoint& point : items) {
      const Json& data = point.item.data;
      if (point.item.fate != "admitted" || !data.contains("environment")) continue;
      author_.add_member(data["environment"].get<std::string>(), data["source"].get<std::string>());
      ++accepted_;
    }
    ASSIGN_OR_RETURN(const auto average, store.metric("similarity_average"));
    if (!average.empty()) {
      const Json state{{"mean_similarity", average.back().value}};
      RETURN_IF_ERROR(author_.restore_weight(state));
    }
    ASSIGN_OR_RETURN(const auto last, store.last_step());
    return take_up_pool(last);
  }

  // Nothing if not one response came, or none ever did: missing() says why.
  Expected<std::optional<run::StepRecord>> round(std::int64_t step) {
    const auto start = Clock::now();
    ASSIGN_OR_RETURN(evoenv::AuthoredStep authored,
                     author_.write(step, [this](int count, Rng& rng) {
                       std::vector<std::string> names = author_.names();
                       rng.shuffle(names);
                       names.resize(std::min(names.size(), static_cast<std::size_t>(count)));
                       return names;
                     }));
    missing_ = authored.missing;
    any_came_ = any_came_ || !missing_.none_came();
    if (authored.candidates.empty() || !any_came_) return std::nullopt;
    StepLog log;
    for (const synth::EnvironmentCandidate& candidate : authored.candidates)
      log.mean("generator/response_bytes", static_cast<double>(candidate.response.size()));
    RETURN_IF_ERROR(author_.judge(step, authored, log));
    missing_ = authored.missing;

    run::StepRecord record{.step = step};
    for (synth::EnvironmentCandidate& candidate : authored.candidates) {
      ASSIGN_OR_RETURN(auto settled, author_.settle(step, candidate, log));
      accepted_ += settled.member.has_value();
      record.items.push_back(std::move(settled.item));
    }
    record.metrics = log.metrics();
    add_state(record.metrics);
    record.time = unix_time();
    record.seconds = seconds_since(start);
    candidates_ += std::ssize(authored.candidates);
    return record;
  }

  std::int64_t accepted() const { return accepted_; }
  const MissingResponses& missing() const { return missing_; }  // of the last round

  // "12 accepted of 80, 4 kinds; 310 requests, 1.2M tokens, cost 0.41".
  std::string summary() const {
    std::string text = fmt::format("{} accepted, {} kinds", accepted_, author_.clusters());
    if (candidates_ > 0) text += fmt::format(", {} candidates", candidates_);
    if (const auto used = policy_.usage()) {
      text += fmt::format(
          "; {} requests, {} tokens", used->requests,
          run::count_text(static_cast<double>(used->prompt_tokens + used->completion_tokens)));
      if (used->retries > 0) text += fmt::format(", {} retries", used->retries);
      if (used->failures > 0) text += fmt::format(", {} lost", used->failures);
      if (used->cost > 0) text += fmt::format(", cost {:.4f}", used->cost);
    }
    return text;
  }

 private:
  // Folders of a round that was never stored go: its round is made again. Others, imported ones,
  // join.
  Status take_up_pool(std::int64_t last) {
    std::set<fs::path> folders;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(author_.folder(), error))
      folders.insert(entry.path());
    for (const fs::path& folder : folders) {
      const std::string name = folder.filename().string();
      if (name.starts_with('.') || author_.contains(name)) continue;
      ASSIGN_OR_RETURN(const auto record, synth::read_environment_folder(folder));
      const Json& from = record.provenance;
      if (!from.contains("imported") && from.value("recipe", "") == kRecipe &&
          from.value("step", std::int64_t{0}) > last) {
        fs::remove_all(folder, error);
      } else {
        author_.add_member(name, record.source);
      }
    }
    return {};
  }

  void add_state(std::vector<run::MetricValue>& metrics) const {
    metrics.push_back({"pool/accepted", static_cast<double>(accepted_)});
    author_.add_metrics(metrics);
    metrics.push_back({"lost_responses", static_cast<double>(missing_.failed)});
    metrics.push_back({"missing/prompt_too_long", static_cast<double>(missing_.too_long)});
    if (const auto used = policy_.usage()) {
      metrics.push_back({"endpoint/requests", static_cast<double>(used->requests)});
      metrics.push_back({"endpoint/retries", static_cast<double>(used->retries)});
      metrics.push_back({"endpoint/failures", static_cast<double>(used->failures)});
      metrics.push_back({"endpoint/prompt_tokens", static_cast<double>(used->prompt_tokens)});
      metrics.push_back(
          {"endpoint/completion_tokens", static_cast<double>(used->completion_tokens)});
      metrics.push_back({"endpoint/cost", used->cost});
    }
  }

  evoenv::EnvironmentAuthor author_;
  const Policy& policy_;
  std::int64_t accepted_ = 0;
  std::int64_t candidates_ = 0;  // of this process
  MissingResponses missing_;     // of the round in hand
  bool any_came_ = false;        // a response, in this process
};

// Rounds until there is a reason to end, which it returns.
Expected<std::string> run_rounds(const GrowRequest& request, Growth& growth, const Policy& policy,
                                 run::EventStore& store, run::Progress& progress,
                                 const std::atomic<bool>& stop) {
  ASSIGN_OR_RETURN(std::int64_t done, store.last_step());
  bool told = false;  // that a prompt was too long
  for (;;) {
    if (request.accepted > 0 && growth.accepted() >= request.accepted) return "enough accepted";
    if (request.rounds > 0 && done >= request.rounds) return fmt::format("round {} done", done);
    if (const std::string spent = policy.spent_budget(); !spent.empty())
      return fmt::format("the budget is spent: {}", spent);
    if (stop) return "stopped, saved";
    ASSIGN_OR_RETURN(const auto record, growth.round(done + 1));
    if (!record) {
      if (!policy.spent_budget().empty()) continue;
      return failure("round {}: {}", done + 1, growth.missing().sentence());
    }
    if (growth.missing().too_long > 0 && !std::exchange(told, true)) {
      progress.note(fmt::format("round {}: {}; such prompts have empty responses", done + 1,
                                growth.missing().sentence()));
    }
    RETURN_IF_ERROR(store.append(*record));
    ++done;
    progress.step({.step = done,
                   .total_steps = request.rounds,
                   .step_seconds = record->seconds,
                   .detail = growth.summary()});
  }
}

Expected<run::RunDirectory> open_directory(const GrowRequest& request) {
  return request.resume ? run::RunDirectory::open(request.run)
                        : run::RunDirectory::create(request.run, request.toml);
}

}  // namespace

Status grow(const Engine& engine, const GrowRequest& request, run::Progress& progress,
            const std::atomic<bool>& stop) {
  const TrainSettings& settings = request.settings;
  const auto& evoenv = settings.table<evoenv::EvoEnvSettings>();
  const Resources& resources = engine.resources();
  RETURN_IF_ERROR(evoenv::check_author(settings, resources));
  ASSIGN_OR_RETURN(const auto policy, load_policy(settings, request.run / "usage.json"));
  ASSIGN_OR_RETURN(sandbox::Sandbox * sandbox, engine.sandbox()->get());
  ASSIGN_OR_RETURN(const run::RunDirectory directory, open_directory(request));
  ASSIGN_OR_RETURN(run::EventStore store, run::EventStore::open(directory.database_path()));
  ASSIGN_OR_RETURN(evoenv::EnvironmentAuthor author,
                   evoenv::EnvironmentAuthor::make(settings, kRecipe, resources, *sandbox, *policy,
                                                   request.run / "pool"));
  ASSIGN_OR_RETURN(const auto seeds,
                   evoenv::read_seeds(resources.given_or_found(evoenv.seeds), evoenv.longest_seed));
  for (const auto& [name, source] : seeds) author.add_member("seed/" + name, source);

  Growth growth(std::move(author), *policy);
  RETURN_IF_ERROR(growth.take_up(store));
  RETURN_IF_ERROR(store.describe(run::charts_of_run(evoenv::evoenv_charts())));
  progress.stage("growing");
  ASSIGN_OR_RETURN(const std::string reason,
                   run_rounds(request, growth, *policy, store, progress, stop));
  progress.note(fmt::format("{}: {}", reason, growth.summary()));
  return {};
}

}  // namespace redqueen
