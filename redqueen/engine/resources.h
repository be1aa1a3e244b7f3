// Finds the files that come with the program: configurations, suites, prompts, seeds.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "redqueen/base/error.h"

namespace redqueen {

// Folders that are laid out as configs/ of the source tree, in the order in which they are looked
// into: a file of the user's folder stands before the installed one of the same name. A value.
class Resources {
 public:
  // Finds nothing.
  Resources() = default;

  // `source_tree` is the folder of the sources during development, for what is not installed: the
  // Python of the tests and the packages in it. Empty: there is none.
  explicit Resources(std::vector<std::filesystem::path> folders,
                     std::filesystem::path source_tree = {})
      : folders_(std::move(folders)), source_tree_(std::move(source_tree)) {}

  // For the program that runs from `program`: `own`, or $REDQUEEN_CONFIGS where that is empty;
  // share/redqueen/configs of the folder in which bin/ lies; configs/ beside the program; configs/
  // of the source tree, which a build names in the file redqueen.source beside the program. Wrong
  // usage: the user's folder does not exist.
  static Expected<Resources> locate(const std::filesystem::path& program,
                                    const std::filesystem::path& own = {});

  // The file or folder of this name, e.g. "azr/prompts". If there is none, where it should be:
  // whoever reads it says that it is not there.
  std::filesystem::path find(const std::filesystem::path& name) const;

  // `name` where such a file or folder exists, else as find().
  std::filesystem::path given_or_found(const std::string& name) const;

  // All files and folders of this name, first those that hide the others.
  std::vector<std::filesystem::path> find_all(const std::filesystem::path& name) const;

  const std::vector<std::filesystem::path>& folders() const { return folders_; }
  const std::filesystem::path& source_tree() const { return source_tree_; }

 private:
  std::vector<std::filesystem::path> folders_;
  std::filesystem::path source_tree_;
};

}  // namespace redqueen
