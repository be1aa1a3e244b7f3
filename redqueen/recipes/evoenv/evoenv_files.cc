#include "redqueen/recipes/evoenv/evoenv_files.h"

#include <fstream>
#include <sstream>

#include "redqueen/recipes/suite.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

Expected<std::string> read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) return failure("{}: cannot be read", path.string());
  return text.str();
}

}  // namespace

fs::path find_evoenv_folder(const std::string& name) {
  return fs::is_directory(name) ? fs::path(name) : configs_folder() / name;
}

Expected<std::map<std::string, std::string>> read_seeds(const std::string& folder,
                                                        std::size_t longest) {
  std::map<std::string, std::string> seeds;
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(find_evoenv_folder(folder), problem)) {
    if (entry.path().extension() != ".py") continue;
    auto source = read_file(entry.path());
    if (!source) return tl::make_unexpected(source.error());
    if (source->size() > longest) continue;
    seeds.emplace(entry.path().stem().string(), std::move(*source));
  }
  if (seeds.empty()) {
    return usage_error(
        "{}: no environments (NAME.py) to begin with, of at most {} characters; see evoenv.seeds "
        "and evoenv.longest_seed",
        folder, longest);
  }
  return seeds;
}

}  // namespace redqueen
