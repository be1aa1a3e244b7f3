// Pictures as an animated PNG (Portable Network Graphics, third edition), which every browser
// plays.
#pragma once

#include <span>
#include <string>

#include "redqueen/arena/simulators/value.h"

namespace redqueen::arena {

// A picture is uint8, height × width × 3: red, green, blue; neither length is 0.

// Shrinks a picture by the least whole number that brings its width to `most` or below: each pixel
// is the mean of a square of pixels. What does not fill a square at the right and lower edge is
// left out.
Array shrunk(const Array& picture, std::int64_t most);

// All pictures, at least one, have the same shape. Each is shown for `milliseconds`, the last one
// for two seconds; then they begin again.
std::string animated_png(std::span<const Array> pictures, int milliseconds);

}  // namespace redqueen::arena
