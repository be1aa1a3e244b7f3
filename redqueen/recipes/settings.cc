#include "redqueen/recipes/settings.h"

#include "redqueen/checkpoint/lora_config.h"
#include "redqueen/checkpoint/source/hub.h"
#include "redqueen/recipes/engine_settings.h"
#include "redqueen/recipes/recipe_entry.h"
#include "redqueen/train/sharding.h"

namespace redqueen {
namespace {

constexpr auto kReloadCalls =
    enum_names<ReloadCall>({{"sglang", ReloadCall::kSglang}, {"vllm", ReloadCall::kVllm}});

constexpr auto kOldLogProbs = enum_names<OldLogProbs>(
    {{"sampler", OldLogProbs::kSampler}, {"recomputed", OldLogProbs::kRecomputed}});

constexpr auto kRewrittenHistories = enum_names<RewrittenHistory>(
    {{"anew", RewrittenHistory::kAnew}, {"append", RewrittenHistory::kAppend}});

void declare_run(run::Settings& settings, RunSettings& run,
                 std::span<const RecipeType* const> recipes) {
  std::vector<std::string_view> names;
  for (const RecipeType* recipe : recipes) names.push_back(recipe->name());
  run::Section section = settings.section("run", "The run as a whole.");
  section.field("recipe", run.recipe,
                {.help = "The training method.", .choices = std::move(names), .noun = "recipe"});
  section.field("seed", run.seed, {.help = "All randomness of the run follows from it."});
  section.field("steps", run.steps, {.help = "Updates of the policy.", .min = 0});
  section.field(
      "threads", run.threads,
      {.help = "CPU threads; 0: as many as there are cores. One thread repeats bit for bit.",
       .min = 0,
       .max = 1024});
  section.field("checkpoint_every", run.checkpoint_every,
                {.help = "Steps between checkpoints.", .min = 1});
  section.field("keep_checkpoints", run.keep_checkpoints,
                {.help = "How many of the newest to keep.", .min = 1});
  section.field("record_rollouts", run.record_rollouts,
                {.help = "Rollouts kept for reading, a step.", .min = 0});
  section.field(
      "peer_timeout", run.peer_timeout,
      {.help = "Seconds that the processes of `train --nproc N` wait for one another.", .min = 1});
  section.field("check_memory", run.check_memory,
                {.help = "Refuse to start what is predicted not to fit into memory."});
}

void declare_policy(run::Settings& settings, PolicySettings& policy) {
  run::Section section = settings.section("policy", "The language model that learns.");
  section.field(
      "path", policy.path,
      {.help = "Its Hugging Face folder, or openai:URL of a chat endpoint (not to train)."});
  section.field("shape", policy.shape,
                {.help = "The model that the configuration is meant for, one of configs/shapes/: "
                         "`redqueen doctor --plan` assumes it where no policy is named."});
  section.field("device", policy.device,
                {.help = "auto takes a GPU if there is one.", .choices = {"auto", "cpu", "cuda"}});
  section.field("dtype", policy.dtype,
                {.help = "Type of the weights.", .choices = {"float32", "bfloat16"}});
  section.field(
      "prompt_format", policy.prompt_format,
      {.help =
           "plain, boxed, chatml, think, terse, bare, statement; chat, chat:answer, chat:bare or "
           "chat:statement for the "
           "policy's own chat template, with :nothink behind it for no thoughts; or a template "
           "with {problem} in it. Where nothing is said: chat, if the policy's folder has a "
           "chat template."});
  section.field("system_prompt", policy.system_prompt,
                {.help = "System message of the chat formats, before a problem that asks once; "
                         "empty: the template's own, if it has any."});
  section.field("max_rows", policy.max_rows,
                {.help = "Responses decoded at once: fewer need less memory.", .min = 1});
  section.field("kept_mb", policy.kept_mb,
                {.help = "Megabytes for keys and values that are kept from a turn of a "
                         "conversation to the next; what does not fit is computed again.",
                 .min = 0});
  section.choice("rewritten_history", policy.rewritten_history, kRewrittenHistories,
                 "Where the chat template would render earlier turns otherwise: compute the next "
                 "turn anew from what it renders, or append it to what was said.");
}

void declare_sampling(run::Settings& settings, SampleParameters& sampling, EngineSettings& engine) {
  run::Section section = settings.section("sampling", "How responses are drawn.");
  section.field("max_new_tokens", sampling.max_new_tokens,
                {.help = "A response is cut here.", .min = 1});
  section.field("max_prompt_tokens", sampling.max_prompt_tokens,
                {.help = "A longer prompt has no response, and memory is planned for this; later "
                         "turns of a conversation are not measured. 0: as the context allows.",
                 .min = 0});
  section.field("temperature", sampling.temperature, {.help = "0: greedy.", .min = 0});
  section.field("top_k", sampling.top_k,
                {.help = "Only the k likeliest tokens; 0: all.", .min = 0});
  section.field("top_p", sampling.top_p,
                {.help = "Only the likeliest tokens that make up this share.", .min = 0, .max = 1});
  section.field("min_p", sampling.min_p,
                {.help = "Only tokens of this share of the likeliest one.", .min = 0, .max = 1});
  section.field("stop", sampling.stop, {.help = "A response ends after any of these."});
  section.field(
      "engine", engine.path,
      {.help = "openai:URL of an engine that draws the responses of training with "
               "weights that it is handed (docs/training.md); empty: this process does."});
  section.choice("reload", engine.reload, kReloadCalls,
                 "Whose call tells the engine to load weights: SGLang's, which redqueen serve "
                 "--take-weights has, too, or vLLM's.");
  section.field("ahead", engine.ahead,
                {.help = "Draw the responses of the next step while the policy learns from those "
                         "of this one, so with weights a step older; only with an engine."});
}

void declare_curriculum(run::Settings& settings, CommonSettings& common) {
  std::string& suite = common.suite;
  CurriculumOptions& curriculum = common.curriculum;
  run::Section section = settings.section("curriculum", "What problems are drawn from.");
  section.field(
      "suite", suite,
      {.help = "A suite of configs/suites, a file, or environments with commas between."});
  section.choice("difficulty", curriculum.difficulty, kDifficultyNames,
                 "adaptive rises with the policy; the others draw from low to high: static "
                 "uniformly, learnability by p (1 - p), replay by rank, bandit by progress.");
  section.field(
      "accuracy_threshold", curriculum.accuracy_threshold,
      {.help = "Share solved at the upper level that raises it (tau_acc).", .min = 0, .max = 1});
  section.field(
      "minimum_groups", curriculum.minimum_groups,
      {.help = "Groups at the upper level before it is judged (tau_num / rollouts).", .min = 1});
  section.field("width", curriculum.width,
                {.help = "Levels drawn from, at most (d_delta).", .min = 1});
  section.field("low", curriculum.low, {.help = "First lower level.", .min = 0});
  section.field("high", curriculum.high, {.help = "Upper level, unless adaptive.", .min = 0});
  section.field("exploration", curriculum.exploration,
                {.help = "Of learnability and bandit: share of uniform draws; of replay: of draws "
                         "that prefer what was not drawn for long.",
                 .min = 0,
                 .max = 1});
  section.choice(
      "reading", common.reading, kAnswerReadingNames,
      "How answers are read in training: strict, as the published verifiers do, or "
      "tolerant of other notations (docs/gym.md). Evaluations read as their suite says.");
  section.choice(
      "thoughts", common.thoughts, kThoughtReadingNames,
      "The part of a response that is searched for the answer: whole, with its thoughts, "
      "as published; closed: behind the last </think>, or all of a response without "
      "thoughts, but nothing of one whose thought is not closed; behind: only behind a "
      "</think>. Evaluations do the same.");
}

void declare_batch(run::Settings& settings, BatchSettings& batch) {
  run::Section section = settings.section("batch", "What one step trains on.");
  section.field("prompts", batch.prompts, {.help = "Groups of a batch.", .min = 1});
  section.field("sampled_prompts", batch.sampled_prompts,
                {.help = "Groups sampled in a round.", .min = 1});
  section.field("rollouts", batch.rollouts, {.help = "Responses to a prompt.", .min = 1});
  section.field("max_rounds", batch.max_rounds,
                {.help = "Rounds of sampling until a short batch is taken as it is.", .min = 1});
  section.field(
      "dynamic_sampling", batch.dynamic_sampling,
      {.help = "Leave out groups whose rollouts all got the same reward, and sample on (DAPO).",
       .former = "drop_equal_rewards"});
  section.field("max_response_bytes", batch.max_response_bytes,
                {.help = "A longer response is malformed.", .min = 1});
  section.field("mask_cut", batch.mask_cut,
                {.help = "Do not train on the tokens of a response that was cut at its length; its "
                         "reward still counts in its group (DAPO's overlong filtering)."});
  section.field("overlong_cache", batch.overlong_cache,
                {.help = "Tokens before sampling.max_new_tokens in which the reward of a response "
                         "falls evenly by up to 1 (DAPO's soft overlong punishment); 0: off.",
                 .min = 0});
}

void declare_training(run::Settings& settings, RewardKind& reward, AdvantageRule& advantage,
                      TrainerOptions& trainer, Sharding& sharding) {
  run::Section section = settings.section("train", "How the policy learns from a batch.");
  section.choice("reward", reward, kRewardKindNames,
                 "The reward of an answer to a problem, in the recipe rlve: shaped, the "
                 "environment's own, or solved, 1 for a right answer and 0 for any other.");
  section.choice("advantage", advantage, kAdvantageRuleNames, "How rewards become advantages.");
  section.choice("aggregation", trainer.aggregation.rule, kAggregationNames,
                 "How much each token counts.");
  section.field(
      "role_means", trainer.aggregation.per_role,
      {.help = "Average the tokens of each role apart and add up; false: of all at once."});
  section.field("constant_length", trainer.aggregation.constant_length,
                {.help = "Of aggregation constant_length, in tokens.", .min = 1});
  section.field("learning_rate", trainer.schedule.peak, {.help = "Peak rate of AdamW.", .min = 0});
  section.choice("schedule", trainer.schedule.shape, kScheduleShapeNames,
                 "Shape of the rate after the warm-up.");
  section.field("warmup", trainer.schedule.warmup,
                {.help = "Updates until the peak rate.", .min = 0});
  section.field("total_updates", trainer.schedule.total,
                {.help = "Updates until the schedule ends; 0: never, for constant.", .min = 0});
  section.field("beta1", trainer.optimizer.beta1,
                {.help = "Decay of AdamW's first moment.", .min = 0, .max = 1});
  section.field("beta2", trainer.optimizer.beta2,
                {.help = "Decay of AdamW's second moment.", .min = 0, .max = 1});
  section.field("weight_decay", trainer.optimizer.weight_decay,
                {.help = "Of matrices; norms and biases never decay.", .min = 0});
  section.field("max_gradient_norm", trainer.optimizer.max_gradient_norm,
                {.help = "Gradients are scaled down to it; 0: off.", .min = 0});
  section.field("clip_low", trainer.objective.clip_low,
                {.help = "Lower clip of the ratio.", .min = 0, .max = 1});
  section.field("clip_high", trainer.objective.clip_high,
                {.help = "Upper clip of the ratio.", .min = 0});
  section.field("dual_clip", trainer.objective.dual_clip,
                {.help = "Bound of the loss for negative advantages; 0: off.", .min = 0});
  section.field("kl_coefficient", trainer.objective.kl_coefficient,
                {.help = "Weight of the divergence from the reference policy.", .min = 0});
  section.choice("kl_estimator", trainer.objective.kl, kKlEstimatorNames,
                 "Its estimator: k2 or k3; k1 is a measure, its expected gradient is zero.");
  section.field("kl_cap", trainer.kl_cap,
                {.help = "A mini-batch whose mean divergence, from the reference or else from the "
                         "policy before the step, exceeds this makes no update and ends the step; "
                         "0: off.",
                 .min = 0});
  section.field("entropy_coefficient", trainer.objective.entropy_coefficient,
                {.help = "Weight of the entropy bonus.", .min = 0});
  section.field("importance_cap", trainer.objective.importance_cap,
                {.help = "Cap of the importance weight between sampler and trainer; 0: no weight.",
                 .min = 0});
  section.choice("old_log_probs", trainer.old_log_probs, kOldLogProbs,
                 "Where the ratio's denominator comes from.");
  std::string reference = trainer.reference.string();
  section.field("reference", reference,
                {.help = "Folder of the reference policy; empty: the policy that the run begins "
                         "with, if kl_coefficient is above 0."});
  trainer.reference = reference;
  section.field("hold_reference", trainer.hold_reference,
                {.help = "Keep it in memory, or read it again in every step."});
  section.field("epochs", trainer.epochs, {.help = "Times a batch is trained on.", .min = 1});
  section.field("mini_batches", trainer.mini_batches, {.help = "Updates an epoch.", .min = 1});
  std::int64_t tokens = trainer.micro_batch_tokens;
  section.field(
      "micro_batch_tokens", tokens,
      {.help = "Tokens through the network at once.", .min = 1, .former = "token_budget"});
  trainer.micro_batch_tokens = tokens;
  section.field("share_prefix", trainer.share_prefix,
                {.help = "Compute the prompt of a group once."});
  section.field("activation_checkpointing", trainer.activation_checkpointing,
                {.help = "Less memory for a third more time."});
  section.field("offload_optimizer", trainer.optimizer.offload,
                {.help = "Keep the optimizer's state in main memory and update there."});
  section.choice(
      "sharding", sharding, kShardingNames,
      "What the processes of --nproc share instead of each having all of it: moments and "
      "float32 masters, or the summed gradients as well.");
  section.field(
      "gradient_norm_limit", trainer.optimizer.gradient_norm_limit,
      {.help = "A larger norm of the gradients stops the run; 0: only one that is not finite.",
       .min = 0});
  section.field(
      "loss_limit", trainer.loss_limit,
      {.help = "A larger loss, in absolute value, stops the run; 0: only one that is not finite.",
       .min = 0});
}

void declare_lora(run::Settings& settings, LoraConfig& lora) {
  run::Section section = settings.section(
      "train.lora", "Low-rank adapters that are trained in place of the policy's own weights.");
  section.field("rank", lora.rank,
                {.help = "Their width; 0: all weights are trained.", .min = 0, .max = 65536});
  section.field("alpha", lora.alpha, {.help = "They count alpha / rank times.", .min = 0});
  section.field("rslora", lora.rslora, {.help = "They count alpha / sqrt(rank) times instead."});
  section.field("targets", lora.targets,
                {.help = "The matrices that have one.",
                 .choices = {kLoraTargets.begin(), kLoraTargets.end()}});
}

void declare_evaluation(run::Settings& settings, EvaluationSettings& evaluation) {
  run::Section section =
      settings.section("evaluation", "Accuracy on problems that training never draws.");
  section.field("suite", evaluation.suite, {.help = "As curriculum.suite; empty: the same."});
  section.field("levels", evaluation.levels,
                {.help = "Empty: the suite's own, or 0 to 4.", .min = 0});
  section.field("problems", evaluation.problems,
                {.help = "Per environment and level; 0: the suite's own, or 50.", .min = 0});
  section.field("suites", evaluation.suites, {.help = "Several suites, instead of suite."});
  section.field("samples", evaluation.samples,
                {.help = "Responses to each problem (k of avg@k and pass@k).", .min = 1});
  section.field("temperature", evaluation.temperature,
                {.help = "Of the responses; 0: greedy.", .min = 0});
  section.field("top_p", evaluation.top_p,
                {.help = "Only the likeliest tokens that make up this share; 0: as in training.",
                 .min = 0,
                 .max = 1});
  section.field("max_new_tokens", evaluation.max_new_tokens,
                {.help = "A response is cut here; 0: as in training.", .min = 0});
  section.field("every", evaluation.every,
                {.help = "Steps between evaluations during training; the best policy is kept as "
                         "RUN/best. 0: none.",
                 .min = 0});
  section.field("before", evaluation.before, {.help = "Evaluate before the first step."});
  section.field("after", evaluation.after, {.help = "Evaluate after the last step."});
}

void declare_model(run::Settings& settings, ModelSettings& model) {
  run::Section section = settings.section("model", "The policy that `redqueen policy init` makes.");
  section.field("vocabulary", model.vocabulary,
                {.help = "Tokens, 256 of them single bytes.", .min = 260});
  section.field("pretokenizer", model.pretokenizer,
                {.help = "What a token never reaches beyond: words, as in Qwen's tokenizer, or "
                         "lines: phrases that "
                         "recur become single tokens.",
                 .choices = {"words", "lines"},
                 .former = "pieces"});
  section.field("tokenizer_problems", model.tokenizer_problems,
                {.help = "As warm_start.problems, to train the tokenizer on.", .min = 1});
  section.field("hidden_size", model.hidden_size,
                {.help = "Width of the residual stream.", .min = 1});
  section.field("intermediate_size", model.intermediate_size,
                {.help = "Width of the SwiGLU blocks.", .min = 1});
  section.field("layers", model.layers, {.help = "Transformer blocks.", .min = 1});
  section.field("heads", model.heads,
                {.help = "Query heads, a multiple of key_value_heads.", .min = 1});
  section.field("key_value_heads", model.key_value_heads,
                {.help = "Key and value heads.", .min = 1});
  section.field("head_dim", model.head_dim, {.help = "Width of a head, even.", .min = 2});
  section.field("context", model.context,
                {.help = "Tokens of prompt and response together.", .min = 16});
  section.field("rope_theta", model.rope_theta,
                {.help = "Base of the rotary positions.", .min = 1});
  section.field("tie_embeddings", model.tie_embeddings,
                {.help = "One matrix for input and output embedding."});
}

void declare_warm_start(run::Settings& settings, WarmStartSettings& warm_start,
                        std::span<const RecipeType* const> recipes) {
  run::Section section = settings.section(
      "warm_start", "Supervised training on reference answers (`redqueen policy warmstart`).");
  std::string help = "suite: reference answers of environments";
  std::vector<std::string_view> corpora{"suite"};
  for (const RecipeType* recipe : recipes) {
    const auto corpus = recipe->corpus();
    if (!corpus) continue;
    corpora.push_back(recipe->name());
    help += fmt::format("; {}: {}", recipe->name(), corpus->summary);
  }
  help += ".";
  section.field("corpus", warm_start.corpus,
                {.help = help, .choices = std::move(corpora), .noun = "corpus"});
  section.field("suite", warm_start.suite, {.help = "As curriculum.suite; empty: the same."});
  section.field("levels", warm_start.levels, {.help = "Levels of the problems.", .min = 0});
  section.field("problems", warm_start.problems, {.help = "Per environment and level.", .min = 1});
  section.field("held_out", warm_start.held_out,
                {.help = "Likewise, for the held-out loss.", .min = 0});
  section.field("epochs", warm_start.epochs,
                {.help = "Times the problems are gone through.", .min = 1});
  section.field("batch_tokens", warm_start.batch_tokens,
                {.help = "Tokens of an update.", .min = 1});
  section.field("learning_rate", warm_start.learning_rate,
                {.help = "Peak rate of AdamW.", .min = 0});
  section.field("warmup", warm_start.warmup, {.help = "Updates until the peak rate.", .min = 0});
}

void declare_data(run::Settings& settings, DataSettings& data) {
  run::Section section = settings.section("data", "How data sets are loaded (docs/data-sets.md).");
  section.choice("unsound", data.unsound, data_sets::kUnsoundNames,
                 "Rows of a data set that the right answer does not earn: keep them, skip them, or "
                 "refuse the file.");
  section.field("audit", data.audit,
                {.help = "Look for such rows when a data set is first used; false: only "
                         "`redqueen data check` does."});
}

}  // namespace

void TrainSettings::declare(run::Settings& settings, std::span<const RecipeType* const> recipes) {
  declare_run(settings, run, recipes);
  declare_policy(settings, policy);
  declare_sampling(settings, sampling, table<EngineSettings>());
  declare_curriculum(settings, *this);
  declare_batch(settings, batch);
  declare_training(settings, reward, advantage, trainer, table<Sharing>().what);
  declare_lora(settings, table<LoraConfig>());
  declare_evaluation(settings, evaluation);
  declare_model(settings, model);
  declare_warm_start(settings, warm_start, recipes);
  for (const RecipeType* recipe : recipes) recipe->declare(*this, settings);
  sandbox.declare(settings);
  declare_data(settings, data);
  endpoint.declare(settings);
  trainer.temperature = sampling.temperature;
  // The divergence is from the policy that the run begins with, unless another is named.
  std::string reference = trainer.reference.string();
  if (trainer.objective.kl_coefficient > 0 && reference.empty()) reference = policy.path;
  trainer.reference = policy_folder(reference);
}

std::filesystem::path policy_folder(std::string_view path) { return model_folder(path); }

Expected<PromptFormat> TrainSettings::problem_format() const {
  ASSIGN_OR_RETURN(PromptFormat format, PromptFormat::parse(policy.prompt_format));
  format.reading = reading;
  format.thoughts = thoughts;
  return format;
}

}  // namespace redqueen
