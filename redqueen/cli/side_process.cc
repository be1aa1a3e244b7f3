#include "redqueen/cli/side_process.h"

#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <utility>

namespace redqueen {
namespace {

sigset_t end_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

}  // namespace

Expected<SideProcess> SideProcess::start(std::vector<std::string> words) {
  std::error_code unread;
  std::string program = std::filesystem::read_symlink("/proc/self/exe", unread).string();
  if (unread) return failure("/proc/self/exe: cannot be read ({})", unread.message());
  words.push_back("--with-parent");
  std::vector<char*> pointers = {program.data()};
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  // One that is ended while it still starts ends in order, too: it finds the signal waiting.
  const sigset_t signals = end_signals();
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setsigmask(&attributes, &signals);
  pid_t child = 0;
  const int error =
      posix_spawn(&child, program.c_str(), nullptr, &attributes, pointers.data(), environ);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    return failure("{} {} cannot be started ({})", program, words.front(), system_reason(error));
  }
  return SideProcess(child);
}

SideProcess::SideProcess(SideProcess&& other) noexcept : child_(std::exchange(other.child_, -1)) {}

SideProcess& SideProcess::operator=(SideProcess&& other) noexcept {
  std::swap(child_, other.child_);
  return *this;
}

SideProcess::~SideProcess() {
  if (child_ < 0) return;
  kill(child_, SIGTERM);
  waitpid(child_, nullptr, 0);
}

void prepare_to_be_ended(bool with_parent) {
  const sigset_t signals = end_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  if (with_parent) prctl(PR_SET_PDEATHSIG, SIGTERM);
}

bool wait_for_end(int milliseconds) {
  const sigset_t signals = end_signals();
  int signal = 0;
  if (milliseconds < 0) return sigwait(&signals, &signal) == 0;
  const timespec limit{.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1'000'000L};
  return sigtimedwait(&signals, nullptr, &limit) > 0;
}

}  // namespace redqueen
