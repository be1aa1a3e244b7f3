// Polynomials as lists of coefficients, that of x^0 first.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <vector>

#include "redqueen/base/format.h"

namespace redqueen {

// Neither factor is empty.
template <typename T>
std::vector<T> multiply_polynomials(const std::vector<T>& a, const std::vector<T>& b) {
  std::vector<T> product(a.size() + b.size() - 1, T(0));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) product[i + j] += a[i] * b[j];
  }
  return product;
}

template <typename T>
T evaluate_polynomial(const std::vector<T>& coefficients, const T& x) {
  T value(0);
  for (std::size_t i = coefficients.size(); i > 0; --i) value = value * x + coefficients[i - 1];
  return value;
}

// Π (x − root).
template <typename T>
std::vector<T> polynomial_with_roots(const std::vector<T>& roots) {
  std::vector<T> product{T(1)};
  for (const T& root : roots) {
    product.push_back(T(0));
    for (std::size_t i = product.size() - 1; i > 0; --i) {
      product[i] = product[i - 1] - root * product[i];
    }
    product[0] = -root * product[0];
  }
  return product;
}

// "3*x^2 - x + 5": highest power first, terms with coefficient 0 left out.
template <typename T>
std::string polynomial_text(const std::vector<T>& coefficients) {
  std::string text;
  for (std::size_t i = coefficients.size(); i > 0; --i) {
    const T& c = coefficients[i - 1];
    const std::size_t power = i - 1;
    if (c == 0) continue;
    if (text.empty()) {
      if (c < 0) text += '-';
    } else {
      text += c < 0 ? " - " : " + ";
    }
    const T size = c < 0 ? T(-c) : c;
    if (size != 1 || power == 0) {
      if constexpr (requires { size.str(); }) {
        text += size.str();
      } else {
        append_format(text, "{}", size);
      }
      if (power > 0) text += '*';
    }
    if (power > 0) text += 'x';
    if (power > 1) append_format(text, "^{}", power);
  }
  return text.empty() ? "0" : text;
}

}  // namespace redqueen
