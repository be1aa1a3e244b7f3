#include "redqueen/sandbox/worker/code_pages.h"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace redqueen::worker {
namespace {

int protection(const ElfW(Phdr) & header) {
  return ((header.p_flags & PF_R) != 0 ? PROT_READ : 0) |
         ((header.p_flags & PF_X) != 0 ? PROT_EXEC : 0);
}

int touch_mappings(dl_phdr_info* info, std::size_t, void*) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    const bool fixed = header.p_type == PT_LOAD && (header.p_flags & PF_W) == 0;
    // Small mappings cost a fault or two; the vdso is not ours to change.
    if (!fixed || header.p_memsz < 16 * page) continue;
    const std::uintptr_t start = (info->dlpi_addr + header.p_vaddr) & ~(page - 1);
    const std::uintptr_t end = info->dlpi_addr + header.p_vaddr + header.p_memsz;
    auto* base = reinterpret_cast<char*>(start);
    madvise(base, end - start, MADV_POPULATE_READ);
    // Still executable while it is writable: it may be the page that we are running on.
    if (mprotect(base, end - start, protection(header) | PROT_WRITE) != 0) continue;
    auto* byte = reinterpret_cast<volatile char*>(start);
    *byte = *byte;
    mprotect(base, end - start, protection(header));
  }
  return 0;
}

}  // namespace

void share_code_pages() { dl_iterate_phdr(touch_mappings, nullptr); }

}  // namespace redqueen::worker
