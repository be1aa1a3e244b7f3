// arc4random() for the libexpat in Python's static library, which asks for it where glibc has it:
// since 2.36, and nothing else of the worker needs a glibc that new. As glibc's, it never fails.

#include <sys/random.h>
#include <sys/types.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>

extern "C" void arc4random_buf(void* to, std::size_t size) noexcept {
  auto* bytes = static_cast<unsigned char*>(to);
  while (size > 0) {
    const ssize_t got = getrandom(bytes, size, 0);
    if (got < 0 && errno != EINTR) std::abort();
    if (got <= 0) continue;
    bytes += got;
    size -= static_cast<std::size_t>(got);
  }
}

extern "C" std::uint32_t arc4random() noexcept {
  std::uint32_t number = 0;
  arc4random_buf(&number, sizeof(number));
  return number;
}
