#include "redqueen/recipes/evoenv/evoenv.h"

#include <algorithm>
#include <map>

#include "redqueen/policy/chat_prompt.h"
#include "redqueen/recipes/evoenv/candidate_records.h"
#include "redqueen/recipes/evoenv/evoenv_files.h"
#include "redqueen/recipes/rlve.h"
#include "redqueen/synth/completion_scoring.h"
#include "redqueen/synth/environment_folder.h"
#include "redqueen/synth/funnel.h"
#include "redqueen/synth/generator_prompt.h"
#include "redqueen/synth/pool.h"
#include "redqueen/synth/prototypes.h"
#include "redqueen/synth/python_environment.h"
#include "redqueen/train/dynamic_sampling.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFence = "```python";

// A prompt that ends with an opened fence is continued by the completion.
std::string generator_response(std::string_view prompt, std::string_view completion) {
  while (prompt.ends_with('\n')) prompt.remove_suffix(1);
  return prompt.ends_with(kFence) ? fmt::format("{}\n{}", kFence, completion)
                                  : std::string(completion);
}

PythonEnvironmentInfo member_info(const std::string& name) {
  PythonEnvironmentInfo info;
  info.name = "evo/" + name;
  return info;
}

// An environment of the pool.
struct Member {
  std::string source;
  std::unique_ptr<PythonEnvironment> environment;
};

// A problem on its way to the solver.
struct SolverTask {
  std::string environment;
  ProblemAddress address;
  ProblemPtr problem;
};

// Names follow the paper: P the active pool, S the examples, A what this step admitted, C the novelty caches.
class EvoEnv {
 public:
  struct Services {
    std::shared_ptr<SandboxService> service;  // keeps the sandbox
    Sandbox& sandbox;
    Policy& policy;
    MiniLm encoder;
    PromptTemplate generator_template;
    PromptFormat format;
    PromptFormat text_format;
  };

  EvoEnv(const TrainSettings& settings, Services services, FunnelSettings funnel,
         EnvironmentPool pool, fs::path folder)
      : settings_(settings),
        evoenv_(settings.evoenv),
        services_(std::move(services)),
        funnel_(std::move(funnel)),
        pool_(std::move(pool)),
        weight_(evoenv_.novelty),
        prototypes_(evoenv_.prototype_threshold),
        folder_(std::move(folder)) {}

  // The originals stand in the caches and among the prototypes from the beginning.
  void begin(const std::map<std::string, std::string>& seeds) {
    for (const auto& [name, source] : seeds) add_member(name, source);
  }

  Expected<RecipeBatch> step(std::int64_t step) {
    RecipeBatch batch;
    MetricMeans means;
    auto candidates = propose(step, batch, means);
    if (!candidates) return tl::make_unexpected(candidates.error());
    if (Status status = admit(step, *candidates, batch); !status)
      return tl::make_unexpected(status.error());
    add_generator_groups(*candidates, batch, means);
    if (Status status = solve(step, batch, means); !status)
      return tl::make_unexpected(status.error());
    means.write(batch.metrics);
    add_state_metrics(batch.metrics);
    step_ = step;
    return batch;
  }

  void update_pool() { pool_.rotate(step_); }

  Json state() const {
    Json sources = Json::object();
    for (const std::string& name : order_) sources[name] = members_.at(name).source;
    return {{"pool", pool_.state()},
            {"order", order_},
            {"sources", std::move(sources)},
            {"weight", weight_.state()},
            {"step", step_}};
  }

  Status restore(const Json& state) {
    for (const char* key : {"pool", "order", "sources", "weight", "step"}) {
      if (!state.is_object() || !state.contains(key))
        return failure("the state of EvoEnv lacks \"{}\"", key);
    }
    if (Status status = pool_.restore(state["pool"]); !status) return status;
    if (Status status = weight_.restore(state["weight"]); !status) return status;
    members_.clear();
    order_.clear();
    archive_ = {};
    prototypes_ = Prototypes(evoenv_.prototype_threshold);
    for (const Json& name : state["order"])
      add_member(name.get<std::string>(), state["sources"].at(name.get<std::string>()));
    step_ = state["step"].get<std::int64_t>();
    return remove_folders_without_member();
  }

 private:
  struct Proposal {
    CompletionGroup responses;
    std::string prompt;
  };

  // Embeddings do not depend on what is embedded beside them: members restored are members added.
  void add_member(const std::string& name, const std::string& source) {
    const NoveltyText text = novelty_text(source);
    archive_.add(name, embed_views(services_.encoder, {&text, 1}).front());
    prototypes_.offer(find_tags(source, text.prompt));
    members_[name] = {
        source, std::make_unique<PythonEnvironment>(source, services_.sandbox, member_info(name))};
    order_.push_back(name);
  }

  // Lines 2 to 4: M candidates of each generator prompt, judged.
  Expected<std::vector<EnvironmentCandidate>> propose(std::int64_t step, RecipeBatch& batch,
                                                      MetricMeans& means) {
    std::vector<SampleRequest> requests;
    for (int i = 0; i < evoenv_.generator_prompts; ++i) {
      auto prompt = write_prompt(step, i);
      if (!prompt) return tl::make_unexpected(prompt.error());
      SampleRequest& request = requests.emplace_back();
      request.prompt = std::move(*prompt);
      for (int j = 0; j < evoenv_.candidates; ++j)
        request.rollouts.push_back(address("generator", step, i, j));
    }
    SampleParameters parameters = settings_.sampling;
    parameters.max_new_tokens = evoenv_.generator_tokens;
    auto responses = services_.policy.sample(requests, parameters);
    if (!responses) return tl::make_unexpected(responses.error());

    std::vector<EnvironmentCandidate> candidates;
    proposals_.clear();
    for (std::size_t i = 0; i < requests.size(); ++i) {
      for (std::size_t j = 0; j < (*responses)[i].completions.size(); ++j) {
        const Completion& completion = (*responses)[i].completions[j];
        EnvironmentCandidate& candidate = candidates.emplace_back();
        candidate.name = fmt::format("s{}-{}-{}", step, i, j);
        candidate.response = generator_response(requests[i].prompt, completion.text);
        batch.sampled_tokens += static_cast<std::int64_t>(completion.tokens.size());
        means.add("generator/response_tokens", static_cast<double>(completion.tokens.size()));
      }
      proposals_.push_back({std::move((*responses)[i]), requests[i].prompt});
    }
    const auto cost = run_funnel({services_.sandbox, services_.policy, services_.encoder}, funnel_,
                                 archive_, weight_, address("funnel", step, 0, 0), candidates);
    if (!cost) return tl::make_unexpected(cost.error());
    batch.sampled_tokens += cost->calibration_tokens;
    means.add("validation_seconds", cost->validation_seconds);
    return candidates;
  }

  Expected<std::string> write_prompt(std::int64_t step, int index) {
    Rng rng(address("examples", step, index, 0));
    std::vector<std::string> sources;
    for (const std::string& name : pool_.draw_examples(evoenv_.examples, rng))
      sources.push_back(members_.at(name).source);
    const auto text = redqueen::generator_prompt(services_.generator_template, sources);
    if (!text) return tl::make_unexpected(text.error());
    return services_.text_format.render(*text);
  }

  // Lines 5 and 12: what is admitted joins the pool, the caches and the prototypes. Every candidate is recorded.
  Status admit(std::int64_t step, const std::vector<EnvironmentCandidate>& candidates,
               RecipeBatch& batch) {
    for (const EnvironmentCandidate& candidate : candidates) {
      std::optional<std::string> name;
      if (candidate.admission.is_admitted()) {
        const EnvironmentRecord record =
            candidate_record(candidate, "evoenv", services_.policy.name(), step);
        name = folder_name(record);
        if (Status status = pool_.admit(*name, step); !status) return status;
        if (Status status = write_environment_folder(folder_ / *name, record); !status)
          return status;
        add_member(*name, candidate.source);
      }
      batch.items.push_back(candidate_item(candidate, name));
    }
    return {};
  }

  void add_generator_groups(const std::vector<EnvironmentCandidate>& candidates, RecipeBatch& batch,
                            MetricMeans& means) {
    auto candidate = candidates.begin();
    for (std::size_t i = 0; i < proposals_.size(); ++i) {
      ScoredGroup group{.role = "generator", .task = "environment", .rule = settings_.advantage};
      group.loss_weight = evoenv_.generator_weight;
      group.prompt = std::move(proposals_[i].responses.prompt_tokens);
      for (Completion& completion : proposals_[i].responses.completions) {
        group.rollouts.push_back({std::move(completion), candidate->reward,
                                  candidate->admission.is_admitted(), candidate->layer() >= 1});
        record_rollout(static_cast<std::int64_t>(i), "generator", 0, candidate->name,
                       proposals_[i].prompt, group.rollouts.back(), batch);
        add_candidate(*candidate, means);
        ++candidate;
      }
      keep(std::move(group), batch);
    }
  }

  // Lines 7 to 10: B problems from P ∪ A, K responses each.
  Status solve(std::int64_t step, RecipeBatch& batch, MetricMeans& means) {
    auto tasks = draw_tasks(step, means);
    if (!tasks) return tl::make_unexpected(tasks.error());
    std::vector<SampleRequest> requests;
    for (std::size_t i = 0; i < tasks->size(); ++i) {
      SampleRequest& request = requests.emplace_back();
      request.prompt = services_.format.render((*tasks)[i].problem->prompt());
      for (int j = 0; j < settings_.batch.rollouts; ++j)
        request.rollouts.push_back(address("solver", step, static_cast<int>(i), j));
    }
    auto responses = services_.policy.sample(requests, settings_.sampling);
    if (!responses) return tl::make_unexpected(responses.error());
    const auto verdicts = score(*tasks, *responses);
    auto verdict = verdicts.begin();
    for (std::size_t i = 0; i < tasks->size(); ++i) {
      const SolverTask& task = (*tasks)[i];
      ScoredGroup group{.role = "solver", .task = task.environment, .rule = settings_.advantage};
      group.prompt = std::move((*responses)[i].prompt_tokens);
      for (Completion& completion : (*responses)[i].completions) {
        const Verdict& given = *verdict++;
        batch.sampled_tokens += static_cast<std::int64_t>(completion.tokens.size());
        means.add(std::string(metric::kResponseTokens),
                  static_cast<double>(completion.tokens.size()));
        means.add(std::string(metric::kReward), given.reward);
        means.add(std::string(metric::kSolved), given.solved);
        means.add(std::string(metric::kWellFormed), given.well_formed);
        group.rollouts.push_back(
            {std::move(completion), given.reward, given.solved, given.well_formed});
      }
      record_rollout(static_cast<std::int64_t>(proposals_.size() + i), task.environment,
                     task.address.level, task.address.to_string(), requests[i].prompt,
                     group.rollouts.front(), batch);
      means.add(std::string(metric::kEffectivePrompts), has_variance(group));
      keep(std::move(group), batch);
    }
    return {};
  }

  // Environments that cannot make a problem are left out of the batch and counted.
  Expected<std::vector<SolverTask>> draw_tasks(std::int64_t step, MetricMeans& means) {
    Rng rng(address("problems", step, 0, 0));
    const auto names = pool_.draw_active(settings_.batch.prompts, step, rng);
    if (!names) return tl::make_unexpected(names.error());
    const std::uint64_t salt = training_salt(settings_.run.seed);
    std::vector<ProblemRequest> requests;
    for (const std::string& name : *names) {
      const int level = evoenv_.levels[static_cast<std::size_t>(rng.below(evoenv_.levels.size()))];
      requests.push_back({members_.at(name).environment.get(), level, rng.bits(), salt});
    }
    auto problems = generate_problems(services_.sandbox, requests);
    std::vector<SolverTask> tasks;
    for (std::size_t i = 0; i < problems.size(); ++i) {
      means.add("failed_generations", !problems[i]);
      if (!problems[i]) continue;
      const ProblemRequest& from = requests[i];
      tasks.push_back({(*names)[i], from.environment->address(from.level, from.seed, from.salt),
                       std::move(*problems[i])});
    }
    return tasks;
  }

  std::vector<Verdict> score(const std::vector<SolverTask>& tasks,
                             const std::vector<CompletionGroup>& responses) {
    std::vector<ScoredText> texts;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      for (const Completion& completion : responses[i].completions)
        texts.push_back({tasks[i].problem.get(), completion.text});
    }
    return score_completions(services_.sandbox, texts, services_.format,
                             static_cast<std::size_t>(settings_.batch.max_response_bytes));
  }

  void keep(ScoredGroup group, RecipeBatch& batch) const {
    if (settings_.batch.drop_equal_rewards && !has_variance(group)) return;
    batch.groups.push_back(std::move(group));
  }

  void record_rollout(std::int64_t group, const std::string& environment, int level,
                      const std::string& address, const std::string& prompt,
                      const ScoredRollout& rollout, RecipeBatch& batch) const {
    // Half of the places are the solver's.
    const auto places = static_cast<std::size_t>(settings_.run.record_rollouts);
    if (batch.rollouts.size() >= (environment == "generator" ? places / 2 : places)) return;
    batch.rollouts.push_back(
        {.group = group,
         .environment = environment,
         .level = level,
         .address = address,
         .prompt = prompt,
         .response = rollout.completion.text,
         .reward = rollout.reward,
         .solved = rollout.solved,
         .well_formed = rollout.well_formed,
         .tokens = static_cast<std::int64_t>(rollout.completion.tokens.size())});
  }

  void add_state_metrics(std::vector<MetricValue>& metrics) const {
    const auto active = pool_.active();
    double original = 0;
    for (const std::string& name : active) original += pool_.find(name)->is_original;
    metrics.push_back({"pool/active", static_cast<double>(active.size())});
    metrics.push_back({"pool/all", static_cast<double>(order_.size())});
    metrics.push_back({"pool/original_share", original / static_cast<double>(active.size())});
    metrics.push_back({"pool/prototypes", static_cast<double>(prototypes_.all().size())});
    metrics.push_back({"similarity_average", weight_.mean_similarity()});
    metrics.push_back({"novelty_weight", weight_.gamma()});
  }

  // What steps after the checkpoint had admitted is admitted anew, or not.
  Status remove_folders_without_member() const {
    std::error_code problem;
    for (const auto& entry : fs::directory_iterator(folder_, problem)) {
      if (!members_.contains(entry.path().filename().string()))
        fs::remove_all(entry.path(), problem);
    }
    return {};
  }

  RandomAddress address(std::string_view purpose, std::int64_t step, int index, int sample) const {
    return {.seed = settings_.run.seed,
            .purpose = hash_name(purpose),
            .step = static_cast<std::uint64_t>(step),
            .index = static_cast<std::uint64_t>(index),
            .salt = static_cast<std::uint64_t>(sample)};
  }

  TrainSettings settings_;
  EvoEnvSettings evoenv_;
  Services services_;
  FunnelSettings funnel_;
  EnvironmentPool pool_;
  NoveltyArchive archive_;
  NoveltyWeight weight_;
  Prototypes prototypes_;
  std::map<std::string, Member> members_;
  std::vector<std::string> order_;   // of joining
  std::vector<Proposal> proposals_;  // of the step in hand
  std::int64_t step_ = 0;
  fs::path folder_;
};

}  // namespace

Status check_evoenv(const TrainSettings& settings) {
  const EvoEnvSettings& evoenv = settings.evoenv;
  if (const auto seeds = read_seeds(evoenv.seeds, evoenv.longest_seed); !seeds)
    return tl::make_unexpected(seeds.error());
  if (const auto prompt =
          PromptTemplate::load(find_evoenv_folder(evoenv.prompts) / "generator.txt");
      !prompt)
    return tl::make_unexpected(prompt.error());
  if (evoenv.levels.empty()) return usage_error("evoenv.levels: name at least one level");
  if (const auto encoder = find_minilm(evoenv.encoder, REDQUEEN_SOURCE_DIR); !encoder)
    return tl::make_unexpected(encoder.error());
  return {};
}

Expected<Recipe> make_evoenv(const RecipeContext& context) {
  const TrainSettings& settings = context.settings;
  const EvoEnvSettings& evoenv = settings.evoenv;
  const auto seeds = read_seeds(evoenv.seeds, evoenv.longest_seed);
  if (!seeds) return tl::make_unexpected(seeds.error());
  auto generator = PromptTemplate::load(find_evoenv_folder(evoenv.prompts) / "generator.txt");
  if (!generator) return tl::make_unexpected(generator.error());
  auto format = prompt_format_for(context.policy, settings.policy.prompt_format);
  if (!format) return tl::make_unexpected(format.error());
  auto text_format = prompt_format_for(context.policy, evoenv.text_format);
  if (!text_format) return tl::make_unexpected(text_format.error());
  const auto weights = find_minilm(evoenv.encoder, REDQUEEN_SOURCE_DIR);
  if (!weights) return tl::make_unexpected(weights.error());
  auto encoder = MiniLm::load(*weights);
  if (!encoder) return tl::make_unexpected(encoder.error());
  const auto sandbox = context.sandbox->get();
  if (!sandbox) return tl::make_unexpected(sandbox.error());
  auto funnel = funnel_settings(settings, *format, *text_format);
  if (!funnel) return tl::make_unexpected(funnel.error());
  std::vector<std::string> names;
  for (const auto& [name, source] : *seeds) names.push_back(name);
  auto pool = EnvironmentPool::make(evoenv.pool, names);
  if (!pool) return tl::make_unexpected(pool.error());

  EvoEnv::Services services{
      context.sandbox,       **sandbox,          context.policy,         std::move(*encoder),
      std::move(*generator), std::move(*format), std::move(*text_format)};
  const auto recipe = std::make_shared<EvoEnv>(settings, std::move(services), std::move(*funnel),
                                               std::move(*pool), context.run / "pool");
  recipe->begin(*seeds);
  return Recipe{.name = "evoenv",
                .step = [recipe](std::int64_t step) { return recipe->step(step); },
                .after_update = [recipe] { recipe->update_pool(); },
                .curriculum = [] { return std::vector<CurriculumState>(); },
                .state = [recipe] { return recipe->state(); },
                .restore = [recipe](const Json& state) { return recipe->restore(state); }};
}

}  // namespace redqueen
