#include "redqueen/sandbox/channel_sandbox.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "redqueen/sandbox/channel_memory.h"

namespace redqueen::sandbox {
namespace {

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

ChannelSession::Descriptor::~Descriptor() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

ChannelSession::ChannelSession(Session session, int channel)
    : session_(std::move(session)), channel_(channel), memory_(take_memory(channel)) {}

void ChannelSession::begin(const Call& call) { begun_ = session_.begin(call); }

Outcome ChannelSession::finish() { return session_.finish(std::exchange(begun_, nullptr)); }

Expected<ChannelSandbox> ChannelSandbox::start(const SandboxConfig& config) {
  ASSIGN_OR_RETURN(Sandbox sandbox, Sandbox::start(config));
  return ChannelSandbox(std::move(sandbox));
}

ChannelSession ChannelSandbox::open(Program program) {
  auto [session, channel] = sandbox_.open_session(std::move(program), true);
  return {std::move(session), channel};
}

}  // namespace redqueen::sandbox
