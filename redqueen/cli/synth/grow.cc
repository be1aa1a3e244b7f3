// redqueen synth grow: a pool of environments that a policy writes. redqueen synth audit-review:
// how far its reviews can be trusted.

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>

#include "redqueen/base/file_queries.h"
#include "redqueen/base/json.h"
#include "redqueen/base/text_file.h"
#include "redqueen/cli/commands.h"
#include "redqueen/cli/configuration.h"
#include "redqueen/cli/interrupt.h"
#include "redqueen/cli/output.h"
#include "redqueen/cli/run_argument.h"
#include "redqueen/policy/chat_prompt.h"
#include "redqueen/recipes/evoenv/evoenv_files.h"
#include "redqueen/recipes/evoenv/evoenv_settings.h"
#include "redqueen/recipes/recipes.h"
#include "redqueen/session/grow.h"
#include "redqueen/session/load_policy.h"
#include "redqueen/synth/admission/funnel.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

// --policy and --model, as assignments.
struct PolicyOptions {
  std::string policy;
  std::string model;

  void add_to(Command command) {
    command.add_option("--policy", policy, "openai:URL (up to /v1), or a folder (hf:DIR or DIR)");
    command.add_option("--model", model, "As the endpoint names it (endpoint.model)");
  }
  void assign(ConfigurationOptions& configuration) const {
    if (!policy.empty()) configuration.assignments.push_back("policy.path=" + policy);
    if (!model.empty()) configuration.assignments.push_back("endpoint.model=" + model);
  }
};

// ------------------------------------------------------------------------------------------------
// grow

struct GrowOptions {
  ConfigurationOptions configuration;
  PolicyOptions policy;
  std::string run;
  std::string resume;
  std::int64_t accepted = 0;
  std::int64_t rounds = 0;
  OutputOptions output;
};

Status run_grow(GrowOptions options, const Resources& resources) {
  if (!options.resume.empty()) {
    if (!options.configuration.file.empty() || !options.run.empty()) {
      return usage_error(
          "--resume takes its configuration and place from the run; leave out --config and --run");
    }
    if (!is_folder(options.resume)) return usage_error("{}: there is no such run", options.resume);
    options.configuration.file = (fs::path(options.resume) / "config.toml").string();
  }
  options.configuration.assignments.emplace_back("run.recipe=evoenv");
  options.policy.assign(options.configuration);
  ASSIGN_OR_RETURN(auto resolved, resolve(options.configuration, resources));
  const TrainSettings& settings = resolved.settings;
  if (settings.policy.path.empty())
    return usage_error("no policy: give --policy openai:URL --model NAME, or --policy DIR");
  const GrowRequest request{.settings = settings,
                            .toml = resolved.toml,
                            .run = !options.resume.empty() ? fs::path(options.resume)
                                   : options.run.empty()   ? free_run("grow")
                                                           : fs::path(options.run),
                            .resume = !options.resume.empty(),
                            .accepted = options.accepted,
                            .rounds = options.rounds};
  run::Progress progress(std::cout, options.output.mode(), standard_output_width);
  install_interrupt();
  ASSIGN_OR_RETURN(const Engine engine, make_engine(request.settings, resources));
  Status status = grow(engine, request, progress, interrupt_requested());
  if (status) {
    progress.note(fmt::format("run: {} (redqueen synth list {}; redqueen synth grow --resume {})",
                              request.run.string(), request.run.string(), request.run.string()));
  }
  return status;
}

// ------------------------------------------------------------------------------------------------
// audit-review

struct SynthAuditOptions {
  ConfigurationOptions configuration;
  PolicyOptions policy;
  std::string folder;
  bool json = false;
};

struct LabelledSource {
  std::string name;
  std::string source;
  bool is_faulty = false;
};

// What the first line says, "# label: faulty" or "# label: sound"; it is cut off, a reviewer must
// not see it.
std::optional<bool> take_label(std::string& source) {
  for (const bool is_faulty : {false, true}) {
    const std::string_view line = is_faulty ? "# label: faulty" : "# label: sound";
    if (!source.starts_with(line)) continue;
    const std::string_view rest = std::string_view(source).substr(line.size());
    if (!rest.empty() && rest.front() != '\n' && rest.front() != '\r') continue;
    source.erase(0, std::min(source.find('\n'), source.size() - 1) + 1);
    return is_faulty;
  }
  return std::nullopt;
}

Status read_labelled(const fs::path& folder, std::optional<bool> label,
                     std::vector<LabelledSource>& sources) {
  std::error_code error;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".py") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  for (const fs::path& file : files) {
    ASSIGN_OR_RETURN(auto source, read_text_file(file));
    const auto said = take_label(source);
    if (!said && !label) {
      return usage_error(
          "{}: nothing says whether it is sound: begin it with \"# label: sound\" or \"# label: "
          "faulty\", or put it into sound/ or faulty/",
          file.string());
    }
    sources.push_back(
        {file.stem().string(), std::move(source), said.value_or(label.value_or(false))});
  }
  return {};
}

Expected<std::vector<LabelledSource>> read_labelled_folder(const fs::path& folder) {
  if (!is_folder(folder)) return usage_error("{}: there is no such folder", folder.string());
  std::vector<LabelledSource> sources;
  for (const auto& [path, label] : {std::pair<fs::path, std::optional<bool>>{folder, std::nullopt},
                                    {folder / "sound", false},
                                    {folder / "faulty", true}}) {
    RETURN_IF_ERROR(read_labelled(path, label, sources));
  }
  if (sources.empty()) {
    return usage_error("{}: no labelled environments (sound/NAME.py, faulty/NAME.py)",
                       folder.string());
  }
  return sources;
}

// The prompt that shows each source with the evidence that validation gathers, as in training.
Expected<std::vector<std::string>> review_prompts(const std::vector<LabelledSource>& labelled,
                                                  const TrainSettings& settings,
                                                  const Resources& resources,
                                                  const Policy& policy) {
  ASSIGN_OR_RETURN(const auto review_template,
                   synth::PromptTemplate::load(
                       resources.given_or_found(settings.table<evoenv::EvoEnvSettings>().prompts) /
                       "review.txt"));
  ASSIGN_OR_RETURN(const auto format,
                   prompt_format_for(policy, settings.table<evoenv::EvoEnvSettings>().text_format));
  ASSIGN_OR_RETURN(auto sandbox, sandbox::Sandbox::start(sandbox_config(settings)));
  std::vector<std::string> sources;
  sources.reserve(labelled.size());
  for (const LabelledSource& one : labelled) sources.push_back(one.source);
  const auto reports =
      validate(sandbox, sources, settings.table<evoenv::EvoEnvSettings>().validation);
  std::vector<std::string> prompts;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    ASSIGN_OR_RETURN(const auto text,
                     review_prompt(review_template, review_case(sources[i], reports[i]),
                                   settings.table<evoenv::EvoEnvSettings>().review_limits));
    prompts.push_back(format.render(text));
  }
  return prompts;
}

std::string share_text(std::optional<double> share) {
  return share ? fmt::format("{:.3f}", *share) : "-";
}

void print_audit(const std::vector<LabelledSource>& labelled,
                 const std::vector<synth::ReviewOutcome>& outcomes,
                 const std::vector<std::pair<synth::ReviewRule, synth::ReviewAudit>>& audits) {
  for (std::size_t i = 0; i < labelled.size(); ++i) {
    say("{:<36} {:<7} {} accept, {} reject, {} without a verdict{}\n", labelled[i].name,
        labelled[i].is_faulty ? "faulty" : "sound", outcomes[i].accepts(), outcomes[i].rejects(),
        outcomes[i].no_verdicts(), outcomes[i].rejects() > 0 ? ": " + outcomes[i].reason() : "");
  }
  say("\n{:<12} {:>9} {:>9} {:>9} {:>9}   {:>4} {:>4} {:>4} {:>4}\n", "rule", "accuracy",
      "precision", "recall", "F1", "TP", "FP", "TN", "FN");
  for (const auto& [rule, audit] : audits) {
    say("{:<12} {:>9} {:>9} {:>9} {:>9}   {:>4} {:>4} {:>4} {:>4}\n", to_string(rule),
        share_text(audit.accuracy()), share_text(audit.precision()), share_text(audit.recall()),
        share_text(audit.f1()), audit.true_positives, audit.false_positives, audit.true_negatives,
        audit.false_negatives);
  }
}

Status audit_review(SynthAuditOptions options, const Resources& resources) {
  options.policy.assign(options.configuration);
  ASSIGN_OR_RETURN(const auto resolved, resolve(options.configuration, resources));
  const TrainSettings& settings = resolved.settings;
  ASSIGN_OR_RETURN(const auto labelled, read_labelled_folder(options.folder));
  ASSIGN_OR_RETURN(const auto policy, load_policy(settings));
  ASSIGN_OR_RETURN(const auto prompts, review_prompts(labelled, settings, resources, *policy));
  MissingResponses missing;
  ASSIGN_OR_RETURN(
      const auto outcomes,
      review(*policy, prompts, settings.table<evoenv::EvoEnvSettings>().reviewing,
             {.seed = settings.run.seed, .purpose = hash_name("audit of reviews")}, &missing));
  if (missing.failed > 0) return failure("audit of reviews: {}", missing.sentence());
  std::vector<synth::LabelledReview> reviews;
  for (std::size_t i = 0; i < labelled.size(); ++i)
    reviews.push_back({labelled[i].is_faulty, outcomes[i].verdicts});
  const auto audits = audit_reviews(reviews);
  if (!options.json) {
    print_audit(labelled, outcomes, audits);
    return {};
  }
  for (const auto& [rule, audit] : audits) {
    Json line = audit.to_json();
    line["rule"] = to_string(rule);
    fmt::print("{}\n", dump_json(line));
  }
  return {};
}

}  // namespace

void add_synth_grow(Command synth) {
  {
    Command command = synth.add_subcommand(
        "grow", "Let a policy write environments; keep those that pass every test, in a pool");
    auto options = std::make_shared<GrowOptions>();
    options->policy.add_to(command);
    command.add_option("--run", options->run, "Folder of the new run (default: runs/grow)");
    command.add_option("--resume", options->resume,
                       "Go on with this run; --set may change its settings");
    command.add_option("--accepted", options->accepted, "End when so many were accepted")
        .positive();
    command
        .add_option("--rounds", options->rounds, "End after so many rounds, earlier ones included")
        .positive();
    options->configuration.add_to(command);
    options->output.add_to(command);
    command.set_work(options, run_grow);
  }
  {
    Command command = synth.add_subcommand(
        "audit-review", "Hold a policy's reviews against environments whose faults are known");
    auto options = std::make_shared<SynthAuditOptions>();
    command
        .add_option("folder", options->folder,
                    "sound/ and faulty/, or files that begin with \"# label: faulty\"")
        .required();
    options->policy.add_to(command);
    command.add_flag("--json", options->json, "One JSON object a rule");
    options->configuration.add_to(command);
    command.set_work(options, audit_review);
  }
}

}  // namespace redqueen
