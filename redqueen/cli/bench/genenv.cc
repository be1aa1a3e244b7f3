// redqueen bench genenv: what GenEnv's paper proves, measured beside its bounds, and the dynamics
// of its presets.

#include <array>
#include <cmath>

#include "redqueen/base/json.h"
#include "redqueen/cli/bench/bench.h"
#include "redqueen/recipes/genenv/theory.h"
#include "redqueen/run/report/chart.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;
using genenv::DynamicsPoint;
using genenv::GradientSignal;
using genenv::Misranking;

struct BenchGenenvOptions {
  int pairs = 100000;
  int draws = 100000;
  int seeds = 8;
  std::string out;
  bool json = false;
};

struct Curve {
  std::string name;
  std::vector<DynamicsPoint> points = {};  // by epoch, means over the seeds
  double in_band = 0;                      // share of the later half's epochs
};

struct Measured {
  std::vector<GradientSignal> gradients;
  std::vector<Misranking> rankings;
  std::vector<Curve> curves;
};

Curve curve_of(const std::string& name, genenv::DynamicsOptions dynamics, int seeds) {
  Curve curve{.name = name};
  for (int seed = 1; seed <= seeds; ++seed) {
    dynamics.seed = static_cast<std::uint64_t>(seed);
    const auto points = genenv::simulate(dynamics);
    curve.points.resize(points.size());
    const std::size_t half = points.size() / 2;
    for (std::size_t e = 0; e < points.size(); ++e) {
      curve.points[e].success += points[e].success / seeds;
      curve.points[e].level += points[e].level / seeds;
      curve.points[e].entropy += points[e].entropy / seeds;
      const bool inside = points[e].success >= 0.4 && points[e].success <= 0.6;
      if (e >= half && inside)
        curve.in_band += 1 / static_cast<double>((points.size() - half) * seeds);
    }
  }
  return curve;
}

Measured bench_genenv_measure(const BenchGenenvOptions& options) {
  Measured measured;
  std::vector<double> successes;
  for (int i = 1; i < 40; ++i) successes.push_back(i / 40.0);
  measured.gradients = genenv::gradient_signal(successes, 100, options.draws, 1);
  for (const double gap : {0.1, 0.2, 0.3, 0.4, 0.5}) {
    for (const int attempts : {5, 10, 20, 50, 100, 200, 400, 700, 1000, 1500, 2000})
      measured.rankings.push_back(genenv::misranking(0, gap, attempts, options.pairs, 1));
  }
  genenv::DynamicsOptions random = genenv::dynamics_of(genenv::Preset::kPaper);
  random.train_environment = false;
  measured.curves.push_back(curve_of("random", random, options.seeds));
  measured.curves.push_back(
      curve_of("paper", genenv::dynamics_of(genenv::Preset::kPaper), options.seeds));
  measured.curves.push_back(
      curve_of("steady", genenv::dynamics_of(genenv::Preset::kSteady), options.seeds));
  return measured;
}

run::LineChart gradient_chart(const Measured& measured) {
  run::LineChart chart{.title = "Proposition 3.2",
                       .subtitle = "mean squared gradient of a bandit of 100 actions",
                       .x_label = "success in percent"};
  run::Series lower{.name = "C_min p(1-p)", .colour = 1};
  run::Series simulated{.name = "measured", .colour = 0};
  run::Series upper{.name = "C_max p(1-p)", .colour = 2};
  for (const GradientSignal& signal : measured.gradients) {
    const double x = 100 * signal.success;
    lower.points.push_back({x, signal.lower});
    simulated.points.push_back({x, signal.measured});
    upper.points.push_back({x, signal.upper});
  }
  chart.series = {lower, simulated, upper};
  return chart;
}

// Logarithms of base 10; where nothing was misranked there is no point.
run::LineChart ranking_chart(const Measured& measured) {
  run::LineChart chart{.title = "Theorem B.1",
                       .subtitle = "log10 of the share of misranked pairs, and of its bound",
                       .x_label = "attempts",
                       .y_min = -5,
                       .y_max = 0};
  int colour = 0;
  for (const double gap : {0.1, 0.3, 0.5}) {
    run::Series simulated{.name = fmt::format("gap {:.1f}", gap), .colour = colour++};
    run::Series bound{.name = fmt::format("bound {:.1f}", gap), .colour = colour++};
    for (const Misranking& one : measured.rankings) {
      if (one.gap != gap) continue;
      const auto x = static_cast<double>(one.attempts);
      if (one.measured > 0) simulated.points.push_back({x, std::log10(one.measured)});
      if (std::log10(one.bound) >= -5) bound.points.push_back({x, std::log10(one.bound)});
    }
    chart.series.push_back(simulated);
    chart.series.push_back(bound);
  }
  return chart;
}

run::LineChart dynamics_chart(const Measured& measured) {
  run::LineChart chart{.title = "Success of a simulated agent",
                       .subtitle = "mean over seeds; the target is 50 %",
                       .x_label = "epoch",
                       .format = run::ValueFormat::kPercent,
                       .y_min = 0,
                       .y_max = 1};
  for (std::size_t i = 0; i < measured.curves.size(); ++i) {
    run::Series series{.name = measured.curves[i].name, .colour = static_cast<int>(i)};
    for (std::size_t e = 0; e < measured.curves[i].points.size(); ++e)
      series.points.push_back({static_cast<double>(e + 1), measured.curves[i].points[e].success});
    chart.series.push_back(std::move(series));
  }
  return chart;
}

Status write_picture(const Measured& measured, const std::string& path) {
  const std::array drawings{draw(gradient_chart(measured)), draw(ranking_chart(measured)),
                            draw(dynamics_chart(measured))};
  run::Drawing all{.title = "GenEnv: what is proved, and what presets do"};
  for (const run::Drawing& drawing : drawings) {
    place(all, drawing, {all.width, 0});
    all.width += drawing.width;
    all.height = std::max(all.height, drawing.height);
  }
  return write_png(all, path);
}

void print_json(const Measured& measured) {
  for (const GradientSignal& signal : measured.gradients) {
    fmt::print("{}\n", dump_json(Json{{"success", signal.success},
                                      {"squared_gradient", signal.measured},
                                      {"lower", signal.lower},
                                      {"upper", signal.upper}}));
  }
  for (const Misranking& one : measured.rankings) {
    fmt::print("{}\n", dump_json(Json{{"gap", one.gap},
                                      {"attempts", one.attempts},
                                      {"misranked", one.measured},
                                      {"bound", one.bound}}));
  }
  for (const Curve& curve : measured.curves) {
    Json successes = Json::array();
    for (const DynamicsPoint& point : curve.points) successes.push_back(point.success);
    fmt::print("{}\n", dump_json(Json{{"rule", curve.name},
                                      {"in_band", curve.in_band},
                                      {"success", std::move(successes)}}));
  }
}

void print_tables(const Measured& measured) {
  fmt::print(
      "Proposition 3.2: mean squared gradient between its bounds\n{:>8} {:>10} {:>10} {:>10}\n",
      "success", "lower", "measured", "upper");
  for (std::size_t i = 3; i < measured.gradients.size(); i += 8) {
    const GradientSignal& signal = measured.gradients[i];
    fmt::print("{:>8.2f} {:>10.4f} {:>10.4f} {:>10.4f}\n", signal.success, signal.lower,
               signal.measured, signal.upper);
  }
  fmt::print("\nTheorem B.1: share of misranked pairs, and its bound\n{:>8} {:>10} {:>10} {:>10}\n",
             "gap", "attempts", "measured", "bound");
  for (const Misranking& one : measured.rankings) {
    if (one.attempts != 10 && one.attempts != 100 && one.attempts != 1000) continue;
    fmt::print("{:>8.1f} {:>10} {:>10.5f} {:>10.5f}\n", one.gap, one.attempts, one.measured,
               one.bound);
  }
  fmt::print("\nsuccess of a simulated agent by epoch\n{:>8} {:>6} {:>6} {:>6} {:>6} {:>10}\n",
             "rule", "1", "20", "40", "80", "in 40-60 %");
  for (const Curve& curve : measured.curves) {
    const auto at = [&](std::size_t epoch) { return 100 * curve.points[epoch - 1].success; };
    fmt::print("{:>8} {:>5.0f}% {:>5.0f}% {:>5.0f}% {:>5.0f}% {:>9.0f}%\n", curve.name, at(1),
               at(20), at(40), at(80), 100 * curve.in_band);
  }
}

Status bench_genenv(const BenchGenenvOptions& options) {
  const Measured measured = bench_genenv_measure(options);
  if (options.json) {
    print_json(measured);
  } else {
    print_tables(measured);
  }
  return options.out.empty() ? Status() : write_picture(measured, options.out);
}

}  // namespace

void add_bench_genenv(Command bench) {
  Command command = bench.add_subcommand(
      "genenv", "GenEnv's proposition and theorem beside their bounds, and its presets simulated");
  auto options = std::make_shared<BenchGenenvOptions>();
  command
      .add_option("--pairs", options->pairs, "Pairs of tasks for each gap and number of attempts")
      .positive();
  command.add_option("--draws", options->draws, "Actions for each rate of success")
      .positive()
      .show_default();
  command.add_option("--seeds", options->seeds, "Of the simulated players")
      .positive()
      .show_default();
  command.add_option("--out", options->out, "A PNG of all three");
  command.add_flag("--json", options->json, "One JSON object a line");
  command.set_work(options, bench_genenv);
}

}  // namespace redqueen
