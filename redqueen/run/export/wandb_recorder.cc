#include "redqueen/run/export/wandb_recorder.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include "redqueen/run/embedded_files.h"

namespace redqueen::run {
namespace {

constexpr int kNoPackage = 3;    // wandb_recorder.py
constexpr int kNoProgram = 127;  // as shells say

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

// Runs python3 on a program's text with a file as its input. Gives its exit code; −1 if a signal
// ended it.
Expected<int> run_python(const std::string& program, std::string name, std::string folder,
                         std::FILE* input) {
  std::string python = "python3";
  std::string dash_c = "-c";
  std::string text = program;
  const std::array<char*, 6> words = {python.data(), dash_c.data(), text.data(),
                                      name.data(),   folder.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(input), STDIN_FILENO);
  pid_t child = 0;
  const int error = posix_spawnp(&child, python.c_str(), &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT) return kNoProgram;
  if (error != 0) return failure("python3 cannot be started ({})", system_reason(error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return failure("python3: its end is unknown ({})", system_reason(errno));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

Status record_with_wandb(const std::string& name, std::string_view rows,
                         const std::filesystem::path& folder) {
  // A file and not a pipe: nothing waits, or is killed, where the other side reads nothing.
  const std::unique_ptr<std::FILE, CloseFile> input(std::tmpfile());
  if (!input || std::fwrite(rows.data(), 1, rows.size(), input.get()) != rows.size() ||
      std::fflush(input.get()) != 0) {
    return failure("a temporary file cannot be written ({})", system_reason(errno));
  }
  std::rewind(input.get());
  ASSIGN_OR_RETURN(const int code, run_python(std::string(wandb_recorder_source()), name,
                                              folder.string(), input.get()));
  if (code == 0) return {};
  if (code == kNoPackage || code == kNoProgram) {
    return failure(
        "Weights & Biases needs its own package in the Python that `python3` is, and there is {}. "
        "Activate an environment that has it (pip install wandb), or choose --to tensorboard, csv "
        "or jsonl",
        code == kNoPackage ? "none" : "no python3");
  }
  return failure("{}: the package wandb recorded nothing (python3 ended with {})", folder.string(),
                 code);
}

}  // namespace redqueen::run
