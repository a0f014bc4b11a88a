# Cross build for 64-bit Arm; tests run under qemu-user. Debian: gcc-aarch64-linux-gnu, qemu-user-static, and for the tests
#   dpkg --add-architecture arm64 && apt-get update && apt-get install --no-install-recommends libcmocka-dev:arm64
# (it installs beside the libcmocka-dev of the host).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
# The loader and libc come from the cross gcc's folder, cmocka from the multiarch one.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static;-L;/usr/aarch64-linux-gnu;-E;LD_LIBRARY_PATH=/usr/lib/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
# pkg-config must see the .pc files of the target only.
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig)
