// Cuts long work into pieces, so that Ctrl-C ends it.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace redqueen::python {

// Calls work(first, last) for one piece of [0, count) after another, without the GIL. Between two
// of them Python sees to its signals, as it does nowhere else while the engine works: pieces grow
// and shrink until one takes about a tenth of a second.
template <typename Work>
void in_pieces(std::size_t count, Work work) {
  using Clock = std::chrono::steady_clock;
  constexpr std::size_t kLeast = 256;  // enough for all threads
  constexpr auto kLong = std::chrono::milliseconds(100);
  std::size_t size = 4 * kLeast;
  for (std::size_t first = 0; first < count;) {
    const std::size_t last = first + std::min(size, count - first);
    const auto begun = Clock::now();
    {
      const nanobind::gil_scoped_release others;
      work(first, last);
    }
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
    const auto took = Clock::now() - begun;
    if (took > kLong) size = std::max(size / 2, kLeast);
    if (took < kLong / 2) size *= 2;
    first = last;
  }
}

}  // namespace redqueen::python
