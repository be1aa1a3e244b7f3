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
#include "redqueen/session/metered_policy.h"
#include "redqueen/synth/environment_folder.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr const char* kRecipe = "grow";  // in provenances

std::string usage_metric(std::string_view role, std::string_view what) {
  return fmt::format("usage/{}/{}", role, what);
}

// The books of a role as metrics, and back.
constexpr std::pair<const char*, std::int64_t RoleUsage::*> kCounts[] = {
    {"responses", &RoleUsage::responses},
    {"cut", &RoleUsage::cut},
    {"prompt_tokens", &RoleUsage::prompt_tokens},
    {"completion_tokens", &RoleUsage::completion_tokens}};
constexpr std::pair<const char*, double RoleUsage::*> kAmounts[] = {
    {"cost", &RoleUsage::cost}, {"seconds", &RoleUsage::seconds}};
constexpr const char* kRoles[] = {"generator", "solver", "reviewer", "second_author", "other"};

Status restore_usage(run::EventStore& store, SamplingLedger& ledger) {
  const auto last = [&](const std::string& name) -> Expected<double> {
    ASSIGN_OR_RETURN(const auto points, store.metric(name));
    return points.empty() ? 0.0 : points.back().value;
  };
  for (const char* role : kRoles) {
    RoleUsage usage;
    for (const auto& [what, member] : kCounts) {
      ASSIGN_OR_RETURN(const double value, last(usage_metric(role, what)));
      usage.*member = static_cast<std::int64_t>(value);
    }
    for (const auto& [what, member] : kAmounts) {
      ASSIGN_OR_RETURN(usage.*member, last(usage_metric(role, what)));
    }
    if (usage.responses > 0) ledger.add(role, usage);
  }
  return {};
}

// "generator 96 responses, 410.2k tokens, 3 cut, cost 0.2100; solver …"; empty: nothing was used.
std::string usage_text(const SamplingLedger& ledger) {
  std::string text;
  for (const auto& [role, usage] : ledger.roles()) {
    if (usage.responses == 0 && usage.tokens() == 0) continue;
    text += fmt::format("{}{} {} responses, {} tokens", text.empty() ? "" : "; ", role,
                        usage.responses, run::count_text(static_cast<double>(usage.tokens())));
    if (usage.cut > 0) text += fmt::format(", {} cut", usage.cut);
    if (usage.cost > 0) text += fmt::format(", cost {:.4f}", usage.cost);
  }
  return text;
}

// "s2-0-3 too_hard: The solver solved none of its 8 problems."
std::string fate_line(const synth::EnvironmentCandidate& candidate) {
  return fmt::format("  {:<9} {:<20} {}", candidate.name, candidate.fate(), candidate.reason());
}

// Rounds of an author whose environments are collected, and nothing more.
class Growth {
 public:
  Growth(evoenv::EnvironmentAuthor author, const Policy& policy, SamplingLedger& ledger)
      : author_(std::move(author)), policy_(policy), ledger_(ledger) {}

  // Takes up what earlier processes stored, and what the pool holds besides.
  Status take_up(run::EventStore& store) {
    ASSIGN_OR_RETURN(const auto items, store.items(evoenv::kCandidateItem));
    for (const run::ItemPoint& point : items) {
      const Json& data = point.item.data;
      if (point.item.fate != "admitted" || !data.contains("environment")) {
        author_.remember_refusal(
            data.value("validation", Json::object()).value("class_name", std::string()),
            point.item.fate, data.value("reason", std::string()));
        continue;
      }
      author_.add_member(data["environment"].get<std::string>(), data["source"].get<std::string>());
      ++accepted_;
    }
    ASSIGN_OR_RETURN(const auto average, store.metric("similarity_average"));
    if (!average.empty()) {
      const Json state{{"mean_similarity", average.back().value}};
      RETURN_IF_ERROR(author_.restore_weight(state));
    }
    RETURN_IF_ERROR(restore_usage(store, ledger_));
    ASSIGN_OR_RETURN(const auto last, store.last_step());
    return take_up_pool(last);
  }

  // Nothing if not one response came, or none ever did, or some are missing because `stop` was set:
  // missing() says why.
  Expected<std::optional<run::StepRecord>> round(std::int64_t step, const std::atomic<bool>& stop) {
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
    if (stop && missing_.failed > 0) return std::nullopt;
    StepLog log;
    for (const synth::EnvironmentCandidate& candidate : authored.candidates) {
      log.mean("generator/response_bytes", static_cast<double>(candidate.response.size()));
      log.mean("generator/cut", candidate.is_cut);
    }
    RETURN_IF_ERROR(author_.judge(step, authored, log));
    missing_ = authored.missing;
    if (stop && missing_.failed > 0) return std::nullopt;

    run::StepRecord record{.step = step};
    record_answers(authored.candidates, record.rollouts);
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

  std::string usage() const { return usage_text(ledger_); }
  Status forget_responses() { return ledger_.forget_responses(); }
  std::int64_t kept() const { return ledger_.kept(); }

 private:
  // What the solver answered to the problems of candidates, for people: a group is a candidate.
  static void record_answers(std::span<const synth::EnvironmentCandidate> candidates,
                             std::vector<run::RolloutRecord>& rollouts) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      for (const synth::CalibrationAnswer& answer : candidates[i].answers) {
        rollouts.push_back({.group = static_cast<std::int64_t>(i),
                            .environment = candidates[i].name,
                            .level = answer.level,
                            .problem_address = answer.address,
                            .prompt = answer.prompt,
                            .response = answer.response,
                            .reward = answer.score,
                            .solved = answer.passes,
                            .well_formed = answer.score > kMalformedReward,
                            .tokens = answer.tokens});
      }
    }
  }

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
    for (const auto& [role, usage] : ledger_.roles()) {
      for (const auto& [what, member] : kCounts) {
        metrics.push_back({usage_metric(role, what), static_cast<double>(usage.*member)});
      }
      for (const auto& [what, member] : kAmounts)
        metrics.push_back({usage_metric(role, what), usage.*member});
    }
  }

  evoenv::EnvironmentAuthor author_;
  const Policy& policy_;
  SamplingLedger& ledger_;
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
    ASSIGN_OR_RETURN(const auto record, growth.round(done + 1, stop));
    if (!record) {
      if (stop) {
        return fmt::format("stopped in round {}, of which {} responses are kept", done + 1,
                           growth.kept());
      }
      if (!policy.spent_budget().empty()) continue;
      return failure("round {}: {}", done + 1, growth.missing().sentence());
    }
    if (growth.missing().too_long > 0 && !std::exchange(told, true)) {
      progress.note(fmt::format("round {}: {}; such prompts have empty responses", done + 1,
                                growth.missing().sentence()));
    }
    RETURN_IF_ERROR(store.append(*record));
    RETURN_IF_ERROR(growth.forget_responses());
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

// Shows how far the responses of a role are.
SamplingLedger::Listener show_sampling(run::Progress& progress) {
  return [&progress](const SamplingState& state) {
    std::string text = fmt::format("{} {} of {}", state.role, state.done, state.asked);
    if (state.tokens_per_second > 0)
      text += fmt::format(", {} tok/s", run::count_text(state.tokens_per_second));
    progress.activity(state.done < state.asked ? text : text + ", judging");
  };
}

}  // namespace

Expected<std::unique_ptr<Policy>> load_second_author(const TrainSettings& settings,
                                                     const fs::path& usage_file,
                                                     const std::atomic<bool>* stop) {
  const auto& evoenv = settings.table<evoenv::EvoEnvSettings>();
  if (evoenv.second_author == evoenv::kNoSecondAuthor ||
      evoenv.second_author == evoenv::kOwnSecondAuthor)
    return nullptr;
  TrainSettings other = settings;
  other.policy.path = evoenv.second_author;
  if (!evoenv.second_author_model.empty()) other.endpoint.model = evoenv.second_author_model;
  auto policy = load_policy(other, usage_file, stop);
  if (!policy) {
    return tl::make_unexpected(Error{
        policy.error().kind, fmt::format("evoenv.second_author: {}", policy.error().message)});
  }
  return policy;
}

Status grow(const Engine& engine, const GrowRequest& request, run::Progress& progress,
            const std::atomic<bool>& stop) {
  const TrainSettings& settings = request.settings;
  const auto& evoenv = settings.table<evoenv::EvoEnvSettings>();
  const Resources& resources = engine.resources();
  RETURN_IF_ERROR(evoenv::check_author(settings, resources));
  ASSIGN_OR_RETURN(const auto policy, load_policy(settings, request.run / "usage.json", &stop));
  ASSIGN_OR_RETURN(const auto second_author,
                   load_second_author(settings, request.run / "usage-second-author.json", &stop));
  ASSIGN_OR_RETURN(sandbox::Sandbox * sandbox, engine.sandbox()->get());
  ASSIGN_OR_RETURN(const run::RunDirectory directory, open_directory(request));
  ASSIGN_OR_RETURN(run::EventStore store, run::EventStore::open(directory.database_path()));
  ASSIGN_OR_RETURN(SamplingLedger ledger,
                   SamplingLedger::open(request.run / "responses.jsonl", evoenv.most_tokens));
  ledger.set_listener(show_sampling(progress));
  MeteredPolicy metered(*policy, ledger);
  std::optional<MeteredPolicy> metered_second;
  if (second_author) metered_second.emplace(*second_author, ledger);
  ASSIGN_OR_RETURN(evoenv::EnvironmentAuthor author,
                   evoenv::EnvironmentAuthor::make(settings, kRecipe, resources, *sandbox, metered,
                                                   request.run / "pool",
                                                   metered_second ? &*metered_second : nullptr));
  author.collect([&progress](const synth::EnvironmentCandidate& candidate) {
    progress.remark(fate_line(candidate));
  });
  ASSIGN_OR_RETURN(const auto seeds,
                   evoenv::read_seeds(resources.given_or_found(evoenv.seeds), evoenv.longest_seed));
  for (const auto& [name, source] : seeds) author.add_member("seed/" + name, source);

  Growth growth(std::move(author), metered, ledger);
  RETURN_IF_ERROR(growth.take_up(store));
  RETURN_IF_ERROR(store.describe(run::charts_of_run(evoenv::evoenv_charts())));
  progress.stage("growing");
  ASSIGN_OR_RETURN(const std::string reason,
                   run_rounds(request, growth, metered, store, progress, stop));
  progress.note(fmt::format("{}: {}", reason, growth.summary()));
  if (const std::string used = growth.usage(); !used.empty()) progress.note(used);
  return {};
}

}  // namespace redqueen
