// The published form of an environment that remembers its right answer (remembered.h).
#pragma once

#include "redqueen/gym/common/answer/remembered.h"

namespace redqueen {

// Remembering<E> of a definition E that also brings published().
template <typename E>
struct RememberingPublished : Remembering<E> {
  using Problem = typename Remembering<E>::Problem;

  static Problem published(const typename E::Config& config, Rng& rng) {
    return {E::published(config, rng), {}};
  }
};

// Enters an environment that remembers and brings published(). Once, in its .cc file.
// NOLINTBEGIN(bugprone-macro-parentheses): a type in angle brackets takes none
#define REDQUEEN_REMEMBERING_PUBLISHED_ENVIRONMENT(Definition)                           \
  using RememberingPublished##Definition = ::redqueen::RememberingPublished<Definition>; \
  REDQUEEN_ENVIRONMENT(RememberingPublished##Definition)
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace redqueen
