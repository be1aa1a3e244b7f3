// The base of environments that ask for a count and whose problems store it, as reference_answer,
// so that scoring does not count again. Their check() compares it with the count that it takes
// itself.
#pragma once

#include <cstdint>
#include <string>

#include "redqueen/base/big_int.h"
#include "redqueen/base/rng.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/residue_answer.h"

namespace redqueen {

// A base of environments that ask for the count itself. An answer below kLeast counts as malformed.
template <int kLeast>
struct StoredCount {
  using Answer = BigInt;

  template <typename Problem>
  static double score(const Problem& problem, const Answer& answer) {
    return count_reward(answer, problem.reference_answer, kLeast);
  }

  template <typename Problem>
  static Answer solve(const Problem& problem) {
    return problem.reference_answer;
  }

  template <typename Problem>
  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_count(problem.reference_answer, rng);
  }
};

// A base of environments that ask for the count modulo problem.MOD.
struct StoredResidue {
  using Answer = std::int64_t;

  template <typename Problem>
  static double score(const Problem& problem, const Answer& answer) {
    return residue_reward(answer, problem.reference_answer, problem.MOD);
  }

  template <typename Problem>
  static Answer solve(const Problem& problem) {
    return problem.reference_answer;
  }

  template <typename Problem>
  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(0, problem.MOD - 1);
  }
};

// The end of a prompt that asks for a count modulo a number.
inline std::string ask_for_count_residue(std::int64_t modulus) {
  return fmt::format(
      "Answer with the count modulo {}, that is, with its remainder when divided by that number: "
      "one integer from 0 to {}.",
      modulus, modulus - 1);
}

}  // namespace redqueen
