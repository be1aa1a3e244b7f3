// Makes text of unknown origin safe to show inside a page.
#pragma once

#include <string>
#include <string_view>

namespace redqueen::run {

// Valid UTF-8: bytes that are none become U+FFFD, control characters other than tab and line feed
// the picture of themselves (U+2400 …), those of U+0080 to U+009F and those that turn the direction
// of writing U+FFFD. A carriage return before a line feed is dropped.
std::string readable_utf8(std::string_view bytes);

// Text for HTML and SVG, inside elements and quoted attributes. Takes any bytes.
std::string html_escape(std::string_view bytes);

// The first `limit` characters of UTF-8 text, with a note how many were left out.
std::string cut_to_characters(std::string_view text, std::size_t limit);

// A whole page. `body` and `style` are trusted. The page may load nothing from anywhere, pictures
// have to lie within it: whatever a text smuggled in, the browser would neither run nor fetch it.
std::string html_page(std::string_view title, std::string_view style, std::string_view body);

}  // namespace redqueen::run
