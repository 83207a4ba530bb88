#!/bin/sh
# Replaces the running gateways and workers without a failed request, and stops at the first error:
#   git pull && sh deploy/upgrade.sh     # with the version in this folder
#   sh deploy/upgrade.sh 20261120-093000 # with an earlier one; "docker image ls keyfold" lists them
# For a moment there are twice as many gateways and workers. The last two images stay.
set -eu
cd "$(dirname "$0")/.."

fail() {
  echo "upgrade: $1" >&2
  exit 1
}
setting() { sed -n "s/^$1=//p" .env; }
count() { docker compose ps --quiet "$1" | wc -l; }
[ -s .env ] || fail 'there is no .env. Run "sh deploy/make-secrets.sh".'
running=$(setting KEYFOLD_TAG)
[ -n "$running" ] || fail 'KEYFOLD_TAG is missing in .env. Run "sh deploy/make-secrets.sh".'
new=${1:-$(date -u +%Y%m%d-%H%M%S)}
[ "$new" != "$running" ] || fail "version $new is already in .env."
# Overrides the tag in .env.
export KEYFOLD_TAG="$new"
# Lists the images of the version; the override for sshd has a second one.
images() { docker compose config --images | grep "^keyfold.*:$new\$" | sort -u; }

built=
if [ $# -eq 0 ]; then
  built=yes
  docker compose build || fail "cannot build the image. Version $running keeps running."
fi
for image in $(images); do
  docker image inspect "$image" >/dev/null 2>&1 || fail "there is no image $image. Version $running keeps running."
done
# Removes stopped containers. Recreated from the new image, the one-shot ones prepare the database and the broker first.
docker compose rm --force mongodb-setup migrate topology worker gateway

old=$(docker compose ps --quiet worker gateway)
# Removes what this upgrade has added. The version that was running never stopped.
give_up() {
  trap '' HUP INT TERM
  for container in $(docker compose ps --all --quiet worker gateway); do
    # Stopping first lets requests in flight end.
    case $old in *"$container"*) ;; *) docker stop "$container" >/dev/null && docker rm "$container" >/dev/null ;; esac
  done
  # An image from an earlier upgrade stays.
  if [ -n "$built" ]; then
    docker compose rm --force >/dev/null 2>&1 || true
    docker image rm $(images) >/dev/null || true
  fi
  fail "$1 Version $running keeps running."
}
trap 'give_up interrupted.' HUP INT TERM

# Starts the new containers beside the old ones.
workers=$(setting KEYFOLD_WORKERS)
gateways=$(setting KEYFOLD_GATEWAYS)
if [ -n "$old" ] && ! docker compose up --detach --wait --wait-timeout 180 --no-recreate \
  --scale "worker=$(($(count worker) + ${workers:-2}))" --scale "gateway=$(($(count gateway) + ${gateways:-3}))" worker gateway; then
  docker compose logs --tail 20 mongodb-setup migrate topology worker gateway || true
  give_up "cannot start version $new: see the logs above."
fi
# From here on the new version runs.
trap '' HUP INT TERM
rm -f .env.new
cp -p .env .env.new
sed "s/^KEYFOLD_TAG=.*/KEYFOLD_TAG=$new/" .env >.env.new
mv .env.new .env
# The balancer has to notice the new gateways before the first old one stops.
sleep 3
for container in $old; do
  docker stop "$container" >/dev/null
  docker rm "$container" >/dev/null
done
docker compose up --detach --wait

gateway=$(docker compose ps --quiet gateway | head -n 1)
project=$(docker inspect --format '{{index .Config.Labels "com.docker.compose.project"}}' "$gateway")
for image in $(docker image ls --filter "label=com.docker.compose.project=$project" --format '{{.Repository}}:{{.Tag}}'); do
  case $image in
    *":$new" | *":$running") ;;
    keyfold:[0-9]* | keyfold-sshd:[0-9]*) docker image rm "$image" >/dev/null || true ;;
  esac
done
echo "Version $new is running."
# Without an image of that tag, there is no way back.
if docker image inspect "keyfold:$running" >/dev/null 2>&1; then
  echo "To go back: sh deploy/upgrade.sh $running"
  echo 'A rollback cannot undo everything: see "Roll back" in docs/run/upgrade.md'
fi
