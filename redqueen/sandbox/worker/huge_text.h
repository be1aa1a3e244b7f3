// The program's own code in huge pages.
#pragma once

namespace redqueen::sandbox::worker {

// Copies what of this executable is never written (code, constants) into memory with huge pages, in
// place. Every child would otherwise take a page fault per 64 KiB of it that it uses: fork does not
// copy the page tables of files. Where the kernel gives no huge pages, or anything else is amiss,
// nothing changes.
void move_text_to_huge_pages();

}  // namespace redqueen::sandbox::worker
