// redqueen bench synth: how fast Python environments are validated, make problems and score
// answers, without a policy.

#include "redqueen/base/json.h"
#include "redqueen/cli/bench/bench.h"
#include "redqueen/cli/configuration.h"
#include "redqueen/core/batch.h"
#include "redqueen/recipes/evoenv/evoenv_files.h"
#include "redqueen/recipes/evoenv/evoenv_settings.h"
#include "redqueen/sandbox/sandbox_service.h"
#include "redqueen/synth/python_environment.h"
#include "redqueen/synth/validation/validation.h"

namespace redqueen {
namespace {

struct BenchSynthOptions {
  ConfigurationOptions configuration;
  int problems = 16;  // a batch, of each environment
  int seconds = 5;
  bool json = false;
};

struct BenchSynthSpeed {
  double validated = 0;  // a second
  double made = 0;
  double scored = 0;
};

BenchSynthSpeed bench_synth_measure(sandbox::Sandbox& sandbox,
                                    const std::vector<std::string>& sources,
                                    const synth::ValidationOptions& validation,
                                    const BenchSynthOptions& options) {
  BenchSynthSpeed speed;
  speed.validated = rate_of(options.seconds, sources.size(),
                            [&] { (void)validate(sandbox, sources, validation); });
  std::vector<std::unique_ptr<synth::PythonEnvironment>> environments;
  std::vector<ProblemRequest> requests;
  for (const std::string& source : sources) {
    environments.push_back(std::make_unique<synth::PythonEnvironment>(source, sandbox));
    for (int i = 0; i < options.problems; ++i)
      requests.push_back({environments.back().get(), 1 + i % 3, static_cast<std::uint64_t>(i)});
  }
  std::vector<tl::expected<ProblemPtr, GenerationFailure>> problems;
  speed.made =
      rate_of(options.seconds, requests.size(), [&] { problems = generate_all(requests); });
  std::vector<std::string> answers;
  for (const auto& problem : problems) answers.push_back(problem ? (*problem)->reference() : "");
  std::vector<AnswerRequest> asked;
  for (std::size_t i = 0; i < problems.size(); ++i)
    if (problems[i]) asked.push_back({problems[i]->get(), answers[i]});
  speed.scored = rate_of(options.seconds, asked.size(), [&] { (void)score_all(asked); });
  return speed;
}

Status bench_synth(const BenchSynthOptions& options, const Resources& resources) {
  ASSIGN_OR_RETURN(const auto resolved, resolve(options.configuration, resources));
  const evoenv::EvoEnvSettings& evoenv = resolved.settings.table<evoenv::EvoEnvSettings>();
  ASSIGN_OR_RETURN(const auto seeds,
                   evoenv::read_seeds(resources.given_or_found(evoenv.seeds), evoenv.longest_seed));
  std::vector<std::string> sources;
  for (const auto& [name, source] : seeds) sources.push_back(source);
  ASSIGN_OR_RETURN(const Engine engine, make_engine(resolved.settings, resources));
  ASSIGN_OR_RETURN(const auto sandbox, engine.sandbox()->get());
  const BenchSynthSpeed speed = bench_synth_measure(*sandbox, sources, evoenv.validation, options);
  if (options.json) {
    fmt::print("{}\n", dump_json(Json{{"workers", sandbox->workers()},
                                      {"environments_per_second", speed.validated},
                                      {"problems_per_second", speed.made},
                                      {"answers_per_second", speed.scored}}));
    return {};
  }
  fmt::print("{} sandbox workers, the {} environments of {}, {} problems of each\n",
             sandbox->workers(), sources.size(), evoenv.seeds, options.problems);
  fmt::print("{:<42} {:>10.1f}\n", "environments validated/s", speed.validated);
  fmt::print("{:<42} {:>10.0f}\n", "problems made/s", speed.made);
  fmt::print("{:<42} {:>10.0f}\n", "answers scored/s", speed.scored);
  return {};
}

}  // namespace

void add_bench_synth(Command bench) {
  Command command = bench.add_subcommand(
      "synth", "Python environments validated, problems made and answers scored per second");
  auto options = std::make_shared<BenchSynthOptions>();
  command.add_option("--problems", options->problems, "A batch, of each environment")
      .positive()
      .show_default();
  command.add_option("--seconds", options->seconds, "For each of the three measurements")
      .positive()
      .show_default();
  command.add_flag("--json", options->json, "One JSON object");
  options->configuration.add_to(command);
  command.set_work(options, bench_synth);
}

}  // namespace redqueen
