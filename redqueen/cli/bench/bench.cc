#include "redqueen/cli/bench/bench.h"

namespace redqueen {

void add_bench(Command app) {
  Command bench = app.add_subcommand("bench", "Measure speed");
  bench.require_subcommand();
  add_bench_azr(bench);
  add_bench_curricula(bench);
  add_bench_genenv(bench);
  add_bench_gym(bench);
  add_bench_sandbox(bench);
  add_bench_synth(bench);
  add_bench_train(bench);
  add_bench_worlds(bench);
}

}  // namespace redqueen
