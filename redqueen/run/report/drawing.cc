#include "redqueen/run/report/drawing.h"

#include <cairo.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>

#include "redqueen/run/report/html.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
// fontconfig keeps its configuration until the process ends; that is no leak of ours.
extern "C" const char* __lsan_default_suppressions();  // NOLINT(bugprone-reserved-identifier)
const char* __lsan_default_suppressions() { return "leak:libfontconfig"; }
#endif
#endif

namespace redqueen::run {
namespace {

constexpr int kSeriesColours = 8;
constexpr int kInks = static_cast<int>(Ink::kSeries) + kSeriesColours;

// In the order of Ink, 0xRRGGBB. The series can be told apart with the common kinds of colour
// blindness when they are few, and each stands out from its background.
constexpr std::array<std::uint32_t, kInks> kLight = {
    0xFFFFFF, 0x1F2430, 0x646C7A, 0xE7E9EE, 0xA9B0BC, 0x2563C9, 0xD9551A,
    0x1E8E5A, 0x8E3BB8, 0xB98300, 0x0B8499, 0xC2255C, 0x5C6770};
constexpr std::array<std::uint32_t, kInks> kDark = {
    0x171A21, 0xE8EAF0, 0x9AA3B2, 0x2A2F3A, 0x5A6373, 0x6FA4FF, 0xFF8F5A,
    0x5FD39A, 0xCF93F2, 0xEFC04A, 0x4FD0E3, 0xFF7AA8, 0xAAB4C0};

int index_of(Ink ink) { return static_cast<int>(ink); }

// A number with no more digits than a picture needs.
std::string number(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

std::string points_text(const std::vector<Point>& points) {
  std::string text;
  for (const Point& point : points) {
    text += fmt::format("{}{},{}", text.empty() ? "" : " ", number(point.x), number(point.y));
  }
  return text;
}

std::string opacity_text(double opacity) {
  return opacity < 1 ? fmt::format(" opacity=\"{:.2g}\"", opacity) : "";
}

std::string tooltip_text(const std::string& tooltip) {
  return tooltip.empty() ? "" : fmt::format("<title>{}</title>", html_escape(tooltip));
}

struct SvgWriter {
  std::string svg;

  void operator()(const Polyline& line) {
    svg += fmt::format("<polyline class=\"s{}\" stroke-width=\"{}\"{} points=\"{}\"/>\n",
                       index_of(line.ink), number(line.width), opacity_text(line.opacity),
                       points_text(line.points));
  }
  void operator()(const Polygon& polygon) {
    svg += fmt::format("<polygon class=\"f{}\"{} points=\"{}\">{}</polygon>\n",
                       index_of(polygon.ink), opacity_text(polygon.opacity),
                       points_text(polygon.points), tooltip_text(polygon.tooltip));
  }
  void operator()(const Circle& circle) {
    svg +=
        fmt::format("<circle class=\"f{}\"{} cx=\"{}\" cy=\"{}\" r=\"{}\">{}</circle>\n",
                    index_of(circle.ink), opacity_text(circle.opacity), number(circle.centre.x),
                    number(circle.centre.y), number(circle.radius), tooltip_text(circle.tooltip));
  }
  void operator()(const Label& label) {
    static constexpr std::array<std::string_view, 3> kAnchors = {"", " text-anchor=\"middle\"",
                                                                 " text-anchor=\"end\""};
    svg += fmt::format("<text class=\"f{}\" x=\"{}\" y=\"{}\" font-size=\"{}\"{}{}>{}</text>\n",
                       index_of(label.ink), number(label.at.x), number(label.at.y),
                       number(label.size), kAnchors[static_cast<std::size_t>(label.anchor)],
                       label.bold ? " font-weight=\"600\"" : "", html_escape(label.text));
  }
};

struct Painter {
  cairo_t* cairo;

  void set_ink(Ink ink, double opacity) const {
    const std::uint32_t colour = kLight[static_cast<std::size_t>(index_of(ink))];
    const auto channel = [&](int shift) {
      return static_cast<double>((colour >> shift) & 0xFF) / 255;
    };
    cairo_set_source_rgba(cairo, channel(16), channel(8), channel(0), opacity);
  }
  void path(const std::vector<Point>& points) const {
    cairo_new_path(cairo);
    for (const Point& point : points) cairo_line_to(cairo, point.x, point.y);
  }

  void operator()(const Polyline& line) const {
    set_ink(line.ink, line.opacity);
    path(line.points);
    cairo_set_line_width(cairo, line.width);
    cairo_stroke(cairo);
  }
  void operator()(const Polygon& polygon) const {
    set_ink(polygon.ink, polygon.opacity);
    path(polygon.points);
    cairo_close_path(cairo);
    cairo_fill(cairo);
  }
  void operator()(const Circle& circle) const {
    set_ink(circle.ink, circle.opacity);
    cairo_new_path(cairo);
    cairo_arc(cairo, circle.centre.x, circle.centre.y, circle.radius, 0, 2 * std::numbers::pi);
    cairo_fill(cairo);
  }
  void operator()(const Label& label) const {
    set_ink(label.ink, 1);
    cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           label.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    // The usual sans-serif of Linux is wider than those of browsers.
    cairo_set_font_size(cairo, label.size * 0.92);
    const std::string text = readable_utf8(label.text);
    cairo_text_extents_t extents;
    cairo_text_extents(cairo, text.c_str(), &extents);
    const double shift = label.anchor == Anchor::kStart    ? 0
                         : label.anchor == Anchor::kMiddle ? 0.5
                                                           : 1;
    cairo_move_to(cairo, label.at.x - shift * extents.x_advance, label.at.y);
    cairo_show_text(cairo, text.c_str());
  }
};

struct Shift {
  Point by;

  Point moved(Point point) const { return {point.x + by.x, point.y + by.y}; }
  void operator()(Polyline& line) const { move_all(line.points); }
  void operator()(Polygon& polygon) const { move_all(polygon.points); }
  void operator()(Circle& circle) const { circle.centre = moved(circle.centre); }
  void operator()(Label& label) const { label.at = moved(label.at); }
  void move_all(std::vector<Point>& points) const {
    for (Point& point : points) point = moved(point);
  }
};

std::string colour_variables(const std::array<std::uint32_t, kInks>& colours) {
  std::string text;
  for (std::size_t i = 0; i < colours.size(); ++i)
    text += fmt::format("--ink{}:#{:06x};", i, colours[i]);
  return text;
}

}  // namespace

Ink series_ink(int i) { return static_cast<Ink>(index_of(Ink::kSeries) + i % kSeriesColours); }

void place(Drawing& onto, const Drawing& part, Point at) {
  for (Shape shape : part.shapes) {
    std::visit(Shift{at}, shape);
    onto.shapes.push_back(std::move(shape));
  }
}

double text_width(std::string_view text, double size, bool bold) {
  double width = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0) == 0x80) continue;  // not a character of its own
    if (std::string_view("iljtfIr.,:;'|!()[] ").find(c) != std::string_view::npos) {
      width += 0.33;
    } else if (std::string_view("mwMW%@").find(c) != std::string_view::npos) {
      width += 0.88;
    } else {
      width += c >= 'A' && c <= 'Z' ? 0.68 : 0.57;
    }
  }
  return width * size * (bold ? 1.08 : 1);
}

std::string to_svg(const Drawing& drawing) {
  SvgWriter writer;
  writer.svg =
      fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n",
                  number(drawing.width), number(drawing.height), html_escape(drawing.title));
  for (const Shape& shape : drawing.shapes) std::visit(writer, shape);
  return writer.svg + "</svg>\n";
}

std::string style_sheet() {
  std::string css = fmt::format(":root{{color-scheme:light dark;{}}}\n", colour_variables(kLight));
  css +=
      fmt::format("@media (prefers-color-scheme:dark){{:root{{{}}}}}\n", colour_variables(kDark));
  for (int i = 0; i < kInks; ++i)
    css += fmt::format(".f{0}{{fill:var(--ink{0})}}.s{0}{{stroke:var(--ink{0})}}\n", i);
  css +=
      "svg{width:100%;height:auto;display:block;overflow:visible;font-family:system-ui,sans-serif}"
      "\n";
  css += "polyline{fill:none;stroke-linejoin:round;stroke-linecap:round}\n";
  return css;
}

Status write_png(const Drawing& drawing, const std::filesystem::path& path, double scale) {
  const std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)> surface(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24,
                                 static_cast<int>(std::ceil(drawing.width * scale)),
                                 static_cast<int>(std::ceil(drawing.height * scale))),
      &cairo_surface_destroy);
  const std::unique_ptr<cairo_t, decltype(&cairo_destroy)> cairo(cairo_create(surface.get()),
                                                                 &cairo_destroy);
  cairo_scale(cairo.get(), scale, scale);
  cairo_set_line_join(cairo.get(), CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_cap(cairo.get(), CAIRO_LINE_CAP_ROUND);
  const Painter painter{cairo.get()};
  painter.set_ink(Ink::kBackground, 1);
  cairo_paint(cairo.get());
  for (const Shape& shape : drawing.shapes) std::visit(painter, shape);
  const cairo_status_t drawn = cairo_status(cairo.get());
  const cairo_status_t written = drawn == CAIRO_STATUS_SUCCESS
                                     ? cairo_surface_write_to_png(surface.get(), path.c_str())
                                     : drawn;
  if (written != CAIRO_STATUS_SUCCESS) {
    return failure("{}: the picture cannot be written ({})", path.string(),
                   cairo_status_to_string(written));
  }
  return {};
}

}  // namespace redqueen::run
