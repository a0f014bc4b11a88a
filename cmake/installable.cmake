# What `cmake --install` copies: a target that builds it and nothing else (`installable`), and a check
# that runs before anything is copied and says what to build. Included first, since install rules run
# in the order in which they are declared; engram_installable() comes last.
install(SCRIPT ${CMAKE_BINARY_DIR}/check_installable.cmake ALL_COMPONENTS)

# engram_installed(COMPONENT TARGET...): these targets belong to the component.
function(engram_installed component)
  set_property(GLOBAL APPEND PROPERTY ENGRAM_INSTALLED_${component} ${ARGN})
endfunction()

# engram_installable(FILE...): FILE: made by the target `manual`, of the component program.
function(engram_installable)
  add_custom_target(installable)
  set(check "")
  foreach(component IN ITEMS program library dev)
    get_property(targets GLOBAL PROPERTY ENGRAM_INSTALLED_${component})
    set(files "")
    foreach(target ${targets})
      add_dependencies(installable ${target})
      list(APPEND files "$<TARGET_FILE:${target}>")
    endforeach()
    if("${component}" STREQUAL "program" AND ARGN)
      add_dependencies(installable manual)
      list(APPEND files ${ARGN})
    endif()
    if(NOT files)
      continue()
    endif()
    string(JOIN "\" \"" quoted ${files})
    string(APPEND check "if(NOT CMAKE_INSTALL_COMPONENT OR CMAKE_INSTALL_COMPONENT STREQUAL \"${component}\")
  foreach(file IN ITEMS \"${quoted}\")
    if(NOT EXISTS \"\${file}\")
      message(FATAL_ERROR \"nothing was installed: \${file} is not built yet; run \"
        \"`cmake --build ${CMAKE_BINARY_DIR} --target installable` first\")
    endif()
  endforeach()
endif()
")
  endforeach()
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/check_installable.cmake CONTENT "${check}")
endfunction()
