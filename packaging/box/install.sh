#!/bin/sh
# Installs the appliance from this bundle, or upgrades to it, without a network.
#
#   verify ─ look at the box ─ Debian packages ─ users, folders ─ the version's own folder ─ caches
#   ─ switch (one rename) ─ restart: calls end first
#
# Up to the switch nothing of the running version is touched: interrupted anywhere, it runs on, and
# started again this script goes on where it was. A step that was done is not done twice.
set -eu
umask 022
export LC_ALL=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

opt=/opt/appliance config=/etc/appliance/appliance.toml pinned=/etc/appliance/signing.pub
log=/var/log/appliance-install.log

usage() {
  cat <<'USAGE'
Usage: ./install.sh [--key FILE | --accept-key] [--answers FILE] [--verify-only]

As root, in the unpacked bundle, on Debian 12 (x86-64 with AVX2). Installs or upgrades.

  --key FILE      the supplier's public key, which you have from elsewhere than this bundle
  --accept-key    take the bundle's own key without asking (the first time; see below)
  --answers FILE  then run `appliance setup --answers FILE`
  --verify-only   only check the bundle
  -h, --help      this

The bundle is signed. A box that has an appliance verifies with the key that it kept from the first
installation. The first time there is none: then the key is shown, and asked about. Compare it with
the one that the supplier told you by another way. This script comes out of the bundle: to keep a
forged one out, verify the archive before you unpack it (share/docs/install.md).
Exit code: 0 done, 1 not done (the version before runs on), 2 wrong usage. With --answers, once it is
installed ("installed: VERSION"): that of `appliance setup`, 0 good, 1 warnings, 2 something fails.
Examples: ./install.sh --key /media/stick/appliance.pub
          ./install.sh --accept-key --answers answers.toml
USAGE
}
fail() { printf 'install: %s\n' "$*" >&2; exit 1; }
started=$(date +%s)
say() { printf '%4d s  %s\n' $(($(date +%s) - started)) "$*"; }

key='' accept=no answers='' verify_only=no
while [ $# -gt 0 ]; do
  case "$1" in
    --key) [ $# -ge 2 ] || { usage >&2; exit 2; }; key=$(readlink -f "$2"); shift 2 ;;
    --answers) [ $# -ge 2 ] || { usage >&2; exit 2; }; answers=$(readlink -f "$2"); shift 2 ;;
    --accept-key) accept=yes; shift ;;
    --verify-only) verify_only=yes; shift ;;
    -h|--help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
done
[ -z "$key" ] || [ -r "$key" ] || fail "no key $key"
[ -z "$answers" ] || [ -r "$answers" ] || fail "no answers $answers"
cd "$(dirname "$(readlink -f "$0")")"
[ -f SHA256SUMS ] && [ -f VERSION ] || fail "this is no unpacked bundle: $PWD"
version=$(cat VERSION)
bundle=$PWD

# ── Verify ────────────────────────────────────────────────────────────────────────────────────────
minisign() {
  # The box's own one, where it has it; else the bundle's, which needs its one library beside it.
  if [ -x /usr/bin/minisign ]; then /usr/bin/minisign "$@"
  else LD_LIBRARY_PATH=$bundle/verify "$bundle/verify/minisign" "$@"; fi
}
told_key() { sed -n 2p "$1"; }

choose_key() {
  if [ -n "$key" ]; then
    trusted=$key
    say "signature: with the key $key that you gave"
  elif [ -r $pinned ]; then
    trusted=$pinned
    say "signature: with the key that this box kept from its first installation"
  else
    trusted=$bundle/signing.pub
    say "signature: this box has no key yet, so with the one in the bundle:"
    printf '\n            %s\n\n' "$(told_key "$trusted")"
    echo "        It shows that the bundle is whole, not who made it: who changes a bundle can sign it"
    echo "        anew. Compare the line above with the one that the supplier told you another way."
    [ $accept = no ] || return 0
    [ -t 0 ] || fail "nobody to ask: --key FILE, or --accept-key"
    printf '        Is it the same? [y/N] '
    read -r answer
    case "$answer" in y|Y|yes) ;; *) fail "not accepted; nothing was changed" ;; esac
  fi
}

verify() {
  say "verifying the bundle $version"
  # What others can write they could change between here and the copying.
  others=$(find . ! -type l \( ! -user 0 ! -user "$(id -u)" -o -perm /022 \) -print -quit)
  [ -z "$others" ] || fail "$bundle: $others is not root's alone to write: as root, unpack the archive anew
  into a folder that is root's: mkdir -m 700 /root/bundle && tar -C /root/bundle -xf ARCHIVE"
  if [ ! -x /usr/bin/minisign ]; then
    # Damage only: these sums are not verified yet. Trust comes from the key, below.
    grep ' verify/' SHA256SUMS | sha256sum -c --quiet - || fail "verify/ is damaged: copy the bundle anew"
  fi
  choose_key
  minisign -V -q -p "$trusted" -m SHA256SUMS || fail "the signature is not of that key ($(told_key "$trusted")):
  the bundle is not the supplier's, or was changed. Nothing was changed here."
  sha256sum -c --quiet SHA256SUMS >&2 || fail "files are damaged or missing: copy the bundle anew"
  # What is in no list is not signed.
  found=$(find . -type f ! -path ./SHA256SUMS ! -path ./SHA256SUMS.minisig ! -path ./signing.pub | wc -l)
  [ "$found" -eq "$(wc -l <SHA256SUMS)" ] && [ -z "$(find . -type l)" ] \
    || fail "there are files in the bundle that are not signed: unpack it anew, into an empty folder"
  say "verified: signature and $found files"
}

# ── The box ───────────────────────────────────────────────────────────────────────────────────────
look() {
  [ "$(id -u)" -eq 0 ] || fail "needs root"
  [ "$(uname -m)" = x86_64 ] || fail "needs an x86-64 processor; this is $(uname -m)"
  for flag in avx2 fma f16c; do
    grep -qw $flag /proc/cpuinfo || fail "the processor lacks $flag, by which the models compute"
  done
  # shellcheck disable=SC1091
  system=$(. /etc/os-release; echo "$ID ${VERSION_ID-}")
  [ "$system" = "debian 12" ] || fail "needs Debian 12; this is $system"
  [ -d /run/systemd/system ] || fail "systemd does not run here"
  # shellcheck source=/dev/null
  . share/sizes                  # opt_kb, usr_kb
  [ -f $opt/versions/"$version"/.complete ] || enough $opt "$opt_kb"
  [ -x /usr/bin/rtpengine ] || enough /usr "$usr_kb"
  exec 9>/run/appliance-install.lock          # not in /run/lock, where everybody may write
  flock -n 9 || fail "another install.sh or uninstall.sh is at work"
}
enough() {
  place=$1
  while [ ! -d "$place" ]; do place=$(dirname "$place"); done
  free=$(df -Pk "$place" | awk 'NR == 2 { print $4 }')
  [ "$free" -ge "$2" ] || fail "$place has $((free / 1024)) MB free, and $(($2 / 1024)) MB are needed"
}

# ── Debian packages ───────────────────────────────────────────────────────────────────────────────
apt() {
  # From this bundle and from nowhere else; its packages are verified by now.
  apt-get -q -o Dir::Etc::sourcelist="$state/sources.list" -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::State::lists="$state/lists" -o Dir::Cache="$state/cache" -o APT::Sandbox::User=root \
    -o Dpkg::Use-Pty=0 -o Dpkg::Options::=--force-confold -o DPkg::Lock::Timeout=120 "$@"
}
packages() {
  state=/run/appliance-install
  rm -rf $state && mkdir -p $state/lists/partial $state/cache/archives/partial
  ln -s "$bundle/debs" $state/debs      # a path without spaces
  echo "deb [trusted=yes] file:$state/debs ./" >$state/sources.list
  # Their services stay down: the appliance has units of its own for them.
  systemctl -q mask kamailio.service rtpengine-daemon.service 2>/dev/null
  export DEBIAN_FRONTEND=noninteractive
  {
    dpkg --configure -a
    apt update
  } >>$log 2>&1 || { tail -n 20 $log >&2; fail "apt cannot read the bundle's packages: $log"; }
  # shellcheck disable=SC2046
  coming=$(apt -s --no-install-recommends --no-remove install $(cat debs/wanted) 2>>$log) \
    || { tail -n 20 $log >&2; fail "these packages do not go together with this system's: $log"; }
  coming=$(echo "$coming" | sed -n 's/^Inst \([^ ]*\) (.*/\1/p')   # new ones; not the upgraded
  # shellcheck disable=SC2086
  [ -z "$coming" ] || { mkdir -p /etc/appliance; printf '%s\n' $coming >>/etc/appliance/packages; }
  # shellcheck disable=SC2046
  apt -y --no-install-recommends --no-remove install $(cat debs/wanted) >>$log 2>&1 9>&- \
    || { tail -n 20 $log >&2; fail "apt could not install: $log"; }
  rm -rf $state
}

# ── Users, folders, configuration ─────────────────────────────────────────────────────────────────
folders() {
  systemd-sysusers "$bundle/share/systemd/sysusers.d/appliance.conf" >>$log 2>&1 || fail "users: $log"
  install -D -m 0644 "$bundle/share/systemd/tmpfiles.d/appliance.conf" /etc/tmpfiles.d/appliance.conf
  systemd-tmpfiles --create /etc/tmpfiles.d/appliance.conf >>$log 2>&1 || fail "folders: $log"
  install -D -m 0644 "$bundle/share/systemd/sysctl.d/60-appliance.conf" /etc/sysctl.d/60-appliance.conf
  /usr/lib/systemd/systemd-sysctl /etc/sysctl.d/60-appliance.conf >>$log 2>&1 || true   # a container may not
  own_name
  install -d -o appliance -g appliance -m 0750 /var/lib/appliance /var/cache/appliance
  # As their owner: root would follow a link that stands there, and give away what it leads to.
  (cd /var/cache/appliance && runuser -u appliance -- mkdir -p -m 0750 prompts voices intents numba)
  [ -e $config ] || install -m 0644 share/appliance.toml $config
}

# Programs ask for the name of the machine that they run on, SIP's most of all; what is in no file is
# asked of a name server.
own_name() {
  name=$(uname -n)
  awk -v name="$name" '{ sub(/#.*/, ""); for (i = 2; i <= NF; i++) if ($i == name) found = 1 } END { exit !found }' \
    /etc/hosts 2>>$log || { printf '127.0.1.1\t%s\n' "$name" >>/etc/hosts; say "own name: $name is in /etc/hosts now"; }
}

# ── The version ───────────────────────────────────────────────────────────────────────────────────
place() {
  folder=$opt/versions/$version
  sums=$(sha256sum <SHA256SUMS | cut -d' ' -f1)
  if [ -f "$folder/.complete" ]; then
    [ "$(cat "$folder/.complete")" = "$sums" ] && { say "version $version is there already"; return; }
    [ "$(readlink $opt/current || true)" != "versions/$version" ] \
      || fail "version $version runs, and is of another bundle: a bundle of the same version must be the same"
  fi
  rm -rf "$folder"
  mkdir -p "$folder"
  say "Python packages"
  {
    python3 -m venv --without-pip "$folder"
    "$folder/bin/python" -I "$(echo wheels/pip-*.whl)/pip" --disable-pip-version-check --no-input install -q \
      --no-index --no-deps --no-compile --no-cache-dir --require-hashes --root-user-action ignore \
      --find-links wheels -r wheels/requirements.txt
  } >>$log 2>&1 || { tail -n 20 $log >&2; fail "pip could not install: $log"; }
  # Compiled now: nobody may write there later. But for tables that we do not read, and tests, of
  # which some are examples of bad code.
  "$folder/bin/python" -m compileall -q -j 0 -x '/(tests?|geodata|carrierdata|tzdata)/' "$folder/lib" \
    >>$log 2>&1 || true
  say "models and units"
  cp -R models share "$folder/"
  chmod -R u=rwX,go=rX "$folder/models" "$folder/share"
  sync -f "$folder"
  echo "$sums" >"$folder/.complete.new"
  mv "$folder/.complete.new" "$folder/.complete"
  sync -f "$folder"
}

prepare() {
  calm=''
  ! systemctl -q is-active appliance-agent.service || calm=nice      # calls come first
  # The configuration as this version will read it, while `current` is still another one.
  next=/etc/appliance/.next.toml
  sed "s#$opt/current/#$folder/#g" $config >$next
  as_agent config check $next >>$log 2>&1 || refuse "$version cannot work with $config as it is"
  # As the agent runs, so that it finds them: compiled code lies by path, processor and user.
  as_agent models check --models "$folder/models/stt" --config $next >>$log 2>&1 \
    || refuse "the models do not load"
  if [ -n "$calm" ]; then
    say "prompts that this version speaks otherwise"
    as_agent prompts render --config $next >>$log 2>&1 || say "  they are rendered at the start: $log"
  fi
  rm -f $next
}
refuse() {
  rm -f $next
  tail -n 8 $log >&2
  fail "$1; nothing was switched: $log"
}
as_agent() {
  # shellcheck disable=SC2086
  $calm runuser -u appliance -- env HOME=/var/lib/appliance NUMBA_CACHE_DIR=/var/cache/appliance/numba \
    "$folder/bin/appliance" "$@"
}

# ── Switch ────────────────────────────────────────────────────────────────────────────────────────
switch() {
  mkdir -p /usr/local/bin
  [ -L /usr/local/bin/appliance ] || ln -s $opt/current/bin/appliance /usr/local/bin/appliance
  "$folder/bin/appliance" activate "$version" || fail "not switched to $version"
  if [ "$trusted" != $pinned ]; then
    install -m 0644 "$trusted" $pinned.new && mv $pinned.new $pinned
  fi
  for each in "$opt"/versions/*; do           # two are enough: this one and the one before
    case "versions/${each##*/}" in
      "$(readlink $opt/current)"|"$(readlink $opt/previous || true)") ;;
      *) rm -rf "$each" ;;
    esac
  done
}

verify
[ $verify_only = no ] || exit 0
look
echo "── $(date -u '+%F %T') install $version" >>$log
say "Debian packages (log: $log)"
packages
folders
place
say "models: sums, and what is compiled on the box"
prepare
say "switching to $version"
switch
say "installed: $version"
if [ -n "$answers" ]; then
  appliance setup --answers "$answers"
elif ! systemctl -q is-enabled appliance.target 2>/dev/null; then
  echo "        Next: appliance setup; or, with a configuration of before: appliance apply"
fi
