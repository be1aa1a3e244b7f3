#include "redqueen/checkpoint/source/hub.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "redqueen/base/file_queries.h"
#include "redqueen/base/json.h"
#include "redqueen/base/text_file.h"
#include "redqueen/checkpoint/source/model_files.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "hf:";

bool is_hub_word(std::string_view word) {
  return !word.empty() && word.front() != '.' && word.front() != '~' &&
         std::ranges::all_of(word, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '-' || c == '_' || c == '.';
         });
}

// As huggingface_hub looks for it.
fs::path cache_folder() {
  const auto variable = [](const char* name) -> fs::path {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
  };
  if (const fs::path own = variable("HF_HUB_CACHE"); !own.empty()) return own;
  if (const fs::path home = variable("HF_HOME"); !home.empty()) return home / "hub";
  fs::path cache = variable("XDG_CACHE_HOME");
  if (cache.empty()) cache = variable("HOME") / ".cache";
  return cache / "huggingface" / "hub";
}

// Whether all files are there that a policy is loaded of: a download that was ended half-way, or
// one of other files, has not made a policy.
bool is_whole(const fs::path& folder) {
  const bool is_adapter = is_file(folder / "adapter_config.json");
  if (is_adapter) return is_file(folder / "adapter_model.safetensors");
  if (!is_file(folder / "config.json") || !is_file(folder / "tokenizer.json")) return false;
  if (is_file(folder / "model.safetensors")) return true;
  const auto text = read_text_file(folder / "model.safetensors.index.json");
  const Json index = text ? Json::parse(*text, nullptr, false) : Json();
  if (!index.is_object() || !index.contains("weight_map") || !index["weight_map"].is_object())
    return false;
  return std::ranges::all_of(index["weight_map"].items(), [&](const auto& item) {
    return item.value().is_string() && is_file(folder / item.value().template get<std::string>());
  });
}

// The commit that a revision is in the cache, with all of its files; empty: it is not there.
std::string cached_commit(const HubName& model) {
  std::string folder = "models--" + model.name;
  folder.replace(folder.find('/'), 1, "--");
  const fs::path cached = cache_folder() / folder;
  std::string commit = model.revision;
  if (const auto named = read_text_file(cached / "refs" / model.revision))
    commit = named->substr(0, named->find_first_of(" \r\n"));
  const bool is_one = is_hub_word(commit) && is_whole(cached / "snapshots" / commit);
  return is_one ? commit : std::string();
}

fs::path snapshot(const HubName& model, const std::string& commit) {
  std::string folder = "models--" + model.name;
  folder.replace(folder.find('/'), 1, "--");
  return cache_folder() / folder / "snapshots" / commit;
}

}  // namespace

bool is_hub_model_name(std::string_view name) {
  constexpr std::size_t kMostCharacters = 96;
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos || name.size() > kMostCharacters) return false;
  const auto is_name = [](std::string_view word) {
    const auto is_mark = [](char c) { return c == '-' || c == '.'; };
    return is_hub_word(word) && !is_mark(word.front()) && !is_mark(word.back());
  };
  return is_name(name.substr(0, slash)) && is_name(name.substr(slash + 1)) &&
         name.find("--") == std::string_view::npos && name.find("..") == std::string_view::npos &&
         !name.ends_with(".git");
}

std::string hub_model_of(std::string_view path) {
  if (const auto model = hub_name(path)) {
    return model->revision == "main" ? model->name
                                     : fmt::format("{}@{}", model->name, model->revision);
  }
  if (path.starts_with(kPrefix)) path.remove_prefix(kPrefix.size());
  // CACHE/models--ORG--NAME/snapshots/COMMIT
  const fs::path snapshot = fs::path(path).lexically_normal();
  std::string folder = snapshot.parent_path().parent_path().filename().string();
  constexpr std::string_view kFolder = "models--";
  if (snapshot.parent_path().filename() != "snapshots" || !folder.starts_with(kFolder)) return {};
  folder.erase(0, kFolder.size());
  const std::size_t dashes = folder.find("--");
  if (dashes == std::string::npos) return {};
  folder.replace(dashes, 2, "/");
  return is_hub_model_name(folder) ? fmt::format("{}@{}", folder, snapshot.filename().string())
                                   : std::string();
}

std::optional<HubName> hub_name(std::string_view path) {
  if (!path.starts_with(kPrefix)) return std::nullopt;
  path.remove_prefix(kPrefix.size());
  if (is_there(fs::path(path))) return std::nullopt;
  const std::size_t at = path.find('@');
  const std::string_view name = path.substr(0, at);
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  if (!is_hub_word(name.substr(0, slash)) || !is_hub_word(name.substr(slash + 1)))
    return std::nullopt;
  std::string revision = "main";
  if (at != std::string_view::npos) revision = std::string(path.substr(at + 1));
  if (!is_hub_word(revision)) return std::nullopt;
  return HubName{std::string(name), std::move(revision)};
}

fs::path model_folder(std::string_view path) {
  if (const auto model = hub_name(path)) {
    if (const std::string commit = cached_commit(*model); !commit.empty())
      return snapshot(*model, commit);
  }
  if (path.starts_with(kPrefix)) path.remove_prefix(kPrefix.size());
  return path;
}

Expected<std::string> fetch_from_hub(const std::string& path, const fs::path& python,
                                     const std::atomic<bool>& interrupted) {
  const auto model = hub_name(path);
  if (!model) return path;
  std::string commit = cached_commit(*model);
  if (commit.empty()) {
    ASSIGN_OR_RETURN(commit,
                     run_model_files(python, {"hub", model->name, model->revision}, interrupted));
    if (cached_commit({model->name, commit}).empty()) {
      return failure("{}: the download ended well, but the cache lacks a part of it ({})", path,
                     snapshot(*model, commit).string());
    }
  }
  return fmt::format("hf:{}@{}", model->name, commit);
}

}  // namespace redqueen
