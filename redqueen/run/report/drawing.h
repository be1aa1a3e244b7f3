// Pictures as lists of shapes, written as SVG for the page and as PNG for everything else.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "redqueen/base/error.h"

namespace redqueen::run {

// Positions in pixels from the upper left corner.
struct Point {
  double x = 0;
  double y = 0;
  bool operator==(const Point&) const = default;
};

// A colour by its part in the picture. SVG takes it from style_sheet(), in a light or a dark theme;
// PNG is light.
enum class Ink { kBackground, kText, kMuted, kGrid, kAxis, kSeries };

// The colour of the i-th of several things that must be told apart; after eight they repeat. i ≥ 0.
Ink series_ink(int i);

struct Polyline {
  std::vector<Point> points = {};
  Ink ink = Ink::kText;
  double width = 2;
  double opacity = 1;
};

struct Polygon {
  std::vector<Point> points = {};
  Ink ink = Ink::kText;
  double opacity = 1;
  std::string tooltip = "";
};

struct Circle {
  Point centre = {};
  double radius = 3;
  Ink ink = Ink::kText;
  double opacity = 1;  // 0: only its tooltip is there
  std::string tooltip = "";
};

enum class Anchor { kStart, kMiddle, kEnd };

struct Label {
  Point at = {};  // on the baseline
  std::string text = "";
  double size = 12;
  Ink ink = Ink::kText;
  Anchor anchor = Anchor::kStart;
  bool bold = false;
};

using Shape = std::variant<Polyline, Polygon, Circle, Label>;

struct Drawing {
  double width = 0;
  double height = 0;
  std::string title = "";          // for those who cannot see it
  std::vector<Shape> shapes = {};  // later ones lie on top

  void add(Shape shape) { shapes.push_back(std::move(shape)); }
};

// Adds the shapes of `part` with its upper left corner at `at`.
void place(Drawing& onto, const Drawing& part, Point at);

// Rough width of a text in pixels, for layout.
double text_width(std::string_view text, double size, bool bold = false);

// An <svg> element. Needs style_sheet() in the page around it.
std::string to_svg(const Drawing& drawing);

// CSS that gives the inks their colours, for light and dark screens.
std::string style_sheet();

// `scale` pixels of the file for one of the drawing.
Status write_png(const Drawing& drawing, const std::filesystem::path& path, double scale = 2);

}  // namespace redqueen::run
