#include "redqueen/model/cpu/deterministic_math.h"

#include <cstdlib>

namespace redqueen {

void make_products_repeatable() {
#if defined(__x86_64__)
  static const int done = [] {
    __builtin_cpu_init();
    constexpr int kKeep = 0;  // what the user has set
    return __builtin_cpu_is("intel") ? setenv("MKL_CBWR", "AUTO,STRICT", kKeep) : 0;
  }();
  (void)done;
#endif
}

}  // namespace redqueen
