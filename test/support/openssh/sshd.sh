# Runs sshd in a mount namespace of its own: its folders /etc, /run, /usr/local and /srv are its own, and the machine's stay as they are.
# Arguments: a folder with what sshd.ts prepared, and the port.
set -eu
folder=$1
cd "$folder"
cp -a /etc etc
cat groups >> etc/group
sed -i 's/^passwd:.*/passwd: files extrausers/' etc/nsswitch.conf
cat users >> etc/passwd
cat pam >> etc/pam.d/sshd
mkdir -p etc/keyfold
install -m 644 ssh.conf etc/keyfold/ssh.conf
install -m 640 -g 2900 ssh.token etc/keyfold/ssh.token
mount --bind etc /etc
mount -t tmpfs -o mode=755 tmpfs /run
mkdir /run/sshd
mount -t tmpfs -o mode=755 tmpfs /usr/local
mkdir /usr/local/libexec
install -m 755 keyfold-ssh /usr/local/libexec/keyfold-ssh
mount -t tmpfs -o mode=755 tmpfs /var/cache
install -d -o 2900 -g 2900 -m 700 /var/cache/keyfold-ssh
mount -t tmpfs -o mode=755 tmpfs /srv
mkdir /srv/sftp
mount -t tmpfs -o mode=755 tmpfs /var/lib/extrausers
if [ -s accounts ]; then
  /usr/local/libexec/keyfold-ssh users /var/lib/extrausers/passwd /srv/sftp 2901 < accounts
fi
exec /usr/sbin/sshd -D -e -f "$folder/sshd_config"
