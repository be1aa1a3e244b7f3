#include "redqueen/arena/policies/policy_process.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "redqueen/arena/embedded_files.h"
#include "redqueen/arena/policies/socket_limit.h"
#include "redqueen/arena/policies/value_frames.h"

namespace redqueen::arena {
namespace {

using Kind = PolicyFault::Kind;

constexpr std::size_t kMostLoaded = 160U << 10;  // less than what a socket holds by default
constexpr std::size_t kFilePart = 64U << 10;

// Limits all that goes over the socket while a policy loads.
void set_limit(int socket, double seconds) {
  const timeval limit = socket_limit(seconds);
  for (const int option : {SO_RCVTIMEO, SO_SNDTIMEO}) {
    setsockopt(socket, SOL_SOCKET, option, &limit, sizeof(limit));
  }
}

sandbox::Program program_of(const PolicyLimits& limits, bool numpy) {
  sandbox::Program program;
  program.preludes = {policy_host_text()};
  program.source = "pass\n";
  program.profile = numpy ? sandbox::data_profile() : sandbox::program_profile();
  // A call is the loading or an episode; our own clock has the finer limits.
  program.limits.wall_seconds = std::max(limits.load_seconds, limits.episode_seconds);
  program.limits.memory_bytes = limits.memory_bytes;
  program.limits.output_bytes = limits.output_bytes;
  return program;
}

Kind kind_of(sandbox::OutcomeStatus status) {
  switch (status) {
    case sandbox::OutcomeStatus::kTimeout:
    case sandbox::OutcomeStatus::kCpu:
      return Kind::kTimeout;
    case sandbox::OutcomeStatus::kMemory:
      return Kind::kMemory;
    default:
      return Kind::kEnded;
  }
}

// A policy's process may send any JSON.
std::string text_field(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

std::string policy_host_text() { return std::string(policy_host_source()); }

PolicyProcess::PolicyProcess(const PolicySeats::Taken& seat, const std::vector<SystemFile>& files,
                             const PolicyContext& context, const PolicyLimits& limits, bool numpy)
    : session_(seat.open(program_of(limits, numpy))),
      frames_(session_.memory(), session_.channel()),
      limits_(limits) {
  frames_.set_watching(seat.apart());
  if (!session_.loaded().ok() || session_.channel() < 0) {
    load_error_ = "the sandbox gives the policy no process: " + session_.loaded().message;
    return;
  }
  load(files, context);
}

void PolicyProcess::load(const std::vector<SystemFile>& files, const PolicyContext& context) {
  session_.begin(sandbox::Call::expression("_host.load()"));
  const Json told = {{"obs_space", context.obs_space},
                     {"action_space", context.action_space},
                     {"env_meta", context.env_meta},
                     {"seed", context.seed}};
  set_limit(session_.channel(), limits_.load_seconds);
  const bool sent = send_files(files) && send_part("I" + dump_json(told));
  const auto answer = sent ? receive_loaded() : std::nullopt;
  if (answer && answer->front() == 'r') {
    load_status_ = LoadStatus::kOk;
    entry_ = answer->substr(1);
  } else if (answer) {
    const auto complaint = parse_json(answer->substr(1));
    const bool sound = complaint && complaint->is_object();
    load_status_ = kLoadStatusNames.find(sound ? text_field(*complaint, "kind") : "")
                       .value_or(LoadStatus::kInitError);
    load_error_ = sound ? text_field(*complaint, "traceback") : "the policy sent what is no answer";
    if (sound && text_field(*complaint, "exception") == "MemoryError") {
      load_status_ = LoadStatus::kOutOfMemory;
    }
    if (load_status_ == LoadStatus::kOk) load_status_ = LoadStatus::kInitError;  // it lied
  }
  // The end of the call brings the printed text; a process that is gone says why.
  const sandbox::Outcome outcome = fault_ ? sandbox::Outcome{} : session_.finish();
  output_ = {outcome.out, outcome.err};
  if (!answer && !fault_) fail(kind_of(outcome.status), outcome.message);
  if (!answer) {
    load_status_ = fault_->kind == Kind::kTimeout  ? LoadStatus::kInitTimeout
                   : fault_->kind == Kind::kMemory ? LoadStatus::kOutOfMemory
                                                   : LoadStatus::kInitError;
    load_error_ = fault_->what;
  }
}

bool PolicyProcess::send_files(const std::vector<SystemFile>& files) {
  for (const SystemFile& file : files) {
    std::size_t at = 0;
    do {
      frame_ = "F";
      frame_.push_back(static_cast<char>(file.path.size() & 0xFF));
      frame_.push_back(static_cast<char>(file.path.size() >> 8));
      frame_ += file.path;
      frame_.append(file.bytes, at, kFilePart);
      if (!send_part(frame_)) return false;
      at += kFilePart;
    } while (at < file.bytes.size());
  }
  return true;
}

// False: the process is gone, or takes nothing any more.
bool PolicyProcess::send_part(std::string_view frame) {
  for (;;) {
    const ssize_t sent = ::send(session_.channel(), frame.data(), frame.size(), MSG_NOSIGNAL);
    if (sent >= 0) return true;
    if (errno == EINTR) continue;
    if (errno == EAGAIN) fail(Kind::kTimeout, "the policy's process takes no files any more");
    if (errno == EMSGSIZE) fail(Kind::kEnded, "what the policy is to be told is too long");
    return false;
  }
}

// Reads the policy's message that it has loaded, or the reason why it has not.
std::optional<std::string> PolicyProcess::receive_loaded() {
  std::string answer(kMostLoaded, '\0');
  for (;;) {
    const ssize_t got = ::recv(session_.channel(), answer.data(), answer.size(), MSG_TRUNC);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      fail(Kind::kTimeout, fmt::format("no answer within {:g} seconds", limits_.load_seconds));
      return std::nullopt;
    }
    if (got <= 0) return std::nullopt;  // the process is gone: finish() knows why
    if (static_cast<std::size_t>(got) > kMostLoaded) {
      fail(Kind::kEnded, fmt::format("an answer of more than {} KiB", kMostLoaded >> 10));
      return std::nullopt;
    }
    answer.resize(static_cast<std::size_t>(got));
    return answer;
  }
}

std::optional<std::string_view> PolicyProcess::receive() {
  switch (frames_.receive(limits_.step_seconds)) {
    case SharedFrames::Arrival::kFrame:
      return frames_.frame();
    case SharedFrames::Arrival::kTimeout:
      fail(Kind::kTimeout, fmt::format("no answer within {:g} seconds", limits_.step_seconds));
      break;
    case SharedFrames::Arrival::kTooLong:
      fail(Kind::kEnded,
           fmt::format("an answer of more than {} KiB", SharedFrames::kMostAnswered >> 10));
      break;
    case SharedFrames::Arrival::kNonsense:
      fail(Kind::kEnded, "the policy sent what is no answer");
      break;
    case SharedFrames::Arrival::kEnded:
      break;  // finish() knows why
  }
  return std::nullopt;
}

// Records a fault that the judge found out itself. The process goes with the session.
void PolicyProcess::fail(Kind kind, std::string what) {
  if (!fault_) fault_ = PolicyFault{.kind = kind, .where = {}, .what = std::move(what)};
}

std::optional<PolicyFault> PolicyProcess::raised(std::string_view complaint) {
  has_raised_ = true;
  const auto told = parse_json(complaint);
  if (!told || !told->is_object()) {
    fail(Kind::kEnded, "the policy sent what is no answer");
    return ended();
  }
  return PolicyFault{.kind = Kind::kRaised,
                     .where = text_field(*told, "kind"),
                     .what = text_field(*told, "traceback")};
}

// The fault that ended the process; asks the sandbox where the judge does not know.
PolicyFault PolicyProcess::ended() {
  if (!fault_) {
    const sandbox::Outcome outcome = session_.finish();
    in_episode_ = false;
    output_ = {outcome.out, outcome.err};
    std::string what = outcome.message;
    if (outcome.ok()) what = "the policy's process left the episode by itself";
    if (!outcome.exception.empty()) what = outcome.exception + ": " + outcome.message;
    fail(kind_of(outcome.status), std::move(what));
  }
  return *fault_;
}

std::optional<PolicyFault> PolicyProcess::begin_episode(int index, std::uint64_t seed) {
  output_ = {};
  session_.begin(sandbox::Call::expression(fmt::format("_host.episode({}, {})", index, seed)));
  in_episode_ = true;
  has_raised_ = false;
  const auto answer = receive();
  if (!answer) return ended();
  if (answer->front() == 'r') return std::nullopt;
  return raised(answer->substr(1));
}

std::optional<PolicyFault> PolicyProcess::act(const Value& observation, Value& action) {
  frame_.assign(1, 'A');
  append_value(observation, frame_);
  if (!frames_.send(frame_)) {
    fail(Kind::kEnded, "an observation is larger than a frame may be");
    return ended();
  }
  const auto answer = receive();
  if (!answer) return ended();
  if (answer->front() == 'e') return raised(answer->substr(1));
  auto value = answer->front() == 'a' ? read_value(answer->substr(1)) : std::nullopt;
  if (!value) {
    fail(Kind::kEnded, "the policy sent what is no answer");
    return ended();
  }
  action = std::move(*value);
  return std::nullopt;
}

std::optional<PolicyFault> PolicyProcess::end_episode(PolicyOutput& output) {
  std::optional<PolicyFault> fault;
  if (in_episode_ && !fault_) {
    if (!has_raised_) frames_.send("E");
    const sandbox::Outcome outcome = session_.finish();
    output_ = {outcome.out, outcome.err};
    if (!session_.alive()) fail(kind_of(outcome.status), outcome.message);
    fault = fault_;
  }
  in_episode_ = false;
  output = std::move(output_);
  output_ = {};
  return fault;
}

}  // namespace redqueen::arena
