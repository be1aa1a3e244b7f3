#include "redqueen/recipes/azr/azr.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <map>

#include "redqueen/base/clock.h"
#include "redqueen/recipes/azr/answers.h"
#include "redqueen/recipes/azr/azr_metrics.h"
#include "redqueen/recipes/azr/form.h"
#include "redqueen/recipes/azr/proposals.h"
#include "redqueen/recipes/step_log.h"

namespace redqueen::azr {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kRoundItem = "seed_round";
constexpr std::string_view kEstimate = "estimate";  // the purpose of answers that estimate r̄

// Self-play of one run. Names follow the paper: B tasks a type, K references, n answers that
// estimate r̄.
class Azr final : public Recipe {
 public:
  Azr(const TrainSettings& settings, ResponseForm form, code_tasks::PromptSet prompts,
      Policy& policy, std::shared_ptr<sandbox::SandboxService> service, sandbox::Sandbox& sandbox,
      std::vector<code_tasks::TaskType> types, run::Progress& progress)
      : settings_(settings),
        azr_(settings.table<AzrSettings>()),
        form_(std::move(form)),
        prompts_(std::move(prompts)),
        policy_(policy),
        service_(std::move(service)),
        sandbox_(sandbox),
        buffers_(static_cast<std::size_t>(azr_.capacity)),
        types_(std::move(types)),
        progress_(progress) {}

  std::string_view name() const override { return "azr"; }

  // Algorithm 1, line 1: fills the buffers with what the untrained policy proposes.
  Status prepare(run::EventStore& store, run::Progress& progress,
                 const std::atomic<bool>& stop) override;

  // Algorithm 1, one pass of its loop.
  Expected<RecipeBatch> step(std::int64_t step) override;

  Json state() const override {
    Json state = Json::object();
    for (const code_tasks::TaskType type : code_tasks::kTaskTypes)
      state[std::string(name_of(type))] = buffers_[type].state();
    return state;
  }

  Status restore(const Json& state) override {
    for (const code_tasks::TaskType type : code_tasks::kTaskTypes) {
      const auto found = state.find(std::string(name_of(type)));
      if (found == state.end()) return failure("the buffer of {} is missing", name_of(type));
      if (Status status = buffers_[type].restore(*found); !status)
        return failure("buffer of {}: {}", name_of(type), status.error().message);
    }
    return {};
  }

 private:
  // Proposals of one type, whose validation goes on while the policy writes the next ones.
  struct PendingProposals {
    code_tasks::TaskType type = code_tasks::TaskType::kDeduction;
    std::vector<Proposal> proposals;
    std::future<double> validated;  // seconds that it took
  };
  // Answers to tasks, likewise.
  struct PendingAnswers {
    std::vector<AnsweredTask> answered;
    std::future<double> judged;
  };
  using PendingProposalsPtr = std::unique_ptr<PendingProposals>;
  using PendingAnswersPtr = std::unique_ptr<PendingAnswers>;

  // --- the policy -------------------------------------------------------------------------------

  Expected<std::vector<CompletionGroup>> sample(const std::vector<SampleRequest>& requests) {
    if (requests.empty()) return std::vector<CompletionGroup>();
    const auto start = Clock::now();
    auto groups = policy_.sample(requests, settings_.sampling);
    seconds_.sampling += seconds_since(start);
    if (groups) {
      log_.count_missing(*groups);
      for (const CompletionGroup& group : *groups) {
        for (const Completion& completion : group.completions) log_.sampled(completion);
      }
    }
    return groups;
  }

  RandomAddress rng_address(std::string_view purpose, code_tasks::TaskType type, std::int64_t step,
                            std::size_t index, std::uint64_t salt = 0) const {
    return StepAddress{settings_.run.seed, step}(fmt::format("azr/{}/{}", purpose, name_of(type)),
                                                 index, salt);
  }

  // Draws `count` drafts, asks the policy, and starts validating what it wrote. `phase` is "step"
  // or "seed", `first` the index of the first draft within its step.
  Expected<PendingProposalsPtr> propose(code_tasks::TaskType type, std::string_view phase,
                                        std::int64_t step, std::size_t first, std::size_t count) {
    std::vector<Rng> rngs;
    for (std::size_t k = 0; k < count; ++k)
      rngs.emplace_back(rng_address(fmt::format("{}/references", phase), type, step, first + k));
    AzrSettings asked = azr_;
    if (phase == kSeedFate) asked.composite_share = 0;  // there is nothing to build on yet
    std::vector<Draft> drafts = draft_proposals(type, rngs, buffers_, prompts_, asked, sandbox_);
    std::vector<SampleRequest> requests;
    for (std::size_t k = 0; k < count; ++k) {
      requests.push_back({form_.proposer_prompt(drafts[k].statement),
                          {rng_address(fmt::format("{}/proposer", phase), type, step, first + k)}});
    }
    ASSIGN_OR_RETURN(auto groups, sample(requests));

    auto pending = std::make_unique<PendingProposals>();
    pending->type = type;
    std::vector<code_tasks::Candidate> candidates;
    for (std::size_t k = 0; k < count; ++k) {
      Proposal proposal{.draft = std::move(drafts[k]),
                        .prompt = std::move(groups[k].prompt_tokens),
                        .completion = std::move(groups[k].completions.at(0))};
      // In seeding nobody is paid, so that form does not count (section 3.3.1 of the paper).
      const bool lenient = phase == kSeedFate || settings_.reading == AnswerReading::kTolerant;
      auto candidate = read_proposal(
          proposal.draft,
          form_.proposal_in(proposal.completion.text, max_response_bytes(), lenient), azr_);
      proposal.reason = candidate ? code_tasks::Reason::kValid : candidate.error();
      if (candidate) candidates.push_back(std::move(*candidate));
      pending->proposals.push_back(std::move(proposal));
    }
    code_tasks::ProposalOptions options = azr_.validation();
    if (phase == kSeedFate && azr_.strip_seeds)
      options.strip_comments = options.strip_globals = true;
    pending->validated = std::async(std::launch::async, [this, work = pending.get(), options,
                                                         candidates = std::move(candidates)] {
      const auto start = Clock::now();
      validate_proposals(sandbox_, work->proposals, candidates, options, prompts_, azr_);
      return seconds_since(start);
    });
    return pending;
  }

  // Asks the policy for `rollouts` answers to each task and starts judging them.
  Expected<PendingAnswersPtr> answer(std::vector<code_tasks::CodeTask> tasks,
                                     std::string_view purpose, code_tasks::TaskType type,
                                     std::int64_t step, int rollouts) {
    auto pending = std::make_unique<PendingAnswers>();
    std::vector<SampleRequest> requests;
    for (std::size_t k = 0; k < tasks.size(); ++k) {
      SampleRequest request{form_.solver_prompt(prompts_, tasks[k]), {}};
      for (int j = 0; j < rollouts; ++j)
        request.addresses.push_back(rng_address(purpose, type, step, k, j));
      pending->answered.push_back({.task = std::move(tasks[k]), .prompt = request.prompt});
      requests.push_back(std::move(request));
    }
    ASSIGN_OR_RETURN(auto groups, sample(requests));
    for (std::size_t k = 0; k < groups.size(); ++k) {
      pending->answered[k].prompt_tokens = std::move(groups[k].prompt_tokens);
      pending->answered[k].completions = std::move(groups[k].completions);
    }
    const bool estimates_chance = azr_.chance_corrected && purpose == kEstimate;
    pending->judged = std::async(std::launch::async, [this, estimates_chance,
                                                      work = pending.get()] {
      if (estimates_chance) estimate_chances(sandbox_, work->answered, azr_.solving().limits);
      return judge_answers(sandbox_, work->answered, form_, azr_.solving(), max_response_bytes());
    });
    return pending;
  }

  std::size_t max_response_bytes() const { return settings_.batch.max_response_bytes; }

  void wait(std::future<double>& work) {
    const auto start = Clock::now();
    seconds_.sandbox += work.get();
    seconds_.waiting += seconds_since(start);
  }

  // Waits for the validation, looks for what is known already, and measures diversity against the
  // buffer.
  void finish(PendingProposals& pending) {
    wait(pending.validated);
    const TaskBuffer& buffer = buffers_[pending.type];
    std::vector<std::string> proposed;
    for (Proposal& proposal : pending.proposals) {
      if (!proposal.valid()) continue;
      if (azr_.reject_known) {
        std::string novelty = novelty_of(proposal.task);
        if (buffer.contains(proposal.task) ||
            std::ranges::find(proposed, novelty) != proposed.end()) {
          proposal.reason = code_tasks::Reason::kKnown;
          continue;
        }
        proposed.push_back(std::move(novelty));
      }
      proposal.diversity = 1.0 - buffer.output_share(output_of(proposal.task));
    }
  }

  static const std::string& output_of(const code_tasks::CodeTask& task) {
    return task.type == code_tasks::TaskType::kInduction ? task.pairs.front().output : task.output;
  }

  // Says why no proposal of a type became a task, where none did.
  void explain(std::string_view when, const PendingProposals& pending) {
    const std::vector<Proposal>& proposals = pending.proposals;
    if (proposals.empty() || std::ranges::any_of(proposals, &Proposal::valid)) return;
    std::map<code_tasks::Reason, int> counts;
    for (const Proposal& proposal : proposals) ++counts[proposal.reason];
    std::vector<std::pair<int, std::string>> reasons;
    for (const auto& [reason, count] : counts)
      reasons.emplace_back(count, fmt::format("{} {}", count, name_of(reason)));
    std::ranges::stable_sort(reasons, std::ranges::greater(), &std::pair<int, std::string>::first);
    std::string text;
    for (const auto& [count, reason] : reasons) text += (text.empty() ? "" : ", ") + reason;
    if (form_.marked() && counts.contains(code_tasks::Reason::kNoAnswer))
      text += " (no_answer: the prompt asks for <answer> marks, and they are missing)";
    progress_.note(fmt::format("{}: none of {} proposals of {} became a task: {}", when,
                               proposals.size(), name_of(pending.type), text));
  }

  // --- a step -----------------------------------------------------------------------------------

  static std::vector<code_tasks::CodeTask> valid_tasks(const std::vector<Proposal>& proposals) {
    std::vector<code_tasks::CodeTask> tasks;
    for (const Proposal& proposal : proposals) {
      if (proposal.valid()) tasks.push_back(proposal.task);
    }
    return tasks;
  }

  // The rest of a batch of B, drawn uniformly from what was found in earlier steps.
  std::vector<code_tasks::CodeTask> fill(code_tasks::TaskType type, std::int64_t step,
                                         std::size_t have) const {
    std::vector<code_tasks::CodeTask> tasks;
    if (buffers_[type].empty()) return tasks;
    Rng rng(rng_address("fill", type, step, 0));
    for (std::size_t k = have; k < static_cast<std::size_t>(azr_.tasks); ++k)
      tasks.push_back(buffers_[type].draw(rng));
    return tasks;
  }

  // The solver's batch: the step's valid tasks, then the fill. With reuse_estimates the former take
  // their answers from the estimation.
  Expected<PendingAnswersPtr> solve(const PendingProposals& proposed, std::int64_t step) {
    std::vector<code_tasks::CodeTask> tasks = valid_tasks(proposed.proposals);
    const std::size_t valid = tasks.size();
    if (azr_.reuse_estimates) tasks.clear();
    for (code_tasks::CodeTask& task : fill(proposed.type, step, valid))
      tasks.push_back(std::move(task));
    return answer(std::move(tasks), "solver", proposed.type, step, azr_.rollouts);
  }

  // The tasks among these that are void, each once.
  static std::vector<code_tasks::CodeTask> void_tasks(
      std::initializer_list<std::span<const AnsweredTask>> batches) {
    std::vector<code_tasks::CodeTask> found;
    for (const std::span<const AnsweredTask> batch : batches) {
      for (const AnsweredTask& answered : batch) {
        if (is_void(answered) && std::ranges::find(found, answered.task) == found.end())
          found.push_back(answered.task);
      }
    }
    return found;
  }

  // How often a guess solves it: one at random, or, where a value is asked for, one of those that
  // the tasks in the buffer have.
  static double chance_of(const Proposal& proposal, const AnsweredTask& estimate) {
    const bool value = estimate.task.type == code_tasks::TaskType::kDeduction ||
                       estimate.task.type == code_tasks::TaskType::kError;
    return value ? std::max(estimate.chance, 1 - proposal.diversity) : estimate.chance;
  }

  // r̄ of every valid task, and what its proposer earns. A void task was none.
  void reward_proposer(std::vector<Proposal>& proposals, const std::vector<AnsweredTask>& estimates,
                       const std::vector<code_tasks::CodeTask>& voided) const {
    std::size_t k = 0;
    for (Proposal& proposal : proposals) {
      if (proposal.valid()) {
        const AnsweredTask& estimate = estimates[k++];
        if (std::ranges::find(voided, proposal.task) == voided.end()) {
          proposal.success = success_rate(estimate);
          proposal.answers = static_cast<int>(estimate.verdicts.size());
          if (azr_.chance_corrected) proposal.chance = chance_of(proposal, estimate);
        } else {
          proposal.reason = code_tasks::Reason::kNotDeterministic;
          proposal.detail = "two runs with the same answer differ";
        }
      }
      proposal.reward = proposer_reward(proposal, azr_);
    }
  }

  // Nobody learns from the answers to a void task.
  static void drop(std::vector<AnsweredTask>& answered,
                   const std::vector<code_tasks::CodeTask>& voided) {
    if (voided.empty()) return;
    std::erase_if(answered, [&](const AnsweredTask& one) {
      return std::ranges::find(voided, one.task) != voided.end();
    });
  }

  // The answers of the estimation that the solver trains on: as many as it would have been asked
  // for.
  std::vector<AnsweredTask> reused(std::vector<AnsweredTask> estimates) const {
    const std::size_t rollouts = std::min(azr_.rollouts, azr_.estimates);
    for (AnsweredTask& answered : estimates) {
      answered.completions.resize(rollouts);
      answered.verdicts.resize(rollouts);
    }
    return estimates;
  }

  static ScoredRollout rollout_of(const Proposal& proposal) {
    return {proposal.completion, proposal.reward, proposal.reward > 0, proposal.valid()};
  }
  static ScoredRollout rollout_of(const AnsweredTask& answered, std::size_t j) {
    const Verdict verdict = answered.verdicts[j].verdict();
    return {answered.completions[j], verdict.reward, verdict.solved, verdict.well_formed};
  }

  void add_proposer_groups(std::vector<Proposal>& proposals, std::vector<ScoredGroup>& groups) {
    for (Proposal& proposal : proposals) {
      ScoredGroup group{.role = "proposer",
                        .task = std::string(name_of(proposal.draft.type)),
                        .rule = settings_.advantage,
                        .prompt = proposal.prompt};
      group.rollouts.push_back(rollout_of(proposal));
      groups.push_back(std::move(group));
    }
  }

  void add_solver_groups(const std::vector<AnsweredTask>& solved,
                         std::vector<ScoredGroup>& groups) {
    for (const AnsweredTask& answered : solved) {
      ScoredGroup group{.role = "solver",
                        .task = std::string(name_of(answered.task.type)),
                        .rule = settings_.advantage,
                        .prompt = answered.prompt_tokens};
      for (std::size_t j = 0; j < answered.completions.size(); ++j)
        group.rollouts.push_back(rollout_of(answered, j));
      groups.push_back(std::move(group));
    }
  }

  void record(const std::vector<TypeOutcome>& outcomes);

  TrainSettings settings_;
  AzrSettings azr_;
  ResponseForm form_;
  code_tasks::PromptSet prompts_;
  Policy& policy_;
  std::shared_ptr<sandbox::SandboxService> service_;  // keeps the sandbox
  sandbox::Sandbox& sandbox_;
  TaskBuffers buffers_;
  std::vector<code_tasks::TaskType> types_;
  run::Progress& progress_;
  StepSeconds seconds_;  // of the step in hand
  StepLog log_;          // likewise
};

Expected<RecipeBatch> Azr::step(std::int64_t step) {
  seconds_ = {};
  log_ = StepLog(settings_.run.record_rollouts);
  const std::size_t count = azr_.tasks;

  // Propose: while the policy writes the proposals of one type, those of the type before are
  // validated.
  std::vector<PendingProposalsPtr> proposed;
  for (const code_tasks::TaskType type : types_) {
    ASSIGN_OR_RETURN(auto pending, propose(type, "step", step, 0, count));
    proposed.push_back(std::move(pending));
  }

  // Estimate r̄ of every valid task, and solve the batch; judging goes on beside the sampling.
  std::vector<PendingAnswersPtr> estimates;
  std::vector<PendingAnswersPtr> solved;
  for (const PendingProposalsPtr& pending : proposed) {
    finish(*pending);
    explain(fmt::format("step {}", step), *pending);
    ASSIGN_OR_RETURN(auto estimate, answer(valid_tasks(pending->proposals), kEstimate,
                                           pending->type, step, azr_.estimates));
    estimates.push_back(std::move(estimate));
  }
  for (const PendingProposalsPtr& pending : proposed) {
    ASSIGN_OR_RETURN(auto batch, solve(*pending, step));
    solved.push_back(std::move(batch));
  }

  // Rewards and groups; every valid task enters its buffer, whatever it earned.
  RecipeBatch batch;
  std::vector<TypeOutcome> outcomes;
  for (std::size_t t = 0; t < types_.size(); ++t) {
    wait(estimates[t]->judged);
    wait(solved[t]->judged);
    TypeOutcome outcome{.type = types_[t], .proposals = std::move(proposed[t]->proposals)};
    const std::vector<code_tasks::CodeTask> voided =
        void_tasks({estimates[t]->answered, solved[t]->answered});
    reward_proposer(outcome.proposals, estimates[t]->answered, voided);
    drop(estimates[t]->answered, voided);
    drop(solved[t]->answered, voided);
    for (const code_tasks::CodeTask& task : voided) buffers_[types_[t]].remove(task);
    const std::vector<code_tasks::CodeTask> tasks = valid_tasks(outcome.proposals);
    if (azr_.reuse_estimates) outcome.solved = reused(std::move(estimates[t]->answered));
    std::ranges::move(solved[t]->answered, std::back_inserter(outcome.solved));
    outcome.filled = outcome.solved.size() - tasks.size();
    for (const code_tasks::CodeTask& task : tasks) buffers_[types_[t]].add(task);
    outcome.buffer = buffers_[types_[t]].size();
    if (azr_.train_proposer) add_proposer_groups(outcome.proposals, batch.groups);
    add_solver_groups(outcome.solved, batch.groups);
    outcomes.push_back(std::move(outcome));
  }
  add_azr_metrics(outcomes, seconds_, log_);
  batch.items = azr_items(outcomes, fmt::format("{}", step));
  if (step == 1)
    std::ranges::move(missing_layer_items(sandbox_.layers()), std::back_inserter(batch.items));
  record(outcomes);
  std::move(log_).write(batch);
  return batch;
}

// Keeps a few rollouts of every type and role, in turn.
void Azr::record(const std::vector<TypeOutcome>& outcomes) {
  std::int64_t group = 0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(settings_.run.record_rollouts); ++k) {
    for (const TypeOutcome& outcome : outcomes) {
      const std::string_view type = name_of(outcome.type);
      if (log_.has_place() && k < outcome.proposals.size()) {
        const Proposal& proposal = outcome.proposals[k];
        log_.record({.group = group++,
                     .environment = fmt::format("propose/{}", type),
                     .problem_address = proposal.valid() ? proposal.task.name() : "",
                     .prompt = form_.proposer_prompt(proposal.draft.statement)},
                    rollout_of(proposal));
      }
      if (log_.has_place() && k < outcome.solved.size() && !outcome.solved[k].completions.empty()) {
        const AnsweredTask& answered = outcome.solved[k];
        log_.record({.group = group++,
                     .environment = fmt::format("solve/{}", type),
                     .problem_address = answered.task.name(),
                     .prompt = answered.prompt},
                    rollout_of(answered, 0));
      }
    }
  }
}

// --- seeding ------------------------------------------------------------------------------------

// Rounds of B proposals a type until every buffer has at least B·S tasks: first those of triplets,
// then induction, which builds on them. A round is stored as a whole, so a killed process goes on
// with the next one.
class Seeding {
 public:
  Seeding(run::EventStore& store, run::Progress& progress, std::size_t target, int most_rounds)
      : store_(store), progress_(progress), target_(target), most_rounds_(most_rounds) {}

  // Takes up what is stored. Returns how many rounds each phase has had.
  Expected<std::array<int, 2>> take_up(TaskBuffers& buffers);

  bool full(const TaskBuffer& buffer) const { return buffer.size() >= target_; }
  std::size_t target() const { return target_; }
  int most_rounds() const { return most_rounds_; }

  Status store_round(int phase, int round, std::vector<TypeOutcome>& outcomes);
  void report(const std::vector<code_tasks::TaskType>& types, const TaskBuffers& buffers,
              double seconds);
  void conclude(const std::vector<code_tasks::TaskType>& types, const TaskBuffers& buffers);

 private:
  run::EventStore& store_;
  run::Progress& progress_;
  std::size_t target_;
  int most_rounds_;
};

Expected<std::array<int, 2>> Seeding::take_up(TaskBuffers& buffers) {
  ASSIGN_OR_RETURN(const auto rounds, store_.items(kRoundItem));
  ASSIGN_OR_RETURN(const auto tasks, store_.items(kTaskItem));
  for (const run::ItemPoint& point : tasks) {
    if (point.step != 0) continue;
    auto task = code_tasks::CodeTask::read_json(point.item.data.value("task", Json()));
    if (!task) {
      return failure("task {} of the seeding: {}; start a new run", point.item.name,
                     task.error().message);
    }
    buffers[task->type].add(std::move(*task));
  }
  std::array<int, 2> done{};
  for (const run::ItemPoint& point : rounds) ++done[point.item.fate == "induction" ? 1 : 0];
  if (done[0] + done[1] > 0) {
    progress_.note(fmt::format("seeding goes on after round {} of triplets and {} of induction",
                               done[0], done[1]));
  }
  return done;
}

Status Seeding::store_round(int phase, int round, std::vector<TypeOutcome>& outcomes) {
  const std::string name = fmt::format("seed/{}/{}", phase, round);
  std::vector<run::ItemRecord> items = azr_items(outcomes, name);
  items.push_back({.kind = std::string(kRoundItem),
                   .name = name,
                   .fate = phase == 1 ? "induction" : "triplets",
                   .data = Json::object()});
  return store_.append(0, items);
}

void Seeding::report(const std::vector<code_tasks::TaskType>& types, const TaskBuffers& buffers,
                     double seconds) {
  std::size_t done = 0;
  std::string detail;
  for (const code_tasks::TaskType type : types) {
    done += std::min(buffers[type].size(), target_);
    detail +=
        fmt::format("{}{} {}", detail.empty() ? "" : ", ", name_of(type), buffers[type].size());
  }
  progress_.step({.step = static_cast<std::int64_t>(done),
                  .total_steps = static_cast<std::int64_t>(types.size() * target_),
                  .step_seconds = seconds,
                  .detail = detail});
}

void Seeding::conclude(const std::vector<code_tasks::TaskType>& types, const TaskBuffers& buffers) {
  for (const code_tasks::TaskType type : types) {
    if (full(buffers[type])) continue;
    progress_.note(fmt::format(
        "seeding: {} has {} of {} tasks after {} rounds, and training begins with these; see why "
        "proposals fail with `redqueen azr tasks`, or raise azr.seed_rounds",
        name_of(type), buffers[type].size(), target_, most_rounds_));
  }
}

Status Azr::prepare(run::EventStore& store, run::Progress& progress,
                    const std::atomic<bool>& stop) {
  for (const code_tasks::TaskType type : code_tasks::kTaskTypes) {
    RETURN_IF_ERROR(buffers_[type].restore(Json::array()));
  }
  const std::size_t count = azr_.tasks;
  Seeding seeding(store, progress, count * azr_.seed_factor, azr_.seed_rounds);
  ASSIGN_OR_RETURN(const auto done, seeding.take_up(buffers_));
  progress.stage("seeding");
  for (int phase = 0; phase < 2; ++phase) {
    for (int round = done[phase]; round < seeding.most_rounds(); ++round) {
      if (stop) return {};
      const auto start = Clock::now();
      std::vector<PendingProposalsPtr> proposed;
      for (const code_tasks::TaskType type : types_) {
        if ((type == code_tasks::TaskType::kInduction) != (phase == 1) ||
            seeding.full(buffers_[type]))
          continue;
        ASSIGN_OR_RETURN(auto pending, propose(type, kSeedFate, 0,
                                               static_cast<std::size_t>(round) * count, count));
        proposed.push_back(std::move(pending));
      }
      if (proposed.empty()) break;
      if (log_.missing().none_came()) return failure("seeding: {}", log_.missing().sentence());
      std::vector<TypeOutcome> outcomes;
      for (const PendingProposalsPtr& pending : proposed) {
        finish(*pending);
        explain(fmt::format("seeding, round {}", round + 1), *pending);
        for (const code_tasks::CodeTask& task : valid_tasks(pending->proposals))
          buffers_[pending->type].add(task);
        outcomes.push_back({.type = pending->type, .proposals = std::move(pending->proposals)});
      }
      RETURN_IF_ERROR(seeding.store_round(phase, round, outcomes));
      seeding.report(types_, buffers_, seconds_since(start));
    }
  }
  seeding.conclude(types_, buffers_);
  return {};
}

}  // namespace

Expected<std::unique_ptr<Recipe>> make_azr(const RecipeContext& context) {
  ASSIGN_OR_RETURN(PromptFormat format, context.settings.problem_format());
  ASSIGN_OR_RETURN(ResponseForm form, ResponseForm::make(std::move(format)));
  ASSIGN_OR_RETURN(code_tasks::PromptSet prompts,
                   code_tasks::PromptSet::load(context.settings.table<AzrSettings>().prompts_folder(
                       context.engine.resources())));
  ASSIGN_OR_RETURN(sandbox::Sandbox * sandbox, context.engine.sandbox()->get());
  ASSIGN_OR_RETURN(auto types, context.settings.table<AzrSettings>().task_types());
  return std::make_unique<Azr>(context.settings, std::move(form), std::move(prompts),
                               context.policy, context.engine.sandbox(), *sandbox, std::move(types),
                               context.progress);
}

}  // namespace redqueen::azr
