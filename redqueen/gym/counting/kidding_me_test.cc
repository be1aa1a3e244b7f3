#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Fills the matrix cell by cell.
int matrices(int n, int m, std::vector<int>& filled) {
  const int cell = static_cast<int>(filled.size());
  if (cell == n * m) return 1;
  int found = 0;
  for (int value = 0; value <= m; ++value) {
    const int i = cell / m;
    const int j = cell % m;
    if (j > 0 && filled[cell - 1] >= value) continue;
    if (i > 0 && j + 1 < m && value >= filled[cell - m + 1]) continue;
    filled.push_back(value);
    found += matrices(n, m, filled);
    filled.pop_back();
  }
  return found;
}

TEST(KiddingMe, AgreesWithAllMatrices) {
  for (int n = 1; n <= 5; ++n) {
    for (int m = 1; m <= 5; ++m) {
      std::vector<int> filled;
      const int count = matrices(n, m, filled);
      for (const int modulus : {2, 101, 998'244'353}) {
        EXPECT_NE(
            restore_problem("KiddingMe", dump_json(Json{{"MAX_N_M", 5},
                                                        {"N", n},
                                                        {"M", m},
                                                        {"MOD", modulus},
                                                        {"reference_answer", count % modulus}})),
            nullptr)
            << n << " " << m;
      }
    }
  }
}

}  // namespace
}  // namespace redqueen
