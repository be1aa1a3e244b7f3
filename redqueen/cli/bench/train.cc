// redqueen bench train: tokens per second of sampling and training.

#include "redqueen/base/json.h"
#include "redqueen/cli/bench/bench.h"
#include "redqueen/cli/configuration.h"
#include "redqueen/session/throughput.h"

namespace redqueen {
namespace {

struct BenchTrainOptions {
  ConfigurationOptions configuration;
  std::string policy;
  int steps = 3;
  bool json = false;
};

Status bench_train(BenchTrainOptions options, const Resources& resources) {
  if (options.configuration.file.empty()) options.configuration.file = "tiny-quickstart";
  if (!options.policy.empty())
    options.configuration.flags.push_back({"--policy", "policy.path=" + options.policy});
  ASSIGN_OR_RETURN(const auto resolved, resolve(options.configuration, resources));
  ASSIGN_OR_RETURN(const Engine engine, make_engine(resolved.settings, resources));
  ASSIGN_OR_RETURN(const auto result, measure_throughput(engine, resolved.settings, options.steps));
  if (options.json) {
    fmt::print("{}\n", dump_json(Json{{"policy", result.policy},
                                      {"parameters", result.parameters},
                                      {"dtype", result.dtype},
                                      {"device", result.device},
                                      {"prompt_tokens", result.prompt_tokens},
                                      {"response_tokens", result.response_tokens},
                                      {"sampling", result.sampling},
                                      {"scoring_seconds", result.scoring_seconds},
                                      {"training_shared", result.training_shared},
                                      {"training_unshared", result.training_unshared},
                                      {"end_to_end", result.end_to_end}}));
    return {};
  }
  fmt::print("{}: {} parameters, {}, {}\n",
             result.policy.empty() ? "fresh random weights of [model]" : result.policy,
             result.parameters, result.dtype, result.device);
  fmt::print("a step: {} prompts, {} prompt tokens, {} response tokens\n",
             resolved.settings.batch.prompts, result.prompt_tokens, result.response_tokens);
  fmt::print("{:<42} {:>10.0f}\n", "response tokens/s, sampling", result.sampling);
  fmt::print("{:<42} {:>10.2g}\n", "seconds of a step, scoring", result.scoring_seconds);
  fmt::print("{:<42} {:>10.0f}\n", "response tokens/s, training, shared prefix",
             result.training_shared);
  fmt::print("{:<42} {:>10.0f}\n", "response tokens/s, training, unshared",
             result.training_unshared);
  fmt::print("{:<42} {:>10.0f}\n", "response tokens/s, end to end", result.end_to_end);
  return {};
}

}  // namespace

void add_bench_train(Command bench) {
  Command command = bench.add_subcommand(
      "train",
      "Tokens per second of sampling and training a policy, with and without shared prefix");
  auto options = std::make_shared<BenchTrainOptions>();
  command.add_option("--policy", options->policy,
                     "Hugging Face folder of the policy (hf:DIR or DIR); none: random weights of "
                     "[model] in the configuration");
  command.add_option("--steps", options->steps, "Steps to average over").positive().show_default();
  command.add_flag("--json", options->json, "One JSON object");
  options->configuration.add_to(command);
  command.set_work(options, bench_train);
}

}  // namespace redqueen
