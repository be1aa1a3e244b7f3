// redqueen synth list, show, why, export, import: environments that were accepted, and what became
// of the others.

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "redqueen/base/file_queries.h"
#include "redqueen/base/json.h"
#include "redqueen/base/text.h"
#include "redqueen/cli/commands.h"
#include "redqueen/cli/configuration.h"
#include "redqueen/cli/gym/gallery_page.h"
#include "redqueen/cli/output.h"
#include "redqueen/cli/run_argument.h"
#include "redqueen/cli/synth/package/environment_package.h"
#include "redqueen/run/event_store.h"
#include "redqueen/synth/admission/certificate.h"
#include "redqueen/synth/environment_import.h"
#include "redqueen/synth/harness/harness.h"
#include "redqueen/synth/validation/validation.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

// ------------------------------------------------------------------------------------------------
// Pools and runs

// One environment of a pool by its name, with or without "evo/".
Expected<fs::path> find_folder(const fs::path& pool, std::string_view name) {
  ASSIGN_OR_RETURN(const auto folders, synth::environment_folders(pool));
  std::vector<std::string> names;
  const std::string_view asked = name.substr(name.rfind('/') + 1);  // npos + 1 is 0
  for (const fs::path& folder : folders) {
    names.push_back(folder.filename().string());
    if (names.back() == asked) return folder;
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  return usage_error("{}: there is no environment \"{}\"{}", pool.string(), name,
                     did_you_mean(asked, views));
}

std::string synth_pool_text_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end()) return "-";
  return found->is_string() ? found->get<std::string>() : dump_json(*found);
}

// "3 of 8"; "-" without a measurement.
std::string pass_rate_text(const Json& calibration) {
  if (!calibration.is_object() || !calibration.contains("instances")) return "-";
  return fmt::format("{} of {}", synth_pool_text_of(calibration, "solved"),
                     synth_pool_text_of(calibration, "instances"));
}

// "2 of 3 accept"; "-" if nobody read it.
std::string review_text(const Json& review) {
  if (!review.is_object() || !review.contains("verdicts")) return "-";
  std::size_t accepts = 0;
  for (const Json& verdict : review["verdicts"])
    accepts += verdict.is_object() && verdict.value("verdict", "") == "accept";
  return fmt::format("{} of {} accept", accepts, review["verdicts"].size());
}

// ------------------------------------------------------------------------------------------------
// list

struct SynthPoolListOptions {
  std::string path;
  bool candidates = false;
  bool json = false;
};

// Steps since it was admitted, as far as the run is known.
std::string age_text(const Json& provenance, std::int64_t last_step) {
  const auto step = provenance.find("step");
  if (step == provenance.end() || !step->is_number_integer()) return "-";
  if (last_step <= 0) return fmt::format("step {}", step->get<std::int64_t>());
  return fmt::format("{} steps", std::max<std::int64_t>(0, last_step - step->get<std::int64_t>()));
}

// "confirmed 2/3"; "-" if none was asked.
std::string second_text(const Json& certificate) {
  const Json second =
      certificate.is_object() ? certificate.value("second_authors", Json()) : Json();
  if (!second.is_object()) return "-";
  return fmt::format("{} {}/{}", second.value("verdict", ""), second.value("agreeing", 0),
                     second.value("programs", 0));
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

void print_row(const fs::path& folder, const synth::EnvironmentRecord& record,
               std::int64_t last_step, bool json) {
  const auto similarity = record.provenance.find("similarity");
  const bool compared = similarity != record.provenance.end() && similarity->is_number();
  if (json) {
    fmt::print("{}\n", dump_json(Json{{"name", record.info.name},
                                      {"folder", folder.string()},
                                      {"tags", record.tags},
                                      {"calibration", record.calibration},
                                      {"reviews", record.reviews},
                                      {"certificate", record.certificate},
                                      {"provenance", record.provenance}}));
    return;
  }
  say("{:<40} {:>9} {:>8} {:<14} {:<14} {:<9} {}\n", folder.filename().string(),
      pass_rate_text(record.calibration),
      compared ? fmt::format("{:.2f}", 1 - similarity->get<double>()) : "-",
      review_text(record.reviews), second_text(record.certificate),
      age_text(record.provenance, last_step), joined(record.tags));
}

Status list_candidates(const SynthPoolListOptions& options) {
  ASSIGN_OR_RETURN(auto store, open_run_to_read(options.path));
  ASSIGN_OR_RETURN(const auto items, store.items("candidate"));
  for (const run::ItemPoint& point : items) {
    const run::ItemRecord& item = point.item;
    const std::string reason = item.data.value("reason", "");
    if (options.json) {
      say("{}\n",
          dump_json(Json{
              {"name", item.name}, {"step", point.step}, {"fate", item.fate}, {"reason", reason}}));
    } else {
      say("{:<12} {:<26} {}\n", item.name, item.fate, reason);
    }
  }
  if (!options.json) say("{} candidates\n", items.size());
  return {};
}

Status synth_pool_list(const SynthPoolListOptions& options) {
  if (options.candidates) return list_candidates(options);
  ASSIGN_OR_RETURN(const auto folders, synth::environment_folders(options.path));
  std::int64_t last_step = 0;
  if (is_file(fs::path(options.path) / "run.db")) {
    ASSIGN_OR_RETURN(auto store, open_run_to_read(options.path));
    last_step = store.last_step().value_or(0);
  }
  if (!options.json && !folders.empty())
    say("{:<40} {:>9} {:>8} {:<14} {:<14} {:<9} {}\n", "name", "solved", "novelty", "reviews",
        "second authors", "age", "tags");
  for (const fs::path& folder : folders) {
    ASSIGN_OR_RETURN(const auto record, synth::read_environment_folder(folder));
    print_row(folder, record, last_step, options.json);
  }
  if (!options.json) say("{} environments\n", folders.size());
  return {};
}

// ------------------------------------------------------------------------------------------------
// show

void print_certificate(const Json& certificate) {
  const auto lines = synth::certificate_lines(certificate);
  if (!lines.empty()) say("certificate:\n");
  for (const auto& [what, text] : lines) say("  {:<15} {}\n", what, text);
}

struct SynthPoolShowOptions {
  std::string name;
  std::string pool;
};

Status synth_pool_show(const SynthPoolShowOptions& options) {
  fs::path folder = options.name;
  if (!options.pool.empty()) {
    ASSIGN_OR_RETURN(const auto found, find_folder(options.pool, options.name));
    folder = found;
  } else if (!is_file(folder / "environment.py")) {
    return usage_error(
        "{}: this is no environment's folder; to look a name up, say where: --pool POOL-OR-RUN",
        options.name);
  }
  ASSIGN_OR_RETURN(const auto record, synth::read_environment_folder(folder));
  say("{} (version {})\n", record.info.name, record.info.version);
  if (!record.info.task.empty()) say("  task         {}\n", record.info.task);
  say("  tags         {}\n  solved       {}\n  reviews      {}\n", joined(record.tags),
      pass_rate_text(record.calibration), review_text(record.reviews));
  for (const auto& [key, value] : record.provenance.items())
    say("  {:<12} {}\n", key, synth_pool_text_of(record.provenance, key.c_str()));
  print_certificate(record.certificate);
  say("\n---- source\n{}\n", record.source);
  if (record.samples.empty()) return {};
  const Json& sample = record.samples.front();
  say("---- a problem of difficulty {}\n{}\n---- its reference\n{}\n",
      synth_pool_text_of(sample, "level"), synth_pool_text_of(sample, "prompt"),
      synth_pool_text_of(sample, "reference"));
  return {};
}

// ------------------------------------------------------------------------------------------------
// why

struct WhyOptions {
  std::string candidate;
  std::string run;
  bool source = false;
  bool answers = false;
  bool json = false;
};

Status no_such_candidate(run::EventStore& store, const WhyOptions& options) {
  ASSIGN_OR_RETURN(const auto items, store.items("candidate"));
  std::vector<std::string_view> names;
  for (const run::ItemPoint& point : items) names.push_back(point.item.name);
  return usage_error(
      "{}: there is no candidate \"{}\"{}; `redqueen synth list --candidates {}` lists all {}",
      options.run, options.candidate, did_you_mean(options.candidate, names), options.run,
      names.size());
}

void synth_pool_print_probes(const Json& probes) {
  if (!probes.is_array() || probes.empty()) return;
  say("probes of the scorer:\n");
  for (const Json& probe : probes) {
    say("  {:<12} {:<20} {} tried, {} parsed, {} right\n", probe.value("group", ""),
        probe.value("kind", ""), probe.value("tried", 0), probe.value("parsed", 0),
        probe.value("solved", 0));
  }
}

void print_reviews(const Json& review) {
  int number = 0;
  for (const Json& verdict : review.value("verdicts", Json::array())) {
    const std::string reason = verdict.value("reason", "");
    say("review {}: {}{}\n", ++number, verdict.value("verdict", "none"),
        reason.empty() ? "" : ": " + reason);
  }
  if (const int lost = review.value("lost", 0); lost > 0)
    say("{} reviews could not be had\n", lost);
}

// "level 0: 2 of 2, level 1: 0 of 2"; empty without levels.
std::string level_text(const Json& calibration) {
  std::string text;
  for (const Json& level : calibration.value("levels", Json::array())) {
    text += fmt::format("{}level {}: {} of {}", text.empty() ? "" : ", ", level.value("level", 0),
                        level.value("solved", 0), level.value("instances", 0));
  }
  return text;
}

void print_calibration(const Json& calibration) {
  say("calibration: {} solved", pass_rate_text(calibration));
  if (const std::string levels = level_text(calibration); !levels.empty()) say(" ({})", levels);
  if (const int cut = calibration.value("cut", 0); cut > 0)
    say(", {} answers cut at their limit", cut);
  say("\n");
}

void print_second_authors(const Json& second) {
  say("second authors: {}: of {} programs {} speak, {} with the reference and {} against it\n",
      second.value("verdict", ""), second.value("programs", 0), second.value("speaking", 0),
      second.value("agreeing", 0), second.value("against", 0));
  for (const Json& silence : second.value("silences", Json::array()))
    say("  one is silent: {}\n", silence.get<std::string>());
  if (const auto example = second.find("example"); example != second.end()) {
    say("  they answer {} where the reference is {}:\n{}\n", example->value("answer", ""),
        example->value("reference", ""), example->value("prompt", ""));
  }
}

// The answers of calibration to a candidate's problems.
Status print_answers(run::EventStore& store, const run::ItemPoint& point) {
  ASSIGN_OR_RETURN(const auto rollouts, store.rollouts(point.step));
  int number = 0;
  for (const run::RolloutRecord& rollout : rollouts) {
    if (rollout.environment != point.item.name) continue;
    say("\n---- answer {}, level {}, score {}\n{}\n---- response\n{}\n", ++number, rollout.level,
        rollout.reward, rollout.prompt, rollout.response);
  }
  if (number == 0) say("\nno answers of calibration are stored\n");
  return {};
}

void print_novelty(const Json& data) {
  if (!data.contains("similarity")) return;
  say("novelty: {:.3f} (similarity {:.3f})", data.value("novelty", 0.0),
      data.value("similarity", 0.0));
  if (const auto nearest = data.find("nearest"); nearest != data.end()) {
    say(", nearest: {} at {:.3f}", nearest->value("name", ""), nearest->value("similarity", 0.0));
  }
  if (data.contains("duplicate_of"))
    say(", repeats candidate number {} of its round", data["duplicate_of"].get<int>() + 1);
  say("\n");
}

void print_fate(const run::ItemPoint& point) {
  const Json& data = point.item.data;
  const Json validation = data.value("validation", Json::object());
  say("{} (step {}): {}\n", point.item.name, point.step, point.item.fate);
  if (const std::string reason = data.value("reason", ""); !reason.empty()) say("{}\n", reason);
  say("layers passed: {} of 5", data.value("layer", 0));
  if (data.value("layer", 0) < 5) {
    say("; fault: {}", validation.value("fault", ""));
    if (const int line = validation.value("line", 0); line > 0) say(", line {}", line);
  }
  say("\n");
  synth_pool_print_probes(validation.value("probes", Json::array()));
  if (data.contains("review")) print_reviews(data["review"]);
  if (data.contains("calibration")) print_calibration(data["calibration"]);
  if (data.contains("second_authors")) print_second_authors(data["second_authors"]);
  print_novelty(data);
  if (data.contains("environment"))
    say("in the pool as {}\n", synth_pool_text_of(data, "environment"));
  print_certificate(data.value("certificate", Json()));
}

Status why(const WhyOptions& options) {
  ASSIGN_OR_RETURN(auto store, open_run_to_read(options.run));
  ASSIGN_OR_RETURN(const auto items, store.items("candidate", options.candidate));
  if (items.empty() || options.candidate.empty()) return no_such_candidate(store, options);
  const run::ItemPoint& point = items.back();
  if (options.json) {
    Json data = point.item.data;
    data["name"] = point.item.name;
    data["step"] = point.step;
    fmt::print("{}\n", dump_json(data));
    return {};
  }
  print_fate(point);
  if (options.source) say("\n---- source\n{}\n", point.item.data.value("source", ""));
  if (options.answers) return print_answers(store, point);
  return {};
}

// ------------------------------------------------------------------------------------------------
// export

struct SynthPoolExportOptions {
  ConfigurationOptions configuration;
  std::vector<std::string> names;
  std::string pool;
  std::string out;
  std::string form = "folder";
  std::vector<int> levels{0, 1, 2, 3, 4};
  int problems = 20;
  std::uint64_t seed = 0;
};

// All or nothing: a clash of names is found before anything is written.
Status copy_folders(const SynthPoolExportOptions& options, const std::vector<fs::path>& folders,
                    const std::vector<synth::EnvironmentRecord>& records) {
  for (const fs::path& folder : folders) {
    if (is_there(fs::path(options.out) / folder.filename()))
      return failure("{}: there is one already", (options.out / folder.filename()).string());
  }
  for (std::size_t i = 0; i < folders.size(); ++i) {
    const fs::path place = options.out / folders[i].filename();
    RETURN_IF_ERROR(write_environment_folder(place, records[i]));
    say("{}\n", place.string());
  }
  return {};
}

Status export_environments(const SynthPoolExportOptions& options, const Resources& resources) {
  std::vector<fs::path> folders;
  for (const std::string& name : options.names) {
    ASSIGN_OR_RETURN(auto folder, find_folder(options.pool, name));
    folders.push_back(std::move(folder));
  }
  if (folders.empty()) {
    ASSIGN_OR_RETURN(auto all, synth::environment_folders(options.pool));
    folders = std::move(all);
  }
  std::vector<synth::EnvironmentRecord> records;
  for (const fs::path& folder : folders) {
    ASSIGN_OR_RETURN(auto record, synth::read_environment_folder(folder));
    records.push_back(std::move(record));
  }
  if (options.form == "folder") return copy_folders(options, folders, records);
  if (records.empty()) return usage_error("{}: there is no environment to export", options.pool);
  ASSIGN_OR_RETURN(sandbox::SandboxConfig config,
                   resolve_sandbox(options.configuration, resources));
  config.preludes = synth::harness_preludes();
  ASSIGN_OR_RETURN(sandbox::Sandbox sandbox, sandbox::Sandbox::start(config));
  RETURN_IF_ERROR(write_environment_package(
      sandbox, records,
      {.form = options.form == "verifiers"       ? PackageForm::kVerifiers
               : options.form == "reasoning-gym" ? PackageForm::kReasoningGym
                                                 : PackageForm::kDataset,
       .out = options.out,
       .levels = options.levels,
       .problems = options.problems,
       .seed = options.seed}));
  say("{}\n", options.out);
  return {};
}

// ------------------------------------------------------------------------------------------------
// page

struct SynthPageOptions {
  std::string path;
  std::string out;
};

std::string tag_family(const synth::EnvironmentRecord& record) {
  return record.tags.empty() ? "other" : record.tags.front();
}

Status write_page(const SynthPageOptions& options) {
  ASSIGN_OR_RETURN(const auto folders, synth::environment_folders(options.path));
  Gallery gallery;
  for (const fs::path& folder : folders) {
    ASSIGN_OR_RETURN(const auto record, synth::read_environment_folder(folder));
    GalleryEntry entry{.name = folder.filename().string(),
                       .task = joined(record.tags),
                       .facts = synth::certificate_lines(record.certificate),
                       .samples = {}};
    for (const Json& sample : record.samples) {
      entry.samples.push_back({.level = sample.value("level", 0),
                               .address = synth_pool_text_of(sample, "seed"),
                               .prompt = synth_pool_text_of(sample, "prompt"),
                               .answer = synth_pool_text_of(sample, "reference"),
                               .guess = ""});
    }
    gallery[tag_family(record)].push_back(std::move(entry));
  }
  std::ofstream file(options.out, std::ios::binary | std::ios::trunc);
  file << gallery_page(gallery);
  file.close();
  if (!file) return failure("{}: cannot be written", options.out);
  say("{}\n", options.out);
  return {};
}

// ------------------------------------------------------------------------------------------------
// import

struct ImportOptions {
  ConfigurationOptions configuration;
  std::string from;
  std::string pool;
  double layer_seconds = 30;
  bool strict_words = false;
};

Status import_into_pool(const ImportOptions& options, const Resources& resources) {
  ASSIGN_OR_RETURN(sandbox::SandboxConfig config,
                   resolve_sandbox(options.configuration, resources));
  config.preludes = synth::harness_preludes();
  ASSIGN_OR_RETURN(sandbox::Sandbox sandbox, sandbox::Sandbox::start(config));
  synth::ValidationOptions validation;
  validation.layer_seconds = options.layer_seconds;
  validation.strict_words = options.strict_words;
  ASSIGN_OR_RETURN(
      const auto imported,
      import_environments(sandbox, options.from, synth::pool_of(options.pool), validation));
  std::size_t refused = 0;
  for (const synth::ImportedEnvironment& one : imported) {
    if (one.folder.empty()) {
      say("refused: {}: {}\n", one.name, one.reason);
      ++refused;
    } else {
      say("imported: {}\n", one.folder.string());
    }
  }
  if (refused > 0) return failure("{} of {} environments were refused", refused, imported.size());
  return {};
}

void add_look(Command synth) {
  {
    Command command = synth.add_subcommand("list", "List the environments of a pool or a run");
    auto options = std::make_shared<SynthPoolListOptions>();
    command.add_option("path", options->path, "Pool, or run").required();
    command.add_flag("--candidates", options->candidates,
                     "Every candidate of a run instead, and what became of it");
    command.add_flag("--json", options->json, "One JSON object a line");
    command.set_work(options, synth_pool_list);
  }
  {
    Command command =
        synth.add_subcommand("show", "Show an environment: card, source, a sample problem");
    auto options = std::make_shared<SynthPoolShowOptions>();
    command.add_option("name", options->name, "Its folder, or its name within --pool").required();
    command.add_option("--pool", options->pool, "Pool, or run");
    command.set_work(options, synth_pool_show);
  }
  {
    Command command = synth.add_subcommand(
        "why", "Why a candidate was accepted or not: layer, probes, reviews, calibration, novelty");
    auto options = std::make_shared<WhyOptions>();
    command.add_option("candidate", options->candidate, "Its name, s3-0-2 say").required();
    command.add_option("--run", options->run, "The run that it belongs to").required();
    command.add_flag("--source", options->source, "Its source, too");
    command.add_flag("--answers", options->answers, "The solver's answers in calibration, too");
    command.add_flag("--json", options->json, "Everything that is known, as one JSON object");
    command.set_work(options, why);
  }
  {
    Command command = synth.add_subcommand(
        "page", "Write the environments of a pool as one page: certificates, sample problems");
    auto options = std::make_shared<SynthPageOptions>();
    command.add_option("path", options->path, "Pool, or run").required();
    command.add_option("--out", options->out, "The HTML file").required();
    command.set_work(options, write_page);
  }
}

void add_move(Command synth) {
  {
    Command command = synth.add_subcommand(
        "export", "Copy environments out of a pool or a run, also as packages for other trainers");
    auto options = std::make_shared<SynthPoolExportOptions>();
    command.add_option("name", options->names, "Their names (default: all)");
    command.add_option("--pool", options->pool, "Pool, or run").required();
    command
        .add_option("--out", options->out,
                    "Folder to copy them to, or of the new package, or the data set's file")
        .required();
    command
        .add_option("--form", options->form,
                    "folder, verifiers or reasoning-gym (a Python package), dataset (JSON lines)")
        .choices({"folder", "verifiers", "reasoning-gym", "dataset"})
        .show_default();
    command.add_option("--levels", options->levels, "Of stored problems: 0,1,2").comma_separated();
    command.add_option("--problems", options->problems, "Stored, of each environment and level")
        .positive()
        .show_default();
    command.add_option("--seed", options->seed, "Of stored problems").show_default();
    options->configuration.add_to(command);
    command.set_work(options, export_environments);
  }
  {
    Command command = synth.add_subcommand(
        "import", "Test environments as lint does, and add those that are sound to a pool");
    auto options = std::make_shared<ImportOptions>();
    command
        .add_option("from", options->from, "An environment's folder, a pool, a run, a Python file")
        .required();
    command.add_option("--pool", options->pool, "Pool, or run, to add them to").required();
    command.add_option("--seconds", options->layer_seconds, "Wall clock of each layer")
        .positive()
        .show_default();
    command.add_flag(
        "--strict-words", options->strict_words,
        "Refuse statements whose words the code seems to contradict, or that no word list has");
    options->configuration.add_to(command);
    command.set_work(options, import_into_pool);
  }
}

}  // namespace

void add_synth_pool(Command synth) {
  add_look(synth);
  add_move(synth);
}

}  // namespace redqueen
