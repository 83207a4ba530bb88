#!/bin/sh
# Starts sshd in its container. The volume /var/lib/keyfold-sshd keeps the host key and the cache.
set -eu
umask 022
mkdir -p /run/sshd /run/keyfold
# Every container user can read the secret, and keyfold-ssh refuses such a file.
install -m 640 -g keyfold-ssh /run/secrets/ssh-token /run/keyfold/ssh.token
cd /var/lib/keyfold-sshd
if [ ! -d keys ]; then
  mkdir -m 700 keys
fi
if [ ! -s keys/ed25519 ]; then
  ssh-keygen -q -t ed25519 -N '' -C keyfold -f keys/ed25519
fi
if [ ! -d cache ]; then
  mkdir -m 700 cache
fi
chown keyfold-ssh:keyfold-ssh cache
cd /
/usr/local/libexec/keyfold-ssh log /run/keyfold/log &
exec /usr/sbin/sshd -D -e
