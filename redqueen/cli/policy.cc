// redqueen policy: make an embedded policy, give it a warm start, look at what it says.

#include <iostream>

#include "redqueen/cli/commands.h"
#include "redqueen/cli/configuration.h"
#include "redqueen/cli/output.h"
#include "redqueen/core/json.h"
#include "redqueen/core/registry.h"
#include "redqueen/policy/inspect.h"
#include "redqueen/policy/model_config.h"
#include "redqueen/recipes/memory_check.h"
#include "redqueen/recipes/scoring.h"
#include "redqueen/recipes/session.h"
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

Status check_free(const std::string& folder) {
  if (fs::exists(folder))
    return usage_error("{}: is there already; choose another --out, or remove it", folder);
  return {};
}

// init and warmstart: settings, a progress, and a function that does the work.
template <typename Work>
Status make(MakeOptions options, Work work) {
  if (!options.policy.empty())
    options.configuration.assignments.push_back("policy.path=" + options.policy);
  if (!options.corpus.empty())
    options.configuration.assignments.push_back("warm_start.corpus=" + options.corpus);
  const auto resolved = resolve(options.configuration);
  if (!resolved) return tl::make_unexpected(resolved.error());
  if (Status status = check_free(options.out); !status) return status;
  Progress progress(std::cout, options.output.mode(), terminal_width(STDOUT_FILENO));
  return work(resolved->settings, fs::path(options.out), progress);
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
    request.rollouts.push_back({.seed = settings.run.seed,
                                .purpose = hash_name("look"),
                                .step = options.seed,
                                .index = static_cast<std::uint64_t>(i)});
  }
  const auto groups = policy.sample({&request, 1}, settings.sampling);
  if (!groups) return tl::make_unexpected(groups.error());
  fmt::print("---- prompt\n{}\n", prompt);
  for (const Completion& completion : groups->front().completions) {
    std::string verdict;
    if (problem != nullptr) {
      const Verdict scored = score_completion(*problem, completion.text, format);
      verdict = fmt::format(", reward {:.3f}{}", scored.reward, scored.solved ? ", solved" : "");
    }
    fmt::print("---- response: {} tokens{}{}\n{}\n", completion.tokens.size(),
               completion.finish == FinishReason::kLength ? ", cut" : "", verdict, completion.text);
  }
  if (problem != nullptr) fmt::print("---- reference\n{}\n", problem->reference());
  return {};
}

Status sample(SampleOptions options) {
  if (!options.policy.empty())
    options.configuration.assignments.push_back("policy.path=" + options.policy);
  auto resolved = resolve(options.configuration);
  if (!resolved) return tl::make_unexpected(resolved.error());
  TrainSettings& settings = resolved->settings;
  if (options.environment.empty() == options.prompt.empty()) {
    return usage_error("give either --prompt TEXT or --environment NAME");
  }
  ProblemPtr problem;
  if (!options.environment.empty()) {
    const auto environment = Registry::instance().get(options.environment);
    if (!environment) return tl::make_unexpected(environment.error());
    auto made = (*environment)->generate(options.level, options.seed);
    if (!made) return failure("{}: {}", options.environment, made.error().message);
    problem = std::move(*made);
  }
  const auto policy = load_policy(settings);
  if (!policy) return tl::make_unexpected(policy.error());
  if (Status bound = bind_prompt_format(**policy, settings); !bound) return bound;
  const auto format = PromptFormat::parse(settings.policy.prompt_format);
  if (!format) return tl::make_unexpected(format.error());
  const std::string prompt = problem ? format->render(problem->prompt()) : options.prompt;
  return print_responses(**policy, settings, options, prompt, problem.get(), *format);
}

struct InspectOptions {
  std::string policy;
  bool json = false;
};

// What training with the settings' defaults would take, by type of the weights.
Json memory_plans(const ModelConfig& config) {
  Json plans = Json::object();
  for (const char* dtype : {"float32", "bfloat16"}) {
    TrainSettings settings;
    settings.policy.dtype = dtype;
    const MemoryPlan plan = plan_memory(config, train_memory_demand(settings, config, 1));
    plans[dtype] = {{"bytes", plan.device_peak()}, {"parts", memory_text(plan)}};
  }
  return plans;
}

Status inspect(const InspectOptions& options) {
  const fs::path folder =
      options.policy.starts_with("hf:") ? options.policy.substr(3) : options.policy;
  auto told = inspect_policy(folder);
  const auto config = ModelConfig::load_folder(folder);
  if (told && config) {
    const Json plans = memory_plans(*config);
    if (options.json) {
      (*told)["training_plan"] = plans;
      fmt::print("{}\n", dump_json(*told));
      return {};
    }
    fmt::print("{}", inspection_text(*told));
    for (const auto& [dtype, plan] : plans.items()) {
      fmt::print("{:<12} {}: about {:.1f} GB by default: {}\n", "training", dtype,
                 plan["bytes"].get<double>() / 1e9, plan["parts"].get<std::string>());
    }
    return {};
  }
  // The question was sound, whatever the folder is.
  return tl::make_unexpected(Error{ErrorKind::kFailure, told.error().message});
}

}  // namespace

void add_policy(CLI::App& app, Action& action) {
  CLI::App* policy = app.add_subcommand("policy", "Make and look at policies");
  policy->require_subcommand(1);
  {
    CLI::App* command =
        policy->add_subcommand("init", "Make a tokenizer and a small model with random weights");
    auto options = std::make_shared<MakeOptions>();
    command->add_option("--out", options->out, "Folder to write (Hugging Face layout)")->required();
    command->add_option("--corpus", options->corpus,
                        "What it learns from: suite, azr, … (default: warm_start.corpus)");
    options->configuration.add_to(*command);
    options->output.add_to(*command);
    set_action(command, action, options,
               [](const MakeOptions& given) { return make(given, initialise_policy); });
  }
  {
    CLI::App* command =
        policy->add_subcommand("warmstart", "Supervised training on reference answers");
    auto options = std::make_shared<MakeOptions>();
    command->add_option("--policy", options->policy, "Folder of the policy to start from");
    command->add_option("--out", options->out, "Folder to write (Hugging Face layout)")->required();
    command->add_option("--corpus", options->corpus,
                        "What it learns from: suite, azr, … (default: warm_start.corpus)");
    options->configuration.add_to(*command);
    options->output.add_to(*command);
    set_action(command, action, options,
               [](const MakeOptions& given) { return make(given, warm_start_policy); });
  }
  {
    CLI::App* command =
        policy->add_subcommand("sample", "Let a policy respond to a prompt or a problem");
    auto options = std::make_shared<SampleOptions>();
    command->add_option("--policy", options->policy, "Folder of the policy");
    command->add_option("--prompt", options->prompt, "What the policy reads");
    command->add_option("--environment", options->environment, "Ask a problem of this environment");
    command->add_option("--level", options->level, "Difficulty, from 0")
        ->check(CLI::NonNegativeNumber);
    command->add_option("--seed", options->seed, "Seed of the problem");
    command->add_option("--count", options->count, "Responses")->check(CLI::PositiveNumber);
    options->configuration.add_to(*command);
    set_action(command, action, options, sample);
  }
  {
    CLI::App* command = policy->add_subcommand(
        "inspect", "What a policy's folder holds: family, memory, tokenizer, chat template");
    auto options = std::make_shared<InspectOptions>();
    command->add_option("DIR", options->policy, "Folder of the policy")->required();
    command->add_flag("--json", options->json, "One JSON object");
    set_action(command, action, options, inspect);
  }
}

}  // namespace redqueen
