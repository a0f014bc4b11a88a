#!/usr/bin/env bash
# Builds the packages and tests them: the manual, the Debian packages with lintian and on a bare
# bookworm, the tarballs by unpacking and using them. Prints one line a test; a test that cannot run
# here says why. A stage of `tools/test full`.
set -u -o pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$top" || exit 2
failed=0
. tools/packages.sh
need_packages debootstrap lintian qemu-user-static mandoc man-db zsh ||
    echo "some of the tests below will be skipped"
tools/package || exit 1
lintian --profile debian --fail-on error,warning build-packages/*.deb || failed=1
test_one() { # SCRIPT ARGUMENT
    local status=0
    "tests/packages/$1" "$2" 2>&1 | sed 's/^skip/  skip/' || status=$?
    case $status in
        0) echo "ok       $1 $2" ;;
        77) ;; # it said why
        *) echo "FAILED   $1 $2" && failed=1 ;;
    esac
}
test_one test_manual.py build-deb/manual
test_one test_deb.sh build-packages
for tarball in build-packages/*.tar.gz; do
    test_one test_tarball.sh "$tarball"
done
exit $failed
