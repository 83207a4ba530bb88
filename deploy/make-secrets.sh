#!/bin/sh
# Makes the secrets that docker-compose.yml names, in deploy/secrets. What is there stays, so it may be run again at any time.
# A new password: delete mongodb-uri, or a rabbitmq-…-url and rabbitmq-definitions.json, run it again, and then
# "docker compose up --detach --force-recreate". How token-secret and sealing-key are changed stands in docs/operating.md;
# mongodb-root-password is read only when there are no data yet.
set -eu
umask 077
mkdir -p "$(dirname "$0")/secrets"
cd "$(dirname "$0")/secrets"
command -v openssl >/dev/null || { echo "make-secrets: openssl is missing: install the package openssl" >&2; exit 1; }

# Writes what a command prints into a file, unless there is one. Containers have users of their own and must be able to read the files;
# on this machine the folder keeps everybody else out.
make() {
  name=$1
  shift
  if [ -s "$name" ]; then
    return
  fi
  "$@" >"$name.new"
  chmod 444 "$name.new"
  mv "$name.new" "$name"
  echo "made deploy/secrets/$name"
}

sealing_key() { echo "k1:$(openssl rand -base64 32)"; }
mongodb_uri() { echo "mongodb://keyfold:$(openssl rand -hex 24)@mongo:27017/keyfold?replicaSet=rs0"; }
rabbitmq_url() { echo "amqp://$1:$(openssl rand -hex 24)@rabbitmq:5672/keyfold"; }

# RabbitMQ's form: base64 of four bytes of salt and the SHA-256 of the salt and the password.
password_hash() {
  password=$(sed 's|.*:\(.*\)@.*|\1|' "$1")
  salt=$(openssl rand -hex 4 | sed 's/\(..\)/\\x\1/g')
  {
    bytes "$salt"
    { bytes "$salt"; printf '%s' "$password"; } | openssl dgst -sha256 -binary
  } | openssl base64 -A
}
# printf of POSIX knows octal numbers only.
bytes() {
  for byte in $(echo "$1" | sed 's/\\x/ /g'); do printf "\\$(printf '%03o' "0x$byte")"; done
}

# Users with the least rights, see docs/messaging.md. The operator sets policies, for which RabbitMQ wants an administrator.
rabbitmq_definitions() {
  cat <<EOF
{
  "vhosts": [{ "name": "keyfold" }],
  "users": [
    {
      "name": "keyfold-worker",
      "password_hash": "$(password_hash rabbitmq-worker-url)",
      "hashing_algorithm": "rabbit_password_hashing_sha256",
      "tags": []
    },
    {
      "name": "keyfold-operator",
      "password_hash": "$(password_hash rabbitmq-operator-url)",
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
make rabbitmq-worker-url rabbitmq_url keyfold-worker
make rabbitmq-operator-url rabbitmq_url keyfold-operator
make rabbitmq-definitions.json rabbitmq_definitions
echo "Keep deploy/secrets/sealing-key: without it nobody can log in again."
