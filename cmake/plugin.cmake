# engram_plugin(NAME KIND SOURCES ... LIBS ...): a shared object in build/plugins, and its static twin
# engram_NAME_static, whose entry is eg_plugin_entry_NAME. Both see only the public headers.
function(engram_plugin name)
  cmake_parse_arguments(P "" "" "SOURCES;LIBS" ${ARGN})
  add_library(engram_${name}_plugin MODULE ${P_SOURCES})
  set_target_properties(engram_${name}_plugin PROPERTIES PREFIX "" OUTPUT_NAME ${name}
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/plugins)
  add_library(engram_${name}_static STATIC ${P_SOURCES})
  target_compile_definitions(engram_${name}_static PRIVATE EG_PLUGIN_STATIC_NAME=eg_plugin_entry_${name})
  foreach(target engram_${name}_plugin engram_${name}_static)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/core/include)
    target_link_libraries(${target} PRIVATE engram_flags ${P_LIBS})
  endforeach()
endfunction()
