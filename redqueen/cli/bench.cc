#include "redqueen/cli/bench.h"

namespace redqueen {

void add_bench(CLI::App& app, Action& action) {
  CLI::App* bench = app.add_subcommand("bench", "Measure speed");
  bench->require_subcommand(1);
  add_bench_azr(*bench, action);
  add_bench_gym(*bench, action);
  add_bench_sandbox(*bench, action);
  add_bench_synth(*bench, action);
  add_bench_train(*bench, action);
}

}  // namespace redqueen
