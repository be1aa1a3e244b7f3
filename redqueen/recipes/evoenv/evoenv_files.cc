#include "redqueen/recipes/evoenv/evoenv_files.h"

#include "redqueen/base/text_file.h"

namespace redqueen::evoenv {
namespace {

namespace fs = std::filesystem;

}  // namespace

Expected<std::map<std::string, std::string>> read_seeds(const fs::path& folder,
                                                        std::size_t longest) {
  std::map<std::string, std::string> seeds;
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(folder, problem)) {
    if (entry.path().extension() != ".py") continue;
    ASSIGN_OR_RETURN(auto source, read_text_file(entry.path()));
    if (source.size() > longest) continue;
    seeds.emplace(entry.path().stem().string(), std::move(source));
  }
  if (seeds.empty()) {
    return usage_error(
        "{}: no environments (NAME.py) to begin with, of at most {} characters; see evoenv.seeds "
        "and evoenv.longest_seed",
        folder.string(), longest);
  }
  return seeds;
}

}  // namespace redqueen::evoenv
