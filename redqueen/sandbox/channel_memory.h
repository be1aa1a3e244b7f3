// The memory of a channel: what host and child of a ChannelSession both map.
#pragma once

#include <cstddef>

namespace redqueen::sandbox {

// Its size, which neither side can change. Pages that nobody has written cost nothing.
inline constexpr std::size_t kChannelMemoryBytes = 2U << 20;

}  // namespace redqueen::sandbox
