# Runs nginx in a mount namespace of its own: its folders /etc, /run, /var/log and /var/lib/nginx are its own, and the machine's stay as they are.
# Argument: a folder with what nginx-site.ts prepared.
set -eu
folder=$1
cd "$folder"
cp -a /etc etc
rm -f etc/nginx/conf.d/* etc/nginx/sites-enabled/*
install -m 644 keyfold.conf etc/nginx/conf.d/keyfold.conf
install -m 644 site.conf etc/nginx/sites-enabled/site
for snippet in keyfold-server.conf keyfold-login.conf; do install -m 644 "$snippet" "etc/nginx/snippets/$snippet"; done
mkdir -p etc/keyfold
install -m 644 nginx.crt etc/keyfold/nginx.crt
for secret in nginx.key nginx-token.conf; do install -m 600 "$secret" "etc/keyfold/$secret"; done
mount --bind etc /etc
mount -t tmpfs -o mode=755 tmpfs /run
mount -t tmpfs -o mode=755 tmpfs /var/log
mkdir /var/log/nginx
mount -t tmpfs -o mode=755 tmpfs /var/lib/nginx
exec /usr/sbin/nginx -g 'daemon off; error_log stderr;'
