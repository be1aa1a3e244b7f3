#include "redqueen/sandbox/channel_sandbox.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "redqueen/sandbox/channel_memory.h"
#include "redqueen/sandbox/outcome_text.h"
#include "redqueen/sandbox/pool.h"

namespace redqueen::sandbox {
namespace {

Outcome await_one(Pool& pool, Pool::Ticket& ticket) {
  return make_outcome(pool.wait(ticket).front(), ticket.output_bytes);
}

// Takes the memory that the worker sent ahead on the socket; −1: none that is as it should be.
int take_memory(int channel) {
  char byte = 0;
  iovec part{&byte, 1};
  alignas(cmsghdr) char ancillary[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = ancillary;
  message.msg_controllen = sizeof(ancillary);
  if (channel < 0 || recvmsg(channel, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != 1) return -1;
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS) return -1;
  int memory = -1;
  std::memcpy(&memory, CMSG_DATA(header), sizeof(memory));
  struct stat info {};
  const bool fixed = (fcntl(memory, F_GET_SEALS) & F_SEAL_SHRINK) != 0 &&
                     fstat(memory, &info) == 0 && info.st_size == kChannelMemoryBytes;
  if (fixed) return memory;
  ::close(memory);
  return -1;
}

}  // namespace

ChannelSession::ChannelSession(std::shared_ptr<Pool> pool, std::uint64_t id, Outcome loaded,
                               int channel)
    : pool_(std::move(pool)),
      id_(id),
      loaded_(std::move(loaded)),
      alive_(loaded_.ok()),
      channel_(channel),
      memory_(take_memory(channel)) {}

ChannelSession::ChannelSession(ChannelSession&& other) noexcept
    : pool_(std::move(other.pool_)),
      id_(other.id_),
      loaded_(std::move(other.loaded_)),
      alive_(std::exchange(other.alive_, false)),
      channel_(std::exchange(other.channel_, -1)),
      memory_(std::exchange(other.memory_, -1)),
      begun_(std::move(other.begun_)) {}

ChannelSession& ChannelSession::operator=(ChannelSession&& other) noexcept {
  if (this == &other) return *this;
  close();
  pool_ = std::move(other.pool_);
  id_ = other.id_;
  loaded_ = std::move(other.loaded_);
  alive_ = std::exchange(other.alive_, false);
  channel_ = std::exchange(other.channel_, -1);
  memory_ = std::exchange(other.memory_, -1);
  begun_ = std::move(other.begun_);
  return *this;
}

ChannelSession::~ChannelSession() { close(); }

void ChannelSession::close() {
  if (pool_) pool_->close(id_);
  pool_.reset();
  alive_ = false;
  begun_.reset();
  if (channel_ >= 0) ::close(std::exchange(channel_, -1));
  if (memory_ >= 0) ::close(std::exchange(memory_, -1));
}

void ChannelSession::begin(const Call& call) {
  if (alive_) begun_ = pool_->call(id_, call);
}

Outcome ChannelSession::finish() {
  if (!begun_) {
    Outcome outcome;
    outcome.message = "the session has ended";
    return outcome;
  }
  const auto ticket = std::static_pointer_cast<Pool::Ticket>(std::exchange(begun_, nullptr));
  Outcome outcome = await_one(*pool_, *ticket);
  // An exception is an answer; everything else took the child with it.
  alive_ = outcome.ok() || !outcome.exception.empty();
  return outcome;
}

ChannelSandbox::ChannelSandbox(std::shared_ptr<Pool> pool) : pool_(std::move(pool)) {}
ChannelSandbox::ChannelSandbox(ChannelSandbox&&) noexcept = default;
ChannelSandbox& ChannelSandbox::operator=(ChannelSandbox&& other) noexcept {
  std::swap(pool_, other.pool_);
  return *this;
}
ChannelSandbox::~ChannelSandbox() {
  if (pool_) pool_->stop();
}

Expected<ChannelSandbox> ChannelSandbox::start(const SandboxConfig& config) {
  ASSIGN_OR_RETURN(auto pool, Pool::start(config));
  return ChannelSandbox(std::move(pool));
}

ChannelSession ChannelSandbox::open(Program program) {
  std::uint64_t id = 0;
  const auto ticket = pool_->open(std::move(program), id, true);
  Outcome loaded = await_one(*pool_, *ticket);
  return {pool_, id, std::move(loaded), std::exchange(ticket->channel, -1)};
}

const std::vector<LayerState>& ChannelSandbox::layers() const { return pool_->layers(); }

}  // namespace redqueen::sandbox
