# The target `pages` makes what the repository has samples of only: every environment with its card, problems and what guesses
# earn, as Markdown and as one page for browsers, in build/pages. cli_test checks that they can be made.
add_custom_target(pages
  COMMAND $<TARGET_FILE:redqueen> gym gallery --out ${CMAKE_BINARY_DIR}/pages
  COMMAND $<TARGET_FILE:redqueen> gym gallery --page --out ${CMAKE_BINARY_DIR}/pages
  VERBATIM)
add_dependencies(pages redqueen)
