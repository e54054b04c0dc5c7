# cmake -D SOURCES=a.cpp;b.h -D TEXT=... -D OUT=build_id.cpp -P build_id.cmake
#
# Writes a constant made of the contents of these files and of TEXT, where it is not there already: what a program and its
# worker compare (core/measure/build_id.h).
set(all "${TEXT}")
foreach(source IN LISTS SOURCES)
    file(SHA256 "${source}" hash)
    string(APPEND all "${hash}")
endforeach()
string(SHA256 id "${all}")
string(SUBSTRING "${id}" 0 16 id)
file(CONFIGURE OUTPUT "${OUT}" CONTENT "// Made by cmake/build_id.cmake.
#include \"measure/build_id.h\"

namespace loopscope {

uint64_t buildId() { return 0x${id}U; }

} // namespace loopscope
")
