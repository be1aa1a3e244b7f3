// libFuzzer target: answers to problems of all environments of the gym that the build has. Build
// with -DREDQUEEN_FUZZ=ON and Clang:
//   build-asan-ubsan/gym_answers_fuzz -max_len=4096 -max_total_time=600
// The first two bytes choose the environment, the third one level and form: the bytes that follow
// are the answer, or choose words of the reference, of the prompt and of a list of pieces; both may
// be repeated up to the longest answer that is read. No verdict may take 50 ms of the processor's
// time (30 times as much here, where sanitizers watch).
#include <ctime>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include "redqueen/core/answer_limits.h"
#include "redqueen/core/registry.h"
#include "redqueen/gym/testing/hostile_answers.h"

namespace {

using namespace redqueen;

constexpr double kMostSeconds = 30 * 0.05;
constexpr std::array<std::string_view, 40> kPieces{"0",
                                                   "1",
                                                   "2",
                                                   "-1",
                                                   "9",
                                                   "10",
                                                   "99999999999999999999",
                                                   "1e308",
                                                   "0.5",
                                                   " ",
                                                   "\n",
                                                   ",",
                                                   ";",
                                                   "(",
                                                   ")",
                                                   "[",
                                                   "]",
                                                   "{",
                                                   "}",
                                                   "+",
                                                   "-",
                                                   "*",
                                                   "**",
                                                   "/",
                                                   "^",
                                                   "x",
                                                   "y",
                                                   "sin(",
                                                   "exp(",
                                                   "a",
                                                   "B",
                                                   "->",
                                                   ":",
                                                   "=",
                                                   "\\frac{",
                                                   "\\begin{pmatrix}",
                                                   "\\end{pmatrix}",
                                                   "&",
                                                   "\\\\",
                                                   "Yes"};

double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

const Problem& problem_of(std::size_t number, int level) {
  static std::map<std::pair<std::size_t, int>, ProblemPtr> kept;
  static const auto environments = Registry::native().all();
  const Environment& environment = *environments[number % environments.size()];
  ProblemPtr& problem = kept[{number % environments.size(), level}];
  if (problem == nullptr) {
    auto made = environment.generate(std::min(level, environment.card().max_level), 1);
    if (!made) std::abort();
    problem = std::move(*made);
  }
  return *problem;
}

std::string of_words(const Problem& problem, std::string_view bytes) {
  std::vector<std::string> words(kPieces.begin(), kPieces.end());
  for (const std::string& text : {problem.reference(), problem.prompt()}) {
    for (const std::string_view word : split_words(text)) words.emplace_back(word);
  }
  std::string answer;
  for (const char byte : bytes) answer += words[static_cast<unsigned char>(byte) % words.size()];
  return answer;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return 0;
  const std::size_t number = data[0] + 256U * data[1];
  const Problem& problem = problem_of(number, data[2] & 1 ? 5 : 0);
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 3, size - 3);
  std::string answer = data[2] & 2 ? of_words(problem, bytes) : std::string(bytes);
  if (data[2] & 4) answer = repeated(answer, kMaxAnswerBytes);
  const double begun = thread_seconds();
  const Verdict verdict = score_answer(problem, answer, AnswerReading::kTolerant);
  const double seconds = thread_seconds() - begun;
  if (seconds > kMostSeconds) {
    std::fprintf(stderr, "%.3f s: environment %zu, %s\n", seconds, number,
                 answer.substr(0, 200).c_str());
    std::abort();
  }
  if (!(verdict.reward >= -1 && verdict.reward <= 1)) std::abort();
  return 0;
}
