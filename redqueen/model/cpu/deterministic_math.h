// Matrix products whose bits do not depend on the number of threads.
#pragma once

namespace redqueen {

// On Intel's processors MKL, which libtorch multiplies with, rounds differently where a matrix
// begins elsewhere in memory or is shared out among another number of threads. This asks it not to,
// by its variable MKL_CBWR ("strict conditional numerical reproducibility"), unless that is set
// already; products become about a tenth slower. On other processors, where it may mean slow
// kernels, it does nothing. Call before the first product of the process: later it has no effect.
void make_products_repeatable();

}  // namespace redqueen
