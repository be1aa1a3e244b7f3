#include "redqueen/session/warm_start.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "redqueen/base/clock.h"
#include "redqueen/base/durable.h"
#include "redqueen/embedded/checkpoint.h"
#include "redqueen/model/transformer.h"
#include "redqueen/session/corpus.h"
#include "redqueen/session/load_policy.h"
#include "redqueen/session/memory_check.h"
#include "redqueen/session/own_settings.h"
#include "redqueen/session/policy_to_train.h"
#include "redqueen/session/time_plan.h"
#include "redqueen/train/batch_file.h"
#include "redqueen/train/sft.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

// Leaves the batch of an update that failed in `folder`, and says so.
std::string keep_failed_batch(const fs::path& folder, std::int64_t update,
                              std::span<const TokenGroup> batch, const Tokenizer& tokenizer) {
  std::error_code ignored;  // writing will fail, and say so
  fs::create_directories(folder, ignored);
  const fs::path file = folder / fmt::format("failed-batch-update-{:08}.jsonl", update);
  const Status written = write_batch(file, batch, tokenizer);
  if (!written) return fmt::format(" {}", written.error().message);
  return fmt::format(" No policy was written; the batch is in {}.", file.string());
}

SftOptions sft_options(const TrainSettings& settings) {
  const WarmStartSettings& warm = settings.warm_start;
  SftOptions options{.epochs = warm.epochs,
                     .batch_tokens = static_cast<std::size_t>(warm.batch_tokens),
                     .seed = settings.run.seed};
  options.schedule.peak = warm.learning_rate;
  options.schedule.warmup = warm.warmup;
  options.micro_batch_tokens = settings.trainer.micro_batch_tokens;
  options.loss_limit = settings.trainer.loss_limit;
  options.optimizer.gradient_norm_limit = settings.trainer.optimizer.gradient_norm_limit;
  return options;
}

// Tells how long all of it will take, from the beginning.
void tell_time_plan(Policy& policy, std::span<const TokenGroup> groups, const SftOptions& options,
                    run::Progress& progress) {
  const auto pace = measure_pace(policy, 1);
  if (!pace) return;
  std::int64_t tokens = 0;
  for (const TokenGroup& group : groups) {
    tokens += std::ssize(group.prompt);
    for (const auto& response : group.responses) tokens += std::ssize(response);
  }
  const double all = training_seconds(*pace, tokens * options.epochs);
  progress.note(
      fmt::format("plan: about {} for {} answers, {} tokens (tried out: {:.1f} ms a token "
                  "that is read)",
                  run::duration_text(all), groups.size(), tokens, 1e3 * pace->prompt_token));
}

constexpr double kSecondsBetweenStates = 60;

// Tells the user of every update.
SftObserver observer_for(run::Progress& progress, const std::atomic<bool>& stop) {
  const auto now = std::chrono::steady_clock::now();
  return [&progress, &stop, last = now, saved = now](const SftProgress& at) mutable {
    progress.step({.step = at.update,
                   .total_steps = at.total_updates,
                   .step_seconds = seconds_since(last),
                   .detail = fmt::format("loss {:.3f}", at.loss)});
    last = std::chrono::steady_clock::now();
    if (stop) return SftNext::kStop;
    if (seconds_since(saved) < kSecondsBetweenStates) return SftNext::kGoOn;
    saved = last;
    return SftNext::kSave;
  };
}

}  // namespace

Status warm_start_policy(const Engine& engine, const TrainSettings& given, const fs::path& folder,
                         run::Progress& progress, const std::atomic<bool>& stop) {
  TrainSettings settings = given;
  progress.stage("loading the policy");
  RETURN_IF_ERROR(check_warm_start_memory(settings));
  ASSIGN_OR_RETURN(const auto policy, load_policy_to_train(settings));
  RETURN_IF_ERROR(resolve_prompt_format(*policy, settings));

  const Transformer& transformer = policy->transformer();
  const std::vector<int>& ends = transformer.config().eos_token_ids;
  const std::optional<Token> end = ends.empty() ? std::nullopt : std::optional<Token>(ends[0]);
  progress.stage("warm start");
  ASSIGN_OR_RETURN(const Corpus corpus, make_corpus(engine, settings, progress));
  const auto groups = encode_pairs(policy->tokenizer(), corpus.pairs, end);
  const auto held_out = encode_pairs(policy->tokenizer(), corpus.held_out, end);
  SftOptions options = sft_options(settings);
  tell_time_plan(*policy, groups, options, progress);
  std::string kept;  // of a batch that fails
  options.on_failure = [&](std::int64_t update, std::span<const TokenGroup> batch) {
    kept = keep_failed_batch(folder, update, batch, policy->tokenizer());
  };
  options.state =
      (folder / "").parent_path();  // beside the folder, also where it ends with a slash
  options.state += ".partial";
  const auto report =
      fine_tune(transformer, groups, held_out, options, observer_for(progress, stop));
  if (!report) {
    Error error = report.error();
    error.message += kept;
    return tl::make_unexpected(std::move(error));
  }
  if (report->resumed_after > 0)
    progress.note(fmt::format("went on after update {}", report->resumed_after));
  if (!report->complete) {
    progress.note(fmt::format("stopped after update {}, saved; the same command goes on from there",
                              report->updates));
    return {};
  }
  const CompanionFile own_settings = own_settings_file(given);
  RETURN_IF_ERROR(save_checkpoint(folder, transformer, policy->tokenizer(), {&own_settings, 1}));
  (void)remove_folder(options.state);  // what is left is swept by the next warm start
  progress.note(fmt::format(
      "{}: loss {:.3f} after {} updates on {} answers{}", folder.string(), report->last_loss,
      report->updates, groups.size(),
      report->held_out_loss ? fmt::format(", held-out loss {:.3f}", *report->held_out_loss) : ""));
  return {};
}

}  // namespace redqueen
