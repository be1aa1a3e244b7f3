#include "redqueen/sandbox/worker/huge_text.h"

#include <link.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

namespace redqueen::sandbox::worker {
namespace {

constexpr std::uintptr_t kHuge = 2U << 20;

std::uintptr_t round_down(std::uintptr_t address) { return address / kHuge * kHuge; }
std::uintptr_t round_up(std::uintptr_t address) { return round_down(address + kHuge - 1); }

struct Segment {
  std::uintptr_t start, end;
  int protection;
};

bool has_huge_pages() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string text;
  return std::getline(file, text) && text.find("[never]") == std::string::npos;
}

// Of the executable, which comes first in the list.
int collect_segments(dl_phdr_info* info, std::size_t, void* target) {
  auto& segments = *static_cast<std::vector<Segment>*>(target);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD) continue;
    const std::uintptr_t start = info->dlpi_addr + header.p_vaddr;
    const int protection = ((header.p_flags & PF_R) != 0 ? PROT_READ : 0) |
                           ((header.p_flags & PF_W) != 0 ? PROT_WRITE : 0) |
                           ((header.p_flags & PF_X) != 0 ? PROT_EXEC : 0);
    segments.push_back({start, start + header.p_memsz, protection});
  }
  return 1;
}

// Whether the huge pages that hold `segment` hold nothing else.
bool stands_alone(const Segment& segment, const std::vector<Segment>& segments) {
  return std::all_of(segments.begin(), segments.end(), [&](const Segment& other) {
    return other.start == segment.start || other.end <= round_down(segment.start) ||
           other.start >= round_up(segment.end);
  });
}

void move(const Segment& segment) {
  const std::uintptr_t target = round_down(segment.start);
  const std::size_t bytes = round_up(segment.end) - target;
  void* place =
      mmap(nullptr, bytes + kHuge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) return;
  const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(place);
  const std::uintptr_t copy = round_up(first);
  if (copy > first) munmap(place, copy - first);
  if (first + kHuge > copy) {
    munmap(reinterpret_cast<void*>(copy + bytes), first + kHuge - copy);
  }
  void* pages = reinterpret_cast<void*>(copy);
  madvise(pages, bytes, MADV_HUGEPAGE);
  std::memcpy(reinterpret_cast<void*>(copy + (segment.start - target)),
              reinterpret_cast<const void*>(segment.start), segment.end - segment.start);
  const bool moved = mprotect(pages, bytes, segment.protection) == 0 &&
                     mremap(pages, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
                            reinterpret_cast<void*>(target)) != MAP_FAILED;
  if (!moved) munmap(pages, bytes);
}

}  // namespace

void move_text_to_huge_pages() {
  if (!has_huge_pages()) return;
  std::vector<Segment> segments;
  dl_iterate_phdr(collect_segments, &segments);
  for (const Segment& segment : segments) {
    if ((segment.protection & PROT_WRITE) == 0 && stands_alone(segment, segments)) move(segment);
  }
}

}  // namespace redqueen::sandbox::worker
