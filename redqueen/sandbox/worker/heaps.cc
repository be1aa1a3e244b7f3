#include "redqueen/sandbox/worker/heaps.h"

#include <Python.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace redqueen::sandbox::worker {
namespace {

constexpr std::size_t kRegionBytes = 4U << 20;
constexpr std::size_t kGrain = 16;
constexpr std::size_t kFineBytes =
    1024;  // up to here every multiple of the grain has a class of its own
constexpr std::size_t kCoarseBytes = 32768;  // above this, the usual allocators
constexpr std::size_t kFineClasses = kFineBytes / kGrain;
constexpr std::size_t kSteps = 4;  // coarse classes from one power of two to the next
constexpr std::size_t kCoarseClasses = 5 * kSteps;
constexpr std::size_t kClasses = kFineClasses + kCoarseClasses + 1;
constexpr std::size_t kPopulatedBytes = 32U << 10;  // what nearly every job needs, got in one call

constexpr std::size_t kTableBytes = kRegionBytes / kGrain;
constexpr std::size_t kTableStart = kRegionBytes - kTableBytes;

// At the start of the region, whose first pages are the child's first writes anyway. Blocks follow,
// and at the end of the region a table with a byte for each grain: the class of the block that
// begins there.
struct alignas(kGrain) Header {
  std::array<void*, kClasses> free;  // blocks of each class, linked through their first word
  std::size_t used;                  // bytes from the start of the region
};

char* region = nullptr;  // the one in use
char* child_region = nullptr;
bool has_threads = false;

Header& header() { return *reinterpret_cast<Header*>(region); }
unsigned char* classes() { return reinterpret_cast<unsigned char*>(region) + kTableStart; }

bool is_ours(const void* block) {
  return region != nullptr &&
         static_cast<std::size_t>(static_cast<const char*>(block) - region) < kRegionBytes;
}

std::size_t class_of(std::size_t size) {
  if (size <= kFineBytes) return (std::max<std::size_t>(size, 1) + kGrain - 1) / kGrain;
  const auto power = static_cast<std::size_t>(std::bit_width(size - 1)) - 1;  // 2^power < size
  const std::size_t step = (std::size_t{1} << power) / kSteps;
  const std::size_t above = (size - (std::size_t{1} << power) + step - 1) / step;  // 1 … kSteps
  return kFineClasses + (power - 10) * kSteps + above;
}

std::size_t bytes_of(std::size_t index) {
  if (index <= kFineClasses) return index * kGrain;
  const std::size_t power = 10 + (index - kFineClasses - 1) / kSteps;
  const std::size_t above = (index - kFineClasses - 1) % kSteps + 1;
  return (std::size_t{1} << power) + above * ((std::size_t{1} << power) / kSteps);
}

// Null: the region is full, or the block too large for it.
void* take(std::size_t size) {
  if (region == nullptr || size > kCoarseBytes) return nullptr;
  const std::size_t index = class_of(size);
  Header& head = header();
  if (void* block = head.free[index]) {
    std::memcpy(&head.free[index], block, sizeof(void*));
    return block;
  }
  const std::size_t bytes = bytes_of(index);
  if (kTableStart - head.used < bytes) return nullptr;
  classes()[head.used / kGrain] = static_cast<unsigned char>(index);
  void* block = region + head.used;
  head.used += bytes;
  return block;
}

std::size_t index_of(const void* block) {
  return classes()[static_cast<std::size_t>(static_cast<const char*>(block) - region) / kGrain];
}

void give_back(void* block) {
  Header& head = header();
  const std::size_t index = index_of(block);
  std::memcpy(block, &head.free[index], sizeof(void*));
  head.free[index] = block;
}

// --- Python -------------------------------------------------------------------------------------

using Allocator = PyMemAllocatorEx;

void* python_malloc(void* usual, std::size_t size) {
  if (void* block = take(size)) return block;
  const auto* below = static_cast<Allocator*>(usual);
  return below->malloc(below->ctx, size);
}

void* python_calloc(void* usual, std::size_t count, std::size_t size) {
  if (size == 0 || count <= kCoarseBytes / size) {
    if (void* block = take(count * size)) return std::memset(block, 0, count * size);
  }
  const auto* below = static_cast<Allocator*>(usual);
  return below->calloc(below->ctx, count, size);
}

void python_free(void* usual, void* block) {
  if (block == nullptr) return;
  if (is_ours(block)) return give_back(block);
  const auto* below = static_cast<Allocator*>(usual);
  below->free(below->ctx, block);
}

void* python_realloc(void* usual, void* block, std::size_t size) {
  if (block == nullptr) return python_malloc(usual, size);
  if (!is_ours(block)) {
    const auto* below = static_cast<Allocator*>(usual);
    return below->realloc(below->ctx, block, size);
  }
  const std::size_t room = bytes_of(index_of(block));
  if (size <= room && size >= room / 2) return block;
  void* moved = python_malloc(usual, size);
  if (moved == nullptr) return nullptr;
  std::memcpy(moved, block, std::min(room, size));
  give_back(block);
  return moved;
}

std::array<Allocator, 3> usual_allocators;
constexpr std::array kDomains = {PYMEM_DOMAIN_RAW, PYMEM_DOMAIN_MEM, PYMEM_DOMAIN_OBJ};

}  // namespace

bool reserve_heaps() {
  void* place =
      mmap(nullptr, kRegionBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) return false;
  // Huge pages would make the kernel clear two megabytes for each child.
  madvise(place, kRegionBytes, MADV_NOHUGEPAGE);
  child_region = static_cast<char*>(place);
  for (std::size_t i = 0; i < usual_allocators.size(); ++i) {
    PyMem_GetAllocator(kDomains[i], &usual_allocators[i]);
  }
  return true;
}

bool is_reserved(std::uintptr_t address) {
  return address - reinterpret_cast<std::uintptr_t>(child_region) < kRegionBytes;
}

void open_child_heap(bool threads) {
  if (child_region == nullptr) return;
  region = child_region;
  madvise(region, kPopulatedBytes, MADV_POPULATE_WRITE);  // before Linux 5.14: page by page
  header().used = sizeof(Header);
  has_threads = threads;
  for (std::size_t i = 0; i < usual_allocators.size(); ++i) {
    if (threads && kDomains[i] == PYMEM_DOMAIN_RAW) continue;
    Allocator ours{&usual_allocators[i], python_malloc, python_calloc, python_realloc, python_free};
    PyMem_SetAllocator(kDomains[i], &ours);
  }
}

namespace {

void* cpp_malloc(std::size_t size) {
  void* block = has_threads ? nullptr : take(size);
  if (block != nullptr) return block;
  if (void* usual = std::malloc(std::max<std::size_t>(size, 1))) return usual;
  throw std::bad_alloc();
}

void cpp_free(void* block) noexcept {
  if (is_ours(block)) return has_threads ? void() : give_back(block);
  std::free(block);
}

}  // namespace
}  // namespace redqueen::sandbox::worker

void* operator new(std::size_t size) { return redqueen::sandbox::worker::cpp_malloc(size); }
void operator delete(void* block) noexcept { redqueen::sandbox::worker::cpp_free(block); }
void operator delete(void* block, std::size_t) noexcept {
  redqueen::sandbox::worker::cpp_free(block);
}
