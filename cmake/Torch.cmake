# libtorch comes from the Python package torch, by default the one in .venv. Its libraries are linked directly:
# TorchConfig.cmake of a CUDA wheel searches for a CUDA toolkit, which users of the wheel do not have.
set(REDQUEEN_TORCH_DIR "" CACHE PATH "Folder of the Python package torch (default: the one in .venv)")
option(REDQUEEN_CUDA "Compile what needs CUDA's headers and nvcc: CUDA graphs and kernels for decoding" OFF)

get_filename_component(REDQUEEN_ROOT ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
if(NOT REDQUEEN_TORCH_DIR)
  file(GLOB candidates ${REDQUEEN_ROOT}/.venv/lib/python3*/site-packages/torch)
  if(NOT candidates)
    message(FATAL_ERROR "No torch wheel in ${REDQUEEN_ROOT}/.venv. Run scripts/bootstrap, "
                        "or pass -DREDQUEEN_TORCH_DIR=<folder of the Python package torch>.")
  endif()
  list(GET candidates 0 REDQUEEN_TORCH_DIR)
endif()
add_library(redqueen_torch INTERFACE)
# After the system's folders: the wheel brings headers of another fmt along.
target_compile_options(redqueen_torch INTERFACE
  "SHELL:-idirafter ${REDQUEEN_TORCH_DIR}/include"
  "SHELL:-idirafter ${REDQUEEN_TORCH_DIR}/include/torch/csrc/api/include")
target_link_directories(redqueen_torch INTERFACE ${REDQUEEN_TORCH_DIR}/lib)
target_link_libraries(redqueen_torch INTERFACE torch torch_cpu c10)
target_link_options(redqueen_torch INTERFACE -Wl,-rpath,${REDQUEEN_TORCH_DIR}/lib -Wl,--allow-shlib-undefined)
if(EXISTS ${REDQUEEN_TORCH_DIR}/lib/libtorch_cuda.so)
  # --no-as-needed: the CUDA back end registers itself when it is loaded; nothing refers to it by name.
  target_link_libraries(redqueen_torch INTERFACE
    "-Wl,--push-state,--no-as-needed" torch_cuda c10_cuda "-Wl,--pop-state")
elseif(REDQUEEN_CUDA)
  message(FATAL_ERROR "REDQUEEN_CUDA is on, but ${REDQUEEN_TORCH_DIR} is torch for the CPU. "
                      "Pass -DREDQUEEN_TORCH_DIR=<folder of a CUDA build of torch>.")
endif()
message(STATUS "libtorch: ${REDQUEEN_TORCH_DIR}")

if(REDQUEEN_CUDA)
  # A toolkit, or the wheels that a CUDA build of torch depends on.
  set(cuda_roots $ENV{CUDA_HOME} /usr/local/cuda ${REDQUEEN_TORCH_DIR}/../nvidia/cu13)
  find_path(REDQUEEN_CUDA_INCLUDE cuda_runtime_api.h PATHS ${cuda_roots} PATH_SUFFIXES include REQUIRED)
  find_program(REDQUEEN_NVCC nvcc PATHS ${cuda_roots} PATH_SUFFIXES bin REQUIRED)
  find_library(REDQUEEN_CUDART NAMES cudart libcudart.so.13 PATHS ${cuda_roots}
               PATH_SUFFIXES lib64 lib REQUIRED)
  set(REDQUEEN_CUDA_TARGETS "-gencode=arch=compute_80,code=compute_80;-gencode=arch=compute_90,code=sm_90"
      CACHE STRING "Options of nvcc that say for which GPUs kernels are compiled")
  target_compile_definitions(redqueen_torch INTERFACE REDQUEEN_CUDA)
  target_compile_options(redqueen_torch INTERFACE "SHELL:-idirafter ${REDQUEEN_CUDA_INCLUDE}")
  # Libraries' headers that a small toolkit lacks.
  if(EXISTS ${REDQUEEN_TORCH_DIR}/../nvidia/cu13/include)
    target_compile_options(redqueen_torch INTERFACE "SHELL:-idirafter ${REDQUEEN_TORCH_DIR}/../nvidia/cu13/include")
  endif()
  target_link_libraries(redqueen_torch INTERFACE ${REDQUEEN_CUDART})
  message(STATUS "CUDA: ${REDQUEEN_NVCC}, ${REDQUEEN_CUDA_INCLUDE}")
endif()

# redqueen_add_kernels(target file.cu…): compiled by nvcc into `target`.
function(redqueen_add_kernels target)
  foreach(source ${ARGN})
    get_filename_component(name ${source} NAME_WE)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.cu.o)
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${REDQUEEN_NVCC} -c -O3 -std=c++20 -ccbin ${CMAKE_CXX_COMPILER} -Xcompiler -fPIC
              ${REDQUEEN_CUDA_TARGETS} -I ${REDQUEEN_ROOT} -MD -MF ${object}.d -o ${object} ${source}
      DEPENDS ${source} DEPFILE ${object}.d COMMENT "nvcc ${name}.cu" VERBATIM)
    target_sources(${target} PRIVATE ${object})
  endforeach()
endfunction()
