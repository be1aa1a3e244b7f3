// The gallery of environments as one page for browsers.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace redqueen {

struct GallerySample {
  int level = 0;
  std::string address;
  std::string prompt;
  std::string answer;  // one that solves it
  std::string guess;   // what those earn who do not solve the level's problems
};

struct GalleryEntry {
  std::string name;
  std::string task;
  std::vector<std::pair<std::string, std::string>> facts;  // of the card: what, and the text
  std::vector<GallerySample> samples;
};

using Gallery = std::map<std::string, std::vector<GalleryEntry>>;  // by family

// Needs no script and loads nothing.
std::string gallery_page(const Gallery& gallery);

}  // namespace redqueen
