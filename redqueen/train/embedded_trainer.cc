#include "redqueen/train/embedded_trainer.h"

#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

#include "redqueen/model/lora.h"
#include "redqueen/train/network_pass.h"

namespace redqueen {
namespace {

Status check_options(const TrainerOptions& options) {
  const ObjectiveOptions& objective = options.objective;
  if (objective.kl_coefficient != 0 && options.reference.empty()) {
    return usage_error(
        "the KL coefficient is {}, but there is no reference policy. Name its folder, or set the "
        "coefficient to 0.",
        objective.kl_coefficient);
  }
  if (objective.importance_cap > 0 && options.old_log_probs == OldLogProbs::kSampler) {
    return usage_error(
        "truncated importance weights compare the trainer's log-probabilities with the sampler's: "
        "they need recomputed old log-probabilities.");
  }
  if (!(objective.clip_low >= 0 && objective.clip_low < 1 && objective.clip_high >= 0)) {
    return usage_error("clip range [{}, {}]: needs 0 ≤ low < 1 and high ≥ 0.", objective.clip_low,
                       objective.clip_high);
  }
  if (objective.dual_clip != 0 && !(objective.dual_clip > 1)) {
    return usage_error("the dual clip is {}: it must exceed 1, or be 0 for none.",
                       objective.dual_clip);
  }
  if (!(options.loss_limit >= 0 && options.optimizer.gradient_norm_limit >= 0)) {
    return usage_error("the limits of loss ({}) and gradient norm ({}) must not be negative.",
                       options.loss_limit, options.optimizer.gradient_norm_limit);
  }
  if (!(options.temperature > 0)) {
    return usage_error("the temperature is {}: training needs one above 0.", options.temperature);
  }
  if (options.epochs < 1 || options.mini_batches < 1 || options.micro_batch_tokens < 1 ||
      !(options.aggregation.constant_length > 0)) {
    return usage_error(
        "epochs ({}), mini-batches ({}), token budget ({}) and constant length ({}) must be "
        "positive.",
        options.epochs, options.mini_batches, options.micro_batch_tokens,
        options.aggregation.constant_length);
  }
  return {};
}

std::string describe(const ScoredGroup& group, std::size_t number) {
  return fmt::format("group {} (role '{}', task '{}')", number, group.role, group.task);
}

// Names the token and the rollout that a number in the batch stands for.
std::string locate(const StepBatch& batch, std::size_t token) {
  const TokenPlace place = place_of(batch, token);
  return fmt::format("token {} of rollout {} of {}", place.token, place.rollout,
                     describe(batch.groups[place.group], place.group));
}

Status check_tokens(const std::vector<Token>& tokens, int vocabulary) {
  for (const Token token : tokens) {
    if (token < 0 || token >= vocabulary) {
      return failure("token {} is not in the vocabulary of {}", token, vocabulary);
    }
  }
  return {};
}

// Whether a folder is the one whose model the adapters stand beside.
bool is_base(const std::filesystem::path& folder, const Transformer& model) {
  const LoraConfig* lora = lora_of(model);
  std::error_code ignored;
  return lora != nullptr && !folder.empty() &&
         std::filesystem::equivalent(folder, lora->base, ignored);
}

Status check_rollout(const ScoredRollout& rollout, std::size_t prompt, const ModelConfig& model) {
  const std::size_t length = rollout.completion.tokens.size();
  const std::size_t known = rollout.completion.log_probs.size();
  if (!std::isfinite(rollout.reward)) return failure("its reward is {}", rollout.reward);
  if (known != 0 && known != length) {
    return failure("it has {} tokens but {} log-probabilities", length, known);
  }
  if (prompt + length > static_cast<std::size_t>(model.max_position_embeddings)) {
    return failure("prompt and response have {} tokens, the model's context holds {}",
                   prompt + length, model.max_position_embeddings);
  }
  RETURN_IF_ERROR(check_given(rollout.given, length));
  return check_tokens(rollout.completion.tokens, model.vocab_size);
}

}  // namespace

Expected<std::unique_ptr<EmbeddedTrainer>> EmbeddedTrainer::create(Transformer transformer,
                                                                   const TrainerOptions& options,
                                                                   const Sharing& sharing) {
  RETURN_IF_ERROR(check_options(options));
  std::unique_ptr<EmbeddedTrainer> trainer(
      new EmbeddedTrainer(std::move(transformer), options, sharing));
  if (is_base(options.reference, trainer->transformer_)) {
    trainer->reference_ = trainer->transformer_;  // scored without its adapters
  } else if (!options.reference.empty()) {
    // Read now even if it is not held: a wrong folder should stop a run at its start.
    ASSIGN_OR_RETURN(auto reference,
                     Transformer::load(options.reference, trainer->transformer_.options()));
    if (reference.config().vocab_size != trainer->transformer_.config().vocab_size) {
      return failure("the reference policy in {} has a vocabulary of {}, the trained policy {}.",
                     options.reference.string(), reference.config().vocab_size,
                     trainer->transformer_.config().vocab_size);
    }
    if (options.hold_reference) trainer->reference_ = std::move(reference);
  }
  return trainer;
}

Expected<std::unique_ptr<EmbeddedTrainer>> EmbeddedTrainer::create(const EmbeddedPolicy& policy,
                                                                   const TrainerOptions& options,
                                                                   const Sharing& sharing) {
  auto trainer = create(policy.transformer(), options, sharing);
  if (trainer) (*trainer)->tokenizer_ = policy.tokenizer();
  return trainer;
}

EmbeddedTrainer::EmbeddedTrainer(Transformer transformer, const TrainerOptions& options,
                                 const Sharing& sharing)
    : transformer_(std::move(transformer)),
      options_(options),
      sharing_(sharing),
      optimizer_(trained_parameters(transformer_), options.optimizer, sharing.place) {}

ScoreOptions EmbeddedTrainer::score_options() const {
  return {.share_prefix = options_.share_prefix,
          .activation_checkpointing = options_.activation_checkpointing,
          .temperature = options_.temperature,
          .entropy = options_.objective.entropy_coefficient != 0};
}

PackingOptions EmbeddedTrainer::packing() const {
  return {.micro_batch_tokens = options_.micro_batch_tokens,
          .share_prefix = options_.share_prefix,
          .processes = communicator_ ? static_cast<std::size_t>(communicator_->size()) : 1};
}

std::vector<MicroBatch> EmbeddedTrainer::own_share(const StepBatch& batch, Range range,
                                                   const PackingOptions& options) const {
  const int rank = communicator_ ? communicator_->rank() : 0;
  return share_of(batch, pack(batch, range, options), options, rank);
}

void EmbeddedTrainer::join(std::shared_ptr<Communicator> communicator) {
  communicator_ = std::move(communicator);
}

Status EmbeddedTrainer::check(std::span<const ScoredGroup> groups) const {
  if (groups.empty()) return failure("step {}: the batch has no groups.", steps_ + 1);
  const ModelConfig& model = transformer_.config();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto explain = [&](const std::string& where, const std::string& what) {
      return failure("step {}: {}{} cannot be trained on: {}.", steps_ + 1, where,
                     describe(groups[g], g), what);
    };
    if (groups[g].prompt.empty()) return explain("", "its prompt has no tokens");
    const Status prompt = check_tokens(groups[g].prompt, model.vocab_size);
    if (!prompt) return explain("the prompt of ", prompt.error().message);
    for (std::size_t k = 0; k < groups[g].rollouts.size(); ++k) {
      const Status rollout = check_rollout(groups[g].rollouts[k], groups[g].prompt.size(), model);
      if (!rollout) return explain(fmt::format("rollout {} of ", k), rollout.error().message);
    }
  }
  return {};
}

Expected<std::vector<float>> EmbeddedTrainer::score_batch(const Transformer& model,
                                                          const StepBatch& batch) const {
  ScoreOptions options = score_options();
  options.entropy = false;
  std::vector<float> log_probs(batch.tokens());
  for (const MicroBatch& micro_batch : own_share(batch, {0, batch.groups.size()}, packing())) {
    const auto scores = score_tokens(model, token_groups(batch, micro_batch), options);
    const auto numbers = token_numbers(batch, micro_batch);
    for (std::size_t t = 0; t < numbers.size(); ++t) log_probs[numbers[t]] = scores[t];
  }
  if (communicator_ && !log_probs.empty()) {
    // Every token is one process's: the sum with zeros is exact.
    const std::int64_t count = log_probs.size();
    const at::Tensor all = at::from_blob(log_probs.data(), {count}, at::kFloat);
    RETURN_IF_ERROR(communicator_->sum({all}));
  }
  return log_probs;
}

// The log-probabilities of the policy before the step and of the reference.
Status EmbeddedTrainer::add_log_probs(StepBatch& batch) const {
  if (options_.old_log_probs == OldLogProbs::kSampler) {
    if (batch.sampler_log_probs.empty() && batch.tokens() > 0) {
      return failure(
          "step {}: some rollouts have no log-probabilities of their sampler. Train with "
          "recomputed old log-probabilities.",
          steps_ + 1);
    }
    batch.old_log_probs = batch.sampler_log_probs;
    batch.old_is_sampler = true;
  } else if (options_.objective.importance_cap > 0 && batch.sampler_log_probs.empty()) {
    return failure(
        "step {}: some rollouts have no log-probabilities of their sampler, which truncated "
        "importance weights need.",
        steps_ + 1);
  } else if (options_.epochs > 1 || options_.mini_batches > 1) {
    ASSIGN_OR_RETURN(auto scores, score_batch(transformer_, batch));
    batch.old_log_probs = std::move(scores);
  }
  return add_reference_log_probs(batch);
}

Status EmbeddedTrainer::add_reference_log_probs(StepBatch& batch) const {
  Expected<std::vector<float>> scores;
  if (reference_ && &reference_->weights() == &transformer_.weights()) {
    const WithoutAdapters base(*reference_);
    scores = score_batch(*reference_, batch);
  } else if (reference_) {
    scores = score_batch(*reference_, batch);
  } else if (!options_.reference.empty()) {
    ASSIGN_OR_RETURN(const auto reference,
                     Transformer::load(options_.reference, transformer_.options()));
    scores = score_batch(reference, batch);
  }
  if (!scores) return tl::make_unexpected(scores.error());
  batch.reference_log_probs = std::move(*scores);
  return {};
}

Expected<StepReport> EmbeddedTrainer::step(std::span<const ScoredGroup> groups) {
  RETURN_IF_ERROR(check_place());
  RETURN_IF_ERROR(check(groups));
  StepBatch batch = lay_out(groups, options_.advantage_epsilon);
  RETURN_IF_ERROR(add_log_probs(batch));

  StepReport report{.step = steps_ + 1,
                    .groups = groups.size(),
                    .rollouts = batch.rollouts(),
                    .response_tokens = batch.tokens()};
  for (const double advantage : batch.advantages) report.mean_abs_advantage += std::abs(advantage);
  report.mean_abs_advantage /= static_cast<double>(std::max<std::size_t>(batch.rollouts(), 1));

  const std::int64_t updates_before = optimizer_.updates();
  const auto parts = mini_batches(groups.size(), options_.mini_batches);
  for (int epoch = 0; epoch < options_.epochs && !report.stopped_early; ++epoch) {
    for (std::size_t part = 0; part < parts.size() && !report.stopped_early; ++part) {
      batch.same_policy = epoch == 0 && part == 0;
      ASSIGN_OR_RETURN(const auto went_on, update(batch, parts[part], report));
      report.stopped_early = !went_on;
    }
  }
  const auto updates = static_cast<double>(optimizer_.updates() - updates_before);
  if (updates > 0) {
    report.loss /= updates;
    report.gradient_norm /= updates;
  }
  report.updates = optimizer_.updates();
  ++steps_;
  return report;
}

// One mini-batch. False when the KL cap forbids the update.
Expected<bool> EmbeddedTrainer::update(const StepBatch& batch, Range range, StepReport& report) {
  optimizer_.zero_gradients();
  ASSIGN_OR_RETURN(const auto pass, accumulate(batch, range));
  RETURN_IF_ERROR(check_loss(pass.loss, range));
  report.sums += pass.sums;
  report.trained_tokens += pass.trained_tokens;
  if (exceeds_kl_cap(batch, pass.sums)) return false;
  report.learning_rate = learning_rate(options_.schedule, optimizer_.updates());
  const auto norm = optimizer_.step(report.learning_rate, communicator_.get());
  if (!norm) {
    return failure("step {}, groups {} to {}: {}", steps_ + 1, range.begin, range.end - 1,
                   norm.error().message);
  }
  optimizer_.zero_gradients();
  report.loss += pass.loss;
  report.gradient_norm += *norm;
  return true;
}

// Leaves the gradients of the mini-batch in the optimizer.
Expected<EmbeddedTrainer::PassSums> EmbeddedTrainer::accumulate(const StepBatch& batch,
                                                                Range range) {
  auto pass = accumulate_share(batch, range);
  if (!communicator_) return pass;
  pass = add_up(pass);
  if (!pass) return pass;
  if (!is_shared()) {
    RETURN_IF_ERROR(communicator_->sum(optimizer_.gradients()));
  } else if (!shares_gradients()) {
    RETURN_IF_ERROR(optimizer_.share_gradients(*communicator_));
  }
  return pass;
}

// Over the processes; a failure of any of them is everybody's.
Expected<EmbeddedTrainer::PassSums> EmbeddedTrainer::add_up(const Expected<PassSums>& own) {
  static_assert(std::is_trivially_copyable_v<PassSums>);
  std::string bytes(sizeof(PassSums), '\0');
  if (own) {
    std::memcpy(bytes.data(), &*own, sizeof(PassSums));
  } else {
    bytes += own.error().message;
  }
  ASSIGN_OR_RETURN(const auto all, communicator_->exchange(bytes));
  PassSums total;
  for (const std::string& one : all) {
    if (one.size() > sizeof(PassSums)) return failure("{}", one.substr(sizeof(PassSums)));
    PassSums part;
    std::memcpy(&part, one.data(), sizeof(PassSums));
    total.loss += part.loss;
    total.sums += part.sums;
    total.trained_tokens += part.trained_tokens;
  }
  return total;
}

Expected<EmbeddedTrainer::PassSums> EmbeddedTrainer::accumulate_share(const StepBatch& batch,
                                                                      Range range) {
  const auto coefficients = token_coefficients(
      batch.groups.subspan(range.begin, range.end - range.begin), options_.aggregation);
  PackingOptions packing_options = packing();
  // Such rollouts have no gradient. They still count in the coefficients.
  packing_options.skip_zero_advantages =
      options_.objective.kl_coefficient == 0 && options_.objective.entropy_coefficient == 0;
  const std::vector<MicroBatch> plan = own_share(batch, range, packing_options);
  // Where gradients are shared out after every micro-batch, each process makes as many rounds as
  // the one with the most work, and goes on without work when it fails: the others wait for it.
  const std::size_t rounds =
      shares_gradients() ? rounds_of(batch, range, packing_options) : plan.size();
  PassSums pass;
  Status status;
  std::optional<AdamW::GatheringOnTheWay> gathering;
  if (!shares_gradients()) gathering.emplace(optimizer_);
  for (std::size_t m = 0; m < rounds; ++m) {
    if (status && m < plan.size()) {
      status = add_micro_batch(batch, range, plan[m], coefficients, pass);
    }
    if (shares_gradients()) {
      RETURN_IF_ERROR(optimizer_.share_gradients(*communicator_));
    } else if (!status) {
      break;
    } else {
      optimizer_.gather_gradients();
    }
  }
  RETURN_IF_ERROR(status);
  return pass;
}

// Forward and backward: leaves gradients in the parameters.
Status EmbeddedTrainer::add_micro_batch(const StepBatch& batch, Range range,
                                        const MicroBatch& micro_batch,
                                        std::span<const double> coefficients, PassSums& pass) {
  const TokenTerms terms = token_terms(batch, micro_batch, coefficients, range.begin);
  const ObjectiveResult result = forward_backward(transformer_, token_groups(batch, micro_batch),
                                                  score_options(), terms, options_.objective);
  if (result.first_non_finite >= 0) {
    const std::size_t token = token_numbers(batch, micro_batch)[result.first_non_finite];
    return failure(
        "step {}, groups {} to {}: the loss is not finite at {}. The parameters are those of "
        "update {}.",
        steps_ + 1, range.begin, range.end - 1, locate(batch, token), optimizer_.updates());
  }
  pass.loss += result.loss;
  pass.sums += result.sums;
  pass.trained_tokens += network_tokens(batch, micro_batch, options_.share_prefix);
  return {};
}

// The micro-batches of the process that has the most.
std::size_t EmbeddedTrainer::rounds_of(const StepBatch& batch, Range range,
                                       const PackingOptions& options) const {
  const auto all = pack(batch, range, options);
  std::size_t most = 0;
  for (int rank = 0; rank < communicator_->size(); ++rank) {
    most = std::max(most, share_of(batch, all, options, rank).size());
  }
  return most;
}

bool EmbeddedTrainer::shares_gradients() const {
  return is_shared() && sharing_.what == Sharding::kGradients;
}

Status EmbeddedTrainer::check_place() const {
  const Share place = communicator_ ? Share{communicator_->rank(), communicator_->size()} : Share{};
  if (!is_shared() || place == sharing_.place) return {};
  return failure(
      "the optimizer's state is that of process {} of {}, but this is process {} of {}: without "
      "the others there can be no step and no checkpoint.",
      sharing_.place.rank, sharing_.place.size, place.rank, place.size);
}

Status EmbeddedTrainer::check_loss(double loss, Range range) const {
  const bool beyond = options_.loss_limit > 0 && std::abs(loss) > options_.loss_limit;
  if (std::isfinite(loss) && !beyond) return {};
  return failure(
      "step {}, groups {} to {}: the loss is {:.6g}{}. The parameters are those of update {}.",
      steps_ + 1, range.begin, range.end - 1, loss,
      beyond ? fmt::format(", beyond the limit of {:.6g}", options_.loss_limit) : "",
      optimizer_.updates());
}

bool EmbeddedTrainer::exceeds_kl_cap(const StepBatch& batch, const ObjectiveSums& sums) const {
  if (options_.kl_cap <= 0 || sums.tokens == 0) return false;
  const double kl = batch.reference_log_probs.empty() ? sums.old_kl : sums.reference_kl;
  return kl / sums.tokens > options_.kl_cap;
}

}  // namespace redqueen
