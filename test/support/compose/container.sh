#!/bin/sh
# Does what a container engine does between creating the namespaces and starting the program: sets up a read-only root
# with its mounts, then changes the user. Usage: sh container.sh <folder> <host name> <user id> <capabilities>
# <working folder> <program> <arguments…> The environment is that of the container. The folder contains `etc` and `mounts`
# (ro|rw|tmpfs|folder <target> [<source>|<mode>|<owner>]).
set -eu
folder=$1 hostname=$2 user=$3 capabilities=$4 working=$5
shift 5
root=$folder/root
hostname "$hostname"
mount --make-rprivate /
mount -t tmpfs -o mode=755 tmpfs "$root"
mkdir "$root/dev" "$root/proc" "$root/run" "$root/usr" "$root/var"
cp -R "$folder/etc" "$root/etc"
# The programs of this machine replace those of the image.
mount -o bind,ro /usr "$root/usr"
mount -t tmpfs -o mode=755 tmpfs "$root/usr/local"
for name in bin lib lib32 lib64 libx32 sbin; do
  if [ -L "/$name" ]; then cp -d "/$name" "$root/$name"; fi
done
cp -a /etc/ld.so.cache /etc/alternatives "$root/etc/"
mount -t proc proc "$root/proc"
for device in null zero full random urandom; do
  touch "$root/dev/$device"
  mount -o bind "/dev/$device" "$root/dev/$device"
done
mkdir "$root/dev/shm"
mount -t tmpfs tmpfs "$root/dev/shm"
ln -s /proc/self/fd "$root/dev/fd"
ln -s /proc/self/fd/1 "$root/dev/stdout"
ln -s /proc/self/fd/2 "$root/dev/stderr"
while read -r kind target source; do
  case $kind in
    tmpfs) mkdir -p "$root$target" && mount -t tmpfs -o "mode=$source" tmpfs "$root$target" ;;
    folder) mkdir -p "$root$target" && chown "$source:$source" "$root$target" ;;
    *)
      if [ -d "$source" ]; then
        mkdir -p "$root$target"
      else
        mkdir -p "$(dirname "$root$target")" && touch "$root$target"
      fi
      mount -o "bind,$kind" "$source" "$root$target"
      ;;
  esac
done <"$folder/mounts"
mkdir -p "$root$working"
mount -o remount,ro "$root"

# Acts as the container's init: forwards signals and waits.
init='
"$@" &
program=$!
for name in TERM INT HUP USR1 USR2; do trap "kill -$name $program 2>/dev/null" "$name"; done
while :; do
  wait "$program" && status=0 || status=$?
  kill -0 "$program" 2>/dev/null || exit "$status"
done'
# Drops all capabilities but those that root keeps, and the means to gain any. Ends with the process that created the namespaces.
exec chroot "$root" /usr/bin/setpriv --pdeathsig KILL --reuid "$user" --regid "$user" --clear-groups --no-new-privs --bounding-set "$capabilities" --inh-caps=-all \
  /usr/bin/env --chdir="$working" sh -c "$init" init "$@"
