#!/bin/sh
# The `keyfold` command of the archive for linux-@CPU@. Run it from anywhere: "keyfold start", or "keyfold --help".
fail() {
  echo "keyfold: $1" >&2
  exit 1
}
case $(uname -sm) in
  'Linux x86_64') cpu=x64 ;;
  'Linux aarch64') cpu=arm64 ;;
  *) fail "there is no archive for $(uname -sm). Install from the sources." ;;
esac
[ $cpu = @CPU@ ] || fail "this archive is for linux-@CPU@, and this machine is linux-$cpu. Download the archive for linux-$cpu."
instead='Use the container image or the sources instead.'
libc=$(getconf GNU_LIBC_VERSION 2>/dev/null) || fail "cannot find glibc (getconf GNU_LIBC_VERSION), and Keyfold needs 2.28 or later. $instead"
case $libc in
  'glibc '[01].* | 'glibc 2.'? | 'glibc 2.1'? | 'glibc 2.2'[0-7]) fail "this system has $libc, and Keyfold needs 2.28 or later. $instead" ;;
esac
# The command may be a link to this file.
folder=$(dirname "$(readlink -f "$0")")
flag=
if [ "${1-}" = start ]; then
  # Bounds the memory of each thread (docs/decisions/0038).
  flag=--max-semi-space-size=16
  # Without a fixed threshold, glibc raises it after large blocks are freed and then returns less memory.
  export MALLOC_TRIM_THRESHOLD_="${MALLOC_TRIM_THRESHOLD_-1048576}"
fi
# shellcheck disable=SC2086 # no word if there is no flag
exec "$folder/bin/node" $flag "$folder/keyfold.mjs" "$@"
