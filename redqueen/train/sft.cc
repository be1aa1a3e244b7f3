#include "redqueen/train/sft.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "redqueen/base/file_queries.h"
#include "redqueen/base/rng.h"
#include "redqueen/base/sha256.h"
#include "redqueen/model/lora.h"
#include "redqueen/train/batching.h"
#include "redqueen/train/network_pass.h"
#include "redqueen/train/rollout.h"
#include "redqueen/train/sft_state.h"

namespace redqueen {
namespace {

std::size_t target_tokens(std::span<const TokenGroup> groups) {
  std::size_t total = 0;
  for (const TokenGroup& group : groups) total += scored_tokens(group);
  return total;
}

Status check(std::span<const TokenGroup> groups, const ModelConfig& model) {
  const auto known = [&](const std::vector<Token>& tokens) {
    return std::ranges::all_of(tokens, [&](Token t) { return t >= 0 && t < model.vocab_size; });
  };
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].prompt.empty()) return failure("fine-tuning: prompt {} has no tokens.", g);
    std::size_t longest = 0;
    bool in_vocabulary = known(groups[g].prompt);
    if (!groups[g].given.empty() && groups[g].given.size() != groups[g].responses.size()) {
      return failure("fine-tuning: pair {} has {} targets, and given runs for {}.", g,
                     groups[g].responses.size(), groups[g].given.size());
    }
    for (std::size_t k = 0; k < groups[g].given.size(); ++k) {
      const Status sound = check_given(groups[g].given[k], groups[g].responses[k].size());
      if (!sound)
        return failure("fine-tuning: target {} of pair {}: {}.", k, g, sound.error().message);
    }
    for (const auto& target : groups[g].responses) {
      longest = std::max(longest, target.size());
      in_vocabulary = in_vocabulary && known(target);
    }
    if (!in_vocabulary) {
      return failure("fine-tuning: pair {} has tokens outside the vocabulary of {}.", g,
                     model.vocab_size);
    }
    if (groups[g].prompt.size() + longest >
        static_cast<std::size_t>(model.max_position_embeddings)) {
      return failure("fine-tuning: pair {} has {} tokens, the model's context holds {}.", g,
                     groups[g].prompt.size() + longest, model.max_position_embeddings);
    }
  }
  return {};
}

std::vector<TokenGroup> take(std::span<const TokenGroup> groups, const MicroBatch& micro_batch) {
  std::vector<TokenGroup> result;
  for (const GroupSlice& slice : micro_batch) {
    result.push_back({groups[slice.group].prompt, {}});
    for (const std::size_t response : slice.responses) {
      result.back().responses.push_back(groups[slice.group].responses[response]);
      if (!groups[slice.group].given.empty()) {
        result.back().given.push_back(groups[slice.group].given[response]);
      }
    }
  }
  return result;
}

// Micro-batches of the groups that `chosen` lists.
std::vector<MicroBatch> pack_groups(std::span<const TokenGroup> groups,
                                    std::span<const std::size_t> chosen,
                                    std::size_t micro_batch_tokens) {
  std::vector<GroupLengths> lengths;
  for (const std::size_t g : chosen) {
    lengths.push_back({groups[g].prompt.size(), {}});
    for (const auto& target : groups[g].responses)
      lengths.back().responses.push_back(target.size());
  }
  std::vector<MicroBatch> result =
      micro_batches(lengths, micro_batch_tokens, /*share_prefix=*/true);
  for (MicroBatch& micro_batch : result) {
    for (GroupSlice& slice : micro_batch) slice.group = chosen[slice.group];
  }
  return result;
}

using Batch = std::vector<std::size_t>;  // numbers of groups

// The batches of all epochs, in order.
std::vector<Batch> plan_batches(std::span<const TokenGroup> groups, const SftOptions& options) {
  std::vector<Batch> batches;
  for (int epoch = 0; epoch < options.epochs; ++epoch) {
    Rng rng({.seed = options.seed,
             .purpose = hash_name("fine-tuning order"),
             .step = static_cast<std::uint64_t>(epoch)});
    Batch order(groups.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    rng.shuffle(order);
    std::size_t tokens = options.batch_tokens;  // full: the first group opens a batch
    for (const std::size_t g : order) {
      if (scored_tokens(groups[g]) == 0) continue;
      if (tokens >= options.batch_tokens) {
        batches.emplace_back();
        tokens = 0;
      }
      batches.back().push_back(g);
      tokens += groups[g].prompt.size() + scored_tokens(groups[g]);
    }
  }
  return batches;
}

std::vector<TokenGroup> select(std::span<const TokenGroup> groups, const Batch& batch) {
  std::vector<TokenGroup> result;
  for (const std::size_t g : batch) result.push_back(groups[g]);
  return result;
}

// Leaves the gradients of the batch's mean loss in the optimizer; returns that loss.
Expected<double> accumulate(const Transformer& transformer, std::span<const TokenGroup> groups,
                            const Batch& batch, const SftOptions& options, AdamW& optimizer) {
  std::size_t tokens = 0;
  for (const std::size_t g : batch) tokens += scored_tokens(groups[g]);
  double loss = 0;
  const AdamW::GatheringOnTheWay gathering(optimizer);
  for (const MicroBatch& micro_batch : pack_groups(groups, batch, options.micro_batch_tokens)) {
    const std::vector<TokenGroup> part = take(groups, micro_batch);
    const std::size_t count = target_tokens(part);
    TokenTerms terms;
    terms.advantages.assign(count, 1.0F);
    terms.likelihood.assign(count, 1);
    terms.coefficients.assign(count, 1 / static_cast<double>(tokens));
    const ObjectiveResult result =
        forward_backward(transformer, part,
                         {.activation_checkpointing = options.activation_checkpointing}, terms, {});
    if (result.first_non_finite >= 0) {
      return failure("fine-tuning, update {}: the loss is not finite. Lower the learning rate.",
                     optimizer.updates() + 1);
    }
    optimizer.gather_gradients();
    loss += result.loss;
  }
  if (options.loss_limit > 0 && loss > options.loss_limit) {
    return failure("fine-tuning, update {}: the loss is {:.6g}, beyond the limit of {:.6g}.",
                   optimizer.updates() + 1, loss, options.loss_limit);
  }
  return loss;
}

Expected<SftProgress> update(const Transformer& transformer, std::span<const TokenGroup> groups,
                             const Batch& batch, const SftOptions& options, AdamW& optimizer) {
  optimizer.zero_gradients();
  ASSIGN_OR_RETURN(const auto loss, accumulate(transformer, groups, batch, options, optimizer));
  const double rate = learning_rate(options.schedule, optimizer.updates());
  ASSIGN_OR_RETURN(const auto norm, optimizer.step(rate));
  return SftProgress{
      .update = optimizer.updates(), .loss = loss, .gradient_norm = norm, .learning_rate = rate};
}

// A name for what is learned and how: another one has other batches or another optimizer.
std::string work_name(std::span<const TokenGroup> groups, const SftOptions& options) {
  std::string text = fmt::format("{} {} {} {} {} {} {}", options.epochs, options.batch_tokens,
                                 options.seed, options.schedule.peak, options.schedule.warmup,
                                 options.schedule.floor, static_cast<int>(options.schedule.shape));
  for (const TokenGroup& group : groups) {
    text += fmt::format("\n{}", fmt::join(group.prompt, " "));
    for (const auto& target : group.responses) text += fmt::format("\t{}", fmt::join(target, " "));
  }
  return sha256(text);
}

}  // namespace

std::vector<TokenGroup> encode_pairs(const Tokenizer& tokenizer, std::span<const TextPair> pairs,
                                     std::optional<Token> end) {
  std::vector<TokenGroup> groups;
  std::map<std::string_view, std::size_t> places;
  for (const TextPair& pair : pairs) {
    const auto [place, added] = places.try_emplace(pair.prompt, groups.size());
    if (added) groups.push_back({tokenizer.encode_prompt(pair.prompt), {}});
    std::vector<Token> target = tokenizer.encode(pair.target);
    if (end) target.push_back(*end);
    groups[place->second].responses.push_back(std::move(target));
  }
  return groups;
}

double target_loss(const Transformer& transformer, std::span<const TokenGroup> groups,
                   std::size_t micro_batch_tokens) {
  Batch all(groups.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  double sum = 0;
  for (const MicroBatch& micro_batch : pack_groups(groups, all, micro_batch_tokens)) {
    for (const float log_prob : score_tokens(transformer, take(groups, micro_batch), {})) {
      sum -= log_prob;
    }
  }
  return sum / static_cast<double>(target_tokens(groups));
}

Expected<SftReport> fine_tune(const Transformer& transformer, std::span<const TokenGroup> groups,
                              std::span<const TokenGroup> held_out, const SftOptions& options,
                              const SftObserver& observer) {
  for (const auto part : {groups, held_out}) {
    RETURN_IF_ERROR(check(part, transformer.config()));
  }
  SftOptions resolved = options;
  const std::vector<Batch> batches = plan_batches(groups, options);
  if (batches.empty()) return failure("fine-tuning: there are no target tokens to learn from.");
  if (resolved.schedule.total == 0) {
    resolved.schedule.total = batches.size();
  }
  const bool evaluates = target_tokens(held_out) > 0;
  AdamW optimizer(trained_parameters(transformer), options.optimizer);
  SftReport report;
  SftCounters counters{.work = options.state.empty() ? "" : work_name(groups, options)};
  if (!options.state.empty() && is_there(options.state)) {
    ASSIGN_OR_RETURN(counters,
                     load_sft_state(options.state, transformer, counters.work, optimizer));
    report.resumed_after = report.updates = counters.updates;
    report.first_loss = counters.first_loss;
  }
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const Batch& batch = batches[i];
    if (std::cmp_less(i, report.resumed_after)) {
      for (const std::size_t g : batch) report.target_tokens += scored_tokens(groups[g]);
      continue;
    }
    auto progress = update(transformer, groups, batch, resolved, optimizer);
    if (!progress) {
      if (options.on_failure) options.on_failure(report.updates + 1, select(groups, batch));
      return tl::make_unexpected(progress.error());
    }
    for (const std::size_t g : batch) report.target_tokens += scored_tokens(groups[g]);
    if (report.updates == 0) report.first_loss = progress->loss;
    report.last_loss = progress->loss;
    report.updates = progress->update;
    progress->total_updates = batches.size();
    progress->target_tokens = report.target_tokens;
    if (evaluates && options.held_out_every > 0 && report.updates % options.held_out_every == 0) {
      progress->held_out_loss = target_loss(transformer, held_out, options.micro_batch_tokens);
    }
    const SftNext next = observer ? observer(*progress) : SftNext::kGoOn;
    if (next != SftNext::kGoOn && !options.state.empty()) {
      counters.updates = report.updates;
      counters.first_loss = report.first_loss;
      RETURN_IF_ERROR(save_sft_state(options.state, transformer, optimizer, counters));
    }
    if (next == SftNext::kStop) {
      report.complete = i + 1 == batches.size();
      break;
    }
  }
  optimizer.zero_gradients();
  if (evaluates)
    report.held_out_loss = target_loss(transformer, held_out, options.micro_batch_tokens);
  return report;
}

}  // namespace redqueen
