#include "redqueen/run/report/chart.h"

#include <cairo.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "redqueen/base/rng.h"
#include "redqueen/base/testing/folder.h"

namespace redqueen::run {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <typename T>
std::vector<T> shapes_of(const Drawing& drawing) {
  std::vector<T> shapes;
  for (const Shape& shape : drawing.shapes) {
    if (const T* found = std::get_if<T>(&shape)) shapes.push_back(*found);
  }
  return shapes;
}

// Everything has a place on the picture.
void expect_inside(const Drawing& drawing) {
  const auto expect_point = [&](const Point& point) {
    ASSERT_TRUE(point.x >= -1 && point.x <= drawing.width + 1) << point.x;
    ASSERT_TRUE(point.y >= -1 && point.y <= drawing.height + 1) << point.y;
  };
  for (const auto& line : shapes_of<Polyline>(drawing))
    std::ranges::for_each(line.points, expect_point);
  for (const auto& polygon : shapes_of<Polygon>(drawing))
    std::ranges::for_each(polygon.points, expect_point);
  for (const auto& circle : shapes_of<Circle>(drawing)) expect_point(circle.centre);
  for (const auto& label : shapes_of<Label>(drawing)) expect_point(label.at);
}

TEST(Chart, TicksAreNiceAndCoverTheRange) {
  for (std::uint64_t i = 0; i < 3000; ++i) {
    Rng rng({.seed = 1, .index = i});
    const double size = std::pow(10.0, rng.real(-6, 9));
    const double low = rng.real(-1, 1) * size * 10;
    const double high = low + size;
    const int target = static_cast<int>(rng.integer(2, 8));
    const std::vector<double> ticks = nice_ticks(low, high, target);
    ASSERT_GE(ticks.size(), 2u);
    ASSERT_LE(ticks.size(), static_cast<std::size_t>(target) + 3);
    const double step = ticks[1] - ticks[0];
    EXPECT_LE(ticks.front(), low + step * 1e-6);
    EXPECT_GE(ticks.back(), high - step * 1e-6);
    EXPECT_GT(ticks[1], low);
    const double leading = step / std::pow(10.0, std::floor(std::log10(step) + 1e-6));
    EXPECT_TRUE(std::abs(leading - 1) < 1e-3 || std::abs(leading - 2) < 1e-3 ||
                std::abs(leading - 5) < 1e-3)
        << step;
    for (const ValueFormat format :
         {ValueFormat::kNumber, ValueFormat::kPercent, ValueFormat::kCount}) {
      std::set<std::string> texts;
      for (const double tick : ticks) texts.insert(value_text(tick, format, step));
      if (size > 1e-4 && size < 1e5) {
        EXPECT_EQ(texts.size(), ticks.size()) << low << " " << high;
      }
    }
  }
}

TEST(Chart, WholeNumbersHaveWholeTicks) {
  for (const double high : {1.0, 2.0, 3.0, 7.0, 45.0}) {
    for (const double tick : nice_ticks(0, high, 5, true)) EXPECT_EQ(tick, std::round(tick));
  }
}

TEST(Chart, ValuesAreWrittenAsPeopleWriteThem) {
  EXPECT_EQ(value_text(0.25, ValueFormat::kPercent, 0.05), "25%");
  EXPECT_EQ(value_text(-0.5, ValueFormat::kNumber, 0.5), "−0.5");
  EXPECT_EQ(value_text(0, ValueFormat::kNumber, 0.5), "0");
  EXPECT_EQ(value_text(5000, ValueFormat::kCount, 5000), "5k");
  EXPECT_EQ(value_text(12'345, ValueFormat::kCount, 5), "12345");
  EXPECT_EQ(value_text(3, ValueFormat::kInteger, 1), "3");
}

TEST(Chart, HigherValuesStandHigherAndLaterOnesFurtherRight) {
  const Drawing drawing = draw(LineChart{.series = {{.points = {{1, 0.1}, {2, 0.4}, {3, 0.2}}}}});
  std::vector<Polyline> lines = shapes_of<Polyline>(drawing);
  std::erase_if(lines, [](const Polyline& line) { return line.ink != series_ink(0); });
  ASSERT_EQ(lines.size(), 1u);
  const std::vector<Point>& points = lines[0].points;
  ASSERT_EQ(points.size(), 3u);
  EXPECT_LT(points[0].x, points[1].x);
  EXPECT_LT(points[1].y, points[2].y);
  EXPECT_LT(points[2].y, points[0].y);
  EXPECT_NEAR((points[0].y - points[1].y) / (points[0].y - points[2].y), 3, 1e-9);
}

TEST(Chart, ValuesThatAreNoneInterruptTheLine) {
  const Drawing drawing = draw(LineChart{
      .series = {{.points = {{1, 1}, {2, 2}, {3, kNan}, {4, 1}, {5, kInfinity}, {6, 1}}}}});
  int lines = 0;
  for (const auto& line : shapes_of<Polyline>(drawing)) lines += line.ink == series_ink(0) ? 1 : 0;
  EXPECT_EQ(lines, 1);
  int dots = 0;
  for (const auto& circle : shapes_of<Circle>(drawing)) dots += circle.opacity > 0 ? 1 : 0;
  EXPECT_EQ(dots, 2);
}

TEST(Chart, NoDataLeadsOutsideThePicture) {
  const std::vector<double> hostile = {0,    1,   -1,   1e-320,    1e308,     -1e308,
                                       1e17, 3.5, kNan, kInfinity, -kInfinity};
  for (std::uint64_t i = 0; i < 1500; ++i) {
    Rng rng({.seed = 2, .index = i});
    LineChart chart{.title = "t", .format = static_cast<ValueFormat>(rng.below(4))};
    if (rng.chance(0.3)) chart.y_min = 0;
    for (std::int64_t left = rng.integer(0, 3); left > 0; --left) {
      Series series{.name = "s", .smoothing = 1 + rng.below(4), .staircase = rng.chance(0.5)};
      for (std::int64_t x = 0, count = rng.integer(0, 6); x < count; ++x) {
        series.points.push_back({static_cast<double>(x), rng.choice(hostile)});
        if (rng.chance(0.5)) series.band.push_back({rng.choice(hostile), rng.choice(hostile)});
      }
      chart.series.push_back(series);
    }
    for (const Drawing& drawing :
         {draw(chart), draw(SmallMultiples{.cells = {chart, chart, chart}})}) {
      ASSERT_NO_FATAL_FAILURE(expect_inside(drawing));
      ASSERT_THAT(to_svg(drawing),
                  AllOf(Not(HasSubstr("=\"nan")), Not(HasSubstr("nan,")), Not(HasSubstr(",inf"))));
    }
  }
}

TEST(Chart, LongRunsStaySmall) {
  Series noisy;
  Series levels{.staircase = true};
  for (int step = 0; step < 100'000; ++step) {
    noisy.points.push_back({static_cast<double>(step), std::sin(step)});
    levels.points.push_back({static_cast<double>(step), static_cast<double>(step / 10'000)});
  }
  EXPECT_LT(to_svg(draw(LineChart{.series = {noisy, levels}})).size(), 60'000u);
}

TEST(Chart, DotsStandAtTheirShareAndBarsAtTheirCount) {
  DotChart dots{.names = {"before", "after"}};
  dots.rows.push_back(
      {.label = "Sorting", .estimates = {Estimate{0.2, {0.1, 0.3}}, Estimate{0.6, {0.5, 0.7}}}});
  dots.rows.push_back({.label = "Bridge", .estimates = {std::nullopt, Estimate{0.4, {0.3, 0.5}}}});
  const Drawing drawing = draw(dots);
  expect_inside(drawing);
  std::vector<Circle> circles = shapes_of<Circle>(drawing);
  ASSERT_EQ(circles.size(), 5u);  // the legend's two first
  EXPECT_NEAR(circles[4].centre.x - circles[2].centre.x, circles[3].centre.x - circles[4].centre.x,
              1e-9);

  const Drawing bars = draw(BarChart{.counts = {2, 0, 4}});
  expect_inside(bars);
  const auto polygons = shapes_of<Polygon>(bars);
  ASSERT_EQ(polygons.size(), 2u);
  const auto height = [](const Polygon& bar) { return bar.points[0].y - bar.points[1].y; };
  EXPECT_NEAR(height(polygons[1]), 2 * height(polygons[0]), 1e-9);
}

TEST(Drawing, PngShowsTheShapes) {
  const TestFolder folder;
  Drawing drawing{40, 20};
  drawing.add(Polygon{{{20, 0}, {40, 0}, {40, 20}, {20, 20}}, Ink::kText});
  ASSERT_TRUE(write_png(drawing, folder / "a.png", 2));
  cairo_surface_t* surface = cairo_image_surface_create_from_png((folder / "a.png").c_str());
  ASSERT_EQ(cairo_surface_status(surface), CAIRO_STATUS_SUCCESS);
  EXPECT_EQ(cairo_image_surface_get_width(surface), 80);
  EXPECT_EQ(cairo_image_surface_get_height(surface), 40);
  const auto pixel = [&](int x, int y) {
    const unsigned char* row =
        cairo_image_surface_get_data(surface) + y * cairo_image_surface_get_stride(surface);
    return reinterpret_cast<const std::uint32_t*>(row)[x] & 0xFFFFFF;
  };
  EXPECT_EQ(pixel(20, 20), 0xFFFFFFu);
  EXPECT_NE(pixel(60, 20), 0xFFFFFFu);
  cairo_surface_destroy(surface);
  EXPECT_THAT(write_png(drawing, folder / "none/a.png").error().message, HasSubstr("none/a.png"));
}

TEST(Drawing, HostileNamesStayText) {
  Drawing drawing{10, 10, "\"><script>"};
  drawing.add(Label{{0, 0}, std::string("</text><b>\xFF\0", 12)});
  drawing.add(Circle{.tooltip = "</title>"});
  EXPECT_THAT(to_svg(drawing),
              AllOf(Not(HasSubstr("<script")), Not(HasSubstr("<b>")), HasSubstr("&lt;/title&gt;")));
  const TestFolder folder;
  EXPECT_TRUE(write_png(drawing, folder / "a.png"));
}

}  // namespace
}  // namespace redqueen::run
