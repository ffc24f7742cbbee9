#!/bin/sh
# Removes the appliance; its data, configuration and Debian packages only where that is asked for.
set -eu
export LC_ALL=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

usage() {
  cat <<'USAGE'
Usage: sh /opt/appliance/current/share/uninstall.sh [--data] [--packages] [--yes]

As root. Lets calls end, then removes all versions, the units and the command.

  --data      also the records, databases, backups, caches, configuration and secrets of this box
  --packages  also the Debian packages that install.sh brought (kamailio, python3, …), if nothing
              else needs them
  --yes       do not ask
  -h, --help  this

Without --data a later installation goes on with everything as it was. Files are deleted, not
overwritten: where that matters, the disk was encrypted from the beginning or is destroyed.
USAGE
}
fail() { printf 'uninstall: %s\n' "$*" >&2; exit 1; }

data=no packages=no yes=no
for each in "$@"; do
  case "$each" in
    --data) data=yes ;;
    --packages) packages=yes ;;
    --yes) yes=yes ;;
    -h|--help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
done
[ "$(id -u)" -eq 0 ] || fail "needs root"
if [ $yes = no ]; then
  [ -t 0 ] || fail "nobody to ask: --yes"
  what="the appliance"
  [ $data = no ] || what="$what, ALL ITS DATA"
  [ $packages = no ] || what="$what, its Debian packages"
  printf 'Remove %s? [y/N] ' "$what"
  read -r answer
  case "$answer" in y|Y|yes) ;; *) fail "nothing was removed" ;; esac
fi
exec 9>/run/appliance-install.lock
flock -n 9 || fail "an install.sh is at work"
cd /

echo "stopping: calls end first"
systemctl -q disable --now appliance.target appliance-backup.timer appliance-retention.timer 2>/dev/null || true
systemctl -q stop 'appliance-*' 2>/dev/null || true
for each in /etc/systemd/system/appliance*; do       # what `appliance apply` enabled, and its drop-ins
  case "$each" in *.d) rm -rf "$each" ;; *.wants) rm -rf "$each" ;; esac
done
for each in /usr/local/lib/systemd/system/appliance*; do
  rm -f "$each"
done
rm -f /etc/tmpfiles.d/appliance.conf /etc/sysctl.d/60-appliance.conf
[ ! -L /usr/local/bin/appliance ] || rm /usr/local/bin/appliance
if [ $packages = no ]; then
  systemctl -q unmask kamailio.service rtpengine-daemon.service 2>/dev/null || true
elif [ -f /etc/appliance/packages ]; then
  # Only what install.sh brought, and only as long as nothing else would go with it.
  installed=$(dpkg-query -W -f '${Package} ${db:Status-Abbrev}\n' | awk '$2 ~ /^.i/ { print $1 }')
  ours=$(sort -u /etc/appliance/packages | grep -Fx "$installed" || true)
  # shellcheck disable=SC2086
  going=$(apt-get -s purge $ours | sed -n 's/^Purg \([^ ]*\).*/\1/p')
  for each in $going; do
    echo "$ours" | grep -qFx "$each" || fail "package $each, which you installed, needs ours: remove it, or leave --packages out"
  done
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive apt-get -y -q purge $ours 9>&-
  rm -f /etc/appliance/packages
  systemctl -q unmask kamailio.service rtpengine-daemon.service 2>/dev/null || true
fi
rm -rf /opt/appliance
if [ $data = yes ]; then
  rm -rf /var/lib/appliance /var/cache/appliance /etc/appliance /var/log/appliance-install.log
  for each in appliance-line appliance; do
    ! getent passwd $each >/dev/null || userdel $each
  done
  ! getent group appliance >/dev/null || groupdel appliance
fi
systemctl daemon-reload
echo "removed"
[ $data = yes ] || echo "kept: /etc/appliance, /var/lib/appliance, /var/cache/appliance"
