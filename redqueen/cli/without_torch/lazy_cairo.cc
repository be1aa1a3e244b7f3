// cairo, loaded when a picture is drawn: it needs the libraries of X, which a wheel may not bring
// along and a server seldom has. Where it is missing, whoever draws is told so as cairo tells of
// faults (run/report/drawing.cc).

#include <cairo.h>
#include <dlfcn.h>

namespace {

void* function(const char* name) {
  static void* const library = dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL);
  return library == nullptr ? nullptr : dlsym(library, name);
}

}  // namespace

// Defines a function of cairo: the library's own, or `otherwise` where there is no library.
#define REDQUEEN_LAZY(result, name, parameters, arguments, otherwise)                    \
  extern "C" result name parameters {                                                    \
    static auto* const loaded = reinterpret_cast<result(*) parameters>(function(#name)); \
    return loaded == nullptr ? otherwise : loaded arguments;                             \
  }
#define REDQUEEN_LAZY_VOID(name, parameters, arguments) \
  REDQUEEN_LAZY(void, name, parameters, arguments, static_cast<void>(0))

REDQUEEN_LAZY(cairo_surface_t*, cairo_image_surface_create,
              (cairo_format_t format, int width, int height), (format, width, height), nullptr)
REDQUEEN_LAZY(cairo_t*, cairo_create, (cairo_surface_t * surface), (surface), nullptr)
REDQUEEN_LAZY(cairo_status_t, cairo_status, (cairo_t * cairo), (cairo), CAIRO_STATUS_DEVICE_ERROR)
REDQUEEN_LAZY(cairo_status_t, cairo_surface_write_to_png,
              (cairo_surface_t * surface, const char* path), (surface, path),
              CAIRO_STATUS_DEVICE_ERROR)
REDQUEEN_LAZY(const char*, cairo_status_to_string, (cairo_status_t status), (status),
              "this machine has no libcairo.so.2; Debian's package is libcairo2")
REDQUEEN_LAZY_VOID(cairo_surface_destroy, (cairo_surface_t * surface), (surface))
REDQUEEN_LAZY_VOID(cairo_destroy, (cairo_t * cairo), (cairo))
REDQUEEN_LAZY_VOID(cairo_scale, (cairo_t * cairo, double x, double y), (cairo, x, y))
REDQUEEN_LAZY_VOID(cairo_set_line_join, (cairo_t * cairo, cairo_line_join_t join), (cairo, join))
REDQUEEN_LAZY_VOID(cairo_set_line_cap, (cairo_t * cairo, cairo_line_cap_t cap), (cairo, cap))
REDQUEEN_LAZY_VOID(cairo_set_line_width, (cairo_t * cairo, double width), (cairo, width))
REDQUEEN_LAZY_VOID(cairo_set_source_rgba,
                   (cairo_t * cairo, double red, double green, double blue, double alpha),
                   (cairo, red, green, blue, alpha))
REDQUEEN_LAZY_VOID(cairo_new_path, (cairo_t * cairo), (cairo))
REDQUEEN_LAZY_VOID(cairo_close_path, (cairo_t * cairo), (cairo))
REDQUEEN_LAZY_VOID(cairo_move_to, (cairo_t * cairo, double x, double y), (cairo, x, y))
REDQUEEN_LAZY_VOID(cairo_line_to, (cairo_t * cairo, double x, double y), (cairo, x, y))
REDQUEEN_LAZY_VOID(cairo_arc,
                   (cairo_t * cairo, double x, double y, double radius, double from, double to),
                   (cairo, x, y, radius, from, to))
REDQUEEN_LAZY_VOID(cairo_stroke, (cairo_t * cairo), (cairo))
REDQUEEN_LAZY_VOID(cairo_fill, (cairo_t * cairo), (cairo))
REDQUEEN_LAZY_VOID(cairo_paint, (cairo_t * cairo), (cairo))
REDQUEEN_LAZY_VOID(cairo_select_font_face,
                   (cairo_t * cairo, const char* family, cairo_font_slant_t slant,
                    cairo_font_weight_t weight),
                   (cairo, family, slant, weight))
REDQUEEN_LAZY_VOID(cairo_set_font_size, (cairo_t * cairo, double size), (cairo, size))
REDQUEEN_LAZY_VOID(cairo_text_extents,
                   (cairo_t * cairo, const char* text, cairo_text_extents_t* extents),
                   (cairo, text, extents))
REDQUEEN_LAZY_VOID(cairo_show_text, (cairo_t * cairo, const char* text), (cairo, text))
