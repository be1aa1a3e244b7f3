#include "redqueen/recipes/genenv/genenv.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <span>

#include "redqueen/base/text_file.h"
#include "redqueen/core/completion.h"
#include "redqueen/policy/chat_prompt.h"
#include "redqueen/policy/remote_policy.h"
#include "redqueen/recipes/episodes.h"
#include "redqueen/recipes/genenv/genenv_records.h"
#include "redqueen/recipes/genenv/genenv_settings.h"
#include "redqueen/recipes/genenv/measured_success.h"
#include "redqueen/recipes/genenv/pools.h"
#include "redqueen/recipes/genenv/task_builder.h"
#include "redqueen/recipes/genenv/task_prompts.h"
#include "redqueen/recipes/genenv/task_writer.h"
#include "redqueen/recipes/step_log.h"
#include "redqueen/suites/split.h"
#include "redqueen/train/dynamic_sampling.h"

namespace redqueen::genenv {
namespace {

// The parts of a run of the recipe. The environment policy may be the agent.
struct Parts {
  Suite suite;               // may own the environments
  PromptFormat format;       // of the agent
  PromptFormat text_format;  // of the environment policy
  TaskPrompts prompts;
  Policy* agent = nullptr;
  Policy* environment = nullptr;
  std::unique_ptr<Policy> outside = {};  // the one of them that is behind an endpoint
};

TaskRules rules_of(const GenEnvSettings& genenv, std::uint64_t run_seed) {
  return {.max_level = genenv.max_level,
          .max_turns = genenv.max_turns,
          .draws = genenv.draws,
          .max_prompt_bytes = static_cast<std::size_t>(genenv.max_prompt_bytes),
          .refuse_trivial = genenv.refuse_trivial,
          .salt = training_salt(run_seed)};
}

// How many tasks a share of a step is, beside `fresh` fresh ones.
std::size_t count_of(double share, const GenEnvSettings& genenv, std::size_t fresh) {
  const double others = genenv.base_share + genenv.old_share;
  return static_cast<std::size_t>(std::llround(static_cast<double>(fresh) * share / (1 - others)));
}

// One run. Names follow the paper: seeds, n variations of a seed, p̂, D_train and D_env.
class GenEnv final : public Recipe {
 public:
  GenEnv(TrainSettings settings, Parts parts)
      : settings_(std::move(settings)),
        genenv_(settings_.table<GenEnvSettings>()),
        parts_(std::move(parts)),
        builder_(parts_.suite.environments, rules_of(genenv_, settings_.run.seed), parts_.format),
        writer_(genenv_, settings_.sampling, parts_.prompts, parts_.text_format, builder_,
                *parts_.environment),
        episodes_{
            .format = parts_.format,
            .sampling = settings_.sampling,
            .max_response_bytes = static_cast<std::size_t>(settings_.batch.max_response_bytes),
            .max_turns = genenv_.max_turns,
            .rewritten_history = settings_.policy.rewritten_history,
            .threads = settings_.run.threads},
        success_(genenv_.memory),
        train_(static_cast<std::size_t>(genenv_.capacity)),
        env_(static_cast<std::size_t>(genenv_.capacity)) {}

  std::string_view name() const override { return "genenv"; }

  // Makes the tasks of the baselines that have them all before training.
  Status prepare(run::EventStore& store, run::Progress& progress,
                 const std::atomic<bool>& stop) override;

  // Algorithm 1, one pass of its loop.
  Expected<RecipeBatch> step(std::int64_t step) override;

  void end_step() override { success_.end_step(); }

  Json state() const override {
    return {{"success", success_.state()},
            {"train", train_.state()},
            {"env", env_.state()},
            {"fixed", fixed_}};
  }
  Status restore(const Json& state) override;

 private:
  bool writes_in_steps() const { return genenv_.task_source() == TaskSource::kPolicy; }
  bool agent_learns() const { return !parts_.agent->lays_out_messages(); }
  bool environment_learns() const {
    return writes_in_steps() && genenv_.train_environment &&
           !parts_.environment->lays_out_messages();
  }
  StepAddress address(std::int64_t step) const { return {settings_.run.seed, step}; }
  std::function<bool(std::uint64_t)> known() const {
    if (!genenv_.refuse_known) return {};
    return [this](std::uint64_t key) { return train_.contains(key); };
  }

  // --- tasks ------------------------------------------------------------------------------------

  // A task of the base data: environment and level are drawn uniformly.
  Expected<Task> draw_base(const RandomAddress& where) const {
    constexpr int kAttempts = 50;
    Rng rng(where);
    std::string refused;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const Environment& environment = *rng.choice(builder_.environments());
      const int level = genenv_.base_levels[rng.below(genenv_.base_levels.size())];
      const TaskDescription description{
          .environment = std::string(environment.name()),
          .level = std::min(level, builder_.highest_level(environment))};
      auto task = builder_.build(description, {.seed = where.seed,
                                               .purpose = where.purpose ^ 1,
                                               .step = where.step,
                                               .index = rng.bits()});
      if (task) return std::move(*task);
      refused =
          fmt::format("{}: {}", description.environment, kRefusalNames.name(task.error().reason));
    }
    return failure("no task of the base levels could be made ({}); give other genenv.base_levels",
                   refused);
  }

  // Draws the tasks that the environment policy shall vary: base data, or tasks that it wrote
  // lately.
  Expected<std::vector<Task>> draw_seeds(int count, bool base_only, std::int64_t step,
                                         std::size_t first) const {
    std::vector<Task> seeds;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      Rng rng(address(step)("genenv/seed", first + i));
      if (base_only || train_.size() == 0 || rng.chance(genenv_.seed_base_share)) {
        ASSIGN_OR_RETURN(Task seed, draw_base(address(step)("genenv/seed/base", first + i)));
        seeds.push_back(std::move(seed));
      } else {
        const auto among = static_cast<std::size_t>(genenv_.seed_memory);
        ASSIGN_OR_RETURN(Task seed, builder_.restore(train_.draw_recent(rng, among).task));
        seeds.push_back(std::move(seed));
      }
    }
    return seeds;
  }

  Expected<std::vector<TaskBatch>> write_tasks(std::int64_t step, StepLog& log) {
    if (!writes_in_steps()) return std::vector<TaskBatch>();
    ASSIGN_OR_RETURN(const auto seeds, draw_seeds(genenv_.seeds, false, step, 0));
    return writer_.write(seeds, genenv_.variations, success_, known(), address(step),
                         "genenv/write", settings_.run.threads, log);
  }

  // Fresh tasks first, in the order of the batches; then old ones and base data.
  Expected<std::vector<AskedTask>> gather(const std::vector<TaskBatch>& batches,
                                          std::int64_t step) const {
    std::vector<AskedTask> asked;
    for (const TaskBatch& batch : batches) {
      for (const Generation& generation : batch.generations) {
        if (generation.valid()) asked.push_back({Origin::kFresh, *generation.task});
      }
    }
    const auto fresh =
        static_cast<std::size_t>(genenv_.seeds) * static_cast<std::size_t>(genenv_.variations);
    if (!fixed_.empty()) {
      Rng rng(address(step)("genenv/fixed"));
      for (const std::int64_t i :
           rng.sample(0, std::ssize(fixed_) - 1, std::min(fresh, fixed_.size()))) {
        ASSIGN_OR_RETURN(Task task, builder_.restore(fixed_[static_cast<std::size_t>(i)]));
        asked.push_back({Origin::kFresh, std::move(task)});
      }
    }
    Rng rng(address(step)("genenv/old"));
    for (const PooledTask& old : train_.sample(rng, count_of(genenv_.old_share, genenv_, fresh))) {
      ASSIGN_OR_RETURN(Task task, builder_.restore(old.task));
      asked.push_back({Origin::kOld, std::move(task)});
    }
    for (std::size_t i = 0; i < count_of(genenv_.base_share, genenv_, fresh); ++i) {
      ASSIGN_OR_RETURN(Task task, draw_base(address(step)("genenv/base", i)));
      asked.push_back({Origin::kBase, std::move(task)});
    }
    return asked;
  }

  // --- the agent --------------------------------------------------------------------------------

  Status play(std::vector<AskedTask>& tasks, std::int64_t step, StepLog& log) {
    std::vector<EpisodeRequest> requests;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      requests.push_back({tasks[i].task.problem.get(),
                          address(step).rollouts("genenv/agent", i, genenv_.attempts)});
    }
    ASSIGN_OR_RETURN(EpisodeBatch played, rollout_episodes(*parts_.agent, requests, episodes_));
    log.count_missing(played.missing);
    if (played.cut > 0) log.count("cut_episodes", static_cast<double>(played.cut));
    log.count_rewritten(played.rewritten);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      tasks[i].played = std::move(played.groups[i]);
      reward(tasks[i], log);
    }
    return {};
  }

  // Equation 1, and k of n.
  void reward(AskedTask& asked, StepLog& log) const {
    const Problem& problem = *asked.task.problem;
    const bool compares = genenv_.agent_reward == AgentRewardRule::kSimilarity;
    const std::string reference = compares ? problem.reference() : "";
    for (ScoredRollout& rollout : asked.played.rollouts) {
      const std::string response = response_of(rollout.completion.text, parts_.format);
      const auto answer = find_answer(response, parts_.format, episodes_.max_response_bytes);
      const Verdict verdict{rollout.reward, rollout.solved, rollout.well_formed};
      rollout.reward = agent_reward(genenv_.agent_reward, asked.task.environment->card(), verdict,
                                    answer.value_or(""), reference);
      log.answered(rollout);
      if (rollout.completion.is_missing()) continue;
      ++asked.tally.attempts;
      asked.tally.successes += rollout.reward >= genenv_.success_reward ? 1 : 0;
    }
  }

  void add_agent_groups(const std::vector<AskedTask>& tasks, RecipeBatch& batch,
                        StepLog& log) const {
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const AskedTask& asked = tasks[i];
      ScoredGroup group{.role = kAgentRole,
                        .task = asked.task.description.environment,
                        .rule = settings_.advantage,
                        .prompt = asked.played.prompt_tokens,
                        .rollouts = asked.played.rollouts};
      log.mean(std::string(run::metric::kEffectivePrompts), has_variance(group));
      if (log.has_place()) log.record(record_of(i, asked), group.rollouts.front());
      const bool teaches = !settings_.batch.dynamic_sampling || has_variance(group);
      if (agent_learns() && teaches) batch.groups.push_back(std::move(group));
    }
  }

  run::RolloutRecord record_of(std::size_t i, const AskedTask& asked) const {
    return {.group = genenv_.seeds + static_cast<std::int64_t>(i),
            .environment = asked.task.description.environment,
            .level = asked.task.description.level.value_or(0),
            .problem_address = asked.task.name(),
            .prompt = asked.played.prompt,
            .turns = asked.played.turns.empty() ? Json() : asked.played.turns.front()};
  }

  // --- the environment policy -------------------------------------------------------------------

  // Equation 2, of every generation that became a task.
  void reward_generations(std::vector<TaskBatch>& batches,
                          const std::vector<AskedTask>& tasks) const {
    auto asked = tasks.begin();
    for (TaskBatch& batch : batches) {
      for (Generation& generation : batch.generations) {
        if (generation.valid()) generation.tally = (asked++)->tally;
      }
    }
    const auto credit = credit_rule(batches);
    for (TaskBatch& batch : batches) {
      for (Generation& generation : batch.generations) {
        if (!generation.valid() || generation.tally.attempts == 0) continue;
        generation.success = credit(batch, generation).rate();
        generation.reward =
            environment_reward(generation.success, genenv_.target, genenv_.sharpness);
      }
    }
  }

  // The attempts that tell p̂ of a generation.
  std::function<Tally(const TaskBatch&, const Generation&)> credit_rule(
      const std::vector<TaskBatch>& batches) const {
    if (genenv_.credit == Credit::kBatch)
      return [](const TaskBatch& batch, const Generation&) { return batch.tally(); };
    if (genenv_.credit == Credit::kTask)
      return [](const TaskBatch&, const Generation& generation) { return generation.tally; };
    std::map<std::string, Tally> tallies;
    for (const TaskBatch& batch : batches) {
      for (const Generation& generation : batch.generations) {
        if (generation.valid()) tallies[description_of(generation)].add(generation.tally);
      }
    }
    return [tallies = std::move(tallies)](const TaskBatch&, const Generation& generation) {
      return tallies.at(description_of(generation));
    };
  }

  static std::string description_of(const Generation& generation) {
    return dump_json(generation.task->description.to_json());
  }

  bool teaches(const Generation& generation) const {
    return in_band(generation.success, genenv_.target, genenv_.band) &&
           !generation.completion.tokens.empty();
  }

  // The batch of the regression: what passes the filter, and a share of earlier pairs. Weights are
  // normalised over all of it.
  void add_environment_groups(std::vector<TaskBatch>& batches, std::int64_t step,
                              RecipeBatch& batch) {
    std::vector<double> rewards;
    for (const TaskBatch& written : batches) {
      for (const Generation& generation : written.generations) {
        if (teaches(generation)) rewards.push_back(generation.reward);
      }
    }
    const double ratio = genenv_.old_generations / (1 - genenv_.old_generations);
    Rng rng(address(step)("genenv/pairs"));
    const auto old = env_.sample(
        rng, static_cast<std::size_t>(std::llround(ratio * static_cast<double>(rewards.size()))));
    for (const PooledGeneration& pair : old) rewards.push_back(pair.reward);
    const std::vector<double> weights = regression_weights(rewards, genenv_.temperature);
    auto weight = weights.begin();
    for (TaskBatch& written : batches) {
      ScoredGroup group = environment_group(written.prompt_tokens);
      for (Generation& generation : written.generations) {
        if (!teaches(generation)) continue;
        generation.weight = *weight++;
        group.rollouts.push_back({generation.completion, generation.weight, true, true});
        if (genenv_.old_generations > 0)
          env_.add({written.prompt_tokens, generation.completion, generation.reward});
      }
      if (!group.rollouts.empty()) batch.groups.push_back(std::move(group));
    }
    for (const PooledGeneration& pair : old) {
      ScoredGroup group = environment_group(pair.prompt);
      group.rollouts.push_back({pair.completion, *weight++, true, true});
      batch.groups.push_back(std::move(group));
    }
  }

  ScoredGroup environment_group(std::vector<Token> prompt) const {
    ScoredGroup group{.role = kEnvironmentRole, .task = "task", .rule = AdvantageRule::kWeight};
    group.loss_weight = genenv_.two_policies ? 1 : genenv_.environment.loss_weight;
    group.prompt = std::move(prompt);
    return group;
  }

  // --- what remains -----------------------------------------------------------------------------

  void aggregate(const std::vector<AskedTask>& tasks, std::int64_t step) {
    for (const AskedTask& asked : tasks) {
      const TaskDescription& description = asked.task.description;
      if (description.level && asked.tally.attempts > 0)
        success_.add(description.environment, *description.level, asked.tally);
      if (asked.origin == Origin::kFresh && writes_in_steps() && asked.has_valid_trace())
        train_.add({asked.task.write_json(), asked.task.key, asked.tally.rate(), step});
    }
  }

  // Keeps a few generations for people to read; most places are the agent's.
  void record_generations(const std::vector<TaskBatch>& batches, StepLog& log) const {
    const auto reserved = static_cast<std::size_t>(settings_.run.record_rollouts) * 3 / 4;
    for (std::size_t i = 0; i < batches.size(); ++i) {
      const Generation& generation = batches[i].generations.front();
      if (!log.has_place(reserved)) return;
      log.record({.group = static_cast<std::int64_t>(i),
                  .environment = "genenv/environment",
                  .problem_address = generation.valid() ? generation.task->name() : "",
                  .prompt = batches[i].prompt},
                 {generation.completion, std::isnan(generation.reward) ? 0 : generation.reward,
                  in_band(generation.success, genenv_.target, genenv_.band), generation.valid()});
    }
  }

  Status read_file(run::Progress& progress, std::vector<run::ItemRecord>& items);
  Status write_static(run::Progress& progress, const std::atomic<bool>& stop,
                      std::vector<run::ItemRecord>& items);

  TrainSettings settings_;
  GenEnvSettings genenv_;
  Parts parts_;
  TaskBuilder builder_;
  TaskWriter writer_;
  EpisodeSettings episodes_;
  MeasuredSuccess success_;
  TaskPool train_;
  GenerationPool env_;
  std::vector<Json> fixed_;  // Task::write_json(), of the baselines that have all tasks at once
};

Expected<RecipeBatch> GenEnv::step(std::int64_t step) {
  RecipeBatch batch;
  StepLog log(settings_.run.record_rollouts);

  // Phase 1: generation and interaction.
  ASSIGN_OR_RETURN(std::vector<TaskBatch> batches, write_tasks(step, log));
  ASSIGN_OR_RETURN(std::vector<AskedTask> tasks, gather(batches, step));
  RETURN_IF_ERROR(play(tasks, step, log));
  reward_generations(batches, tasks);

  // Phase 2: the groups of both players.
  record_generations(batches, log);
  add_agent_groups(tasks, batch, log);
  if (environment_learns()) add_environment_groups(batches, step, batch);

  // Phase 3: aggregation.
  aggregate(tasks, step);
  add_genenv_metrics(batches, tasks, genenv_, log);
  log.count("pool/train", static_cast<double>(train_.size()));
  log.count("pool/env", static_cast<double>(env_.size()));
  const std::string origin = fmt::format("{}", step);
  batch.items = generation_items(batches, origin);
  std::ranges::move(task_items(tasks, origin), std::back_inserter(batch.items));
  std::move(log).write(batch);
  return batch;
}

Status GenEnv::restore(const Json& state) {
  for (const char* key : {"success", "train", "env", "fixed"}) {
    if (!state.is_object() || !state.contains(key))
      return failure("the state of GenEnv lacks \"{}\"", key);
  }
  if (!state["fixed"].is_array()) return failure("the fixed tasks: expected a list");
  RETURN_IF_ERROR(success_.restore(state["success"]));
  RETURN_IF_ERROR(train_.restore(state["train"]));
  RETURN_IF_ERROR(env_.restore(state["env"]));
  fixed_ = state["fixed"].get<std::vector<Json>>();
  return {};
}

// --- baselines ----------------------------------------------------------------------------------

Status GenEnv::prepare(run::EventStore& store, run::Progress& progress,
                       const std::atomic<bool>& stop) {
  if (writes_in_steps()) return {};
  fixed_.clear();
  std::vector<run::ItemRecord> items;
  RETURN_IF_ERROR(genenv_.task_source() == TaskSource::kFile ? read_file(progress, items)
                                                             : write_static(progress, stop, items));
  if (stop) return {};
  if (fixed_.empty()) {
    return failure("not one of {} descriptions became a task; the first was refused as {}",
                   items.size(), items.empty() ? "nothing" : items.front().fate);
  }
  progress.note(fmt::format("{} of {} descriptions became tasks", fixed_.size(), items.size()));
  // A process that was killed later has stored them already.
  ASSIGN_OR_RETURN(const auto counts, store.item_counts(kGenerationItem));
  if (std::ranges::any_of(counts, [](const run::ItemCount& count) { return count.step == 0; }))
    return {};
  return store.append(0, items);
}

// GenEnv-Static: some variations of some seeds, once.
Status GenEnv::write_static(run::Progress& progress, const std::atomic<bool>& stop,
                            std::vector<run::ItemRecord>& items) {
  constexpr int kAtOnce = 64;
  progress.stage("writing tasks");
  StepLog log;
  for (int first = 0; first < genenv_.static_seeds && !stop; first += kAtOnce) {
    const int count = std::min(kAtOnce, genenv_.static_seeds - first);
    ASSIGN_OR_RETURN(const auto seeds, draw_seeds(count, true, 0, static_cast<std::size_t>(first)));
    ASSIGN_OR_RETURN(
        const auto batches,
        writer_.write(seeds, genenv_.static_variations, success_, {}, address(0),
                      fmt::format("genenv/static/{}", first), settings_.run.threads, log));
    if (log.missing().none_came()) return failure("writing tasks: {}", log.missing().sentence());
    std::ranges::move(generation_items(batches, fmt::format("static/{}", first)),
                      std::back_inserter(items));
    for (const TaskBatch& batch : batches) {
      for (const Generation& generation : batch.generations) {
        if (generation.valid()) fixed_.push_back(generation.task->write_json());
      }
    }
  }
  return {};
}

// One description a line, or an object that has one as "description".
Status GenEnv::read_file(run::Progress& progress, std::vector<run::ItemRecord>& items) {
  progress.stage("reading tasks");
  ASSIGN_OR_RETURN(const std::string text, read_text_file(genenv_.file, ErrorKind::kUsage));
  for (const std::string_view line : split_lines(text)) {
    std::string own(line);
    if (const auto json = parse_json(line); json && json->is_object()) {
      if (const auto found = json->find("description"); found != json->end())
        own = dump_json(*found);
    }
    run::ItemRecord item{.kind = std::string(kGenerationItem),
                         .name = fmt::format("file/{}", items.size()),
                         .fate = "valid",
                         .data = Json{{"response", own}}};
    const auto description =
        read_description(own, static_cast<std::size_t>(genenv_.max_description_bytes));
    const Judged<Task> task =
        description ? builder_.build(*description, address(0)("genenv/file", items.size()))
                    : tl::make_unexpected(description.error());
    if (task) {
      item.data["description"] = task->description.to_json();
      item.data["task"] = task->name();
      fixed_.push_back(task->write_json());
    } else {
      item.fate = kRefusalNames.name(task.error().reason);
      item.data["detail"] = task.error().detail;
    }
    items.push_back(std::move(item));
  }
  return {};
}

// The policy behind an endpoint, with its use recorded in the run's folder.
Expected<std::unique_ptr<Policy>> outside_policy(const RecipeContext& context,
                                                 const std::string& path) {
  EndpointOptions options =
      context.settings.endpoint.options(path.substr(std::string_view("openai:").size()));
  options.usage_file = context.run / "usage.json";
  ASSIGN_OR_RETURN(auto endpoint, ChatEndpoint::create(options));
  return std::make_unique<RemotePolicy>(std::move(endpoint));
}

bool agent_is_outside(const TrainSettings& settings) { return is_outside(settings.policy.path); }

bool environment_is_outside(const TrainSettings& settings) {
  return is_outside(settings.table<GenEnvSettings>().environment.policy);
}

// Where the environment policy's weights come from.
PolicySettings environment_policy(const TrainSettings& settings) {
  PolicySettings policy = settings.policy;
  const std::string& own = settings.table<GenEnvSettings>().environment.policy;
  if (!own.empty()) policy.path = own;
  return policy;
}

// Reward-weighted regression takes its own forward pass for the policy before the step: pairs may
// be older, or sampled behind another prompt than they are trained behind.
TrainerOptions environment_trainer(const TrainSettings& settings) {
  const EnvironmentLearning& learning = settings.table<GenEnvSettings>().environment;
  TrainerOptions options = settings.trainer;
  options.schedule.peak = learning.learning_rate;
  options.schedule.warmup = learning.warmup;
  options.objective.kl_coefficient = learning.kl_coefficient;
  options.objective.entropy_coefficient = 0;
  options.objective.importance_cap = 0;
  options.kl_cap = learning.kl_cap;
  options.mini_batches = learning.mini_batches;
  options.epochs = 1;
  options.old_log_probs = OldLogProbs::kRecomputed;
  options.temperature = learning.temperature > 0 ? learning.temperature : 1;
  options.reference.clear();
  if (learning.kl_coefficient > 0 || learning.kl_cap > 0) {
    options.reference = policy_folder(environment_policy(settings).path);
  }
  return options;
}

Status check_roles(const TrainSettings& settings) {
  const auto& genenv = settings.table<GenEnvSettings>();
  const bool agent = agent_is_outside(settings);
  const bool environment = environment_is_outside(settings);
  if (agent && (environment || genenv.environment.policy.empty())) {
    return usage_error(
        "policy.path is behind an endpoint and learns nothing; genenv.environment.policy must name "
        "a folder, or there is nothing to train");
  }
  if (agent &&
      (settings.evaluation.before || settings.evaluation.after || settings.evaluation.every > 0)) {
    return usage_error(
        "evaluation: an agent behind an endpoint does not change; set evaluation.before, "
        "evaluation.after and evaluation.every off, and ask it with `redqueen eval`");
  }
  if (agent && (!genenv.train_environment || genenv.task_source() != TaskSource::kPolicy)) {
    return usage_error(
        "policy.path is behind an endpoint, and the environment policy does not learn either: "
        "there is nothing to train");
  }
  if (!genenv.two_policies && !genenv.environment.policy.empty()) {
    return usage_error(
        "genenv.environment.policy: with genenv.two_policies=false one policy plays both roles");
  }
  return {};
}

}  // namespace

Status check_genenv(const TrainSettings& settings, const Engine& engine) {
  const auto& genenv = settings.table<GenEnvSettings>();
  RETURN_IF_ERROR(check_roles(settings));
  if (genenv.base_levels.empty()) return usage_error("genenv.base_levels: name at least one level");
  if (genenv.base_share + genenv.old_share > 0.95) {
    return usage_error("genenv.base_share and genenv.old_share leave {:.0f} % for fresh tasks",
                       100 * std::max(0.0, 1 - genenv.base_share - genenv.old_share));
  }
  if (genenv.tasks == TaskSource::kFile && genenv.file.empty())
    return usage_error("genenv.tasks=file: name a file of descriptions as genenv.file");
  if (genenv.tasks == TaskSource::kStatic && !genenv.file.empty()) {
    return usage_error(
        "genenv.file and genenv.tasks=static name two sources of tasks; leave one of them out");
  }
  if (!genenv.file.empty()) RETURN_IF_ERROR(read_text_file(genenv.file, ErrorKind::kUsage));
  RETURN_IF_ERROR(TaskPrompts::load(genenv, engine.resources()));
  RETURN_IF_ERROR(engine.load_suite(settings.suite));
  return {};
}

std::vector<LearnerSettings> genenv_learners(const TrainSettings& settings) {
  const auto& genenv = settings.table<GenEnvSettings>();
  if (!genenv.two_policies) return {{"", settings.policy, settings.trainer}};
  std::vector<LearnerSettings> learners;
  if (!agent_is_outside(settings))
    learners.push_back({kAgentRole, settings.policy, settings.trainer});
  if (!environment_is_outside(settings) && genenv.task_source() != TaskSource::kFile) {
    learners.push_back(
        {kEnvironmentRole, environment_policy(settings), environment_trainer(settings)});
  }
  return learners;
}

Expected<std::unique_ptr<Recipe>> make_genenv(const RecipeContext& context, const Suite& suite) {
  const TrainSettings& settings = context.settings;
  const auto& genenv = settings.table<GenEnvSettings>();
  ASSIGN_OR_RETURN(TaskPrompts prompts, TaskPrompts::load(genenv, context.engine.resources()));
  Parts parts{.suite = suite, .format = {}, .text_format = {}, .prompts = std::move(prompts)};
  parts.agent = &context.policy_of(kAgentRole);
  parts.environment = &context.policy_of(kEnvironmentRole);
  if (agent_is_outside(settings)) {
    ASSIGN_OR_RETURN(parts.outside, outside_policy(context, settings.policy.path));
    parts.agent = parts.outside.get();
  } else if (environment_is_outside(settings)) {
    ASSIGN_OR_RETURN(parts.outside, outside_policy(context, genenv.environment.policy));
    parts.environment = parts.outside.get();
  }
  ASSIGN_OR_RETURN(parts.format, prompt_format_for(*parts.agent, settings.policy.prompt_format,
                                                   settings.policy.system_prompt));
  ASSIGN_OR_RETURN(parts.text_format, prompt_format_for(*parts.environment, genenv.text_format));
  return std::make_unique<GenEnv>(settings, std::move(parts));
}

Expected<std::unique_ptr<Recipe>> make_genenv(const RecipeContext& context) {
  ASSIGN_OR_RETURN(const Suite suite, context.engine.load_suite(context.settings.suite));
  if (!suite.missing.empty()) context.progress.note(missing_warning(suite));
  return make_genenv(context, suite);
}

}  // namespace redqueen::genenv
