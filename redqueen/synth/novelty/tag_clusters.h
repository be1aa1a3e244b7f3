// Sorts environments into kinds: tags read off source and prompt, and clusters, the sets of tags
// that differ (EvoEnv section 4.4, figure 4).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/json.h"

namespace redqueen::synth {

// All tags in the order of a tag vector: "arrays", "strings", "graphs", …
std::span<const std::string_view> tag_names();

// Entry i tells whether tag i applies. [tag_names().size()]
using TagVector = std::vector<bool>;

// The tags of an environment: those of which a telling word occurs in the prompt or among the names
// in the code, or a telling operator in the code. Comments, docstrings and other strings of the
// source do not count, nor do the interface's own names (parse_int, parsed, …) and what _process
// does, which every environment has; the prompt is given apart. Total over any text.
TagVector find_tags(std::string_view source, std::string_view prompt);

// The names of the tags that apply, in order.
std::vector<std::string> names_of_tags(const TagVector& tags);

// |a ∧ b| / |a ∨ b|; 1 if neither has a tag.
double jaccard(const TagVector& a, const TagVector& b);

// Environments whose tags are unlike those of all before them.
class TagClusters {
 public:
  explicit TagClusters(double threshold = 0.5) : threshold_(threshold) {}

  // True, and one cluster more, if the similarity to every cluster is below the threshold.
  bool offer(const TagVector& tags);

  const std::vector<TagVector>& all() const { return all_; }

  // The clusters as lists of names, so that a later list of tags can still read them. Restoring
  // fails, and changes nothing, for a name that is no tag.
  Json state() const;
  Status restore(const Json& state);

 private:
  double threshold_;
  std::vector<TagVector> all_;
};

// Counts how often each tag occurred in each window of steps, for the heat map.
class TagWindows {
 public:
  struct Window {
    std::int64_t environments = 0;
    std::vector<std::int64_t> counts;  // a tag each, in the order of tag_names()
  };

  explicit TagWindows(std::int64_t steps_a_window = 10) : steps_(steps_a_window) {}

  // An environment admitted in this step, ≥ 0.
  void add(std::int64_t step, const TagVector& tags);

  // By the window's first step; windows without environments are left out.
  const std::map<std::int64_t, Window>& windows() const { return windows_; }

 private:
  std::int64_t steps_;
  std::map<std::int64_t, Window> windows_;
};

}  // namespace redqueen::synth
