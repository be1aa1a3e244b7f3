#include "redqueen/checkpoint/source/model_files.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "redqueen/base/durable.h"
#include "redqueen/base/file_queries.h"
#include "redqueen/base/json.h"
#include "redqueen/base/text_file.h"
#include "redqueen/checkpoint/source/embedded_files.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOrigin = "redqueen_origin.json";  // model_files.py
constexpr std::size_t kMostOutput = 1 << 20;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// A process with a pipe at its standard output.
struct Child {
  pid_t id = -1;
  int output = -1;
};

Expected<Child> start(std::vector<std::string> words) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return failure("no pipe ({})", system_reason(errno));
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  Child child{.output = ends[0]};
  const int error =
      posix_spawnp(&child.id, pointers[0], &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (error == 0) return child;
  ::close(ends[0]);
  return failure(
      "{}: cannot be started ({}); name a Python that has transformers, torch, gguf and "
      "huggingface_hub by REDQUEEN_PYTHON",
      words[0], system_reason(error));
}

// Reads until the child closes its output, and hands on an interruption once.
std::string read_output(const Child& child, const std::atomic<bool>& interrupted) {
  constexpr int kLook = 100;  // milliseconds
  std::string text;
  bool told = false;
  for (;;) {
    if (interrupted && !told) {
      ::kill(child.id, SIGTERM);
      told = true;
    }
    pollfd wait{.fd = child.output, .events = POLLIN, .revents = 0};
    if (::poll(&wait, 1, kLook) <= 0) continue;
    char part[4096];
    const ssize_t count = ::read(child.output, part, sizeof part);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(part, static_cast<std::size_t>(count));
    if (text.size() > kMostOutput) text.erase(0, text.size() - kMostOutput / 2);
  }
}

// Its end in words, for one that printed no result.
std::string end_of(const Child& child) {
  int status = 0;
  while (::waitpid(child.id, &status, 0) < 0) {
    if (errno != EINTR) return "its end is unknown";
  }
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
    return "it was killed, for want of memory perhaps";
  if (WIFSIGNALED(status)) return fmt::format("signal {} ended it", WTERMSIG(status));
  return fmt::format("it ended with {}", WEXITSTATUS(status));
}

// The object of the last line that is one.
Json result_in(const std::string& output) {
  std::size_t end = output.size();
  while (end > 0) {
    const std::size_t begin = output.rfind('\n', end - 1);
    const std::size_t from = begin == std::string::npos ? 0 : begin + 1;
    Json line = Json::parse(output.substr(from, end - from), nullptr, false);
    if (line.is_object()) return line;
    if (from == 0) break;
    end = from - 1;
  }
  return {};
}

}  // namespace

fs::path model_python(const fs::path& source_tree) {
  if (const std::string named = variable("REDQUEEN_PYTHON"); !named.empty()) return named;
  // An installed program has no source tree, but uses the libtorch of the one it was built in.
  for (const fs::path& tree : {source_tree, fs::path(source::built_from())}) {
    const fs::path python = tree / ".venv" / "bin" / "python";
    if (!tree.empty() && is_file(python)) return python;
  }
  return "python3";
}

Expected<std::string> run_model_files(const fs::path& python, std::vector<std::string> words,
                                      const std::atomic<bool>& interrupted) {
  std::vector<std::string> all = {python.string(), "-c", std::string(source::model_files_source())};
  all.insert(all.end(), words.begin(), words.end());
  ASSIGN_OR_RETURN(const Child child, start(std::move(all)));
  const std::string output = read_output(child, interrupted);
  ::close(child.output);
  const std::string end = end_of(child);
  const Json result = result_in(output);
  if (result.contains("done")) return result["done"].get<std::string>();
  if (!result.contains("error")) return failure("{}: {}", python.string(), end);
  const auto kind = result.value("usage", false) ? ErrorKind::kUsage : ErrorKind::kFailure;
  return tl::make_unexpected(Error{kind, result["error"].get<std::string>()});
}

Status import_gguf(const fs::path& python, const fs::path& file, const fs::path& folder,
                   const std::string& dtype, const std::atomic<bool>& interrupted) {
  if (!is_file(file)) return usage_error("{}: there is no such file", file.string());
  return replace_folder(folder, [&](const fs::path& draft) -> Status {
    RETURN_IF_ERROR(
        run_model_files(python, {"import", file.string(), draft.string(), dtype}, interrupted));
    return {};
  });
}

Expected<std::string> push_model(const fs::path& python, const ModelToPush& model,
                                 const std::atomic<bool>& interrupted) {
  return run_model_files(python,
                         {"push", model.folder.string(), model.name,
                          model.is_public ? "public" : "private", model.card, model.base},
                         interrupted);
}

const std::vector<std::string>& fetchable_models() {
  static const std::vector<std::string> models = {"smollm2-135m"};
  return models;
}

fs::path default_model_folder(const std::string& name) {
  fs::path data = variable("XDG_DATA_HOME");
  // Its specification has relative paths ignored.
  if (!data.is_absolute()) {
    data = variable("HOME");
    if (data.empty()) return {};
    data /= ".local/share";
  }
  return data / "redqueen" / "models" / name;
}

Expected<bool> fetch_model(const fs::path& python, const std::string& name, const fs::path& folder,
                           const std::string& dtype, const std::atomic<bool>& interrupted) {
  if (is_there(folder)) {
    const auto text = read_text_file(folder / kOrigin);
    const Json origin = text ? Json::parse(*text, nullptr, false) : Json();
    if (origin.is_object() && origin.value("model", "") == name &&
        origin.value("dtype", "") == dtype) {
      return false;
    }
    return usage_error(
        "{}: is there already, and is not {} in {}; choose another --out, or "
        "remove it",
        folder.string(), name, dtype);
  }
  const Status fetched = replace_folder(folder, [&](const fs::path& draft) -> Status {
    RETURN_IF_ERROR(run_model_files(python, {"fetch", name, draft.string(), dtype}, interrupted));
    return {};
  });
  if (!fetched) return tl::make_unexpected(fetched.error());
  return true;
}

}  // namespace redqueen
