#include "redqueen/recipes/evoenv/evoenv.h"

#include <algorithm>
#include <map>

#include "redqueen/core/batch.h"
#include "redqueen/policy/chat_prompt.h"
#include "redqueen/recipes/episodes.h"
#include "redqueen/recipes/evoenv/environment_author.h"
#include "redqueen/recipes/evoenv/evoenv_files.h"
#include "redqueen/recipes/evoenv/evoenv_settings.h"
#include "redqueen/recipes/step_log.h"
#include "redqueen/suites/split.h"
#include "redqueen/synth/pool.h"
#include "redqueen/synth/python_environment.h"
#include "redqueen/train/dynamic_sampling.h"

namespace redqueen::evoenv {
namespace {

namespace fs = std::filesystem;

synth::PythonEnvironmentInfo member_info(const std::string& name) {
  synth::PythonEnvironmentInfo info;
  info.name = "evo/" + name;
  return info;
}

// A problem on its way to the solver.
struct SolverTask {
  std::string environment;
  ProblemAddress problem_address;
  ProblemPtr problem;
};

// Names follow the paper: P the active pool, S the examples, A what this step admitted. The author
// keeps the novelty caches C.
class EvoEnv final : public Recipe {
 public:
  EvoEnv(const RecipeContext& context, sandbox::Sandbox& sandbox, EnvironmentAuthor author,
         PromptFormat format, synth::EnvironmentPool pool)
      : settings_(context.settings),
        evoenv_(settings_.table<EvoEnvSettings>()),
        service_(context.engine.sandbox()),
        sandbox_(sandbox),
        policy_(context.policy_of("solver")),
        progress_(context.progress),
        episodes_{
            .format = std::move(format),
            .sampling = settings_.sampling,
            .max_response_bytes = static_cast<std::size_t>(settings_.batch.max_response_bytes)},
        author_(std::move(author)),
        pool_(std::move(pool)) {}

  // The originals are members from the beginning.
  void begin(const std::map<std::string, std::string>& seeds) {
    for (const auto& [name, source] : seeds) author_.add_member(name, source);
    host_members();
  }

  std::string_view name() const override { return "evoenv"; }

  Expected<RecipeBatch> step(std::int64_t step) override {
    RecipeBatch batch;
    StepLog log(settings_.run.record_rollouts);
    RETURN_IF_ERROR(audit_review(step, log));
    ASSIGN_OR_RETURN(AuthoredStep authored, propose(step, log));
    RETURN_IF_ERROR(admit(step, authored, batch, log));
    add_generator_groups(authored, batch, log);
    RETURN_IF_ERROR(solve(step, batch, log));
    std::move(log).write(batch);
    add_state_metrics(batch.metrics);
    if (step == 1)
      std::ranges::move(missing_layer_items(sandbox_.layers()), std::back_inserter(batch.items));
    step_ = step;
    return batch;
  }

  void end_step() override { pool_.rotate(step_); }

  Json state() const override {
    Json state = author_.state();
    state["pool"] = pool_.state();
    state["step"] = step_;
    return state;
  }

  Status restore(const Json& state) override {
    for (const char* key : {"pool", "order", "sources", "weight", "step"}) {
      if (!state.is_object() || !state.contains(key))
        return failure("the state of EvoEnv lacks \"{}\"", key);
    }
    RETURN_IF_ERROR(pool_.restore(state["pool"]));
    RETURN_IF_ERROR(author_.restore(state));
    environments_.clear();
    host_members();
    step_ = state["step"].get<std::int64_t>();
    remove_folders_without_member();
    return {};
  }

 private:
  // Problems of every member can be made from now on.
  void host_members() {
    for (const std::string& name : author_.names()) {
      auto& environment = environments_[name];
      if (environment == nullptr) {
        environment = std::make_unique<synth::PythonEnvironment>(author_.source(name), sandbox_,
                                                                 member_info(name));
      }
    }
  }

  // Measures the reviews now and then, and does without them while they are no better than chance.
  Status audit_review(std::int64_t step, StepLog& log) {
    const bool due = step == 1 || step % evoenv_.review_audit_every == 0;
    if (!evoenv_.review || evoenv_.review_audit < 2 || !due) return {};
    MissingResponses missing;
    ASSIGN_OR_RETURN(const synth::ReviewAudit audit,
                     author_.audit_review(step, evoenv_.review_audit, missing));
    log.count_missing(missing);
    if (const auto share = audit.precision()) log.mean("review/precision", *share);
    if (const auto share = audit.recall()) log.mean("review/recall", *share);
    const bool trusted = audit.better_than_chance();
    log.mean("review/trusted", trusted);
    const bool on = trusted || !evoenv_.review_guard;
    const auto percent = [](std::optional<double> share) {
      return share ? fmt::format("{:.0f} %", 100 * *share) : std::string("–");
    };
    const std::string_view consequence =
        trusted                ? "candidates are reviewed"
        : evoenv_.review_guard ? "no better than chance: candidates are admitted without a review"
                               : "no better than chance, and kept by evoenv.review_guard = false";
    progress_.note(fmt::format(
        "review: {} of {} faulty environments rejected, and {} of {} sound ones (precision {}, "
        "recall {}): {}",
        audit.true_positives, audit.true_positives + audit.false_negatives, audit.false_positives,
        audit.false_positives + audit.true_negatives, percent(audit.precision()),
        percent(audit.recall()), consequence));
    author_.set_reviews(on);
    return {};
  }

  // Lines 2 to 4: M candidates of each generator prompt, judged.
  Expected<AuthoredStep> propose(std::int64_t step, StepLog& log) {
    ASSIGN_OR_RETURN(AuthoredStep authored, author_.write(step, [this](int count, Rng& rng) {
      return pool_.draw_examples(count, rng);
    }));
    for (const AuthoredStep::Prompt& prompt : authored.prompts) {
      for (const Completion& completion : prompt.responses.completions) {
        log.sampled(completion);
        log.mean("generator/response_tokens", static_cast<double>(completion.tokens.size()));
      }
    }
    RETURN_IF_ERROR(author_.judge(step, authored, log));
    log.count_missing(authored.missing);
    return authored;
  }

  // Lines 5 and 12: what is admitted joins the pool. Every candidate is recorded.
  Status admit(std::int64_t step, AuthoredStep& authored, RecipeBatch& batch, StepLog& log) {
    for (synth::EnvironmentCandidate& candidate : authored.candidates) {
      ASSIGN_OR_RETURN(auto settled, author_.settle(step, candidate, log));
      if (settled.member) RETURN_IF_ERROR(pool_.admit(*settled.member, step));
      batch.items.push_back(std::move(settled.item));
    }
    host_members();
    return {};
  }

  void add_generator_groups(AuthoredStep& authored, RecipeBatch& batch, StepLog& log) {
    auto candidate = authored.candidates.begin();
    for (std::size_t i = 0; i < authored.prompts.size(); ++i) {
      AuthoredStep::Prompt& prompt = authored.prompts[i];
      ScoredGroup group{.role = "generator", .task = "environment", .rule = settings_.advantage};
      group.loss_weight = evoenv_.generator_weight;
      group.prompt = std::move(prompt.responses.prompt_tokens);
      for (Completion& completion : prompt.responses.completions) {
        group.rollouts.push_back({std::move(completion), candidate->reward,
                                  candidate->admission.is_admitted(), candidate->layer() >= 1});
        // Half of the places are the solver's.
        if (log.has_place(static_cast<std::size_t>(settings_.run.record_rollouts + 1) / 2)) {
          log.record({.group = static_cast<std::int64_t>(i),
                      .environment = "generator",
                      .problem_address = candidate->name,
                      .prompt = prompt.text},
                     group.rollouts.back());
        }
        ++candidate;
      }
      if (!group.rollouts.empty()) keep(std::move(group), batch);
    }
  }

  // Lines 7 to 10: B problems from P ∪ A, K responses each.
  Status solve(std::int64_t step, RecipeBatch& batch, StepLog& log) {
    ASSIGN_OR_RETURN(auto tasks, draw_tasks(step, log));
    std::vector<EpisodeRequest> requests;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      requests.push_back({tasks[i].problem.get(),
                          rng_address(step).rollouts("solver", i, settings_.batch.rollouts)});
    }
    ASSIGN_OR_RETURN(EpisodeBatch played, rollout_episodes(policy_, requests, episodes_));
    log.count_missing(played.missing);
    expel_distrusted(step);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const SolverTask& task = tasks[i];
      EpisodeGroup& answered = played.groups[i];
      ScoredGroup group{.role = "solver",
                        .task = task.environment,
                        .rule = settings_.advantage,
                        .prompt = std::move(answered.prompt_tokens),
                        .rollouts = std::move(answered.rollouts)};
      for (const ScoredRollout& rollout : group.rollouts) log.answered(rollout);
      log.record({.group = evoenv_.generator_prompts + static_cast<std::int64_t>(i),
                  .environment = task.environment,
                  .level = task.problem_address.level,
                  .problem_address = task.problem_address.to_string(),
                  .prompt = answered.prompt},
                 group.rollouts.front());
      log.mean(std::string(run::metric::kEffectivePrompts), has_variance(group));
      const synth::PoolEntry* entry = pool_.find(task.environment);
      if (entry != nullptr && entry->fault) continue;
      keep(std::move(group), batch);
    }
    return {};
  }

  // Expels the environments whose scorers a canary has shown to be arbitrary.
  void expel_distrusted(std::int64_t step) {
    for (const auto& [name, environment] : environments_) {
      std::string fault = environment->distrust();
      if (!fault.empty()) pool_.expel(name, std::move(fault), step);
    }
  }

  // Environments that cannot make a problem are left out of the batch and counted.
  Expected<std::vector<SolverTask>> draw_tasks(std::int64_t step, StepLog& log) {
    Rng rng(rng_address(step)("problems"));
    ASSIGN_OR_RETURN(const auto names, pool_.draw_active(settings_.batch.prompts, step, rng));
    const std::uint64_t salt = training_salt(settings_.run.seed);
    std::vector<ProblemRequest> requests;
    for (const std::string& name : names) {
      const int level = evoenv_.levels[rng.below(evoenv_.levels.size())];
      requests.push_back({environments_.at(name).get(), level, rng.bits(), salt});
    }
    auto problems = generate_all(requests);
    std::vector<SolverTask> tasks;
    for (std::size_t i = 0; i < problems.size(); ++i) {
      log.mean("failed_generations", !problems[i]);
      if (!problems[i]) continue;
      const ProblemRequest& from = requests[i];
      tasks.push_back({names[i], from.environment->address(from.level, from.seed, from.salt),
                       std::move(*problems[i])});
    }
    return tasks;
  }

  void keep(ScoredGroup group, RecipeBatch& batch) const {
    if (settings_.batch.dynamic_sampling && !has_variance(group)) return;
    batch.groups.push_back(std::move(group));
  }

  void add_state_metrics(std::vector<run::MetricValue>& metrics) const {
    const auto active = pool_.active();
    double original = 0;
    for (const std::string& name : active) original += pool_.find(name)->is_original;
    metrics.push_back({"pool/active", static_cast<double>(active.size())});
    metrics.push_back({"pool/original_share", original / static_cast<double>(active.size())});
    author_.add_metrics(metrics);
  }

  // Environments that steps after the checkpoint had admitted are admitted anew, or not.
  void remove_folders_without_member() const {
    std::error_code problem;
    for (const auto& entry : fs::directory_iterator(author_.folder(), problem)) {
      if (!author_.contains(entry.path().filename().string()))
        fs::remove_all(entry.path(), problem);
    }
  }

  StepAddress rng_address(std::int64_t step) const { return {settings_.run.seed, step}; }

  TrainSettings settings_;
  EvoEnvSettings evoenv_;
  std::shared_ptr<sandbox::SandboxService> service_;  // keeps the sandbox
  sandbox::Sandbox& sandbox_;
  Policy& policy_;  // the solver's
  run::Progress& progress_;
  EpisodeSettings episodes_;
  EnvironmentAuthor author_;
  synth::EnvironmentPool pool_;
  std::map<std::string, std::unique_ptr<synth::PythonEnvironment>> environments_;  // of all members
  std::int64_t step_ = 0;
};

}  // namespace

Status check_evoenv(const TrainSettings& settings, const Engine& engine) {
  const std::string& second = settings.table<EvoEnvSettings>().second_author;
  if (second != kNoSecondAuthor && second != kOwnSecondAuthor) {
    return usage_error(
        "evoenv.second_author: {}: in training it is the policy itself (\"policy\"), or \"none\"; "
        "another one writes for redqueen synth grow",
        second);
  }
  return check_author(settings, engine.resources());
}

Expected<std::unique_ptr<Recipe>> make_evoenv(const RecipeContext& context) {
  const Resources& resources = context.engine.resources();
  const TrainSettings& settings = context.settings;
  const auto& evoenv = settings.table<EvoEnvSettings>();
  ASSIGN_OR_RETURN(const auto seeds,
                   read_seeds(resources.given_or_found(evoenv.seeds), evoenv.longest_seed));
  ASSIGN_OR_RETURN(PromptFormat format,
                   prompt_format_for(context.policy, settings.policy.prompt_format,
                                     settings.policy.system_prompt));
  format.reading = settings.reading;
  format.thoughts = settings.thoughts;
  ASSIGN_OR_RETURN(sandbox::Sandbox * sandbox, context.engine.sandbox()->get());
  ASSIGN_OR_RETURN(EnvironmentAuthor author,
                   EnvironmentAuthor::make(settings, "evoenv", resources, *sandbox, context.policy,
                                           context.run / "pool"));
  std::vector<std::string> names;
  names.reserve(seeds.size());
  for (const auto& [name, source] : seeds) names.push_back(name);
  ASSIGN_OR_RETURN(synth::EnvironmentPool pool, synth::EnvironmentPool::make(evoenv.pool, names));
  auto recipe = std::make_unique<EvoEnv>(context, *sandbox, std::move(author), std::move(format),
                                         std::move(pool));
  recipe->begin(seeds);
  return recipe;
}

}  // namespace redqueen::evoenv
