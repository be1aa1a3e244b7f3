#include "redqueen/run/changed_config.h"

#include <fmt/format.h>

#include <string>
#include <system_error>

#include "redqueen/base/durable.h"
#include "redqueen/base/file_queries.h"
#include "redqueen/base/text_file.h"

namespace redqueen::run {
namespace {

namespace fs = std::filesystem;

fs::path free_name(const fs::path& run, std::int64_t step) {
  const std::string name = fmt::format("config-until-step-{}", step);
  fs::path file = run / (name + ".toml");
  for (int i = 2; is_there(file); ++i) file = run / fmt::format("{}-{}.toml", name, i);
  return file;
}

}  // namespace

Expected<fs::path> change_config(const fs::path& run, std::string_view config_toml,
                                 std::int64_t step) {
  const fs::path config = run / "config.toml";
  ASSIGN_OR_RETURN(const std::string before, read_text_file(config));
  if (before == config_toml) return fs::path();
  // The old file gets a second name before it loses its first: config.toml is there throughout.
  const fs::path kept = free_name(run, step);
  std::error_code error;
  fs::create_hard_link(config, kept, error);
  if (error) fs::copy_file(config, kept, error);
  if (error) return path_error(kept, "cannot be made", error);
  RETURN_IF_ERROR(replace_file(config, config_toml));
  return kept;
}

}  // namespace redqueen::run
