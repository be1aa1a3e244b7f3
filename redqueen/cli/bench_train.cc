// redqueen bench train: tokens per second of sampling and training.

#include "redqueen/cli/bench.h"
#include "redqueen/cli/configuration.h"
#include "redqueen/core/json.h"
#include "redqueen/recipes/throughput.h"

namespace redqueen {
namespace {

struct Options {
  ConfigurationOptions configuration;
  int steps = 3;
  bool json = false;
};

Status bench_train(Options options) {
  if (options.configuration.file.empty()) options.configuration.file = "quickstart";
  const auto resolved = resolve(options.configuration);
  if (!resolved) return tl::make_unexpected(resolved.error());
  const auto result = measure_throughput(resolved->settings, options.steps);
  if (!result) return tl::make_unexpected(result.error());
  if (options.json) {
    fmt::print("{}\n", dump_json(Json{{"parameters", result->parameters},
                                      {"prompt_tokens", result->prompt_tokens},
                                      {"response_tokens", result->response_tokens},
                                      {"sampling", result->sampling},
                                      {"training_shared", result->training_shared},
                                      {"training_unshared", result->training_unshared},
                                      {"end_to_end", result->end_to_end}}));
    return {};
  }
  fmt::print("a step: {} prompts, {} prompt tokens, {} response tokens; {} parameters\n",
             resolved->settings.batch.prompts, result->prompt_tokens, result->response_tokens,
             result->parameters);
  fmt::print("{:<42} {:>10.0f}\n", "response tokens/s, sampling", result->sampling);
  fmt::print("{:<42} {:>10.0f}\n", "response tokens/s, training, shared prefix",
             result->training_shared);
  fmt::print("{:<42} {:>10.0f}\n", "response tokens/s, training, unshared",
             result->training_unshared);
  fmt::print("{:<42} {:>10.0f}\n", "response tokens/s, end to end", result->end_to_end);
  return {};
}

}  // namespace

void add_bench_train(CLI::App& bench, Action& action) {
  CLI::App* command = bench.add_subcommand(
      "train", "Tokens per second of sampling and training, with and without shared prefix");
  auto options = std::make_shared<Options>();
  command->add_option("--steps", options->steps, "Steps to average over")
      ->check(CLI::PositiveNumber);
  command->add_flag("--json", options->json, "One JSON object");
  options->configuration.add_to(*command);
  set_action(command, action, options, bench_train);
}

}  // namespace redqueen
