// Problems whose only parameter is a list of non-negative integers.
#pragma once

#include <vector>

#include "redqueen/base/field_list.h"
#include "redqueen/base/rng.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {

struct NumberListConfig {
  int N = 0;
  REDQUEEN_FIELDS(N)
};

struct NumberList {
  int N = 0;
  std::vector<std::int64_t> A;
  REDQUEEN_FIELDS(N, A)
};

// N numbers, uniform in 0 … largest.
inline NumberList draw_number_list(const NumberListConfig& config, std::int64_t largest, Rng& rng) {
  NumberList list{.N = config.N, .A = {}};
  list.A.reserve(config.N);
  for (int i = 0; i < config.N; ++i) list.A.push_back(rng.integer(0, largest));
  return list;
}

// Fails unless N is from 1 to `longest`, A has N numbers, and all lie in 0 … largest.
inline Status check_number_list(const NumberList& list, int longest, std::int64_t largest) {
  if (list.N < 1 || list.N > longest || list.A.size() != static_cast<std::size_t>(list.N)) {
    return failure("\"A\": expected \"N\" numbers, 1 to {}, found {}", longest, list.A.size());
  }
  for (const std::int64_t a : list.A) {
    if (Status fits = within("A", a, 0, largest); !fits) return fits;
  }
  return {};
}

}  // namespace redqueen
