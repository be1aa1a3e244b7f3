#include "redqueen/core/answer_limits.h"

#include <atomic>

namespace redqueen {
namespace {

std::atomic<std::uint64_t> cut{0};

}  // namespace

bool is_too_long(const Problem& problem, std::string_view answer) {
  if (answer.size() <= kMaxAnswerBytes) return false;
  return problem.batch_worker() == nullptr && problem.answer_kind() != AnswerKind::kTurns;
}

Verdict score_within_limits(const Problem& problem, std::string_view answer) {
  if (!is_too_long(problem, answer)) return problem.score(answer);
  count_cut_verdict();
  return {};
}

void count_cut_verdict() { cut.fetch_add(1, std::memory_order_relaxed); }

std::uint64_t cut_verdicts() { return cut.load(std::memory_order_relaxed); }

}  // namespace redqueen
