#!/bin/bash
# Does what matters here of the entrypoint of the official MongoDB image: creates the root user in an empty data folder,
# with a mongod on the loopback address without keys or a replica set. Then it runs the command.
set -eu
if [ "$1" = mongod ] && [ -n "${MONGO_INITDB_ROOT_PASSWORD_FILE:-}" ] && [ ! -e /data/db/WiredTiger ]; then
  mongod --bind_ip 127.0.0.1 --port 27017 --fork --logpath /data/db/docker-initdb.log --pidfilepath /tmp/initdb.pid
  /opt/stand-in/node /opt/stand-in/mongo-root-user.mjs
  mongod --shutdown
fi
if [ "$1" = mongod ]; then unset "${!MONGO_INITDB_@}"; fi
exec "$@"
