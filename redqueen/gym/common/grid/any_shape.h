// Shapes of grids as the published environments draw them: small ones as often as large ones.
#pragma once

#include "redqueen/base/rng.h"
#include "redqueen/gym/common/grid/shape.h"

namespace redqueen {

// Both sides uniform in least … most. least ≤ most.
inline GridShape draw_any_shape(int least, int most, Rng& rng) {
  GridShape shape;
  shape.rows = static_cast<int>(rng.integer(least, most));
  shape.columns = static_cast<int>(rng.integer(least, most));
  return shape;
}

}  // namespace redqueen
