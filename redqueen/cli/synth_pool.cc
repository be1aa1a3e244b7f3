// redqueen synth list, show, why, export, import: environments that were accepted, and what became of the others.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "redqueen/cli/commands.h"
#include "redqueen/core/json.h"
#include "redqueen/core/text.h"
#include "redqueen/run/event_store.h"
#include "redqueen/synth/environment_folder.h"
#include "redqueen/synth/harness.h"
#include "redqueen/synth/novelty_text.h"
#include "redqueen/synth/prototypes.h"
#include "redqueen/synth/validation.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

// ---------------------------------------------------------------------------------------------------------------------
// Pools and runs

bool is_run(const fs::path& path) { return fs::is_regular_file(path / "run.db"); }
bool is_environment(const fs::path& path) { return fs::is_regular_file(path / "environment.py"); }

fs::path pool_of(const fs::path& path) { return is_run(path) ? path / "pool" : path; }

// The environments of a pool, of a run, or the one that `path` is; by name. A pool may be empty.
Expected<std::vector<fs::path>> folders_of(const fs::path& path) {
  if (!fs::is_directory(path))
    return usage_error("{}: there is no such pool or run", path.string());
  if (is_environment(path)) return std::vector<fs::path>{path};
  std::vector<fs::path> folders;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(pool_of(path), error)) {
    const bool hidden = entry.path().filename().string().starts_with('.');
    if (!hidden && is_environment(entry.path())) folders.push_back(entry.path());
  }
  std::ranges::sort(folders);
  return folders;
}

// One environment of a pool by its name, with or without "evo/".
Expected<fs::path> find_folder(const fs::path& pool, std::string_view name) {
  const auto folders = folders_of(pool);
  if (!folders) return tl::make_unexpected(folders.error());
  std::vector<std::string> names;
  const std::string_view asked = name.substr(name.rfind('/') + 1);  // npos + 1 is 0
  for (const fs::path& folder : *folders) {
    names.push_back(folder.filename().string());
    if (names.back() == asked) return folder;
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  return usage_error("{}: there is no environment \"{}\"{}", pool.string(), name,
                     did_you_mean(asked, views));
}

std::string text_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end()) return "-";
  return found->is_string() ? found->get<std::string>() : dump_json(*found);
}

// "3 of 8"; "-" without a measurement.
std::string pass_rate_text(const Json& calibration) {
  if (!calibration.is_object() || !calibration.contains("instances")) return "-";
  return fmt::format("{} of {}", text_of(calibration, "solved"), text_of(calibration, "instances"));
}

// "2 of 3 accept"; "-" if nobody read it.
std::string review_text(const Json& review) {
  if (!review.is_object() || !review.contains("verdicts")) return "-";
  std::size_t accepts = 0;
  for (const Json& verdict : review["verdicts"])
    accepts += verdict.is_object() && verdict.value("verdict", "") == "accept";
  return fmt::format("{} of {} accept", accepts, review["verdicts"].size());
}

// ---------------------------------------------------------------------------------------------------------------------
// list

struct ListOptions {
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

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

void print_row(const fs::path& folder, const EnvironmentRecord& record, std::int64_t last_step,
               bool json) {
  const auto similarity = record.provenance.find("similarity");
  const bool compared = similarity != record.provenance.end() && similarity->is_number();
  if (json) {
    fmt::print("{}\n", dump_json(Json{{"name", record.info.name},
                                      {"folder", folder.string()},
                                      {"tags", record.tags},
                                      {"calibration", record.calibration},
                                      {"reviews", record.reviews},
                                      {"provenance", record.provenance}}));
    return;
  }
  fmt::print("{:<40} {:>9} {:>8} {:<14} {:<9} {}\n", folder.filename().string(),
             pass_rate_text(record.calibration),
             compared ? fmt::format("{:.2f}", 1 - similarity->get<double>()) : "-",
             review_text(record.reviews), age_text(record.provenance, last_step),
             joined(record.tags));
}

Expected<EventStore> open_run(const fs::path& run) {
  if (!is_run(run)) return usage_error("{}: this is no run (it has no run.db)", run.string());
  return EventStore::open_to_read(run / "run.db");
}

Status list_candidates(const ListOptions& options) {
  auto store = open_run(options.path);
  if (!store) return tl::make_unexpected(store.error());
  const auto items = store->items("candidate");
  if (!items) return tl::make_unexpected(items.error());
  for (const ItemPoint& point : *items) {
    const ItemRecord& item = point.item;
    const std::string reason = item.data.value("reason", "");
    if (options.json) {
      fmt::print(
          "{}\n",
          dump_json(Json{
              {"name", item.name}, {"step", point.step}, {"fate", item.fate}, {"reason", reason}}));
    } else {
      fmt::print("{:<12} {:<26} {}\n", item.name, item.fate, reason);
    }
  }
  if (!options.json) fmt::print("{} candidates\n", items->size());
  return {};
}

Status list(const ListOptions& options) {
  if (options.candidates) return list_candidates(options);
  const auto folders = folders_of(options.path);
  if (!folders) return tl::make_unexpected(folders.error());
  std::int64_t last_step = 0;
  if (is_run(options.path)) {
    auto store = open_run(options.path);
    if (!store) return tl::make_unexpected(store.error());
    last_step = store->last_step().value_or(0);
  }
  if (!options.json && !folders->empty())
    fmt::print("{:<40} {:>9} {:>8} {:<14} {:<9} {}\n", "name", "solved", "novelty", "reviews",
               "age", "tags");
  for (const fs::path& folder : *folders) {
    const auto record = read_environment_folder(folder);
    if (!record) return tl::make_unexpected(record.error());
    print_row(folder, *record, last_step, options.json);
  }
  if (!options.json) fmt::print("{} environments\n", folders->size());
  return {};
}

// ---------------------------------------------------------------------------------------------------------------------
// show

struct ShowOptions {
  std::string name;
  std::string pool;
};

Status show(const ShowOptions& options) {
  fs::path folder = options.name;
  if (!options.pool.empty()) {
    const auto found = find_folder(options.pool, options.name);
    if (!found) return tl::make_unexpected(found.error());
    folder = *found;
  } else if (!is_environment(folder)) {
    return usage_error(
        "{}: this is no environment's folder; to look a name up, say where: --pool POOL-OR-RUN",
        options.name);
  }
  const auto record = read_environment_folder(folder);
  if (!record) return tl::make_unexpected(record.error());
  fmt::print("{} (version {})\n", record->info.name, record->info.version);
  if (!record->info.task.empty()) fmt::print("  task         {}\n", record->info.task);
  fmt::print("  tags         {}\n  solved       {}\n  reviews      {}\n", joined(record->tags),
             pass_rate_text(record->calibration), review_text(record->reviews));
  for (const auto& [key, value] : record->provenance.items())
    fmt::print("  {:<12} {}\n", key, text_of(record->provenance, key.c_str()));
  fmt::print("\n---- source\n{}\n", record->source);
  if (record->samples.empty()) return {};
  const Json& sample = record->samples.front();
  fmt::print("---- a problem of difficulty {}\n{}\n---- its reference\n{}\n",
             text_of(sample, "level"), text_of(sample, "prompt"), text_of(sample, "reference"));
  return {};
}

// ---------------------------------------------------------------------------------------------------------------------
// why

struct WhyOptions {
  std::string candidate;
  std::string run;
  bool source = false;
  bool json = false;
};

Status no_such_candidate(EventStore& store, const WhyOptions& options) {
  const auto items = store.items("candidate");
  if (!items) return tl::make_unexpected(items.error());
  std::vector<std::string_view> names;
  for (const ItemPoint& point : *items) names.push_back(point.item.name);
  return usage_error(
      "{}: there is no candidate \"{}\"{}; `redqueen synth list --candidates {}` lists all {}",
      options.run, options.candidate, did_you_mean(options.candidate, names), options.run,
      names.size());
}

void print_probes(const Json& probes) {
  if (!probes.is_array() || probes.empty()) return;
  fmt::print("probes of the scorer:\n");
  for (const Json& probe : probes) {
    fmt::print("  {:<12} {:<20} {} tried, {} parsed, {} right\n", probe.value("group", ""),
               probe.value("kind", ""), probe.value("tried", 0), probe.value("parsed", 0),
               probe.value("solved", 0));
  }
}

void print_reviews(const Json& review) {
  int number = 0;
  for (const Json& verdict : review.value("verdicts", Json::array())) {
    const std::string reason = verdict.value("reason", "");
    fmt::print("review {}: {}{}\n", ++number, verdict.value("verdict", "none"),
               reason.empty() ? "" : ": " + reason);
  }
  if (const int lost = review.value("lost", 0); lost > 0)
    fmt::print("{} reviews could not be had\n", lost);
}

void print_novelty(const Json& data) {
  if (!data.contains("similarity")) return;
  fmt::print("novelty: {:.3f} (similarity {:.3f})", data.value("novelty", 0.0),
             data.value("similarity", 0.0));
  if (const auto nearest = data.find("nearest"); nearest != data.end()) {
    fmt::print(", nearest: {} at {:.3f}", nearest->value("name", ""),
               nearest->value("similarity", 0.0));
  }
  if (data.contains("duplicate_of"))
    fmt::print(", repeats candidate number {} of its round", data["duplicate_of"].get<int>() + 1);
  fmt::print("\n");
}

void print_fate(const ItemPoint& point) {
  const Json& data = point.item.data;
  const Json validation = data.value("validation", Json::object());
  fmt::print("{} (step {}): {}\n", point.item.name, point.step, point.item.fate);
  if (const std::string reason = data.value("reason", ""); !reason.empty())
    fmt::print("{}\n", reason);
  fmt::print("layers passed: {} of 5", data.value("layer", 0));
  if (data.value("layer", 0) < 5) {
    fmt::print("; fault: {}", validation.value("fault", ""));
    if (const int line = validation.value("line", 0); line > 0) fmt::print(", line {}", line);
  }
  fmt::print("\n");
  print_probes(validation.value("probes", Json::array()));
  if (data.contains("review")) print_reviews(data["review"]);
  if (data.contains("calibration"))
    fmt::print("calibration: {} solved\n", pass_rate_text(data["calibration"]));
  print_novelty(data);
  if (data.contains("environment")) fmt::print("in the pool as {}\n", text_of(data, "environment"));
}

Status why(const WhyOptions& options) {
  auto store = open_run(options.run);
  if (!store) return tl::make_unexpected(store.error());
  const auto items = store->items("candidate", options.candidate);
  if (!items) return tl::make_unexpected(items.error());
  if (items->empty() || options.candidate.empty()) return no_such_candidate(*store, options);
  const ItemPoint& point = items->back();
  if (options.json) {
    Json data = point.item.data;
    data["name"] = point.item.name;
    data["step"] = point.step;
    fmt::print("{}\n", dump_json(data));
    return {};
  }
  print_fate(point);
  if (options.source) fmt::print("\n---- source\n{}\n", point.item.data.value("source", ""));
  return {};
}

// ---------------------------------------------------------------------------------------------------------------------
// export, import

struct ExportOptions {
  std::vector<std::string> names;
  std::string pool;
  std::string out;
};

// All or nothing: a clash of names is found before anything is written.
Status export_environments(const ExportOptions& options) {
  std::vector<fs::path> folders;
  for (const std::string& name : options.names) {
    auto folder = find_folder(options.pool, name);
    if (!folder) return tl::make_unexpected(folder.error());
    folders.push_back(std::move(*folder));
  }
  if (folders.empty()) {
    auto all = folders_of(options.pool);
    if (!all) return tl::make_unexpected(all.error());
    folders = std::move(*all);
  }
  std::vector<EnvironmentRecord> records;
  for (const fs::path& folder : folders) {
    auto record = read_environment_folder(folder);
    if (!record) return tl::make_unexpected(record.error());
    records.push_back(std::move(*record));
    if (fs::exists(fs::path(options.out) / folder.filename()))
      return failure("{}: there is one already", (options.out / folder.filename()).string());
  }
  for (std::size_t i = 0; i < folders.size(); ++i) {
    const fs::path place = options.out / folders[i].filename();
    if (Status written = write_environment_folder(place, records[i]); !written) return written;
    fmt::print("{}\n", place.string());
  }
  return {};
}

struct ImportOptions {
  std::string from;
  std::string pool;
  double layer_seconds = 30;
};

// What is to be imported: folders with their cards, or a Python file, which has none.
Expected<std::vector<EnvironmentRecord>> read_imports(const fs::path& from) {
  std::vector<EnvironmentRecord> records;
  if (fs::is_regular_file(from)) {
    std::ifstream file(from, std::ios::binary);
    EnvironmentRecord& record = records.emplace_back();
    record.source = std::string(std::istreambuf_iterator<char>(file), {});
    if (!file) return failure("{}: cannot be read", from.string());
    return records;
  }
  const auto folders = folders_of(from);
  if (!folders) return tl::make_unexpected(folders.error());
  for (const fs::path& folder : *folders) {
    auto record = read_environment_folder(folder);
    if (!record) return tl::make_unexpected(record.error());
    records.push_back(std::move(*record));
  }
  if (records.empty()) return usage_error("{}: there is no environment in it", from.string());
  return records;
}

// What the card claims is kept; what can be tested is tested anew.
EnvironmentRecord accepted_record(EnvironmentRecord given, const ValidationReport& report) {
  EnvironmentRecord record = make_record(given.source, report);
  if (given.info.name.empty()) {
    given.info = record.info;
    given.tags = names_of_tags(find_tags(given.source, novelty_text(given.source).prompt));
  }
  given.validation = std::move(record.validation);
  given.samples = std::move(record.samples);
  if (!given.provenance.is_object()) given.provenance = {{"claimed", given.provenance}};
  given.provenance["imported"] = true;
  return given;
}

Status import_environments(const ImportOptions& options) {
  if (!fs::exists(options.from)) return usage_error("{}: there is no such thing", options.from);
  auto records = read_imports(options.from);
  if (!records) return tl::make_unexpected(records.error());
  SandboxConfig config;
  config.preludes = harness_preludes();
  auto sandbox = Sandbox::start(config);
  if (!sandbox) return tl::make_unexpected(sandbox.error());
  ValidationOptions validation;
  validation.layer_seconds = options.layer_seconds;
  std::vector<std::string> sources;
  for (const EnvironmentRecord& record : *records) sources.push_back(record.source);
  const auto reports = validate(*sandbox, sources, validation);
  const fs::path pool = pool_of(options.pool);
  std::size_t refused = 0;
  for (std::size_t i = 0; i < records->size(); ++i) {
    if (!reports[i].sound()) {
      const std::string& name = (*records)[i].info.name;
      fmt::print("refused: {}: {}: {}\n", name.empty() ? options.from : name, reports[i].code(),
                 reports[i].sentence);
      ++refused;
      continue;
    }
    const EnvironmentRecord record = accepted_record(std::move((*records)[i]), reports[i]);
    const std::string name = folder_name(record);
    if (fs::exists(pool / name)) {
      fmt::print("refused: {}: the pool has one of this name\n", name);
      ++refused;
      continue;
    }
    if (Status written = write_environment_folder(pool / name, record); !written) return written;
    fmt::print("imported: {}\n", (pool / name).string());
  }
  if (refused > 0) return failure("{} of {} environments were refused", refused, sources.size());
  return {};
}

void add_look(CLI::App& synth, Action& action) {
  {
    CLI::App* command = synth.add_subcommand("list", "List the environments of a pool or a run");
    auto options = std::make_shared<ListOptions>();
    command->add_option("path", options->path, "Pool, or run")->required();
    command->add_flag("--candidates", options->candidates,
                      "Every candidate of a run instead, and what became of it");
    command->add_flag("--json", options->json, "One JSON object a line");
    set_action(command, action, options, list);
  }
  {
    CLI::App* command =
        synth.add_subcommand("show", "Show an environment: card, source, a sample problem");
    auto options = std::make_shared<ShowOptions>();
    command->add_option("name", options->name, "Its folder, or its name within --pool")->required();
    command->add_option("--pool", options->pool, "Pool, or run");
    set_action(command, action, options, show);
  }
  {
    CLI::App* command = synth.add_subcommand(
        "why", "Why a candidate was accepted or not: layer, probes, reviews, calibration, novelty");
    auto options = std::make_shared<WhyOptions>();
    command->add_option("candidate", options->candidate, "Its name, s3-0-2 say")->required();
    command->add_option("--run", options->run, "The run that it belongs to")->required();
    command->add_flag("--source", options->source, "Its source, too");
    command->add_flag("--json", options->json, "Everything that is known, as one JSON object");
    set_action(command, action, options, why);
  }
}

void add_move(CLI::App& synth, Action& action) {
  {
    CLI::App* command = synth.add_subcommand("export", "Copy environments out of a pool or a run");
    auto options = std::make_shared<ExportOptions>();
    command->add_option("name", options->names, "Their names (default: all)");
    command->add_option("--pool", options->pool, "Pool, or run")->required();
    command->add_option("--out", options->out, "Folder to copy them to")->required();
    set_action(command, action, options, export_environments);
  }
  {
    CLI::App* command = synth.add_subcommand(
        "import", "Test environments as lint does, and add those that are sound to a pool");
    auto options = std::make_shared<ImportOptions>();
    command
        ->add_option("from", options->from, "An environment's folder, a pool, a run, a Python file")
        ->required();
    command->add_option("--pool", options->pool, "Pool, or run, to add them to")->required();
    command->add_option("--seconds", options->layer_seconds, "Wall clock of each layer")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    set_action(command, action, options, import_environments);
  }
}

}  // namespace

void add_synth_pool(CLI::App& synth, Action& action) {
  add_look(synth, action);
  add_move(synth, action);
}

}  // namespace redqueen
