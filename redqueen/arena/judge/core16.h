// The sixteen environments of EvoPolicyGym's Core16 (paper, section 4 and Table 1), and the names
// that its program, its site and Gymnasium have for them.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace redqueen::arena {

struct Core16Entry {
  std::string_view id;        // Gymnasium's: "Acrobot-v1"
  std::string_view program;   // v0.1.0's: "gym/acrobot"
  std::string_view site;      // of the published results: "acrobot"
  std::string_view family;    // as the paper groups them: four of four
  bool is_synthesis = false;  // structure decides (CarRacing, MiniGrid); in the others, constants
};

std::span<const Core16Entry> core16();  // in the paper's order

// The entry that has `name` as one of its three names; null: none has.
const Core16Entry* find_core16(std::string_view name);

// Gymnasium's id for a name: that of the entry; of "gymnasium/X" and "gym/X" X; else the name
// itself.
std::string simulator_id_of(std::string_view name);

}  // namespace redqueen::arena
