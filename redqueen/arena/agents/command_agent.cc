#include "redqueen/arena/agents/command_agent.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <optional>
#include <system_error>
#include <thread>

#include "redqueen/arena/agents/isolation.h"
#include "redqueen/base/clock.h"
#include "redqueen/base/file_queries.h"

namespace redqueen::arena {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostLine = 16U << 20;
constexpr int kPollMs = 100;
constexpr const char* kFirst =
    "Read AGENTS.md, then the task and the info at the addresses that it names. Improve "
    "system/policy.py and submit it until the budget is spent.";
constexpr const char* kFirstOfSession =
    "Read AGENTS.md and TASK.md. Improve program/policy.py and submit it with "
    "evopolicygym-session; "
    "when you are done, finish.";
constexpr const char* kNext = "Go on: improve the policy and submit, until the budget is spent.";

// Of the session protocol: where its socket is, and its client on the path.
void add_session(const Judge& judge, std::vector<std::string>& variables) {
  const fs::path folder = absolute_path(judge.folder()).lexically_normal();
  for (std::string& variable : variables) {
    if (variable.starts_with("PATH=")) {
      variable.insert(5, (folder / "control" / "bin").string() + ":");
    }
  }
  const std::string prefix = "EVOPOLICYGYM_";
  variables.push_back(prefix + "SESSION_SOCKET=../control/session.sock");
  variables.push_back(prefix + "WORKSPACE=" + (folder / "workspace").string());
}

std::vector<std::string> agent_variables(const CommandAgent& agent, const Judge& judge,
                                         const V0Address& address) {
  std::vector<std::string> names = {"PATH", "HOME", "USER",   "SHELL", "TMPDIR",
                                    "TERM", "LANG", "LC_ALL", "TZ"};
  names.insert(names.end(), agent.environment.begin(), agent.environment.end());
  std::vector<std::string> variables;
  for (const std::string& name : names) {
    const char* value = std::getenv(name.c_str());
    if (value != nullptr) variables.push_back(name + "=" + value);
  }
  if (judge.settings().protocol == Protocol::kSession) {
    add_session(judge, variables);
    return variables;
  }
  const std::string workspace = absolute_path(judge.workspace()).lexically_normal().string();
  const std::string prefix = "EVOPOLICYGYM_";
  variables.push_back(prefix + "API=" + address.url);
  variables.push_back(prefix + "INFO_URL=" + address.url + "/info");
  variables.push_back(prefix + "TASK_URL=" + address.url + "/task");
  variables.push_back(prefix + "SUBMIT_URL=" + address.submit_url());
  variables.push_back(prefix + "TOKEN=" + address.token);
  variables.push_back(prefix + "WORKSPACE=" + workspace);
  variables.push_back(prefix + "SYSTEM=" + workspace + "/system");
  variables.push_back(prefix + "FEEDBACK=" + workspace + "/feedback");
  variables.push_back(prefix + "AGENTS=" + workspace + "/AGENTS.md");
  variables.push_back(prefix + "PROTOCOL=protocol/v2.0-draft");
  return variables;
}

// Nothing can be submitted any more.
bool has_ended(const Judge& judge) {
  const RunState state = judge.state();
  return state.finalized || state.chosen;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Capabilities belong to a thread and pass to the processes that it starts: a thread that gives
// them up starts a program that never has any, even if its user is root. So an agent that is not
// isolated cannot read what belongs to another user (judge_folder.h), nor look into the judge's
// memory.
int without_capabilities(const std::function<int()>& start) {
  int result = 0;
  std::thread([&] {
    for (int capability = 0; ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0; ++capability) {
    }
    ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, 0};
    const __user_cap_data_struct none[2] = {};
    ::syscall(SYS_capset, &head, none);
    result = start();
  }).join();
  return result;
}

// The running program; killed with its process group when the object goes.
class Program {
 public:
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  Program() = default;
  ~Program() {
    if (pid_ > 0) {
      ::kill(-pid_, SIGKILL);
      while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
      }
    }
    for (const int fd : {in_, out_}) {
      if (fd >= 0) ::close(fd);
    }
  }

  Status start(const CommandAgent& agent, const Judge& judge, const V0Address& address) {
    IsolationCommand command{.words = agent.words, .files = {}};
    if (agent.isolated) {
      RETURN_IF_ERROR(check_isolation());
      ASSIGN_OR_RETURN(command, isolation_command({.words = agent.words,
                                                   .run = judge.folder(),
                                                   .programs = agent.programs,
                                                   .paths = agent.paths,
                                                   .home_files = agent.home_files}));
    }
    int in[2];
    int out[2];
    if (::pipe2(in, O_CLOEXEC) != 0) return failure("no pipe for the agent");
    in_ = in[1];
    if (::pipe2(out, O_CLOEXEC) != 0) {
      ::close(in[0]);
      return failure("no pipe for the agent");
    }
    out_ = out[0];
    ::fcntl(in_, F_SETFL, O_NONBLOCK);
    const auto begin = [&] {
      return spawn(std::move(command), agent_variables(agent, judge, address), judge, in[0],
                   out[1]);
    };
    const int error = agent.isolated ? begin() : without_capabilities(begin);
    ::close(in[0]);
    ::close(out[1]);
    if (error == 0) return {};
    return failure("the agent {} does not start ({})", agent.words.front(), system_reason(error));
  }

  // False: it reads no more.
  bool write_line(std::string line, const std::atomic<bool>& stop) const {
    line += '\n';
    std::string_view rest = line;
    while (!rest.empty() && !stop) {
      const ssize_t n = ::write(in_, rest.data(), rest.size());
      if (n > 0) rest.remove_prefix(static_cast<std::size_t>(n));
      if (n < 0 && errno != EAGAIN && errno != EINTR) return false;
      if (n < 0) {
        pollfd event{in_, POLLOUT, 0};
        ::poll(&event, 1, kPollMs);
      }
    }
    return rest.empty();
  }

  enum class Got : std::uint8_t { kLine, kNothingYet, kEnd };
  Got read_line(std::string& line) {
    for (;;) {
      const std::size_t end = buffer_.find('\n');
      if (end != std::string::npos) {
        line = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        return Got::kLine;
      }
      if (buffer_.size() > kMostLine) return Got::kEnd;
      pollfd event{out_, POLLIN, 0};
      if (::poll(&event, 1, kPollMs) <= 0) return Got::kNothingYet;
      char chunk[4096];
      const ssize_t got = ::read(out_, chunk, sizeof(chunk));
      if (got == 0 || (got < 0 && errno != EINTR)) return Got::kEnd;
      if (got > 0) buffer_.append(chunk, static_cast<std::size_t>(got));
    }
  }

 private:
  int spawn(IsolationCommand command, std::vector<std::string> variables, const Judge& judge,
            int in, int out) {
    std::vector<std::string>& words = command.words;
    const std::string errors = absolute_path(judge.folder() / "logs/agent.stderr.txt").string();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in, 0);
    posix_spawn_file_actions_adddup2(&actions, out, 1);
    posix_spawn_file_actions_addopen(&actions, 2, errors.c_str(), O_WRONLY | O_CREAT | O_APPEND,
                                     0644);
    int next = 3;
    for (const std::string& file : command.files) {
      posix_spawn_file_actions_addopen(&actions, next++, file.c_str(), O_RDONLY, 0);
    }
    posix_spawn_file_actions_addclosefrom_np(&actions, next);
    posix_spawn_file_actions_addchdir_np(&actions, judge.workspace().c_str());
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    const int error = posix_spawnp(&pid_, words.front().c_str(), &actions, &attributes,
                                   pointers_to(words).data(), pointers_to(variables).data());
    if (error != 0) pid_ = -1;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
  }

  pid_t pid_ = -1;
  int in_ = -1;
  int out_ = -1;
  std::string buffer_;
};

// One answer: nullopt where there is none, and then `reason` says why.
std::optional<Json> await_answer(Program& program, double seconds, const Judge& judge,
                                 const std::atomic<bool>& stop, std::string& reason) {
  const auto begin = Clock::now();
  std::string line;
  for (;;) {
    const Program::Got got = program.read_line(line);
    if (got == Program::Got::kLine) {
      auto answer = parse_json(line);
      if (answer && answer->is_object()) return std::move(*answer);
      reason = "malformed_answer";
      return std::nullopt;
    }
    reason = got == Program::Got::kEnd ? "agent_ended" : "";
    if (stop) reason = "interrupted";
    if (seconds_since(begin) > seconds) {
      reason = "turn_timeout";
    }
    if (has_ended(judge) && got == Program::Got::kEnd) reason = "done";
    if (!reason.empty()) return std::nullopt;
  }
}

bool wants_to_stop(const Json& answer) {
  const auto stop = answer.find("stop");
  return stop != answer.end() && stop->is_boolean() && stop->get<bool>();
}

// The exit code of a coding program, as cli_agent.py passes it on.
bool has_failed(const Json& answer) {
  const Json data = answer.value("data", Json());
  const Json code = data.is_object() ? data.value("exit_code", Json()) : Json();
  return code.is_number_integer() && code != 0;
}

// In one line, and not for ever.
std::string text_of(const Json& answer) {
  constexpr std::size_t kMost = 500;
  const Json text = answer.value("text", Json());
  std::string line = text.is_string() ? text.get<std::string>().substr(0, kMost) : std::string();
  for (char& each : line) {
    if (each == '\n' || each == '\r') each = ' ';
  }
  return line;
}

}  // namespace

Expected<AgentEnd> run_command_agent(const CommandAgent& agent, const Judge& judge,
                                     const V0Address& address, const std::atomic<bool>& stop) {
  if (agent.words.empty()) return usage_error("the agent's program is not named");
  ::signal(SIGPIPE, SIG_IGN);  // an agent that has ended is told by write()
  Program program;
  RETURN_IF_ERROR(program.start(agent, judge, address));
  std::ofstream log(judge.folder() / "logs/agent.jsonl", std::ios::app | std::ios::binary);
  const int most = agent.turns > 0 ? agent.turns : judge.settings().budget;
  AgentEnd end;
  const bool session = judge.settings().protocol == Protocol::kSession;
  const char* first = session ? kFirstOfSession : kFirst;
  while (!has_ended(judge)) {
    if (end.turns == most) {
      end.reason = "turn_limit";
      return end;
    }
    ++end.turns;
    const Json prompt = {
        {"message", end.turns == 1 ? first : kNext}, {"turn", end.turns}, {"type", "prompt"}};
    log << dump_json(prompt) << '\n' << std::flush;
    if (!program.write_line(dump_json(prompt), stop)) {
      end.reason = stop ? "interrupted" : has_ended(judge) ? "done" : "agent_ended";
      return end;
    }
    const auto answer = await_answer(program, agent.turn_seconds, judge, stop, end.reason);
    if (!answer) return end;
    log << dump_json(*answer) << '\n' << std::flush;
    if (wants_to_stop(*answer)) {
      end.reason = has_ended(judge)      ? "done"
                   : has_failed(*answer) ? "agent_failed"
                                         : "session_stop";
      if (end.reason == "agent_failed") end.said = text_of(*answer);
      return end;
    }
  }
  end.reason = "done";
  return end;
}

}  // namespace redqueen::arena
