// Measures the layers on candidates whose faults are known: precision and recall, layer by layer.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/synth/validation/validation.h"

namespace redqueen::synth {

// A file of a zoo. Its first line says what becomes of it, and, where that is a mistake, what it is
// in truth:
//   # expect: sound                         # expect: L5 exact_float
//   # expect: sound, though faulty          # expect: L4 answers_constant, though sound
//   # expect: remark wording_differs        # expect: remark bound_differs, though sound
// One with a remark passes; with ValidationOptions::strict_words the remark refuses it.
struct ZooAnimal {
  std::string name;
  std::string source;    // with the line
  std::string expected;  // ValidationReport::code()
  bool is_faulty = false;
  std::string remark;  // name_of() the fault of its first remark; empty: none is expected
};

// Every NAME.py of a folder, by name. Fails for a folder without any and for another first line.
Expected<std::vector<ZooAnimal>> read_zoo(const std::filesystem::path& folder);

// One layer's part, or all of them together.
struct LayerScore {
  int refused = 0;        // candidates that fell here
  int rightly = 0;        // of these, faulty ones
  int faulty = 0;         // in all
  int caught_by_now = 0;  // faulty ones that fell here or before
};

// L1 to L5; `reports` are those of the animals, in their order.
std::vector<LayerScore> layer_scores(std::span<const ZooAnimal> animals,
                                     std::span<const ValidationReport> reports);

// The scores as a table in Markdown, with a line of totals and one of the remarks on candidates
// that pass. Precision: of those refused, the share that is faulty. Recall: of all that are faulty,
// the share refused here or before; in the line of remarks, refused or remarked on.
std::string layer_table(std::span<const ZooAnimal> animals,
                        std::span<const ValidationReport> reports);

}  // namespace redqueen::synth
