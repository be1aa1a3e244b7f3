// redqueen synth grow: a pool of environments that a policy writes. redqueen synth audit-review:
// how far its reviews can be trusted.

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <map>

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
#include "redqueen/session/load_embedded.h"
#include "redqueen/session/load_policy.h"
#include "redqueen/session/own_settings.h"
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

// Settings of the roles of EvoEnv for a policy of any kind, where nobody says anything: the lengths
// of the paper's table 9, unless the policy's folder states its own, and the policy's chat template
// around the prompts of all roles.
Status add_role_defaults(ConfigurationOptions& configuration, const Resources& resources) {
  ASSIGN_OR_RETURN(const auto resolved, resolve(configuration, resources));
  const std::string& path = resolved.settings.policy.path;
  const bool is_endpoint = path.starts_with(kEndpointPrefix);
  const Asking asking = asking_of(path);
  const bool has_own_length = asking.max_new_tokens > 0 && asking.why_so_long.empty();
  if (!has_own_length) configuration.defaults.emplace_back("sampling.max_new_tokens=16384");
  if (is_endpoint || resolved.settings.policy.prompt_format.starts_with("chat"))
    configuration.defaults.emplace_back("evoenv.text_format=chat:bare");
  return {};
}

// ------------------------------------------------------------------------------------------------
// grow

struct GrowOptions {
  ConfigurationOptions configuration;
  PolicyOptions policy;
  std::string run;
  std::string resume;
  std::int64_t accepted = 0;
  std::int64_t rounds = 0;
  std::string topic;
  std::int64_t budget_tokens = 0;
  double budget_usd = 0;
  OutputOptions output;
};

// --topic and the budgets, as assignments.
void assign_limits(GrowOptions& options) {
  auto& flags = options.configuration.flags;
  if (!options.topic.empty()) {
    flags.push_back({"--topic", fmt::format("evoenv.topic={}", dump_json(Json(options.topic)))});
  }
  if (options.budget_tokens > 0) {
    flags.push_back(
        {"--budget-tokens", fmt::format("evoenv.most_tokens={}", options.budget_tokens)});
  }
  if (options.budget_usd > 0)
    flags.push_back({"--budget-usd", fmt::format("endpoint.max_cost={}", options.budget_usd)});
}

// A budget of money needs prices.
Status check_budget(const GrowOptions& options, const TrainSettings& settings) {
  if (options.budget_usd <= 0) return {};
  if (!settings.policy.path.starts_with(kEndpointPrefix)) {
    return usage_error(
        "--budget-usd: {} is no endpoint and costs nothing; limit it by --budget-tokens",
        settings.policy.path);
  }
  if (settings.endpoint.price_prompt <= 0 && settings.endpoint.price_completion <= 0) {
    return usage_error(
        "--budget-usd: the endpoint's prices are not known; give them, of a million tokens: --set "
        "endpoint.price_prompt=0.5 --set endpoint.price_completion=1.5");
  }
  return {};
}

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
  assign_limits(options);
  if (options.resume.empty()) {
    RETURN_IF_ERROR(add_role_defaults(options.configuration, resources));
    options.configuration.defaults.emplace_back("evoenv.second_author=policy");
  }
  ASSIGN_OR_RETURN(auto resolved, resolve(options.configuration, resources));
  const TrainSettings& settings = resolved.settings;
  RETURN_IF_ERROR(check_budget(options, settings));
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
  RETURN_IF_ERROR(add_role_defaults(options.configuration, resources));
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

// ------------------------------------------------------------------------------------------------
// audit-second-author

// The opinions on each source, as in the funnel.
Expected<std::vector<synth::SecondOpinion>> second_opinions(
    const std::vector<LabelledSource>& labelled, const TrainSettings& settings,
    const Resources& resources, Policy& author) {
  const auto& evoenv = settings.table<evoenv::EvoEnvSettings>();
  ASSIGN_OR_RETURN(
      const auto prompt,
      synth::PromptTemplate::load(resources.given_or_found(evoenv.prompts) / "second_author.txt"));
  ASSIGN_OR_RETURN(const auto format, prompt_format_for(author, evoenv.text_format));
  ASSIGN_OR_RETURN(auto sandbox, sandbox::Sandbox::start(sandbox_config(settings)));
  std::vector<std::string> sources;
  std::vector<std::size_t> places;
  for (const LabelledSource& one : labelled) {
    places.push_back(sources.size());
    sources.push_back(one.source);
  }
  MissingResponses missing;
  ASSIGN_OR_RETURN(auto opinions,
                   synth::ask_second_author(sandbox, author,
                                            {.sources = sources,
                                             .places = places,
                                             .prompt = prompt,
                                             .format = format,
                                             .settings = evoenv.second,
                                             .address = {.seed = settings.run.seed,
                                                         .purpose = hash_name("second author")}},
                                            &missing));
  if (missing.failed > 0) return failure("audit of second authors: {}", missing.sentence());
  return opinions;
}

void print_opinions(const std::vector<LabelledSource>& labelled,
                    const std::vector<synth::SecondOpinion>& opinions,
                    const synth::ReviewAudit& audit) {
  std::map<std::string_view, int> verdicts;
  for (std::size_t i = 0; i < labelled.size(); ++i) {
    ++verdicts[to_string(opinions[i].verdict)];
    say("{:<36} {:<7} {:<10} {}\n", labelled[i].name, labelled[i].is_faulty ? "faulty" : "sound",
        to_string(opinions[i].verdict), opinions[i].sentence());
  }
  say("\n{:>9} {:>9} {:>9} {:>9}   {:>4} {:>4} {:>4} {:>4}\n", "accuracy", "precision", "recall",
      "F1", "TP", "FP", "TN", "FN");
  say("{:>9} {:>9} {:>9} {:>9}   {:>4} {:>4} {:>4} {:>4}\n", share_text(audit.accuracy()),
      share_text(audit.precision()), share_text(audit.recall()), share_text(audit.f1()),
      audit.true_positives, audit.false_positives, audit.true_negatives, audit.false_negatives);
  for (const auto& [verdict, count] : verdicts) say("{}: {}\n", verdict, count);
}

Status audit_second_author(SynthAuditOptions options, const Resources& resources) {
  options.policy.assign(options.configuration);
  RETURN_IF_ERROR(add_role_defaults(options.configuration, resources));
  ASSIGN_OR_RETURN(const auto resolved, resolve(options.configuration, resources));
  const TrainSettings& settings = resolved.settings;
  ASSIGN_OR_RETURN(const auto labelled, read_labelled_folder(options.folder));
  ASSIGN_OR_RETURN(auto author, load_second_author(settings));
  if (!author) {
    ASSIGN_OR_RETURN(author, load_policy(settings));
  }
  ASSIGN_OR_RETURN(const auto opinions, second_opinions(labelled, settings, resources, *author));
  synth::ReviewAudit audit;
  for (std::size_t i = 0; i < labelled.size(); ++i)
    audit.add(labelled[i].is_faulty, opinions[i].verdict == synth::SecondVerdict::kRefuted);
  if (options.json) {
    fmt::print("{}\n", dump_json(audit.to_json()));
    return {};
  }
  print_opinions(labelled, opinions, audit);
  if (const auto used = author->usage()) {
    say("{} requests, {} tokens", used->requests,
        run::count_text(static_cast<double>(used->prompt_tokens + used->completion_tokens)));
    if (used->cost > 0) say(", cost {:.4f}", used->cost);
    say("\n");
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
    command.add_option("--topic", options->topic,
                       "What the environments are to be about, in a few words");
    command
        .add_option("--budget-tokens", options->budget_tokens,
                    "End when so many tokens were used, prompts included (evoenv.most_tokens)")
        .positive();
    command
        .add_option("--budget-usd", options->budget_usd,
                    "End when so much was spent, by the prices endpoint.price_* "
                    "(endpoint.max_cost)")
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
  {
    Command command = synth.add_subcommand(
        "audit-second-author",
        "Hold what second authors refute against environments whose faults are known");
    auto options = std::make_shared<SynthAuditOptions>();
    command
        .add_option("folder", options->folder,
                    "sound/ and faulty/, or files that begin with \"# label: faulty\"")
        .required();
    options->policy.add_to(command);
    command.add_flag("--json", options->json, "One JSON object");
    options->configuration.add_to(command);
    command.set_work(options, audit_second_author);
  }
}

}  // namespace redqueen
