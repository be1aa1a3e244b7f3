#include "redqueen/arena/simulators/python_simulator.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "redqueen/arena/embedded_files.h"
#include "redqueen/arena/policies/value_frames.h"
#include "redqueen/arena/simulators/hosted_texts.h"

namespace redqueen::arena {
namespace {

constexpr int kMakeSeconds = 120;
constexpr int kAnswerSeconds = 60;                             // for a reset or a step
constexpr std::size_t kMostFrameBytes = std::size_t{1} << 28;  // of a frame on the socket
// Of the memory that both sides map. Pages that nobody has written cost nothing.
constexpr std::size_t kMemoryBytes = std::size_t{8} << 20;
constexpr std::uint32_t kInMemory = 1U << 31;  // in a frame's length: it lies there
constexpr int kNoLimit = 1000;

template <typename Number>
void append_little_endian(Number number, std::string& bytes) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

template <typename Number>
bool take_number(std::string_view& bytes, Number& number) {
  if (bytes.size() < sizeof(number)) return false;
  std::memcpy(&number, bytes.data(), sizeof(number));
  bytes.remove_prefix(sizeof(number));
  return true;
}

// Memory that a process can be given: a file without a name, of a fixed size, mapped here.
class Memory {
 public:
  Memory() : file_(memfd_create("frames", MFD_CLOEXEC)) {
    if (file_ < 0 || ftruncate(file_, kMemoryBytes) != 0) return;
    void* mapped = mmap(nullptr, kMemoryBytes, PROT_READ, MAP_SHARED, file_, 0);
    if (mapped != MAP_FAILED) bytes_ = static_cast<const char*>(mapped);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() {
    if (bytes_ != nullptr) munmap(const_cast<char*>(bytes_), kMemoryBytes);
    if (file_ >= 0) close(file_);
  }

  [[nodiscard]] bool is_there() const { return bytes_ != nullptr; }
  [[nodiscard]] int file() const { return file_; }
  [[nodiscard]] std::string_view bytes() const { return {bytes_, kMemoryBytes}; }

 private:
  int file_;
  const char* bytes_ = nullptr;
};

// The Python process, the socket to it, and the memory in which its frames arrive.
class HostProcess {
 public:
  static Expected<std::unique_ptr<HostProcess>> start(const std::filesystem::path& python) {
    auto memory = std::make_unique<Memory>();
    std::array<int, 2> ends{};
    if (!memory->is_there() ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
      return failure("there is no socket or no memory for a Python process: {}",
                     std::strerror(errno));
    }
    // The far ends must not be 3 or 4 already, or dup2 would keep close-on-exec.
    const int far_end = fcntl(ends[1], F_DUPFD_CLOEXEC, 5);
    close(ends[1]);
    const int far_memory = fcntl(memory->file(), F_DUPFD_CLOEXEC, 5);
    const std::string program = python.string();
    const std::string source(simulator_host_source());
    const std::array<const char*, 5> arguments{program.c_str(), "-I", "-c", source.c_str(),
                                               nullptr};
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    const pid_t parent = getpid();
    const bool ready = far_end >= 0 && far_memory >= 0 && nowhere >= 0;
    const pid_t pid = ready ? fork() : -1;
    if (pid == 0) run(arguments.data(), {nowhere, nowhere, nowhere, far_end, far_memory}, parent);
    const int error = errno;
    for (const int descriptor : {nowhere, far_end, far_memory}) {
      if (descriptor >= 0) close(descriptor);
    }
    if (pid < 0) {
      close(ends[0]);
      return failure("{} does not start: {}", program, std::strerror(error));
    }
    return std::unique_ptr<HostProcess>(new HostProcess(pid, ends[0], std::move(memory)));
  }

  HostProcess(const HostProcess&) = delete;
  HostProcess& operator=(const HostProcess&) = delete;
  ~HostProcess() {
    close(socket_);
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }

  // Sends a frame and waits for the answer, whose first letter is to be `kind`. What is given is
  // the answer's rest, valid until the next call.
  Expected<std::string_view> ask(std::string_view frame, char kind, int seconds) {
    outbox_.clear();
    append_little_endian(static_cast<std::uint32_t>(frame.size()), outbox_);
    outbox_ += frame;
    std::uint32_t size = 0;
    if (!send_all(outbox_) || !receive(&size, sizeof(size), seconds)) {
      return failure("the Python process ended or was silent for {} s", seconds);
    }
    const bool in_memory = (size & kInMemory) != 0;
    size &= ~kInMemory;
    if (size == 0 || size > (in_memory ? kMemoryBytes : kMostFrameBytes)) {
      return failure("the Python process sent a frame of {} bytes", size);
    }
    std::string_view answer = memory_->bytes().substr(0, in_memory ? size : 0);
    if (!in_memory) {
      inbox_.resize(size);
      if (!receive(inbox_.data(), size, seconds)) return failure("the Python process ended");
      answer = inbox_;
    }
    if (answer.front() == kind) return answer.substr(1);
    if (answer.front() == 'e') return failure("{}", answer.substr(1));
    return failure("the Python process answers out of turn");
  }

 private:
  HostProcess(pid_t pid, int socket, std::unique_ptr<Memory> memory)
      : pid_(pid), socket_(socket), memory_(std::move(memory)) {}

  // In the child, whose descriptors these become, from 0 on: nothing here may allocate.
  [[noreturn]] static void run(const char* const* arguments, const std::array<int, 5>& descriptors,
                               pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    for (std::size_t i = 0; i < descriptors.size(); ++i) dup2(descriptors[i], static_cast<int>(i));
    execv(arguments[0], const_cast<char* const*>(arguments));
    _exit(127);
  }

  bool send_all(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno != EINTR) return false;
      if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  bool receive(void* out, std::size_t size, int seconds) const {
    auto* at = static_cast<char*>(out);
    while (size > 0) {
      pollfd ready{.fd = socket_, .events = POLLIN, .revents = 0};
      const int polled = poll(&ready, 1, seconds * 1000);
      if (polled < 0 && errno == EINTR) continue;
      if (polled <= 0) return false;
      const ssize_t got = recv(socket_, at, size, 0);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      at += got;
      size -= static_cast<std::size_t>(got);
    }
    return true;
  }

  pid_t pid_;
  int socket_;
  std::unique_ptr<Memory> memory_;
  std::string outbox_;
  std::string inbox_;
};

// ------------------------------------------------------------------------------------------------
// Cards.

// Reads what describe() of simulator_host.py wrote; throws nlohmann's errors, which card_of
// catches.
Space space_of(const Json& json) {
  const std::string type = json.at("type");
  if (type == "Discrete") return {Discrete{.n = json.at("n"), .start = json.at("start")}};
  if (type == "MultiDiscrete") {
    return {MultiDiscrete{.nvec = json.at("nvec"), .start = json.at("start")}};
  }
  if (type == "MultiBinary") return {MultiBinary{.shape = json.at("shape")}};
  if (type == "Text") return {Text{.min_length = 0, .max_length = json.at("max_length")}};
  if (type == "Tuple") {
    TupleSpace tuple;
    for (const Json& part : json.at("parts")) tuple.parts.push_back(space_of(part));
    return {std::move(tuple)};
  }
  if (type == "Dict") {
    DictSpace dict;
    const Json& keys = json.at("keys");
    for (std::size_t i = 0; i < keys.size(); ++i) {
      dict.parts.emplace_back(keys[i], space_of(json.at("parts").at(i)));
    }
    return {std::move(dict)};
  }
  const auto bounds = [&](const char* key) {
    std::vector<double> numbers;
    for (const Json& bound : json.at(key)) {
      numbers.push_back(bound.is_number() ? bound.get<double>()
                                          : (bound == "Inf" ? HUGE_VAL : -HUGE_VAL));
    }
    return numbers;
  };
  Box box{.type = kElementTypeNames.find(json.at("dtype").get<std::string>())
                      .value_or(ElementType::kFloat64),
          .shape = json.at("shape"),
          .low = bounds("low"),
          .high = bounds("high")};
  box.image = box.type == ElementType::kUint8 && box.shape.size() == 3;
  return {std::move(box)};
}

Expected<SimulatorCard> card_of(std::string_view id, std::string_view text) {
  try {
    const Json json = Json::parse(text);
    SimulatorCard card{.id = std::string(id),
                       .description = json.at("description"),
                       .observation_space = space_of(json.at("observation_space")),
                       .action_space = space_of(json.at("action_space")),
                       .max_episode_steps = json.at("max_episode_steps")};
    if (std::string own = hosted_text(id); !own.empty()) card.description = std::move(own);
    if (card.max_episode_steps <= 0) card.max_episode_steps = kNoLimit;
    if (card.description.empty()) {
      card.description =
          fmt::format("Gymnasium's {}; its spaces say what is seen and what can be done.", id);
    }
    for (const auto& [name, version] : json.at("versions").items()) {
      card.versions.emplace_back(name, version);
    }
    return card;
  } catch (const Json::exception& error) {
    return failure("{}: the Python process described it badly: {}", id, error.what());
  }
}

// ------------------------------------------------------------------------------------------------

class PythonSimulator final : public DrawingSimulator {
 public:
  PythonSimulator(SimulatorCard card, std::unique_ptr<HostProcess> host)
      : card_(std::move(card)), host_(std::move(host)) {}

  const SimulatorCard& card() const override { return card_; }

  Status reset(std::uint64_t seed, Transition& out) override {
    frame_ = "R";
    append_little_endian(seed, frame_);
    steps_ = 0;
    running_ = false;
    RETURN_IF_ERROR(take(out));
    running_ = true;
    return {};
  }

  Status step(const Value& action, Transition& out) override {
    if (!running_) return usage_error("{}: no episode is running; reset it first", card_.id);
    auto conformed = conform(card_.action_space, action);
    if (!conformed) return usage_error("{}: action: {}", card_.id, conformed.error().message);
    frame_ = "S";
    append_value(*conformed, frame_);
    ++steps_;
    running_ = false;
    RETURN_IF_ERROR(take(out));
    if (steps_ >= card_.max_episode_steps) out.truncated = true;
    running_ = !out.done();
    return {};
  }

  Json info() const override { return info_; }

  Expected<Array> picture() override {
    ASSIGN_OR_RETURN(const std::string_view answer, host_->ask("P", 'p', kAnswerSeconds));
    auto value = read_value(answer);
    auto* array = value ? std::get_if<Array>(&value->form) : nullptr;
    const bool sound = array != nullptr && array->type == ElementType::kUint8 &&
                       array->shape.size() == 3 && array->shape[2] == 3 && array->size() > 0;
    if (!sound) return failure("{}: the Python process sent no picture", card_.id);
    return std::move(*array);
  }

 private:
  // Sends frame_ and reads the transition that answers it.
  Status take(Transition& out) {
    auto answer = host_->ask(frame_, 'o', kAnswerSeconds);
    if (!answer) return failure("{}: {}", card_.id, answer.error().message);
    std::string_view rest = *answer;
    double reward = 0;
    std::uint8_t flags = 0;
    std::uint32_t info_size = 0;
    bool sound = take_number(rest, reward) && take_number(rest, flags) &&
                 take_number(rest, info_size) && info_size <= rest.size();
    if (sound) {
      auto info = parse_json(rest.substr(0, info_size));
      auto observation = read_value(rest.substr(info_size));
      sound = info && observation;
      if (sound) {
        info_ = std::move(*info);
        out.observation = std::move(*observation);
      }
    }
    if (!sound) return failure("{}: the Python process sent no transition", card_.id);
    out.reward = reward;
    out.reward_components.clear();
    out.terminated = (flags & 1) != 0;
    out.truncated = (flags & 2) != 0;
    return {};
  }

  SimulatorCard card_;
  std::unique_ptr<HostProcess> host_;
  std::string frame_;
  Json info_ = Json::object();
  int steps_ = 0;
  bool running_ = false;
};

}  // namespace

Expected<std::unique_ptr<DrawingSimulator>> make_python_simulator(
    std::string_view id, const std::filesystem::path& python, bool pictures) {
  ASSIGN_OR_RETURN(auto host, HostProcess::start(python));
  auto text = host->ask((pictures ? "D" : "M") + std::string(id), 'c', kMakeSeconds);
  if (!text) return failure("{}: {}: {}", id, python.string(), text.error().message);
  ASSIGN_OR_RETURN(SimulatorCard card, card_of(id, *text));
  return std::make_unique<PythonSimulator>(std::move(card), std::move(host));
}

}  // namespace redqueen::arena
