#include "redqueen/synth/environment_import.h"

#include <algorithm>
#include <iterator>
#include <system_error>
#include <utility>

#include "redqueen/base/file_queries.h"
#include "redqueen/base/text_file.h"
#include "redqueen/synth/novelty/novelty_text.h"
#include "redqueen/synth/novelty/tag_clusters.h"

namespace redqueen::synth {
namespace {

namespace fs = std::filesystem;

// Folders with their cards, or a Python file, which has none.
Expected<std::vector<EnvironmentRecord>> read_imports(const fs::path& from) {
  std::vector<EnvironmentRecord> records;
  if (!is_there(from)) return usage_error("{}: there is no such thing", from.string());
  if (is_file(from)) {
    ASSIGN_OR_RETURN(records.emplace_back().source, read_text_file(from));
    return records;
  }
  ASSIGN_OR_RETURN(const auto folders, environment_folders(from));
  for (const fs::path& folder : folders) {
    ASSIGN_OR_RETURN(records.emplace_back(), read_environment_folder(folder));
  }
  if (records.empty()) return usage_error("{}: there is no environment in it", from.string());
  return records;
}

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

}  // namespace

fs::path pool_of(const fs::path& path) { return is_file(path / "run.db") ? path / "pool" : path; }

Expected<std::vector<fs::path>> environment_folders(const fs::path& path) {
  const auto is_environment = [](const fs::path& folder) {
    return is_file(folder / "environment.py");
  };
  if (!is_folder(path)) return usage_error("{}: there is no such pool or run", path.string());
  if (is_environment(path)) return std::vector<fs::path>{path};
  std::vector<fs::path> folders;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(pool_of(path), ignored)) {
    const bool hidden = entry.path().filename().string().starts_with('.');
    if (!hidden && is_environment(entry.path())) folders.push_back(entry.path());
  }
  std::ranges::sort(folders);
  return folders;
}

Expected<std::vector<ImportedEnvironment>> import_environments(sandbox::Sandbox& sandbox,
                                                               const fs::path& from,
                                                               const fs::path& pool,
                                                               const ValidationOptions& options) {
  ASSIGN_OR_RETURN(auto records, read_imports(from));
  std::vector<std::string> sources;
  sources.reserve(records.size());
  for (const EnvironmentRecord& record : records) sources.push_back(record.source);
  const auto reports = validate(sandbox, sources, options);
  std::vector<ImportedEnvironment> imported;
  for (std::size_t i = 0; i < records.size(); ++i) {
    ImportedEnvironment& outcome = imported.emplace_back();
    if (!reports[i].sound()) {
      outcome.name = records[i].info.name.empty() ? from.string() : records[i].info.name;
      outcome.reason = fmt::format("{}: {}", reports[i].code(), reports[i].sentence);
      continue;
    }
    const EnvironmentRecord record = accepted_record(std::move(records[i]), reports[i]);
    outcome.name = folder_name(record);
    const fs::path folder = pool / outcome.name;
    if (is_there(folder)) {
      outcome.reason = "the pool has one of this name";
      continue;
    }
    RETURN_IF_ERROR(write_environment_folder(folder, record));
    outcome.folder = folder;
  }
  return imported;
}

}  // namespace redqueen::synth
