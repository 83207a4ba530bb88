# Runs ProFTPD in a mount namespace of its own: its folders /etc, /run, /usr/local, /var/log, /var/lib and /srv are its own, and the machine's stay
# as they are. Arguments: a folder with what proftpd-site.ts prepared, and the port.
set -eu
folder=$1
port=$2
cd "$folder"
cp -a /etc etc
echo 'keyfold-ftp:*:2903:2903::/nonexistent:/usr/sbin/nologin' >> etc/passwd
echo 'keyfold-ftp:x:2903:' >> etc/group
install -m 644 keyfold-proftpd etc/pam.d/keyfold-proftpd
install -m 644 proftpd.conf etc/proftpd/conf.d/keyfold.conf
mkdir -p etc/keyfold
install -m 644 pam.conf etc/keyfold/pam.conf
for secret in pam.token proftpd.crt proftpd.key; do install -m 600 "$secret" "etc/keyfold/$secret"; done
sed -i "s/^Port .*/Port $port/; s/^UseIPv6 .*/UseIPv6 off\nDefaultAddress 127.0.0.1\nSocketBindTight on/" etc/proftpd/proftpd.conf
mount --bind etc /etc
mount -t tmpfs -o mode=755 tmpfs /run
mkdir /run/proftpd
mount -t tmpfs -o mode=755 tmpfs /usr/local
mkdir /usr/local/libexec
install -m 755 keyfold-ssh /usr/local/libexec/keyfold-ssh
mount -t tmpfs -o mode=755 tmpfs /var/log
mkdir /var/log/proftpd
mount -t tmpfs -o mode=755 tmpfs /var/lib
mkdir /var/lib/keyfold-ftp
mount -t tmpfs -o mode=755 tmpfs /srv
mkdir /srv/ftp
mount --bind site /srv/ftp
/usr/local/libexec/keyfold-ssh users /var/lib/keyfold-ftp/passwd /srv/ftp 2903 < accounts
/usr/local/libexec/keyfold-ssh log /run/log &
exec /usr/sbin/proftpd --nodaemon --config /etc/proftpd/proftpd.conf
