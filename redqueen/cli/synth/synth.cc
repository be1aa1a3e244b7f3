// redqueen synth: environments that are written in Python.

#include <iostream>
#include <iterator>

#include "redqueen/base/json.h"
#include "redqueen/base/text_file.h"
#include "redqueen/cli/commands.h"
#include "redqueen/cli/configuration.h"
#include "redqueen/cli/output.h"
#include "redqueen/synth/harness/harness.h"
#include "redqueen/synth/validation/extraction.h"
#include "redqueen/synth/validation/layer_audit.h"
#include "redqueen/synth/validation/validation.h"

namespace redqueen {
namespace {

// ------------------------------------------------------------------------------------------------
// lint

struct LintOptions {
  ConfigurationOptions configuration;
  std::string file;
  double layer_seconds = 30;
  std::uint64_t salt = 0;
  bool strict_words = false;
  bool probes = false;
  bool json = false;
};

Expected<std::string> read_source(const std::string& path) {
  if (path == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  ASSIGN_OR_RETURN(std::string text, read_text_file(path, ErrorKind::kUsage));
  // A response of a policy as it came: what counts is the code in it.
  if (path.ends_with(".md") || path.ends_with(".txt")) {
    auto block = synth::longest_python_block(text);
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
    "scorer and statement: the reference is right, changed and malformed answers are not; no leak; "
    "words and code name the same, and the prompt shows all that the answer depends on"};

void print_layers(const synth::ValidationReport& report) {
  for (int layer = 1; layer <= 5; ++layer) {
    const auto index = static_cast<std::size_t>(layer - 1);
    const bool passed = layer <= report.layer;
    const bool failed = layer == report.layer + 1;
    say("L{} {}  {}\n", layer, passed ? "passed" : (failed ? "FAILED" : "-     "), kLayers[index]);
    if (failed) say("          {}: {}\n", name_of(report.fault), report.sentence);
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

void print_samples(const synth::ValidationReport& report) {
  int last_level = -1;
  int shown = 0;
  for (const synth::SampleProblem& sample : report.samples) {
    if (sample.level == last_level || shown == 2) continue;
    last_level = sample.level;
    ++shown;
    say("\nA problem of difficulty {}:\n{}\nIts reference: {}\n", sample.level,
        indented(sample.prompt), sample.reference);
  }
}

void synth_print_probes(const synth::ValidationReport& report) {
  if (!report.probes.empty()) say("\nWhat L5 tried:\n");
  for (const synth::ProbeResult& probe : report.probes) {
    const synth::SampleProblem& problem = report.probed[static_cast<std::size_t>(probe.problem)];
    say("  difficulty {}: {} {} {} -> {}\n", problem.level, probe.group, probe.kind,
        dump_json(Json(probe.text)),
        !probe.fault.empty() ? probe.fault
        : !probe.parsed      ? "malformed"
                             : fmt::format("{}{}", probe.score, probe.solved ? ", right" : ""));
  }
}

void print_remarks(const synth::ValidationReport& report) {
  if (report.remarks.empty()) return;
  say("\nRemarks for a reviewer, which need not be faults:\n");
  for (const std::string& remark : report.remarks) say("  - {}\n", remark);
}

// Two workers are as many as the layers keep busy. Of the preludes only what hosts environments.
Expected<sandbox::Sandbox> start_validation_sandbox(const ConfigurationOptions& configuration,
                                                    const Resources& resources) {
  ASSIGN_OR_RETURN(sandbox::SandboxConfig config, resolve_sandbox(configuration, resources));
  if (config.workers == 0) config.workers = 2;
  config.preludes = synth::harness_preludes();
  return sandbox::Sandbox::start(config);
}

Status lint(const LintOptions& options, const Resources& resources) {
  ASSIGN_OR_RETURN(const auto source, read_source(options.file));
  ASSIGN_OR_RETURN(auto sandbox, start_validation_sandbox(options.configuration, resources));
  synth::ValidationOptions validation;
  validation.layer_seconds = options.layer_seconds;
  validation.salt = options.salt;
  validation.strict_words = options.strict_words;
  const synth::ValidationReport report = validate(sandbox, source, validation);
  if (options.json) {
    fmt::print("{}\n", dump_json(to_json(report)));
  } else {
    print_layers(report);
    print_samples(report);
    if (options.probes) synth_print_probes(report);
    print_remarks(report);
    if (report.sound()) {
      say("\n{} is sound as far as running it can tell.\n", report.class_name);
    }
  }
  if (report.sound()) return {};
  return failure("{}: {}: {}", options.file, report.code(), report.sentence);
}

void add_lint(Command synth) {
  Command command = synth.add_subcommand(
      "lint", "Check an environment that is written in Python, layer by layer, and explain");
  auto options = std::make_shared<LintOptions>();
  command
      .add_option("file", options->file,
                  "The Python file, - for stdin, or a response (.md, .txt) with a fenced block")
      .required();
  command.add_option("--seconds", options->layer_seconds, "Wall clock of each layer")
      .positive()
      .show_default();
  command.add_option("--salt", options->salt, "Another number tries other problems").show_default();
  command.add_flag("--strict-words", options->strict_words,
                   "Refuse what is otherwise a remark: words that the code seems to contradict, or "
                   "that no English word list has");
  const Option probes =
      command.add_flag("--probes", options->probes, "Show every answer that L5 tried");
  command.add_flag("--json", options->json, "The report as one JSON object").excludes(probes);
  options->configuration.add_to(command);
  command.set_work(options, lint);
}

// ------------------------------------------------------------------------------------------------
// audit-layers

struct AuditLayersOptions {
  ConfigurationOptions configuration;
  std::string folder;
  double layer_seconds = 30;
};

Status audit_layers(const AuditLayersOptions& options, const Resources& resources) {
  ASSIGN_OR_RETURN(const auto animals, synth::read_zoo(options.folder));
  ASSIGN_OR_RETURN(auto sandbox, start_validation_sandbox(options.configuration, resources));
  synth::ValidationOptions validation;
  validation.layer_seconds = options.layer_seconds;
  std::vector<std::string> sources;
  for (const synth::ZooAnimal& animal : animals) sources.push_back(animal.source);
  const auto reports = validate(sandbox, sources, validation);
  int surprises = 0;
  for (std::size_t i = 0; i < animals.size(); ++i) {
    const bool as_expected = reports[i].code() == animals[i].expected;
    surprises += !as_expected;
    if (as_expected && reports[i].sound() != animals[i].is_faulty) continue;
    say("{:<32} {}{}{}\n", animals[i].name, reports[i].code(),
        as_expected ? "" : fmt::format(" (expected: {})", animals[i].expected),
        reports[i].sound() == animals[i].is_faulty
            ? (animals[i].is_faulty ? ", though faulty" : ", though sound")
            : "");
  }
  say("\n{}", layer_table(animals, reports));
  if (surprises > 0)
    return failure("{}: {} candidates were judged otherwise than their first lines expect",
                   options.folder, surprises);
  return {};
}

void add_audit_layers(Command synth) {
  Command command = synth.add_subcommand(
      "audit-layers",
      "Hold validation against candidates whose faults are known: a table by layer");
  auto options = std::make_shared<AuditLayersOptions>();
  command
      .add_option("folder", options->folder,
                  "Files that begin with \"# expect: sound\" or, say, \"# expect: L5 exact_float\"")
      .required();
  command.add_option("--seconds", options->layer_seconds, "Wall clock of each layer")
      .positive()
      .show_default();
  options->configuration.add_to(command);
  command.set_work(options, audit_layers);
}

}  // namespace

void add_synth(Command app) {
  Command synth = app.add_subcommand("synth", "Environments written in Python");
  synth.require_subcommand();
  add_lint(synth);
  add_audit_layers(synth);
  add_synth_grow(synth);
  add_synth_pool(synth);
}

}  // namespace redqueen
