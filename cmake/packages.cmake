# What is installed beside the targets: licence, README, manual and completions; and the three
# Debian packages that `cpack -G DEB` makes (tools/package). Components: program, library
# (libengram-infer, shared), dev (headers, static library).
option(ENGRAM_DEBIAN "Install as the Debian packages want it (tools/package)" OFF)
set(ENGRAM_MAINTAINER "Engram maintainers <maintainers@engram.invalid>" CACHE STRING
  "Maintainer of the Debian packages")

set(program engram)
if(ENGRAM_STATIC)
  set(program engram-static)
endif()
set(manual ${CMAKE_BINARY_DIR}/manual)
add_custom_command(OUTPUT ${manual}/engram.fish
  COMMAND ${PROJECT_SOURCE_DIR}/packaging/manual.sh ${manual}
    ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:${program}>
  DEPENDS ${program} packaging/manual.sh VERBATIM)
add_custom_target(manual ALL DEPENDS ${manual}/engram.fish)
set(ENGRAM_MANUAL_FILES ${manual}/engram.fish)
set(zsh site-functions)
set(fish completions)
if(ENGRAM_DEBIAN)
  set(zsh vendor-completions)
  set(fish vendor_completions.d)
endif()
install(DIRECTORY ${manual}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT program)
install(FILES ${manual}/engram DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
  COMPONENT program)
install(FILES ${manual}/_engram DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/${zsh} COMPONENT program)
install(FILES ${manual}/engram.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/${fish}
  COMPONENT program)

install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
if(NOT ENGRAM_DEBIAN)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
  return()
endif()

# Only for Debian packages from here on.
# Another program is called engram, so the package is not; Debian has no package of either name.
set(program_package engram-memory)
set(library_package libengram-infer${PROJECT_VERSION_MAJOR})
set(dev_package engram-memory-dev)
find_program(GZIP gzip REQUIRED)
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC) # or SOURCE_DATE_EPOCH
set(made ${CMAKE_CURRENT_BINARY_DIR}/packaging)
configure_file(packaging/changelog.in ${made}/changelog @ONLY)
execute_process(COMMAND ${GZIP} -9nkf changelog WORKING_DIRECTORY ${made}
  COMMAND_ERROR_IS_FATAL ANY)
file(WRITE ${made}/shlibs
  "libengram-infer ${PROJECT_VERSION_MAJOR} ${library_package} (>= ${PROJECT_VERSION})\n")
foreach(component program library dev)
  install(FILES packaging/copyright ${made}/changelog.gz
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${${component}_package} COMPONENT ${component})
  if(EXISTS ${PROJECT_SOURCE_DIR}/packaging/${component}.overrides)
    install(FILES packaging/${component}.overrides RENAME ${${component}_package}
      DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides COMPONENT ${component})
  endif()
endforeach()

set(CPACK_PACKAGE_VENDOR "Engram")
set(CPACK_PACKAGE_CONTACT "${ENGRAM_MAINTAINER}")
set(CPACK_COMPONENTS_ALL program library dev)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME ${program_package})
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION devel)
# loaded when needed: libcurl by `engram models pull`, OpenBLAS by `--gemm openblas`
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "libcurl4, ca-certificates")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "libopenblas0-pthread")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
"shared memory for AI coding agents that finds contradictions
Agents commit facts about a codebase and query them before they work. Engram
tells them when two facts contradict each other, with the reason. It serves
the Model Context Protocol on standard input and output, checks documents
for statements that disagree, and keeps its facts in one SQLite file.
.
Everything runs on the CPU and without a network: the language models that it
needs are part of this package.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${library_package})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA
  ${PROJECT_SOURCE_DIR}/packaging/triggers ${made}/shlibs)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION
"transformer encoders on the CPU, read from safetensors
A C library without dependencies that runs BERT, RoBERTa and DeBERTa encoders:
sentence embeddings, NLI and cross-encoders, labels of tokens.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME ${dev_package})
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "${library_package} (= ${PROJECT_VERSION})")
set(CPACK_COMPONENT_DEV_DESCRIPTION
"headers of Engram for plugins and for its inference library
The headers for plugins of Engram (detectors, gates, tools, storage) and for
libengram-infer, with its static library and its pkg-config file.")
include(CPack)
