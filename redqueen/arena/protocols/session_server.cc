#include "redqueen/arena/protocols/session_server.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <set>
#include <thread>

#include "redqueen/arena/embedded_files.h"
#include "redqueen/base/durable.h"
#include "redqueen/base/file_queries.h"

namespace redqueen::arena {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr const char* kProtocol = "agent-session/v3";
constexpr std::size_t kMostFrame = 64U << 10;
constexpr std::size_t kMostCandidates = 3;
constexpr auto kPatience =
    std::chrono::seconds(5);  // with an agent that is slow to say what it wants

Json refusal(std::string_view code, const std::string& message) {
  return {
      {"protocol", kProtocol}, {"ok", false}, {"error", {{"code", code}, {"message", message}}}};
}

Json result(Json content) {
  return {{"protocol", kProtocol}, {"ok", true}, {"result", std::move(content)}};
}

bool has_exactly(const Json& request, const char* field) {
  return request.size() == 3 && request.contains(field);
}

// Why these cannot be played; the judge would refuse them as well, in another protocol's words.
std::optional<Json> refused_cases(const Judge& judge, const std::vector<std::int64_t>& cases) {
  const RunSettings& settings = judge.settings();
  const auto count = static_cast<int>(cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (cases[i] < 0 || cases[i] >= settings.sizes.train) {
      return refusal("invalid_request", fmt::format("there is no episode {}; they are 0 to {}",
                                                    cases[i], settings.sizes.train - 1));
    }
    if (i > 0 && cases[i] <= cases[i - 1]) {
      return refusal("invalid_request", "episode_indices do not rise strictly");
    }
  }
  if (count < settings.minimum || count > settings.maximum) {
    return refusal("episode_limit", fmt::format("{} episodes; a submission has {} to {}", count,
                                                settings.minimum, settings.maximum));
  }
  const int left = judge.state().remaining_budget;
  if (count > left) {
    return refusal("budget_exhausted", fmt::format("{} episodes; {} are left", count, left));
  }
  return std::nullopt;
}

Json submit(Judge& judge, const Json& indices) {
  if (!indices.is_array() || indices.empty() || indices.size() > kMostFrame) {
    return refusal("invalid_request", "episode_indices is no list of numbers");
  }
  std::vector<std::int64_t> cases;
  for (const Json& each : indices) {
    if (!each.is_number_integer()) {
      return refusal("invalid_request", "episode_indices holds what is no number of an episode");
    }
    const bool huge = each.is_number_unsigned() && each.get<std::uint64_t>() > INT64_MAX;
    cases.push_back(huge ? INT64_MAX : each.get<std::int64_t>());
  }
  if (auto refused = refused_cases(judge, cases)) return *std::move(refused);
  const SubmitAnswer answer = judge.submit(cases);
  switch (answer.kind) {
    case SubmitAnswer::Kind::kAccepted:
      return result(
          {{"submission_id", session_name(answer.index)},
           {"program_digest", "sha256:" + judge.digest_of(answer.index)},
           {"score", answer.summary["mean_return"]},
           {"status", answer.status},
           {"episode_indices", cases},
           {"episodes_used", cases.size()},
           {"episodes_remaining", answer.summary["remaining_budget"]},
           {"feedback", "feedback/" + judge.feedback_name(answer.index) + "/summary.json"}});
    case SubmitAnswer::Kind::kRefused:
      return refusal(answer.status == "snapshot_refused" ? "program_invalid" : "invalid_request",
                     answer.message);
    case SubmitAnswer::Kind::kClosed:
      return refusal("session_closed", answer.message);
    case SubmitAnswer::Kind::kFailed:
      break;
  }
  return refusal("evaluation_failed", answer.message);
}

// The judge's number of "submission-000001"; −1: no such name.
int submission_number(std::string_view name) {
  constexpr std::string_view kPrefix = "submission-";
  int number = 0;
  if (!name.starts_with(kPrefix)) return -1;
  name.remove_prefix(kPrefix.size());
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc() && end == name.data() + name.size() ? number - 1 : -1;
}

Json finish(Judge& judge, const Json& names) {
  if (!names.is_array() || names.empty() ||
      !std::all_of(names.begin(), names.end(), [](const Json& each) { return each.is_string(); })) {
    return refusal("invalid_request", "submission_ids is no list of names");
  }
  if (names.size() > kMostCandidates) {
    return refusal("candidate_limit",
                   fmt::format("{} submissions; at most {}", names.size(), kMostCandidates));
  }
  std::set<int> chosen;
  for (const Json& each : names) {
    const auto name = each.get<std::string>();
    const int number = submission_number(name);
    if (number < 0 || number >= judge.state().submissions || session_name(number) != name) {
      return refusal("unknown_submission", "one of them was never made");
    }
    if (!chosen.insert(number).second)
      return refusal("duplicate_submission", "one of them comes twice");
  }
  const int left = judge.state().remaining_budget;
  if (judge.settings().require_budget && left >= judge.settings().minimum) {
    return refusal("budget_remaining",
                   fmt::format("{} episodes are left, and this run wants all of them used: submit "
                               "the candidates again on other episodes, or try another program",
                               left));
  }
  if (const Status done = judge.choose_candidates({chosen.begin(), chosen.end()}); !done) {
    return refusal(done.error().kind == ErrorKind::kUsage ? "session_closed" : "session_failed",
                   done.error().message);
  }
  return result({{"candidate_submission_ids", names}, {"agent_authority_closed", true}});
}

// --- the socket ---------------------------------------------------------------------------------

// Reads `count` bytes before `deadline`; false: they did not come.
bool read_exactly(int connection, std::size_t count, Clock::time_point deadline,
                  std::string& bytes) {
  bytes.resize(count);
  for (std::size_t done = 0; done < count;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd event{connection, POLLIN, 0};
    if (left.count() <= 0 || ::poll(&event, 1, static_cast<int>(left.count())) <= 0) return false;
    const ssize_t got = ::recv(connection, bytes.data() + done, count - done, 0);
    if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) return false;
    if (got > 0) done += static_cast<std::size_t>(got);
  }
  return true;
}

std::string length_bytes(std::size_t length) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>(length >> shift));
  return bytes;
}

// One request and its answer.
void serve(Judge& judge, int connection) {
  const auto deadline = Clock::now() + kPatience;
  std::string bytes;
  Json answer = refusal("invalid_request", "the request is no frame of at most 64 KiB");
  if (read_exactly(connection, 4, deadline, bytes)) {
    std::size_t length = 0;
    for (const char each : bytes) length = length << 8 | static_cast<unsigned char>(each);
    if (length <= kMostFrame && read_exactly(connection, length, deadline, bytes)) {
      answer = answer_session(judge, bytes);
    }
  }
  const std::string text = dump_json(answer);
  const std::string frame = length_bytes(text.size()) + text;
  (void)!::send(connection, frame.data(), frame.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace

std::string session_name(int submission) { return fmt::format("submission-{:06}", submission + 1); }

Json answer_session(Judge& judge, std::string_view request) {
  const auto asked = parse_json(request);
  if (!asked || !asked->is_object()) {
    return refusal("invalid_request", "the request is no JSON object");
  }
  const RunState state = judge.state();
  if (state.finalized || state.chosen) return refusal("session_closed", "the search has ended");
  if (asked->value("protocol", Json()) != kProtocol) {
    return refusal("protocol_mismatch", fmt::format("this judge speaks {}", kProtocol));
  }
  const Json method = asked->value("method", Json());
  if (method == "submit" && has_exactly(*asked, "episode_indices")) {
    return submit(judge, (*asked)["episode_indices"]);
  }
  if (method == "finish" && has_exactly(*asked, "submission_ids")) {
    return finish(judge, (*asked)["submission_ids"]);
  }
  return refusal("invalid_request",
                 "there are submit with episode_indices and finish with submission_ids");
}

class SessionServer::Listener {
 public:
  Listener(Judge& judge, fs::path path) : judge_(judge), path_(std::move(path)) {}
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  ~Listener() {
    if (thread_.joinable()) {
      (void)!::eventfd_write(stop_, 1);
      thread_.join();
    }
    for (const int fd : {socket_, stop_}) {
      if (fd >= 0) ::close(fd);
    }
    std::error_code ignored;
    fs::remove(path_, ignored);
  }

  Status start() {
    std::error_code ignored;
    fs::remove(path_,
               ignored);  // of a judge that was killed; two at once the ledger's lock prevents
    socket_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    stop_ = ::eventfd(0, EFD_CLOEXEC);
    // The name of a socket has 107 bytes at most; seen from its folder it is always short enough.
    const int folder = ::open(path_.parent_path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    fmt::format("/proc/self/fd/{}/{}", folder, path_.filename().string())
        .copy(address.sun_path, sizeof(address.sun_path) - 1);
    const bool bound =
        folder >= 0 &&
        ::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 &&
        ::listen(socket_, 8) == 0;
    const int error = errno;
    if (folder >= 0) ::close(folder);
    if (!bound || stop_ < 0) {
      return failure("{}: no socket can be made here ({})", path_.string(), system_reason(error));
    }
    fs::permissions(path_, fs::perms::owner_read | fs::perms::owner_write, ignored);
    thread_ = std::thread([this] { serve_all(); });
    return {};
  }

 private:
  void serve_all() {
    for (;;) {
      pollfd events[2] = {{socket_, POLLIN, 0}, {stop_, POLLIN, 0}};
      if (::poll(events, 2, -1) < 0 && errno != EINTR) return;
      if ((events[1].revents & POLLIN) != 0) return;
      if ((events[0].revents & POLLIN) == 0) continue;
      const int connection = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
      if (connection < 0) continue;
      serve(judge_, connection);
      ::close(connection);
    }
  }

  Judge& judge_;
  fs::path path_;
  int socket_ = -1;
  int stop_ = -1;
  std::thread thread_;
};

Expected<std::unique_ptr<SessionServer>> SessionServer::start(Judge& judge) {
  const fs::path control = judge.folder() / "control";
  RETURN_IF_ERROR(make_folders(control / "bin"));
  std::error_code error;
  const fs::path client = control / "bin" / "evopolicygym-session";
  RETURN_IF_ERROR(replace_file(client, session_client_source(), Survives::kProcessDeath));
  fs::permissions(client, fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec,
                  error);
  auto listener = std::make_unique<Listener>(judge, control / "session.sock");
  RETURN_IF_ERROR(listener->start());
  return std::unique_ptr<SessionServer>(new SessionServer(std::move(listener)));
}

SessionServer::SessionServer(std::unique_ptr<Listener> listener) : listener_(std::move(listener)) {}
SessionServer::~SessionServer() = default;

}  // namespace redqueen::arena
