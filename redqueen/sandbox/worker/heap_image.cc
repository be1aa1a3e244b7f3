#include "redqueen/sandbox/worker/heap_image.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/sandbox/worker/heaps.h"

namespace redqueen::sandbox::worker {
namespace {

constexpr std::uintptr_t kPage = 4096;
constexpr std::uintptr_t kSmallest = 64U << 10;  // a mapping below this is not worth another
constexpr std::size_t kMaxRegions = 32;
constexpr unsigned kRehearsalSeconds = 20;  // of CPU do not come into it: a machine may be busy

struct Region {
  std::uintptr_t start = 0;
  std::uintptr_t end = 0;
  [[nodiscard]] std::size_t bytes() const { return end - start; }
};

// Of a rehearsal; in memory that parent and child share, so that the child's handler of faults can
// use it while the whole heap is closed to it.
struct Record {
  std::array<Region, kMaxRegions> regions;
  std::size_t count = 0;
  bool in_every = true;  // the first part of the rehearsal runs
  bool done = false;
  unsigned char touched[1U << 16] = {};  // for each page, region after region: kRead or kWritten
};

enum : unsigned char { kUntouched, kRead, kWritten };  // written: by the first part

Record* record = nullptr;

constexpr std::size_t kMaxWritten = 256;
std::array<std::uintptr_t, kMaxWritten> written;
std::size_t written_count = 0;

std::optional<std::uintptr_t> hexadecimal(std::string_view text) {
  std::uintptr_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// A line of maps that speaks of private memory which may be written: "start-end rw-p …". Not the
// stack, which grows, and not what heaps.h keeps for itself.
std::optional<Region> parse_line(std::string_view line) {
  const std::size_t dash = line.find('-');
  const std::size_t space = line.find(' ');
  if (dash > space || space == std::string_view::npos) return std::nullopt;
  if (line.substr(space + 1, 4) != "rw-p" || line.ends_with("[stack]")) return std::nullopt;
  const auto start = hexadecimal(line.substr(0, dash));
  const auto end = hexadecimal(line.substr(dash + 1, space - dash - 1));
  if (!start || !end || *end - *start < kSmallest || is_reserved(*start)) return std::nullopt;
  return Region{*start, *end};
}

bool find_regions(int maps, Record& found) {
  std::string text;
  char chunk[4096];
  for (ssize_t n = 0; (n = read(maps, chunk, sizeof(chunk))) > 0;) {
    text.append(chunk, static_cast<std::size_t>(n));
  }
  std::size_t pages = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (const auto region = parse_line(std::string_view(text).substr(at, end - at))) {
      if (found.count == kMaxRegions) return false;
      found.regions[found.count++] = *region;
      pages += region->bytes() / kPage;
    }
    at = end + 1;
  }
  return found.count > 0 && pages <= sizeof(found.touched);
}

// --- the file ----------------------------------------------------------------------------------

// Between the copy of a region and its mapping nothing in it may change: no allocation, no global.
bool map_image(const Record& found, int file) {
  off_t at = 0;
  for (std::size_t i = 0; i < found.count; ++i) {
    const Region region = found.regions[i];
    void* place = reinterpret_cast<void*>(region.start);
    if (pwrite(file, place, region.bytes(), at) != static_cast<ssize_t>(region.bytes())) {
      return false;
    }
    if (mmap(place, region.bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file, at) !=
        place) {
      _exit(1);  // the region may be gone
    }
    at += static_cast<off_t>(region.bytes());
  }
  return true;
}

bool become_image(const Record& found) {
  off_t bytes = 0;
  for (std::size_t i = 0; i < found.count; ++i) {
    bytes += static_cast<off_t>(found.regions[i].bytes());
  }
  const int file = memfd_create("interpreter", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  const bool mapped = file >= 0 && ftruncate(file, bytes) == 0 && map_image(found, file);
  if (file >= 0) {
    fcntl(file, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    close(file);
  }
  return mapped;
}

// --- the rehearsal -----------------------------------------------------------------------------

bool is_write([[maybe_unused]] void* context) {
#if defined(__x86_64__)
  constexpr greg_t kWrite = 2;  // of a page fault's error code
  return (static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & kWrite) != 0;
#else
  return true;
#endif
}

// Touches nothing of the heap but `record`, whose page is left open.
void open_page(int, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  std::size_t first = 0;
  for (std::size_t i = 0; i < record->count; ++i) {
    const Region region = record->regions[i];
    if (address >= region.start && address < region.end) {
      const bool writes = is_write(context);
      unsigned char& touched = record->touched[first + (address - region.start) / kPage];
      if (touched == kUntouched) touched = kRead;
      if (writes && record->in_every) touched = kWritten;
      mprotect(reinterpret_cast<void*>(address / kPage * kPage), kPage,
               writes ? PROT_READ | PROT_WRITE : PROT_READ);
      return;
    }
    first += region.bytes() / kPage;
  }
  signal(SIGSEGV, SIG_DFL);  // a fault of another kind
}

void close_heap() {
  const auto open = reinterpret_cast<std::uintptr_t>(&record) / kPage * kPage;
  for (std::size_t i = 0; i < record->count; ++i) {
    const Region region = record->regions[i];
    const bool split = open >= region.start && open < region.end;
    const std::uintptr_t middle = split ? open : region.end;
    mprotect(reinterpret_cast<void*>(region.start), middle - region.start, PROT_NONE);
    if (split && open + kPage < region.end) {
      mprotect(reinterpret_cast<void*>(open + kPage), region.end - open - kPage, PROT_NONE);
    }
  }
}

[[noreturn]] void rehearse(const Rehearsal& rehearsal) {
  struct sigaction action {};
  action.sa_sigaction = open_page;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGSEGV, &action, nullptr);
  alarm(kRehearsalSeconds);
  close_heap();
  rehearsal.every();
  record->in_every = false;
  rehearsal.many();
  record->done = true;
  _exit(0);
}

// Not by touching them: a read maps the pages around it as well. Linux before 5.14 knows no better,
// and keeps none.
void keep_touched() {
  std::size_t first = 0;
  for (std::size_t i = 0; i < record->count; ++i) {
    const Region region = record->regions[i];
    for (std::size_t page = 0; page < region.bytes() / kPage; ++page) {
      const unsigned char touched = record->touched[first + page];
      if (touched == kUntouched) continue;
      const std::uintptr_t address = region.start + page * kPage;
      madvise(reinterpret_cast<void*>(address), kPage, MADV_POPULATE_WRITE);
      if (touched == kWritten && written_count < kMaxWritten) written[written_count++] = address;
    }
    first += region.bytes() / kPage;
  }
}

}  // namespace

void copy_written_pages() {
  for (std::size_t i = 0; i < written_count; ++i) {
    auto* byte = reinterpret_cast<volatile char*>(written[i]);
    *byte = *byte;
  }
}

void share_heap(int maps, const Rehearsal& rehearsal) {
  void* shared =
      mmap(nullptr, sizeof(Record), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return;
  record = new (shared) Record;
  if (find_regions(maps, *record) && become_image(*record)) {
    const pid_t child = fork();
    if (child == 0) rehearse(rehearsal);
    if (child > 0) waitpid(child, nullptr, 0);
    if (record->done) keep_touched();
  }
  munmap(shared, sizeof(Record));
  record = nullptr;
}

}  // namespace redqueen::sandbox::worker
