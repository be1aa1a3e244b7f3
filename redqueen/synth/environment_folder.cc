#include "redqueen/synth/environment_folder.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <system_error>

#include "redqueen/base/durable.h"
#include "redqueen/base/file_queries.h"
#include "redqueen/base/text_file.h"
#include "redqueen/core/answer.h"

namespace redqueen::synth {
namespace {

namespace fs = std::filesystem;

constexpr int kFormat = 1;
constexpr const char* kSource = "environment.py";
constexpr const char* kCardFile = "card.json";
constexpr const char* kSamples = "samples.jsonl";

std::string source_hash(std::string_view source) {
  return fmt::format("{:016x}", hash_name(source));
}

Status write_text(const fs::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) return failure("{}: cannot be written", path.string());
  return {};
}

Json card_of(const EnvironmentRecord& record) {
  return {{"format", kFormat},
          {"name", record.info.name},
          {"version", record.info.version},
          {"description", record.info.task},
          {"levels", record.info.levels},
          {"rewards", record.info.rewards},
          {"max_level", record.info.max_level},
          {"tags", record.tags},
          {"source_hash", source_hash(record.source)},
          {"validation", record.validation},
          {"reviews", record.reviews},
          {"calibration", record.calibration},
          {"certificate", record.certificate},
          {"embedding_hash", record.embedding_hash},
          {"provenance", record.provenance}};
}

// Takes values out of a card; the first that is missing or of another type is the error.
class CardReader {
 public:
  CardReader(const Json& card, std::string path) : card_(card), path_(std::move(path)) {}

  template <typename T>
  void take(const char* key, T& value) {
    if (!status_) return;
    try {
      if constexpr (std::is_same_v<T, Json>) {
        value = card_.at(key);
      } else {
        value = card_.at(key).get<T>();
      }
    } catch (const nlohmann::json::exception&) {
      status_ = failure("{}: \"{}\" is missing or of another type", path_, key);
    }
  }

  const Status& status() const { return status_; }

 private:
  const Json& card_;
  std::string path_;
  Status status_;
};

Status read_card(const fs::path& path, EnvironmentRecord& record) {
  ASSIGN_OR_RETURN(const auto text, read_text_file(path));
  const auto card = parse_json(text);
  if (!card) return failure("{}: {}", path.string(), card.error().message);
  CardReader reader(*card, path.string());
  int format = 0;
  std::string hash;
  reader.take("format", format);
  reader.take("name", record.info.name);
  reader.take("version", record.info.version);
  reader.take("description", record.info.task);
  reader.take("levels", record.info.levels);
  reader.take("rewards", record.info.rewards);
  reader.take("max_level", record.info.max_level);
  reader.take("tags", record.tags);
  reader.take("source_hash", hash);
  reader.take("validation", record.validation);
  reader.take("reviews", record.reviews);
  reader.take("calibration", record.calibration);
  if (card->is_object() && card->contains("certificate")) {  // older cards have none
    reader.take("certificate", record.certificate);
  }
  reader.take("embedding_hash", record.embedding_hash);
  reader.take("provenance", record.provenance);
  if (!reader.status()) return reader.status();
  if (format != kFormat) return failure("{}: format {} is unknown", path.string(), format);
  if (record.info.name.empty() || record.info.version < 1) {
    return failure(R"({}: an environment needs a "name" and a "version" of at least 1)",
                   path.string());
  }
  if (hash != source_hash(record.source)) {
    return failure(
        "{}: it was made for another {}; whoever changed the source must have it validated anew "
        "(redqueen synth lint)",
        path.string(), kSource);
  }
  return {};
}

Status read_samples(const fs::path& path, EnvironmentRecord& record) {
  ASSIGN_OR_RETURN(const auto text, read_text_file(path));
  int number = 0;
  for (const std::string_view line : split_lines(text)) {
    auto sample = parse_json(line);
    ++number;
    if (!sample) {
      return failure("{}: sample {}: {}", path.string(), number, sample.error().message);
    }
    record.samples.push_back(std::move(*sample));
  }
  return {};
}

Status write_files(const fs::path& folder, const EnvironmentRecord& record) {
  std::string samples;
  for (const Json& sample : record.samples) samples += dump_json(sample) + "\n";
  for (const auto& [name, text] :
       {std::pair<const char*, std::string>{kSource, record.source},
        {kCardFile, card_of(record).dump(2, ' ', false, Json::error_handler_t::replace) + "\n"},
        {kSamples, samples}}) {
    if (Status written = write_text(folder / name, text); !written) return written;
  }
  return {};
}

bool is_environment_folder(const fs::path& folder) { return is_file(folder / kSource); }

Expected<std::vector<fs::path>> folders_of(const fs::path& path) {
  if (is_environment_folder(path)) return std::vector<fs::path>{path};
  ASSIGN_OR_RETURN(std::vector<fs::path> folders, list_folder(path));
  std::erase_if(folders, [](const fs::path& entry) {
    return entry.filename().string().starts_with('.')  // what is being written, for one
           || !is_environment_folder(entry);
  });
  if (folders.empty()) {
    return usage_error("{}: neither an environment's folder (with {}) nor a pool of such folders",
                       path.string(), kSource);
  }
  return folders;
}

}  // namespace

EnvironmentRecord make_record(const std::string& source, const ValidationReport& report) {
  EnvironmentRecord record;
  record.source = source;
  record.info.name =
      fmt::format("evo/{}-{:06x}", snake_case(report.class_name), hash_name(source) & 0xFFFFFF);
  record.info.version = source_version(source);
  record.validation = to_json(report);
  int last_level = -1;
  for (const SampleProblem& sample : report.samples) {
    if (sample.level == last_level) continue;
    last_level = sample.level;
    record.samples.push_back({{"level", sample.level},
                              {"seed", sample.seed},
                              {"prompt", sample.prompt},
                              {"reference", sample.reference},
                              {"state", sample.state}});
  }
  return record;
}

std::string folder_name(const EnvironmentRecord& record) {
  const std::size_t slash = record.info.name.rfind('/');
  std::string name =
      slash == std::string::npos ? record.info.name : record.info.name.substr(slash + 1);
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '-';
    if (!plain) c = '_';
  }
  return name.empty() ? "environment" : name;
}

Status write_environment_folder(const fs::path& folder, const EnvironmentRecord& record) {
  return replace_folder(folder.lexically_normal(),
                        [&](const fs::path& draft) { return write_files(draft, record); });
}

Expected<EnvironmentRecord> read_environment_folder(const fs::path& folder) {
  EnvironmentRecord record;
  ASSIGN_OR_RETURN(auto source, read_text_file(folder / kSource));
  record.source = std::move(source);
  RETURN_IF_ERROR(read_card(folder / kCardFile, record));
  RETURN_IF_ERROR(read_samples(folder / kSamples, record));
  return record;
}

Expected<std::vector<std::unique_ptr<const Environment>>> load_python_environments(
    const fs::path& path, sandbox::Sandbox& sandbox) {
  std::vector<std::unique_ptr<const Environment>> environments;
  if (path.extension() == ".py" && is_file(path)) {
    ASSIGN_OR_RETURN(auto source, read_text_file(path));
    environments.push_back(std::make_unique<const PythonEnvironment>(std::move(source), sandbox));
    return environments;
  }
  ASSIGN_OR_RETURN(const auto folders, folders_of(path));
  std::set<std::string> names;
  for (const fs::path& folder : folders) {
    ASSIGN_OR_RETURN(auto record, read_environment_folder(folder));
    if (!names.insert(record.info.name).second) {
      return failure("{}: another environment of this pool is called {} as well", folder.string(),
                     record.info.name);
    }
    environments.push_back(std::make_unique<const PythonEnvironment>(
        std::move(record.source), sandbox, std::move(record.info)));
  }
  return environments;
}

}  // namespace redqueen::synth
