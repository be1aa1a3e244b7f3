#include "redqueen/cli/synth/package/environment_package.h"

#include <fstream>
#include <utility>

#include "redqueen/base/durable.h"
#include "redqueen/base/file_queries.h"
#include "redqueen/base/json.h"
#include "redqueen/cli/synth/package/embedded_files.h"
#include "redqueen/core/batch.h"
#include "redqueen/synth/admission/certificate.h"
#include "redqueen/synth/embedded_files.h"
#include "redqueen/synth/python_environment.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

// A module's name: letters, digits and underscores, and no digit first.
std::string module_name(std::string_view text) {
  std::string name = synth::snake_case(text);
  if (name.empty() || (name.front() >= '0' && name.front() <= '9')) name = "pool_" + name;
  return name;
}

std::string environment_name(const synth::EnvironmentRecord& record) {
  return module_name(folder_name(record));
}

Status write_text(const fs::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) return failure("{}: cannot be written", path.string());
  return {};
}

Expected<std::string> problem_lines(sandbox::Sandbox& sandbox,
                                    std::span<const synth::EnvironmentRecord> records,
                                    const PackageOptions& options) {
  std::string lines;
  for (const synth::EnvironmentRecord& record : records) {
    const synth::PythonEnvironment environment(record.source, sandbox);
    std::vector<ProblemRequest> requests;
    for (const int level : options.levels) {
      for (int k = 0; k < options.problems; ++k)
        requests.push_back({&environment, level, options.seed + static_cast<std::uint64_t>(k), 1});
    }
    std::size_t made = 0;
    for (const auto& problem : generate_all(requests)) {
      if (!problem) continue;
      ++made;
      const Json parameter = (*problem)->parameter();
      lines += dump_json(Json{{"environment", environment_name(record)},
                              {"level", parameter.value("level", Json())},
                              {"seed", parameter.value("seed", Json())},
                              {"prompt", (*problem)->prompt()},
                              {"answer", (*problem)->reference()}}) +
               "\n";
    }
    if (made == 0) return failure("{}: it makes no problem", record.info.name);
  }
  return lines;
}

std::string project_file(const std::string& module, PackageForm form) {
  const bool is_verifiers = form == PackageForm::kVerifiers;
  return fmt::format(
      "[build-system]\nrequires = [\"hatchling\"]\nbuild-backend = \"hatchling.build\"\n\n"
      "[project]\nname = \"{}\"\nversion = \"0.1.0\"\n"
      "description = \"Verifiable environments that a language model wrote\"\n"
      "readme = \"README.md\"\nrequires-python = \">=3.10\"\ndependencies = [\"{}\"]\n\n"
      "[tool.hatch.build]\ninclude = [\"{}\"]\n",
      module, is_verifiers ? "verifiers>=0.4.0" : "reasoning-gym", module);
}

std::string readme_file(const std::string& module, PackageForm form,
                        std::span<const synth::EnvironmentRecord> records) {
  std::string text = fmt::format(
      "# {}\n\nEnvironments that a language model wrote and RedQueen validated, as {}. The code in "
      "`{}/environments/` was written by a model: it runs in a process with limits, which is no "
      "sandbox.\n\n",
      module,
      form == PackageForm::kVerifiers ? "a taskset of verifiers" : "data sets of reasoning-gym",
      module);
  for (const synth::EnvironmentRecord& record : records) {
    text += fmt::format("## {}\n\n", environment_name(record));
    for (const auto& [what, fact] : synth::certificate_lines(record.certificate))
      text += fmt::format("- {}: {}\n", what, fact);
    text += "\n";
  }
  return text;
}

Status write_package(const fs::path& folder, const std::string& module, const std::string& problems,
                     std::span<const synth::EnvironmentRecord> records,
                     const PackageOptions& options) {
  const fs::path code = folder / module;
  std::error_code problem;
  fs::create_directories(code / "environments", problem);
  if (problem) return failure("{}: {}", code.string(), problem.message());
  const std::string_view init = options.form == PackageForm::kVerifiers
                                    ? package::package_verifiers_source()
                                    : package::package_reasoning_gym_source();
  RETURN_IF_ERROR(write_text(folder / "pyproject.toml", project_file(module, options.form)));
  RETURN_IF_ERROR(write_text(folder / "README.md", readme_file(module, options.form, records)));
  RETURN_IF_ERROR(write_text(code / "__init__.py", init));
  RETURN_IF_ERROR(write_text(code / "runtime.py", package::package_runtime_source()));
  RETURN_IF_ERROR(write_text(code / "base.py", synth::base_source()));
  RETURN_IF_ERROR(write_text(code / "problems.jsonl", problems));
  for (const synth::EnvironmentRecord& record : records) {
    RETURN_IF_ERROR(
        write_text(code / "environments" / (environment_name(record) + ".py"), record.source));
  }
  return {};
}

}  // namespace

Status write_environment_package(sandbox::Sandbox& sandbox,
                                 std::span<const synth::EnvironmentRecord> records,
                                 const PackageOptions& options) {
  if (is_there(options.out)) return failure("{}: there is one already", options.out.string());
  ASSIGN_OR_RETURN(const std::string problems, problem_lines(sandbox, records, options));
  if (options.form == PackageForm::kDataset) return write_text(options.out, problems);
  const std::string module = module_name(options.out.lexically_normal().filename().string());
  return replace_folder(options.out.lexically_normal(), [&](const fs::path& draft) {
    return write_package(draft, module, problems, records, options);
  });
}

}  // namespace redqueen
