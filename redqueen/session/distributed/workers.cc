#include "redqueen/session/distributed/workers.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <system_error>
#include <thread>

#include "redqueen/session/distributed/messages.h"
#include "redqueen/session/distributed/visible_gpu.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

// How long a process that broke off may take to be gone, and one that is there to say why it
// failed.
constexpr milliseconds kDying{2000};
constexpr milliseconds kAnswering{30'000};

// In the child, between fork and exec: nothing here may allocate.
[[noreturn]] void become_rank(char* const* arguments, char* const* environment, int channel,
                              pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it died before the kernel was told
  // Ctrl-C and the like are for rank 0, which ends the step first.
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGTERM, SIG_IGN);
  ::fcntl(channel, F_SETFD, 0);
  ::execve("/proc/self/exe", arguments, environment);
  ::_exit(127);
}

// As exec takes them; valid as long as the words are.
std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::string fate_text(int status) {
  if (WIFSIGNALED(status)) {
    return fmt::format("was killed by signal {} ({}){}", WTERMSIG(status),
                       ::strsignal(WTERMSIG(status)),
                       WTERMSIG(status) == SIGKILL ? "; perhaps memory ran out" : "");
  }
  return fmt::format("ended with code {}", WEXITSTATUS(status));
}

}  // namespace

Expected<std::unique_ptr<Workers>> Workers::start(int size, std::chrono::seconds timeout,
                                                  const std::vector<std::string>& command) {
  std::error_code error;
  std::string folder = (fs::temp_directory_path(error) / "redqueen-ranks-XXXXXX").string();
  if (error) return failure("$TMPDIR: this is no folder ({})", error.message());
  if (::mkdtemp(folder.data()) == nullptr) {
    return failure("{}: cannot be made ({})", folder, std::strerror(errno));
  }
  std::unique_ptr<Workers> workers(new Workers(folder, timeout));
  for (int rank = 1; rank < size; ++rank) RETURN_IF_ERROR(workers->start_rank(rank, size, command));
  return workers;
}

Status Workers::start_rank(int rank, int size, std::vector<std::string> words) {
  ASSIGN_OR_RETURN(auto ends, Channel::make());
  const int channel = ends.second.descriptor();
  words.insert(words.end(), {"--rank", std::to_string(rank), "--ranks", std::to_string(size),
                             "--channel", std::to_string(channel)});
  std::vector<std::string> lines = environment_of_rank(environ, gpus_of_ranks(), rank);
  const std::vector<char*> arguments = pointers_to(words), environment = pointers_to(lines);
  const pid_t parent = ::getpid();
  const pid_t process = ::fork();
  if (process == 0) become_rank(arguments.data(), environment.data(), channel, parent);
  if (process < 0) return failure("rank {} cannot be started ({})", rank, std::strerror(errno));
  ranks_.push_back({process, std::move(ends.first)});
  return {};
}

Workers::~Workers() {
  for (Rank& rank : ranks_) {
    if (!rank.ended) ::kill(rank.process, SIGKILL);
  }
  for (Rank& rank : ranks_) {
    if (!rank.ended) ::waitpid(rank.process, nullptr, 0);
  }
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

bool Workers::has_ended(Rank& rank, milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!rank.ended) {
    rank.ended = ::waitpid(rank.process, &rank.status, WNOHANG) == rank.process;
    if (rank.ended || std::chrono::steady_clock::now() >= end) break;
    std::this_thread::sleep_for(milliseconds(5));
  }
  return rank.ended;
}

Error Workers::lost(int number, const Error& error) {
  lost_any_ = true;
  Rank& rank = at(number);
  const std::string name = fmt::format("rank {} of {} (process {})", number, size(), rank.process);
  if (has_ended(rank, kDying)) {
    return {ErrorKind::kFailure, fmt::format("{} {}.", name, fate_text(rank.status))};
  }
  return {ErrorKind::kFailure, fmt::format("{} was given up: {}.", name, error.message)};
}

Status Workers::send(int rank, const Json& message) {
  if (Status sent = at(rank).channel.send(message); !sent)
    return tl::make_unexpected(lost(rank, sent.error()));
  return {};
}

Status Workers::send_all(const Json& message) {
  for (int rank = 1; rank < size(); ++rank) RETURN_IF_ERROR(send(rank, message));
  return {};
}

bool Workers::has_message(int rank) const {
  pollfd waiting{at(rank).channel.descriptor(), POLLIN, 0};
  return ::poll(&waiting, 1, 0) > 0;
}

Expected<Json> Workers::receive(int rank) {
  auto message = at(rank).channel.receive(timeout_);
  if (!message) return tl::make_unexpected(lost(rank, message.error()));
  if (!message->contains("error")) return message;
  Error error = error_of(*message);
  error.message = fmt::format("rank {} of {}: {}", rank, size(), error.message);
  return tl::make_unexpected(std::move(error));
}

Expected<std::vector<Json>> Workers::receive_all() {
  std::vector<Json> messages;
  std::optional<Error> first;
  for (int rank = 1; rank < size(); ++rank) {
    auto message = receive(rank);
    if (message) {
      messages.push_back(std::move(*message));
    } else if (!first) {
      first = message.error();
    }
  }
  if (first) return tl::make_unexpected(*first);
  return messages;
}

// Until every rank has something to say. A rank that closed its end in the meantime, or 0.
int Workers::wait_for_answers(milliseconds patience) const {
  const auto end = std::chrono::steady_clock::now() + patience;
  std::vector<pollfd> waiting;
  waiting.reserve(ranks_.size());
  for (const Rank& rank : ranks_) waiting.push_back({rank.channel.descriptor(), POLLIN, 0});
  while (true) {
    ::poll(waiting.data(), waiting.size(), 0);
    bool all = true;
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      if ((waiting[i].revents & POLLHUP) != 0) return static_cast<int>(i) + 1;
      all = all && (waiting[i].revents & POLLIN) != 0;
    }
    if (all || std::chrono::steady_clock::now() >= end) return 0;
    std::this_thread::sleep_for(milliseconds(5));
  }
}

Error Workers::explain(const Error& error) {
  // A rank that is gone closed its end; the others may have failed because of it, and say so first.
  if (const int gone = wait_for_answers(kAnswering); gone != 0) return lost(gone, error);
  for (int rank = 1; rank < size(); ++rank) {
    const auto answer = at(rank).channel.receive(kAnswering);
    if (answer) continue;
    Error gone = lost(rank, answer.error());
    if (!at(rank).ended) gone.message = fmt::format("{} {}", error.message, gone.message);
    return gone;
  }
  return error;
}

}  // namespace redqueen
