#!/bin/bash
# What matters here of the entry point of the official image of MongoDB: on an empty data folder it makes the root user with a mongod
# that listens on the loopback address and knows neither keys nor replica set; then it becomes the command.
set -eu
if [ "$1" = mongod ] && [ -n "${MONGO_INITDB_ROOT_PASSWORD_FILE:-}" ] && [ ! -e /data/db/WiredTiger ]; then
  mongod --bind_ip 127.0.0.1 --port 27017 --fork --logpath /data/db/docker-initdb.log --pidfilepath /tmp/initdb.pid
  /opt/stand-in/node /opt/stand-in/mongo-root-user.mjs
  mongod --shutdown
fi
if [ "$1" = mongod ]; then unset "${!MONGO_INITDB_@}"; fi
exec "$@"
