#!/bin/sh
# Creates the secrets of docker-compose.yml in deploy/secrets, and its settings in .env. Existing files stay, so you can run it again at any time.
# To change a password, delete mongodb-uri or a rabbitmq-…-url. Run this script again and then "docker compose up --detach --force-recreate".
# For token-secret and sealing-key, see docs/run/secrets.md.
# mongodb-root-password is read only while the data volume is empty.
set -eu
umask 077
cd "$(dirname "$0")"

ENGINE=25.0.0
COMPOSE=2.24.4
fail() {
  echo "make-secrets: $1" >&2
  exit 1
}
# Fails if a version is lower than the required one.
require() {
  lower=$(printf '%s\n%s\n' "$2" "${3#v}" | sort -V | head -n 1)
  [ "$lower" = "$2" ] || fail "$1 $3 is too old. Install $2 or later."
}
command -v openssl >/dev/null || fail "openssl not found. Install the package openssl."
command -v docker >/dev/null || fail "docker not found. Install Docker Engine $ENGINE or later with Compose $COMPOSE or later."
engine=$(docker version --format '{{.Server.Version}}' 2>/dev/null) ||
  fail "cannot reach the Docker engine: $(docker version 2>&1 >/dev/null | tail -n 1)"
require "Docker Engine" "$ENGINE" "$engine"
compose=$(docker compose version --short 2>/dev/null) || fail "Docker Compose not found. Install its plugin, $COMPOSE or later."
require "Docker Compose" "$COMPOSE" "$compose"

# Nobody else may have placed the folder or a file in it. `find` does not follow symbolic links.
mkdir -p secrets
user=$(id -u)
[ -n "$(find secrets -prune -type d -user "$user")" ] ||
  fail "deploy/secrets belongs to another user or is a symbolic link. Run this script as its owner. Keep sealing-key: without it nobody can log in."
chmod 700 secrets
foreign=$(find secrets ! -user "$user" ! -user 0 | head -n 1)
[ -z "$foreign" ] ||
  fail "deploy/$foreign belongs to another user. If you trust its content, run \"chown $user deploy/$foreign\" as root. Keep sealing-key: without it nobody can log in."
cd secrets

# Writes the output of a command to a file, unless the file exists. Containers run as other users and must be able to read the files;
# on the host, the mode of the folder keeps other users out.
make() {
  name=$1
  shift
  if [ -s "$name" ]; then
    return
  fi
  # An interrupted run may have left one.
  rm -f "$name.new"
  "$@" >"$name.new"
  chmod 444 "$name.new"
  mv "$name.new" "$name"
  echo "created deploy/secrets/$name"
}

# Each fails if openssl does.
sealing_key() { key=$(openssl rand -base64 32) && echo "k1:$key"; }
mongodb_uri() { password=$(openssl rand -hex 24) && echo "mongodb://keyfold:$password@mongo:27017/keyfold?replicaSet=rs0"; }
rabbitmq_url() { password=$(openssl rand -hex 24) && echo "amqp://$1:$password@rabbitmq:5672/keyfold"; }

# RabbitMQ's format: base64 of a four-byte salt followed by the SHA-256 of salt and password.
password_hash() {
  password=$(sed 's|.*:\(.*\)@.*|\1|' "$1")
  salt=$(openssl rand -hex 4 | sed 's/\(..\)/\\x\1/g')
  {
    bytes "$salt"
    { bytes "$salt"; printf '%s' "$password"; } | openssl dgst -sha256 -binary
  } | openssl base64 -A
}
# POSIX printf supports only octal escapes.
bytes() {
  for byte in $(echo "$1" | sed 's/\\x/ /g'); do printf "\\$(printf '%03o' "0x$byte")"; done
}

# Users with least privilege, see docs/run/rabbitmq.md. The operator sets policies, which requires the administrator tag.
rabbitmq_definitions() {
  worker=$(password_hash rabbitmq-worker-url) && operator=$(password_hash rabbitmq-operator-url) || return 1
  cat <<EOF
{
  "vhosts": [{ "name": "keyfold" }],
  "users": [
    {
      "name": "keyfold-worker",
      "password_hash": "$worker",
      "hashing_algorithm": "rabbit_password_hashing_sha256",
      "tags": []
    },
    {
      "name": "keyfold-operator",
      "password_hash": "$operator",
      "hashing_algorithm": "rabbit_password_hashing_sha256",
      "tags": ["administrator"]
    }
  ],
  "permissions": [
    {
      "user": "keyfold-worker",
      "vhost": "keyfold",
      "configure": "^$",
      "write": "^(keyfold\\\\.events|keyfold\\\\.commands.*|amq\\\\.default)$",
      "read": "^keyfold\\\\.(commands\\\\.q|rpc)$"
    },
    {
      "user": "keyfold-operator",
      "vhost": "keyfold",
      "configure": "^(keyfold\\\\.|amq\\\\.default$)",
      "write": "^(keyfold\\\\.|amq\\\\.default$)",
      "read": "^keyfold\\\\."
    }
  ]
}
EOF
}

make token-secret openssl rand -base64 48
make sealing-key sealing_key
make mongodb-keyfile openssl rand -base64 48
make mongodb-root-password openssl rand -hex 24
make mongodb-uri mongodb_uri
# The definitions contain the hash of each password.
[ -s rabbitmq-worker-url ] && [ -s rabbitmq-operator-url ] || rm -f rabbitmq-definitions.json
make rabbitmq-worker-url rabbitmq_url keyfold-worker
make rabbitmq-operator-url rabbitmq_url keyfold-operator
make rabbitmq-definitions.json rabbitmq_definitions

settings() {
  cat <<EOF
# Settings of docker-compose.yml: see docs/run/docker.md.
COMPOSE_FILE=docker-compose.yml
KEYFOLD_GATEWAYS=3
KEYFOLD_WORKERS=2
# The published port.
KEYFOLD_PORT=5244
# The first three bytes of the network between the balancer and the gateways.
KEYFOLD_FRONT=172.16.52
# The tag of the images. deploy/upgrade.sh changes it.
KEYFOLD_TAG=$(date -u +%Y%m%d-%H%M%S)
EOF
}
cd ../..
if [ ! -s .env ]; then
  rm -f .env.new
  settings >.env.new
  chmod 644 .env.new
  mv .env.new .env
  echo "created .env"
else
  # A file that was cut off may end with a name without a value.
  settings | grep -v '^#' | while read -r line; do
    name=${line%%=*}
    if ! grep -q "^$name=." .env; then
      rm -f .env.new
      cp -p .env .env.new
      { grep -v "^$name=\$" .env || true; echo "$line"; } >.env.new
      mv .env.new .env
      echo "added $name to .env"
    fi
  done
fi
echo "Back up deploy/secrets/sealing-key: without it nobody can log in."
