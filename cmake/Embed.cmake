# redqueen_embed(TARGET NAMESPACE::FUNCTION file…): the files, one after the other, become part of TARGET, so that a binary
# needs no files beside it. `std::string_view FUNCTION()` of redqueen::NAMESPACE returns their text; embedded_files.h of its
# folder declares it. A CTest test, label python, compiles Python files. This file is also the script that writes the source:
# cmake -DNAMESPACE=… -DFUNCTION=… -DFILES=… -DOUTPUT=… -P Embed.cmake

if(CMAKE_SCRIPT_MODE_FILE)
  set(bytes "")
  foreach(path ${FILES})
    file(READ ${path} content HEX)
    string(APPEND bytes ${content})
  endforeach()
  # Bytes, not a raw string: no limit on length, no delimiter to collide with.
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  file(WRITE ${OUTPUT} "#include <string_view>\n\nnamespace redqueen::${NAMESPACE} {\n\n"
    "static constexpr unsigned char kBytes[] = {${bytes}0};\n\nstd::string_view ${FUNCTION}();\n\n"
    "std::string_view ${FUNCTION}() {\n"
    "  return {reinterpret_cast<const char*>(kBytes), sizeof(kBytes) - 1};\n}\n\n}  // namespace redqueen::${NAMESPACE}\n")
  return()
endif()

set(REDQUEEN_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

function(redqueen_embed target name)
  string(REGEX REPLACE "::[a-z_]+$" "" namespace ${name})
  string(REGEX REPLACE "^.*::" "" function ${name})
  set(output ${CMAKE_BINARY_DIR}/embedded/${target}/${function}.cc)
  add_custom_command(OUTPUT ${output} DEPENDS ${ARGN} ${REDQUEEN_EMBED_SCRIPT} VERBATIM
    COMMAND ${CMAKE_COMMAND} "-DNAMESPACE=${namespace}" "-DFUNCTION=${function}" "-DFILES=${ARGN}" "-DOUTPUT=${output}"
            -P ${REDQUEEN_EMBED_SCRIPT}
    COMMENT "Embedding ${function}")
  set_property(SOURCE ${output} PROPERTY SKIP_PRECOMPILE_HEADERS ON)
  target_sources(${target} PRIVATE ${output})
  if("${ARGN}" MATCHES "\\.py$")
    add_test(NAME python.${function} COMMAND ${Python3_EXECUTABLE} -c
      "import sys; [compile(open(name).read(), name, 'exec') for name in sys.argv[1:]]" ${ARGN})
    set_tests_properties(python.${function} PROPERTIES LABELS python)
  endif()
endfunction()
