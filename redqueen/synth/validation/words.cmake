# The word list of spelling.h: the lower-case words of Debian's American and British lists, and terms.txt.
set(words ${CMAKE_BINARY_DIR}/embedded/words.txt)
set(word_lists /usr/share/dict/american-english /usr/share/dict/british-english
               ${CMAKE_SOURCE_DIR}/redqueen/synth/validation/terms.txt)
foreach(list ${word_lists})
  if(NOT EXISTS ${list})
    message(FATAL_ERROR "${list} is missing: install the Debian packages wamerican and wbritish (scripts/bootstrap does)")
  endif()
endforeach()
# Possessives are left out: spelling.cc knows them by their ending.
add_custom_command(OUTPUT ${words} DEPENDS ${word_lists} VERBATIM COMMENT "Sorting the word list"
  COMMAND sh -c "cat \"$@\" | LC_ALL=C grep -xE \"[a-z]{2,}('(t|re|ve|ll|d|m))?\" | LC_ALL=C sort -u > \"$0\"" ${words} ${word_lists})
redqueen_embed(redqueen_synth synth::english_words ${words})
