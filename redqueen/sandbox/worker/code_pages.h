// Makes forks of this process cheaper.
#pragma once

namespace redqueen::worker {

// fork() copies the page tables of a file mapping only if some page of it was written privately; else every child
// takes a page fault for each piece of code that it runs (about 80 of its 300 faults). This writes one byte of each
// code mapping of Python and the C library back to itself. Where the system forbids that, nothing changes.
void share_code_pages();

}  // namespace redqueen::worker
