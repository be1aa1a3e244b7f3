// libFuzzer target: reading and comparing answers in mathematics. Build with -DREDQUEEN_FUZZ=ON and
// Clang:
//   build-asan-ubsan/data_sets_math_fuzz -max_len=400 -max_total_time=60
// An odd first byte: each further byte chooses a piece of an answer (testing/hostile_answers.h);
// an even one: they are the answer. A byte 0 ends the reference. No verdict may take 50 ms of the
// processor's time (30 times as much here, where sanitizers watch every word of large numbers), and
// an answer that is accepted costs no more than the budget.
#include <ctime>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "redqueen/data_sets/math_answer.h"
#include "redqueen/data_sets/testing/hostile_answers.h"
#include "redqueen/data_sets/work.h"

namespace {

using namespace redqueen::data_sets;

constexpr double kMostSeconds = 30 * 0.05;

double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void compare(const std::string& expected, const std::string& given) {
  const double begun = thread_seconds();
  const MathComparison found = MathAnswer::parse(expected).compare(MathAnswer::parse(given));
  const double seconds = thread_seconds() - begun;
  if (seconds > kMostSeconds) {
    std::fprintf(stderr, "%.3f s: %s | %s\n", seconds, expected.c_str(), given.c_str());
    std::abort();
  }
  if (found.work > Work::kOfAVerdict || (found.equal && found.exhausted)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const bool pieces = data[0] % 2 == 1;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t end = std::min(bytes.find('\0'), bytes.size());
  const auto text = [&](std::string_view part) {
    if (!pieces) return std::string(part);
    return answer_of_pieces({reinterpret_cast<const unsigned char*>(part.data()), part.size()});
  };
  const std::string expected = text(bytes.substr(0, end));
  const std::string given = text(bytes.substr(std::min(end + 1, bytes.size())));
  compare("7", given);
  compare("\\sqrt{x}", given);
  compare(expected, given);
  compare(given, given);
  return 0;
}
