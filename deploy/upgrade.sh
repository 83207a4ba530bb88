#!/bin/sh
# Replaces the running gateways and workers without a failed request, and stops at the first error:
#   git pull && sh deploy/upgrade.sh     # by the version in this folder
#   sh deploy/upgrade.sh 20261120-093000 # by an earlier one; "docker image ls keyfold" lists them
# For a moment there are twice as many gateways and workers. The last two images stay.
set -eu
cd "$(dirname "$0")/.."

fail() {
  echo "upgrade: $1" >&2
  exit 1
}
[ -s .env ] || fail 'there is no .env. Run "sh deploy/make-secrets.sh".'
running=$(sed -n 's/^KEYFOLD_TAG=//p' .env)
new=${1:-$(date -u +%Y%m%d-%H%M%S)}
# Overrides the tag in .env.
export KEYFOLD_TAG="$new"

if [ $# -eq 0 ]; then
  docker compose build || fail "cannot build the image. Version $running keeps running."
else
  docker image inspect "keyfold:$new" >/dev/null 2>&1 || fail "there is no image keyfold:$new. Version $running keeps running."
fi
# Those of the new version prepare the database and the broker before the first new container starts.
docker compose rm --force mongodb-setup migrate topology

# Starts new containers of a service beside the old ones, waits until they are healthy, and then stops the old ones one at a time.
replace() {
  old=$(docker compose ps --quiet "$1")
  count=$(echo "$old" | wc -w)
  if ! docker compose up --detach --wait --no-recreate --scale "$1=$((count * 2))" "$1"; then
    docker compose logs --tail 20 mongodb-setup migrate topology "$1"
    for container in $(docker compose ps --all --quiet "$1"); do
      case $old in *"$container"*) ;; *) docker rm --force "$container" >/dev/null ;; esac
    done
    fail "cannot start version $new: see the logs above. Version $running keeps running."
  fi
  for container in $old; do
    docker stop "$container" >/dev/null
    docker rm "$container" >/dev/null
  done
}
replace worker
replace gateway

sed "s/^KEYFOLD_TAG=.*/KEYFOLD_TAG=$new/" .env >.env.new
mv .env.new .env
docker compose up --detach --wait
project=$(docker inspect --format '{{index .Config.Labels "com.docker.compose.project"}}' "$(docker compose ps --quiet mongo)")
for image in $(docker image ls --filter "label=com.docker.compose.project=$project" --format '{{.Repository}}:{{.Tag}}'); do
  case $image in *":$new" | *":$running") ;; *) docker image rm "$image" >/dev/null || true ;; esac
done
echo "Version $new is running. To go back: sh deploy/upgrade.sh $running"
