// redqueen synth: environments that are written in Python.

#include <fstream>
#include <iostream>
#include <iterator>

#include "redqueen/cli/commands.h"
#include "redqueen/core/json.h"
#include "redqueen/synth/extraction.h"
#include "redqueen/synth/harness.h"
#include "redqueen/synth/validation.h"

namespace redqueen {
namespace {

// ---------------------------------------------------------------------------------------------------------------------
// lint

struct LintOptions {
  std::string file;
  double layer_seconds = 30;
  std::uint64_t salt = 0;
  bool probes = false;
  bool json = false;
};

Expected<std::string> read_source(const std::string& path) {
  if (path == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) return usage_error("{}: this file cannot be read", path);
  // A response of a policy as it came: what counts is the code in it.
  if (path.ends_with(".md") || path.ends_with(".txt")) {
    auto block = longest_python_block(text);
    if (!block) return usage_error("{}: there is no fenced Python block in it", path);
    return std::move(*block);
  }
  return text;
}

constexpr std::string_view kLayers[] = {
    "source: it parses; one class with the four methods; nothing forbidden is imported or used",
    "it runs: problems of several seeds and difficulties are made, rendered, stored and scored",
    "determinism: the same in other processes, with other hash seeds, in another order, restored",
    "variation: prompts and answers differ over seeds, and problems over difficulties",
    "scorer: the reference is right; changed, malformed and ill-typed answers are not; no leak"};

void print_layers(const ValidationReport& report) {
  for (int layer = 1; layer <= 5; ++layer) {
    const auto index = static_cast<std::size_t>(layer - 1);
    const bool passed = layer <= report.layer;
    const bool failed = layer == report.layer + 1;
    fmt::print("L{} {}  {}\n", layer, passed ? "passed" : (failed ? "FAILED" : "-     "),
               kLayers[index]);
    if (failed) fmt::print("          {}: {}\n", name_of(report.fault), report.sentence);
  }
}

std::string indented(std::string_view text) {
  std::string out = "  ";
  for (const char c : text) {
    out += c;
    if (c == '\n') out += "  ";
  }
  return out;
}

void print_samples(const ValidationReport& report) {
  int last_level = -1;
  int shown = 0;
  for (const SampleProblem& sample : report.samples) {
    if (sample.level == last_level || shown == 2) continue;
    last_level = sample.level;
    ++shown;
    fmt::print("\nA problem of difficulty {}:\n{}\nIts reference: {}\n", sample.level,
               indented(sample.prompt), sample.reference);
  }
}

void print_probes(const ValidationReport& report) {
  if (!report.probes.empty()) fmt::print("\nWhat L5 tried:\n");
  for (const ProbeResult& probe : report.probes) {
    const SampleProblem& problem = report.probed[static_cast<std::size_t>(probe.problem)];
    fmt::print("  difficulty {}: {} {} {} -> {}\n", problem.level, probe.group, probe.kind,
               dump_json(Json(probe.text)),
               !probe.fault.empty() ? probe.fault
               : !probe.parsed      ? "malformed"
                               : fmt::format("{}{}", probe.score, probe.solved ? ", right" : ""));
  }
}

Status lint(const LintOptions& options) {
  const auto source = read_source(options.file);
  if (!source) return tl::make_unexpected(source.error());
  SandboxConfig config;
  config.workers = 2;
  config.preludes = harness_preludes();
  auto sandbox = Sandbox::start(config);
  if (!sandbox) return tl::make_unexpected(sandbox.error());
  ValidationOptions validation;
  validation.layer_seconds = options.layer_seconds;
  validation.salt = options.salt;
  const ValidationReport report = validate(*sandbox, *source, validation);
  if (options.json) {
    fmt::print("{}\n", dump_json(to_json(report)));
  } else {
    print_layers(report);
    print_samples(report);
    if (options.probes) print_probes(report);
    if (report.sound()) {
      fmt::print("\n{} is sound as far as running it can tell.\n", report.class_name);
    }
  }
  if (report.sound()) return {};
  return failure("{}: {}: {}", options.file, report.code(), report.sentence);
}

void add_lint(CLI::App& synth, Action& action) {
  CLI::App* command = synth.add_subcommand(
      "lint", "Check an environment that is written in Python, layer by layer, and explain");
  auto options = std::make_shared<LintOptions>();
  command
      ->add_option("file", options->file,
                   "The Python file, - for stdin, or a response (.md, .txt) with a fenced block")
      ->required();
  command->add_option("--seconds", options->layer_seconds, "Wall clock of each layer")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--salt", options->salt, "Another number tries other problems");
  auto* probes = command->add_flag("--probes", options->probes, "Show every answer that L5 tried");
  command->add_flag("--json", options->json, "The report as one JSON object")->excludes(probes);
  set_action(command, action, options, lint);
}

}  // namespace

void add_synth(CLI::App& app, Action& action) {
  CLI::App* synth = app.add_subcommand("synth", "Environments written in Python");
  synth->require_subcommand(1);
  add_lint(*synth, action);
  add_synth_grow(*synth, action);
  add_synth_pool(*synth, action);
}

}  // namespace redqueen
