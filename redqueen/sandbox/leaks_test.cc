// What a child can find of other jobs: programs that search their own memory, and a look into a
// child from the host. Markers are unique texts in sources, inputs, values, output and comparisons.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <thread>

#include "redqueen/sandbox/sandbox.h"
#include "redqueen/sandbox/testing/sandbox.h"

namespace redqueen::sandbox {
namespace {

// A marker is kMark and a number. No program below has kMark in its text, only its halves.
constexpr const char* kFirstHalf = "LeAkEd";
constexpr const char* kSecondHalf = "mArKeR";

std::string marker(int number) {
  return std::string(kFirstHalf) + kSecondHalf + std::to_string(1'000'000 + number);
}

std::string markers(int first, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += marker(first + i) + ",";
  return text;
}

// Looks through all that this process can read: the mappings as far as they can be guessed without
// /proc (around the addresses of objects, functions and the stack), the environment, descriptors.
// Says how many different markers there are.
constexpr const char* kSearch = R"python(
import ctypes, os, re, sys

def readable(address, size=4096):
    # A page is readable if the kernel can write it to a pipe.
    try:
        return libc.write(ends[1], ctypes.c_void_p(address), 1) == 1 and os.read(ends[0], 1) is not None
    except OSError:
        return False

libc = ctypes.CDLL(None)
libc.write.restype = ctypes.c_ssize_t
ends = os.pipe()
word = b'LeAk' + b'Ed' + b'mArK' + b'eR'
found = set()

def search(address):
    # Outwards from an address, page by page, until nothing is mapped for a while.
    for step in (4096, -4096):
        page, holes = address & ~4095, 0
        while holes < 600 and page > 65536 and page < 1 << 47:
            if page in seen:
                page += step
                continue
            seen.add(page)
            if readable(page):
                holes = 0
                data = ctypes.string_at(page, 4096)
                for m in re.finditer(word + rb'(\d{7})', data):
                    found.add(m.group(1))
            else:
                holes += 1
            page += step

def search_all():
    local = ctypes.c_int(1)
    places = [id(object()), id(sys), id(search), id(os.environ), ctypes.addressof(local)]
    for name in ('malloc', 'environ', 'stdout', 'Py_Main', 'PyRuntime', '_PyRuntime', 'main_arena'):
        try:
            places.append(ctypes.addressof(ctypes.c_char.in_dll(libc, name)))
        except ValueError:
            pass
    environ = ctypes.c_void_p.in_dll(libc, 'environ').value
    libc.__errno_location.restype = ctypes.c_void_p
    places += [libc.__errno_location(), environ or 0]
    libc.sbrk.restype = ctypes.c_void_p
    places.append(libc.sbrk(0) - 4096)
    # The stack of the main thread lies at the top; its end is in __libc_stack_end.
    try:
        places.append(ctypes.c_void_p.in_dll(libc, '__libc_stack_end').value)
    except ValueError:
        pass
    libc.malloc.restype = ctypes.c_void_p
    for size in (100, 5000, 50000, 200000, 5000000):
        places.append(libc.malloc(size))
    for place in places:
        if place:
            search(place)
    for fd in range(3, 64):
        try:
            os.lseek(fd, 0, 0)
            for m in re.finditer(word + rb'(\d{7})', os.read(fd, 1 << 20)):
                found.add(m.group(1))
        except OSError:
            pass
    return len(found), len(seen)

seen = set()
)python";

Job search_job() {
  Job job{open_program(kSearch), {Call::expression("search_all()")}};
  job.program.limits.wall_seconds = 120;
  return job;
}

// Sends a thousand markers through every door a job has, and counts what was sent.
int send_markers(Sandbox& sandbox) {
  int sent = 0;
  const auto take = [&sent](int count) {
    return markers(std::exchange(sent, sent + count), count);
  };
  for (const int count : {1, 20, 200, 3000}) {
    Program program =
        open_program("text = '" + take(count) + "'\ndef f(x):\n    print(x)\n    return x\n");
    program.input = take(count);
    const std::string argument = "'" + take(count) + "'";
    const Outcome one = sandbox.run(Job{program, {Call::literal("f", argument)}});
    EXPECT_TRUE(one.ok()) << one.message;
    for (const Outcome& outcome : sandbox.run(Batch{
             program, {Call::json("f", "[\"" + take(count) + "\"]"), Call::expression("text")}})) {
      EXPECT_TRUE(outcome.ok()) << outcome.message;
    }
    Session session = sandbox.open(program);
    EXPECT_TRUE(session.call(Call::literal("f", argument)).ok());
    const std::string left = "['" + take(count) + "']";
    const std::string right = "['" + take(count) + "', 1]";
    EXPECT_EQ(sandbox.compare(left, right), Equality::kDifferent);
    EXPECT_EQ(sandbox.compare(right, right), Equality::kEqual);
  }
  for (int i = 0; i < 300; ++i) {
    sandbox.run(Job{open_program("x = '" + take(1) + "'"), {Call::expression("x")}});
    sandbox.compare("'" + take(1) + "'", "'" + take(1) + "'");
  }
  return sent;
}

void expect_nothing_found(Sandbox& sandbox) {
  EXPECT_GE(send_markers(sandbox), 1000);
  for (int i = 0; i < 2; ++i) {
    const Outcome outcome = sandbox.run(search_job());
    ASSERT_TRUE(outcome.ok()) << outcome.exception << ' ' << outcome.message << outcome.traceback;
    EXPECT_THAT(outcome.value, ::testing::StartsWith("(0, ")) << outcome.value;
    const int pages = std::stoi(outcome.value.substr(4));
    EXPECT_GT(pages, 2000);
  }
}

TEST(SandboxSecrets, TheSearchFindsWhatIsThere) {
  Job job = search_job();
  job.program.source += "kept = ['LeAkEd' + 'mArKeR' + str(1000000 + i) for i in range(50)]\n";
  const Outcome outcome = shared_sandbox().run(job);
  ASSERT_THAT(outcome.value, ::testing::StartsWith("(")) << outcome.message;
  EXPECT_GE(std::stoi(outcome.value.substr(1)), 40);  // some lie across pages
}

TEST(SandboxSecrets, NoJobFindsAnother) {
  SandboxConfig config;
  config.workers = 1;
  config.require = Require::kStandard;
  config.preload = default_preload();
  config.preload.push_back("ctypes");  // where no file can be opened it could not be imported
  for (const auto& [namespaces, landlock] : {std::pair{true, true}, std::pair{false, true},
                                             std::pair{true, false}, std::pair{false, false}}) {
    config.use_namespaces = namespaces;
    config.use_landlock = landlock;
    Sandbox sandbox = Sandbox::start(config).value();
    expect_nothing_found(sandbox);
  }
}

TEST(SandboxSecrets, ABatchAndASessionFindNoOtherJob) {
  SandboxConfig config;
  config.workers = 1;
  Sandbox sandbox = Sandbox::start(config).value();
  send_markers(sandbox);
  Program program = search_job().program;
  const Call search = Call::expression("search_all()");
  for (const Outcome& outcome : sandbox.run(Batch{program, {search, search}})) {
    EXPECT_THAT(outcome.value, ::testing::StartsWith("(0, ")) << outcome.message;
  }
  Session session = sandbox.open(program);
  EXPECT_THAT(session.call(search).value, ::testing::StartsWith("(0, "));
}

// --- from the host ------------------------------------------------------------------------------

std::vector<int> leaks_children_of(int pid) {
  std::vector<int> pids;
  std::ifstream file("/proc/" + std::to_string(pid) + "/task/" + std::to_string(pid) + "/children");
  for (int child = 0; file >> child;) pids.push_back(child);
  return pids;
}

constexpr std::uintptr_t kMostMapped = 1UL << 28;  // above it lies what a sanitizer reserves

// Markers in all that a process has mapped; −1: it cannot be read.
int markers_in(int pid) {
  const std::string folder = "/proc/" + std::to_string(pid);
  std::ifstream maps(folder + "/maps");
  const int memory = open((folder + "/mem").c_str(), O_RDONLY | O_CLOEXEC);
  if (memory < 0) return -1;
  const std::string word = std::string(kFirstHalf) + kSecondHalf;
  std::set<std::string> found;
  std::size_t bytes = 0;
  std::string data;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t start = 0;
    std::uintptr_t end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx", &start, &end) != 2) continue;
    if (end - start > kMostMapped) continue;
    data.resize(end - start);
    const ssize_t got = pread(memory, data.data(), data.size(), static_cast<off_t>(start));
    if (got <= 0) continue;
    bytes += static_cast<std::size_t>(got);
    const std::string_view text(data.data(), static_cast<std::size_t>(got));
    for (std::size_t at = text.find(word); at != std::string_view::npos;
         at = text.find(word, at + 1)) {
      found.insert(std::string(text.substr(at, word.size() + 7)));
    }
  }
  close(memory);
  return bytes > (1U << 20) ? static_cast<int>(found.size()) : -1;
}

// The process that forks, and the children that wait for a job; empty where none came in time.
struct WarmAndSpares {
  int warm = -1;
  std::vector<int> spares;
};

WarmAndSpares find_warm_and_spares(Sandbox& sandbox) {
  WarmAndSpares found;
  const int broker = sandbox.worker_pids().at(0);
  for (int i = 0; i < 500 && found.spares.empty(); ++i) {
    const std::vector<int> warm = leaks_children_of(broker);
    if (warm.size() == 1) {
      found.warm = warm.front();
      found.spares = leaks_children_of(found.warm);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return found;
}

TEST(SandboxSecrets, TheHostFindsNothingInWhatForksAndInASpare) {
  SandboxConfig config;
  config.workers = 1;
  Sandbox sandbox = Sandbox::start(config).value();
  send_markers(sandbox);
  const auto [warm, spares] = find_warm_and_spares(sandbox);
  ASSERT_FALSE(spares.empty());
  if (markers_in(getpid()) < 0 || markers_in(warm) < 0) {
    GTEST_SKIP() << "the memory of another process cannot be read here";
  }
  EXPECT_EQ(markers_in(warm), 0);
  for (const int pid : spares) EXPECT_LE(markers_in(pid), 0);
  const int broker = sandbox.worker_pids().at(0);
  EXPECT_GT(markers_in(broker) + markers_in(getpid()), 0);  // what handles jobs has traces of them
}

// Where a process's memory that a fork wipes begins; 0 where it has none.
std::uintptr_t wiped_memory(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/smaps");
  std::uintptr_t start = 0;
  for (std::string line; std::getline(file, line);) {
    std::uintptr_t first = 0;
    std::uintptr_t end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &first, &end) == 2) start = first;
    if (line.starts_with("VmFlags:") && line.find(" wf") != std::string::npos) return start;
  }
  return 0;
}

std::optional<std::uint64_t> word_at(int pid, std::uintptr_t address) {
  const int memory = open(("/proc/" + std::to_string(pid) + "/mem").c_str(), O_RDONLY | O_CLOEXEC);
  std::uint64_t word = 0;
  const bool whole =
      pread(memory, &word, sizeof(word), static_cast<off_t>(address)) == sizeof(word);
  close(memory);
  return whole ? std::optional(word) : std::nullopt;
}

TEST(SandboxSecrets, AChildDoesNotHaveWhatOpensItsParentsCalls) {
  SandboxConfig config;
  config.workers = 1;
  Sandbox sandbox = Sandbox::start(config).value();
  const auto [warm, spares] = find_warm_and_spares(sandbox);
  ASSERT_FALSE(spares.empty());
  if (markers_in(warm) < 0) GTEST_SKIP() << "the memory of another process cannot be read here";
  const std::uintptr_t secret = wiped_memory(warm);
  ASSERT_NE(secret, 0U);
  EXPECT_NE(word_at(warm, secret).value(), 0U);
  for (const int pid : spares) EXPECT_EQ(word_at(pid, secret), 0U);
}

}  // namespace
}  // namespace redqueen::sandbox
