# packages.sh - sourced by tools/run and tools/test: installs the Debian packages that are missing,
# as root or with sudo.
# Usage: need_packages NAME...

need_packages() {
    local missing=() name
    for name in "$@"; do
        dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q 'ok installed' ||
            missing+=("$name")
    done
    [ ${#missing[@]} -eq 0 ] && return 0
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || {
            echo "these packages are missing: ${missing[*]}; install them as root, or install" \
                "sudo and run this again" >&2
            return 1
        }
        as_root=(sudo)
    fi
    echo "installing ${missing[*]}" >&2
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq >&2
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

BUILD_PACKAGES=(gcc libc6-dev cmake ninja-build pkg-config libsqlite3-dev libcjson-dev libsodium-dev
    libinih-dev libcurl4-openssl-dev)
TEST_PACKAGES=(libopenblas0-pthread libcmocka-dev python3 python3-jsonschema sqlite3 openssl git)
