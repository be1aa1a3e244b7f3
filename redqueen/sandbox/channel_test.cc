// Sessions with a direct socket.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>

#include "redqueen/sandbox/channel_memory.h"
#include "redqueen/sandbox/channel_sandbox.h"
#include "redqueen/sandbox/sandbox.h"

namespace redqueen::sandbox {
namespace {

using testing::HasSubstr;

constexpr const char* kEcho = R"python(
import os
def serve():
    while True:
        frame = os.read(4, 1 << 20)
        if frame == b'stop':
            return 'stopped'
        if frame == b'die':
            os._exit(3)
        os.write(4, frame[::-1])
)python";

ChannelSandbox one_worker() {
  SandboxConfig config;
  config.workers = 1;
  return ChannelSandbox::start(config).value();
}

Program echo() {
  Program program;
  program.source = kEcho;
  program.profile = program_profile();
  return program;
}

std::string ask(const ChannelSession& session, std::string_view frame) {
  ::send(session.channel(), frame.data(), frame.size(), MSG_NOSIGNAL);
  std::string answer(1 << 18, '\0');
  const ssize_t got = ::recv(session.channel(), answer.data(), answer.size(), 0);
  answer.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return answer;
}

std::ptrdiff_t channel_open_descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

TEST(SandboxChannel, CarriesFrames) {
  ChannelSandbox sandbox = one_worker();
  ChannelSession session = sandbox.open(echo());
  ASSERT_TRUE(session.loaded().ok()) << session.loaded().message;
  for (int call = 0; call < 2; ++call) {
    session.begin(Call::expression("serve()"));
    EXPECT_EQ(ask(session, "abc"), "cba");
    const std::string large(100'000, 'x');
    EXPECT_EQ(ask(session, large), large);
    ::send(session.channel(), "stop", 4, MSG_NOSIGNAL);
    EXPECT_EQ(session.finish().value, "'stopped'");
  }
}

TEST(SandboxChannel, EndsWithItsChild) {
  ChannelSandbox sandbox = one_worker();
  ChannelSession session = sandbox.open(echo());
  session.begin(Call::expression("serve()"));
  EXPECT_EQ(ask(session, "die"), "");
  const Outcome outcome = session.finish();
  EXPECT_EQ(outcome.status, OutcomeStatus::kCrashed);
  EXPECT_THAT(outcome.message, HasSubstr("exit code 3"));
  EXPECT_FALSE(session.alive());
  EXPECT_THAT(session.finish().message, HasSubstr("has ended"));
}

// A child that ends leaves nothing behind, neither here nor with the broker, which has 4,096 slots.
TEST(SandboxChannel, LeavesNothingBehind) {
  ChannelSandbox sandbox = one_worker();
  std::ptrdiff_t descriptors = 0;
  for (int i = 0; i < 40; ++i) {
    ChannelSession session = sandbox.open(echo());
    session.begin(Call::expression("serve()"));
    EXPECT_EQ(ask(session, "ab"), "ba");
    if (i == 1) descriptors = channel_open_descriptors();
  }
  EXPECT_LE(channel_open_descriptors(), descriptors);
}

TEST(SandboxChannel, TwoSessionsHearOnlyTheirOwn) {
  ChannelSandbox sandbox = one_worker();
  ChannelSession first = sandbox.open(echo());
  ChannelSession second = sandbox.open(echo());
  first.begin(Call::expression("serve()"));
  second.begin(Call::expression("serve()"));
  EXPECT_EQ(ask(first, "first"), "tsrif");
  EXPECT_EQ(ask(second, "second"), "dnoces");
}

TEST(SandboxChannel, TimeEndsACallThatSaysNothing) {
  ChannelSandbox sandbox = one_worker();
  Program program = echo();
  program.limits.wall_seconds = 0.3;
  ChannelSession session = sandbox.open(std::move(program));
  session.begin(Call::expression("serve()"));
  EXPECT_EQ(session.finish().status, OutcomeStatus::kTimeout);
}

TEST(SandboxChannel, AValueThatIsTooLongDoesNotEndTheSession) {
  ChannelSandbox sandbox = one_worker();
  Program program = echo();
  program.limits.output_bytes = 1000;
  ChannelSession session = sandbox.open(std::move(program));
  session.begin(Call::expression("'x' * 2000"));
  EXPECT_EQ(session.finish().status, OutcomeStatus::kOutputLimit);
  EXPECT_TRUE(session.alive());
  session.begin(Call::expression("6 * 7"));
  EXPECT_EQ(session.finish().value, "42");
}

// Every child of a runtime with files is forked with the socket; who did not ask finds none.
TEST(SandboxChannel, IsThereForThoseOnlyThatAsked) {
  SandboxConfig config;
  config.workers = 1;
  Sandbox sandbox = Sandbox::start(config).value();
  Job job;
  job.program.profile = program_profile();
  job.program.source =
      "import os\nfor descriptor in (4, 5):\n    try:\n        os.fstat(descriptor)\n"
      "        print('there')\n    except OSError:\n        print('none')\n";
  EXPECT_EQ(sandbox.run(job).out, "none\nnone\n");
}

constexpr const char* kSharing = R"python(
import mmap, os
memory = mmap.mmap(5, 0)
def double():
    memory[1] = 2 * memory[0]
    return len(memory)
def cut():
    told = []
    for size in (0, 1 << 12, 1 << 22):
        try:
            os.ftruncate(5, size)
            told.append('cut')
        except OSError:
            told.append('refused')
    return told
)python";

TEST(SandboxChannel, HasMemoryWhoseSizeNobodyChanges) {
  ChannelSandbox sandbox = one_worker();
  Program program;
  program.source = kSharing;
  program.profile = program_profile();
  program.limits.output_bytes = 8U << 20;  // or the limit of files would refuse it to grow
  ChannelSession session = sandbox.open(program);
  ASSERT_TRUE(session.loaded().ok()) << session.loaded().message;
  ASSERT_GE(session.memory(), 0);
  auto* const bytes = static_cast<unsigned char*>(
      mmap(nullptr, kChannelMemoryBytes, PROT_READ | PROT_WRITE, MAP_SHARED, session.memory(), 0));
  ASSERT_NE(bytes, MAP_FAILED);
  bytes[0] = 21;
  session.begin(Call::expression("double()"));
  EXPECT_EQ(session.finish().value, std::to_string(kChannelMemoryBytes));
  EXPECT_EQ(bytes[1], 42);
  session.begin(Call::expression("cut()"));
  EXPECT_EQ(session.finish().value, "['refused', 'refused', 'refused']");
  EXPECT_EQ(bytes[kChannelMemoryBytes - 1], 0);
  munmap(bytes, kChannelMemoryBytes);

  ChannelSession other = sandbox.open(program);
  EXPECT_GE(other.memory(), 0);
  char byte = 1;
  EXPECT_EQ(pread(other.memory(), &byte, 1, 1), 1);
  EXPECT_EQ(byte, 0);  // nothing of the first one's
}

}  // namespace
}  // namespace redqueen::sandbox
