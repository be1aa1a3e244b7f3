// NumPy's arithmetic where it differs from the plain C++ operator: powers, remainders, sums, and
// sine and cosine of float32.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace redqueen::arena {

// x**2 of a NumPy scalar: the C library's pow(x, 2), which is not always x·x. The exponent is kept
// from the compiler, which would multiply.
template <typename T>
T numpy_square_power(T x) {
  T two = 2;
  asm("" : "+x"(two));
  return std::pow(x, two);
}

// x % y for y > 0: in [0, y).
inline double numpy_remainder(double x, double y) {
  double rest = std::fmod(x, y);
  if (rest == 0) return std::copysign(0.0, y);
  if (rest < 0) rest += y;
  return rest;
}

// np.sum of fewer than 128 numbers: pairwise summation with eight accumulators.
template <typename T>
T numpy_sum(std::span<const T> numbers) {
  const std::size_t size = numbers.size();
  if (size < 8) {
    T sum = 0;
    for (const T number : numbers) sum += number;
    return sum;
  }
  T lane[8];
  for (std::size_t j = 0; j < 8; ++j) lane[j] = numbers[j];
  std::size_t i = 8;
  for (; i + 8 <= size; i += 8) {
    for (std::size_t j = 0; j < 8; ++j) lane[j] += numbers[i + j];
  }
  T sum = ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
  for (; i < size; ++i) sum += numbers[i];
  return sum;
}

// np.cos and np.sin of float32 with |x| < π/4, where no range has to be reduced: NumPy's vector
// polynomials (numpy/_core/src/umath/loops_trigonometric.dispatch.cpp.src), which it takes on every
// x86-64 CPU with FMA. Up to 1.49 units in the last place from the true value, so that neither
// std::cos nor a rounded double agrees.
inline float numpy_small_cosine(float x) {
  const float square = x * x;
  float sum = std::fma(0x1.98e616p-16f, square, -0x1.6c06dcp-10f);
  sum = std::fma(sum, square, 0x1.55553cp-05f);
  sum = std::fma(sum, square, -0.5f);
  return std::fma(sum, square, 1.0f);
}
inline float numpy_small_sine(float x) {
  const float square = x * x;
  float sum = std::fma(0x1.7d3bbcp-19f, square, -0x1.a06bbap-13f);
  sum = std::fma(sum, square, 0x1.11119ap-07f);
  sum = std::fma(sum, square, -0x1.555556p-03f);
  return std::fma(sum * square, x, x);
}

}  // namespace redqueen::arena
