# Runs rclone as its unit does, in a mount namespace of its own: its folders /etc/keyfold, /usr/local, /srv and /var/cache are its own, and the
# machine's stay as they are. Arguments: a folder with what rclone-server.ts prepared, the id of the service's user, the path of rclone, and the
# command of the unit.
set -eu
folder=$1
id=$2
rclone=$3
shift 3
cp -a /etc "$folder/etc"
mkdir -p "$folder/etc/keyfold"
install -m 644 "$folder/rclone.conf" "$folder/etc/keyfold/rclone.conf"
for secret in rclone.token rclone_host_key rclone.crt rclone.key; do
  install -m 640 -g "$id" "$folder/$secret" "$folder/etc/keyfold/$secret"
done
mount --bind "$folder/etc" /etc
# The user of the service cannot enter the folder of a downloaded one.
mount --bind "$rclone" /usr/bin/rclone
mount -t tmpfs -o mode=755 tmpfs /usr/local
mkdir /usr/local/libexec
install -m 755 "$folder/keyfold-ssh" /usr/local/libexec/keyfold-ssh
mount -t tmpfs -o mode=755 tmpfs /var/cache
install -d -o "$id" -g "$id" -m 700 /var/cache/keyfold-rclone
mount -t tmpfs -o mode=755 tmpfs /srv
mkdir /srv/keyfold
mount --bind "$folder/site" /srv/keyfold
umask 077
exec env -i PATH=/usr/bin:/bin RCLONE_CONFIG=/dev/null \
  setpriv --reuid "$id" --regid "$id" --clear-groups --no-new-privs --bounding-set=-all "$@"
