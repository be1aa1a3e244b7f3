#include "redqueen/recipes/session.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "redqueen/policy/bpe_trainer.h"
#include "redqueen/policy/chat_prompt.h"
#include "redqueen/policy/checkpoint.h"
#include "redqueen/policy/embedded_policy.h"
#include "redqueen/policy/libtorch_info.h"
#include "redqueen/policy/remote_policy.h"
#include "redqueen/policy/transformer.h"
#include "redqueen/recipes/corpus.h"
#include "redqueen/recipes/distributed/team.h"
#include "redqueen/recipes/evaluate.h"
#include "redqueen/recipes/fitting_policy.h"
#include "redqueen/recipes/loop.h"
#include "redqueen/recipes/memory_check.h"
#include "redqueen/recipes/recipes.h"
#include "redqueen/train/batch_file.h"
#include "redqueen/train/embedded_trainer.h"
#include "redqueen/train/sft.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEndOfText = "<|endoftext|>";

int thread_count(int threads, int processes = 1) {
  if (threads > 0) return threads;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / processes);
}

// "cpu", "cuda", or one of several GPUs.
Expected<std::string> device_of(const PolicySettings& settings, int rank, int processes) {
  const auto devices = static_cast<int>(libtorch_info().devices.size());
  if (settings.device == "cpu" || (settings.device == "auto" && devices == 0)) return "cpu";
  if (processes == 1) return "cuda";
  if (processes > devices) {
    return usage_error(
        "{} processes need a GPU each, but there are {}; give a smaller --nproc, or "
        "policy.device=cpu",
        processes, devices);
  }
  return fmt::format("cuda:{}", rank);
}

Expected<std::unique_ptr<EmbeddedPolicy>> load_embedded(const TrainSettings& all, int rank = 0,
                                                        int processes = 1) {
  const PolicySettings& settings = all.policy;
  if (settings.path.empty()) {
    return usage_error(
        "no policy: give --policy DIR, or policy.path in the configuration; "
        "`redqueen policy init` makes a small one");
  }
  if (settings.path.starts_with("openai:")) {
    return usage_error(
        "{}: a policy behind an endpoint has no weights here; only eval, sample and synth use one",
        settings.path);
  }
  const std::string path =
      settings.path.starts_with("hf:") ? settings.path.substr(3) : settings.path;
  const auto device = device_of(settings, rank, processes);
  if (!device) return tl::make_unexpected(device.error());
  return EmbeddedPolicy::load(path, {.dtype = settings.dtype,
                                     .device = *device,
                                     .threads = thread_count(all.run.threads, processes),
                                     .max_rows = settings.max_rows});
}

Status evaluate_into(EventStore& store, Policy& policy, const TrainSettings& settings,
                     const std::string& label, std::int64_t step, Progress& progress) {
  const EvaluationSettings& asked = settings.evaluation;
  const auto suite =
      load_suite_with_warning(asked.suite.empty() ? settings.suite : asked.suite, progress);
  if (!suite) return tl::make_unexpected(suite.error());
  auto format = PromptFormat::parse(settings.policy.prompt_format);
  if (!format) return tl::make_unexpected(format.error());
  EvaluationOptions options{.problems = asked.problems,
                            .format = std::move(*format),
                            .sampling = settings.sampling,
                            .label = label,
                            .step = step};
  options.sampling.temperature = asked.temperature;
  if (!suite->levels.empty()) options.levels = suite->levels;
  if (!asked.levels.empty()) options.levels = asked.levels;
  progress.stage(fmt::format("evaluating {} training", label));
  const auto records = evaluate(policy, *suite, options);
  if (!records) return tl::make_unexpected(records.error());
  const EvaluationRecord total = total_of(*records);
  progress.note(fmt::format("{} training: {} of {} held-out problems solved ({:.1f} %)", label,
                            total.solved, total.problems,
                            total.problems == 0 ? 0.0
                                                : 100.0 * static_cast<double>(total.solved) /
                                                      static_cast<double>(total.problems)));
  return store.append(*records);
}

Expected<RunDirectory> open_run(const TrainRequest& request) {
  return request.resume ? RunDirectory::open(request.run)
                        : RunDirectory::create(request.run, request.toml);
}

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

// Nothing where this process works alone.
Expected<std::unique_ptr<Team>> start_team(const TrainRequest& request) {
  if (request.processes == 1) return std::unique_ptr<Team>();
  return Team::start(request.processes, request.toml,
                     std::chrono::seconds(request.settings.run.peer_timeout));
}

}  // namespace

Expected<std::unique_ptr<Policy>> load_policy(const TrainSettings& settings) {
  constexpr std::string_view kRemote = "openai:";
  const std::string& path = settings.policy.path;
  if (path.starts_with(kRemote)) {
    auto endpoint = ChatEndpoint::create(settings.endpoint.options(path.substr(kRemote.size())));
    if (!endpoint) return tl::make_unexpected(endpoint.error());
    return std::make_unique<RemotePolicy>(std::move(*endpoint));
  }
  auto policy = load_embedded(settings);
  if (!policy) return tl::make_unexpected(policy.error());
  return std::unique_ptr<Policy>(std::move(*policy));
}

Expected<std::unique_ptr<EmbeddedPolicy>> load_trainable_policy(const TrainSettings& settings,
                                                                int rank, int processes) {
  return load_embedded(settings, rank, processes);
}

Expected<Suite> load_suite_with_warning(const std::string& name, Progress& progress) {
  auto suite = load_suite(name);
  if (suite && !suite->missing.empty()) progress.note(missing_warning(*suite));
  return suite;
}

Status bind_prompt_format(const Policy& policy, TrainSettings& settings) {
  auto format = prompt_format_for(policy, settings.policy.prompt_format);
  if (!format) return tl::make_unexpected(format.error());
  settings.policy.prompt_format = std::move(format->text);
  return {};
}

Status train(const TrainRequest& request, Progress& progress, const std::atomic<bool>& stop) {
  TrainSettings settings = request.settings;
  if (Status status = check_recipe(settings); !status) return status;
  if (Status fits = check_train_memory(settings, request.processes); !fits) return fits;
  auto team = start_team(request);
  if (!team) return tl::make_unexpected(team.error());
  auto policy = load_embedded(settings, 0, request.processes);
  if (!policy) return tl::make_unexpected(policy.error());
  if (Status bound = bind_prompt_format(**policy, settings); !bound) return bound;
  auto trainer = EmbeddedTrainer::create((*policy)->transformer(), settings.trainer);
  if (!trainer) return tl::make_unexpected(trainer.error());
  const auto sandbox = process_sandbox(settings.sandbox.config());
  if (*team) {
    if (Status met = (*team)->gather(**policy, **trainer); !met) return met;
  }
  Policy& sampled = *team ? (*team)->policy() : **policy;
  Trainer& trained = *team ? (*team)->trainer() : **trainer;
  FittingPolicy asked(sampled, progress);
  const auto recipe = make_recipe({settings, asked, sandbox, request.run, progress});
  if (!recipe) return tl::make_unexpected(recipe.error());
  auto directory = open_run(request);
  if (!directory) return tl::make_unexpected(directory.error());
  auto store = EventStore::open(directory->database_path());
  if (!store) return tl::make_unexpected(store.error());

  const auto save_policy = [&](const fs::path& folder) {
    return save_checkpoint(folder, (*policy)->transformer(), (*policy)->tokenizer());
  };
  const LoopParts parts{*directory, *store, trained, *recipe, progress, save_policy, stop};
  const auto done = resume(parts);
  if (!done) return tl::make_unexpected(done.error());
  if (*done == 0 && settings.evaluation.before) {
    if (Status status = evaluate_into(*store, sampled, settings, "before", 0, progress); !status)
      return status;
  }
  const auto outcome = run_loop(parts, settings.run, *done);
  if (!outcome) return tl::make_unexpected(outcome.error());
  if (Status status = save_policy(request.run / "policy"); !status) return status;
  if (outcome->stopped) {
    progress.note(
        fmt::format("stopped after step {} of {}, saved; go on with: redqueen train --resume {}",
                    outcome->step, settings.run.steps, request.run.string()));
    return {};
  }
  if (settings.evaluation.after) {
    return evaluate_into(*store, sampled, settings, "after", outcome->step, progress);
  }
  return {};
}

Expected<std::unique_ptr<EmbeddedPolicy>> make_policy(const TrainSettings& settings,
                                                      const std::vector<std::string>& texts) {
  const ModelSettings& model = settings.model;
  const auto tokenizer = train_bpe(
      texts, {.vocab_size = model.vocabulary,
              .special_tokens = {std::string(kEndOfText)},
              .pattern = std::string(model.pieces == "lines" ? kLinePattern : kQwenPattern)});
  if (!tokenizer) return tl::make_unexpected(tokenizer.error());
  ModelConfig config{.vocab_size = tokenizer->vocab_size(),
                     .hidden_size = model.hidden_size,
                     .intermediate_size = model.intermediate_size,
                     .num_hidden_layers = model.layers,
                     .num_attention_heads = model.heads,
                     .num_key_value_heads = model.key_value_heads,
                     .head_dim = model.head_dim,
                     .max_position_embeddings = model.context,
                     .rope_theta = model.rope_theta,
                     .tie_word_embeddings = model.tie_embeddings};
  config.eos_token_ids = {static_cast<int>(*tokenizer->token_id(kEndOfText))};
  if (Status sound = config.check(); !sound) return tl::make_unexpected(sound.error());
  return EmbeddedPolicy::make(Transformer::initialise(config, settings.run.seed), *tokenizer,
                              "fresh", {.threads = thread_count(settings.run.threads)});
}

Status initialise_policy(const TrainSettings& settings, const fs::path& folder,
                         Progress& progress) {
  const auto sandbox = process_sandbox(settings.sandbox.config());
  const auto texts = tokenizer_texts(settings, *sandbox, progress);
  if (!texts) return tl::make_unexpected(texts.error());
  const auto policy = make_policy(settings, *texts);
  if (!policy) return tl::make_unexpected(policy.error());
  const ModelConfig& config = (*policy)->transformer().config();
  if (Status status = save_checkpoint(folder, (*policy)->transformer(), (*policy)->tokenizer());
      !status)
    return status;
  progress.note(fmt::format("{}: a policy of {} parameters and {} tokens, with random weights",
                            folder.string(), config.parameter_count(), config.vocab_size));
  return {};
}

Status warm_start_policy(const TrainSettings& given, const fs::path& folder, Progress& progress) {
  TrainSettings settings = given;
  const WarmStartSettings& warm = settings.warm_start;
  const auto sandbox = process_sandbox(settings.sandbox.config());
  if (Status fits = check_warm_start_memory(settings); !fits) return fits;
  auto policy = load_embedded(settings);
  if (!policy) return tl::make_unexpected(policy.error());
  if (Status bound = bind_prompt_format(**policy, settings); !bound) return bound;

  const Transformer& transformer = (*policy)->transformer();
  const Token end = transformer.config().eos_token_ids.empty()
                        ? Token{-1}
                        : transformer.config().eos_token_ids[0];
  progress.stage("warm start");
  const auto corpus = make_corpus(settings, *sandbox, progress);
  if (!corpus) return tl::make_unexpected(corpus.error());
  const auto encode = [&](const std::vector<TextPair>& pairs) {
    return encode_pairs((*policy)->tokenizer(), pairs, end < 0 ? std::nullopt : std::optional(end));
  };
  const auto groups = encode(corpus->pairs);
  const auto held_out = encode(corpus->held_out);
  SftOptions options{.epochs = warm.epochs,
                     .batch_tokens = static_cast<std::size_t>(warm.batch_tokens),
                     .seed = settings.run.seed};
  options.schedule.peak = warm.learning_rate;
  options.schedule.warmup = warm.warmup;
  options.token_budget = settings.trainer.token_budget;
  options.loss_limit = settings.trainer.loss_limit;
  options.optimizer.gradient_norm_limit = settings.trainer.optimizer.gradient_norm_limit;
  std::string kept;  // of a batch that fails
  options.on_failure = [&](std::int64_t update, std::span<const TokenGroup> batch) {
    kept = keep_failed_batch(folder, update, batch, (*policy)->tokenizer());
  };
  auto last = std::chrono::steady_clock::now();
  const auto report = fine_tune(transformer, groups, held_out, options, [&](const SftProgress& at) {
    const auto now = std::chrono::steady_clock::now();
    progress.step({.step = at.update,
                   .total_steps = at.total_updates,
                   .step_seconds = std::chrono::duration<double>(now - last).count(),
                   .detail = fmt::format("loss {:.3f}", at.loss)});
    last = now;
    return true;
  });
  if (!report) {
    Error error = report.error();
    error.message += kept;
    return tl::make_unexpected(std::move(error));
  }
  if (Status status = save_checkpoint(folder, transformer, (*policy)->tokenizer()); !status)
    return status;
  progress.note(fmt::format(
      "{}: loss {:.3f} after {} updates on {} answers{}", folder.string(), report->last_loss,
      report->updates, groups.size(),
      report->held_out_loss ? fmt::format(", held-out loss {:.3f}", *report->held_out_loss) : ""));
  return {};
}

}  // namespace redqueen
