#!/usr/bin/env bash
# Proves that an installed box sends nothing but to its PBX, and says so in a report for an auditor.
#
#   ┌ namespace: pbx ─────────────┐  veth  ┌ namespace: box ──────────────────────────────────┐
#   │ kamailio (registrar, digest)│ ⇄ lan ⇄│ a bare Debian, booted with its own systemd:      │
#   │ scripted caller             │    │   │ bundle -> install.sh -> appliance setup -> calls │
#   └─────────────────────────────┘    │   └──────────────────────────────────────────────────┘
#                                capture + counters
#
# The box gets a default route and a name server, both beyond the PBX: a packet or a look-up that it
# tried to send elsewhere would be on the wire, and be seen. At the end that is tried on purpose.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH="$PATH:/usr/sbin:/sbin"
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

usage() {
  cat <<'USAGE'
Usage: scripts/prove_airgap.sh [--bundle FILE] [--key FILE] [--flows "A B …"] [--out FOLDER]

As root. Makes a bare Debian root (debootstrap), boots it in a network namespace whose only link
leads to a PBX in another one, installs the bundle there, registers, takes a call with each flow,
and shows that not one packet and not one name look-up left for anywhere else.

  --bundle FILE  the archive to install; default: the newest of dist/ (make package)
  --key FILE     its public key; default: the .pub beside the bundle
  --flows LIST   default: collections booking campaign renovation status
  --out FOLDER   report.txt, report.json, capture, logs; default: var/airgap
Exit code: 0 proven, 1 not, 2 it could not be tried.
Examples: scripts/prove_airgap.sh
          scripts/prove_airgap.sh --bundle appliance.tar.zst --key appliance.pub --flows collections
USAGE
}
fail() { printf 'prove_airgap: %s\n' "$*" >&2; exit 2; }
say() { printf '%4d s  %s\n' "$SECONDS" "$*"; }

bundle='' key='' out=var/airgap flows='collections booking campaign renovation status'
while [ $# -gt 0 ]; do
  case "$1" in
    --bundle) bundle=$2; shift 2 ;;
    --key) key=$2; shift 2 ;;
    --flows) flows=$2; shift 2 ;;
    --out) out=$2; shift 2 ;;
    -h|--help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
done
[ "$(id -u)" -eq 0 ] || fail "needs root: it makes network namespaces and boots a system in one"
for tool in debootstrap systemd-nspawn nsenter ip nft dumpcap tshark kamailio flite; do
  command -v "$tool" >/dev/null || fail "$tool is missing: scripts/install test-all"
done
[ -n "$bundle" ] || bundle=$(ls -t dist/appliance-*.tar.* 2>/dev/null | grep -E '\.(zst|gz|xz)$' | head -1) \
  || true
[ -f "$bundle" ] || fail "no bundle: make package, or --bundle FILE"
[ -n "$key" ] || key=$(dirname "$bundle")/appliance.pub   # beside it, as make package leaves them
[ -f "$key" ] || fail "no public key $key: --key FILE"

python=.venv/bin/python
box_address=192.0.2.2 pbx_address=192.0.2.1     # of TEST-NET-1 (RFC 5737): nobody's
elsewhere=198.51.100.53                         # of TEST-NET-2: a name server that is not there
mkdir -p "$out"
out=$(realpath "$out")
rm -rf "$out"/calls "$out"/*.pcapng "$out"/*.log "$out"/report.*   # not bare.tar
root=$out/root
id=$((BASHPID % 100000)) pids=()
box=agbox$id pbx=agpbx$id

cleanup() {
  set +e
  if [ -n "${leader:-}" ]; then
    [ -f "$out/journal.log" ] || inside journalctl -q --no-pager -o short-iso > "$out/journal.log"
    inside systemctl poweroff 2>/dev/null
    for _ in $(seq 100); do kill -0 "$nspawn" 2>/dev/null || break; sleep 0.2; done
  fi
  for pid in "${pids[@]}"; do
    kill "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
  done
  ip netns del "$box" 2>/dev/null
  ip netns del "$pbx" 2>/dev/null
  for tree in /sys/fs/cgroup/systemd /sys/fs/cgroup/unified /sys/fs/cgroup; do
    [ ! -d "$tree/$box" ] || find "$tree/$box" -depth -type d -exec rmdir {} + 2>/dev/null
  done
}
trap cleanup EXIT
trap 'exit 2' INT TERM

# Runs a command in the booted box, as its root, with nothing of this shell's environment.
inside() {
  nsenter -t "$leader" -m -u -i -n -p -- env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    HOME=/root LANG=C.UTF-8 "$@"
}
in_pbx() { ip netns exec "$pbx" "$@"; }

bare_root() {
  # Kept for the next time: a bare root is the same tomorrow.
  local kept=$out/bare.tar
  if [ ! -f "$kept" ]; then
    local mirror
    mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' 'Created-By: Packages' \
      | awk '$2 == "bookworm" { print $1; exit }')
    debootstrap --variant=minbase --include=systemd,systemd-sysv,dbus,iproute2 bookworm \
      "$out/making" "$mirror" >"$out/debootstrap.log" 2>&1 || fail "debootstrap: $out/debootstrap.log"
    rm -f "$out/making"/var/cache/apt/archives/*.deb
    tar -C "$out/making" --one-file-system -cf "$kept.part" . && mv "$kept.part" "$kept"
    rm -rf "$out/making"
  fi
  rm -rf "$root"
  mkdir "$root"
  tar -C "$root" -xf "$kept"
  : > "$root/etc/apt/sources.list"
  echo "nameserver $elsewhere" > "$root/etc/resolv.conf"
  # Not none: systemd would take it for a first boot, and enable every service that there is.
  tr -d - < /proc/sys/kernel/random/uuid > "$root/etc/machine-id"
  echo box > "$root/etc/hostname"
}

networks() {
  ip netns add "$pbx"
  ip netns add "$box"
  ip link add "a$id" type veth peer name "b$id"
  ip link set "a$id" netns "$pbx" name lan
  ip link set "b$id" netns "$box" name lan
  for each in "$pbx $pbx_address" "$box $box_address"; do
    # Its own kernel would announce itself by IPv6; what is judged here is the box's software.
    ip netns exec "${each% *}" sysctl -q -w net.ipv6.conf.all.disable_ipv6=1
    ip -n "${each% *}" link set lo up
    ip -n "${each% *}" addr add "${each#* }/24" dev lan
    ip -n "${each% *}" link set lan up
  done
  ip -n "$box" route add default via "$pbx_address"
  ip netns exec "$box" nft -f - <<NFT
table inet proof {
  counter to_pbx {}
  counter elsewhere {}
  counter look_ups {}
  chain out {
    type filter hook output priority 0;
    oifname "lo" accept
    meta l4proto { udp, tcp } th dport { 53, 137, 853, 5353, 5355 } counter name look_ups
    ip daddr $pbx_address counter name to_pbx accept
    counter name elsewhere
  }
}
NFT
}

counters() { ip netns exec "$box" nft -j list counters table inet proof; }

capture() {  # $1: file
  ip netns exec "$box" dumpcap -q -s 128 -i lan -w "$1" 2>"$out/dumpcap.log" &
  capturing=$!
  pids+=("$capturing")
  for _ in $(seq 100); do [ -s "$1" ] && return; sleep 0.1; done
  fail "the capture did not start: $out/dumpcap.log"
}
end_capture() { sleep 1; kill -INT "$capturing"; wait "$capturing" 2>/dev/null || true; }

# Control groups of its own: boxes booted side by side would share those of units of the same name,
# and with them each other's address filters.
own_groups() {
  for tree in /sys/fs/cgroup/systemd /sys/fs/cgroup/unified /sys/fs/cgroup; do
    [ -f "$tree/cgroup.procs" ] || continue
    mkdir -p "$tree/$box" && echo "$BASHPID" > "$tree/$box/cgroup.procs"
  done
}

boot() {
  (own_groups; exec systemd-nspawn -q -D "$root" --network-namespace-path="/run/netns/$box" --boot --register=no \
    --keep-unit --resolv-conf=off --timezone=off --machine=box) </dev/null >"$out/console.log" 2>&1 &
  nspawn=$!
  pids+=("$nspawn")
  for _ in $(seq 300); do
    leader=$(pgrep -P "$nspawn" | head -1) || true
    if [ -n "$leader" ] && inside systemctl is-system-running 2>/dev/null | grep -qE 'running|degraded'
    then return; fi
    sleep 0.2
  done
  fail "the root does not boot: $out/console.log"
}

start_pbx() {
  local modules=/usr/lib/x86_64-linux-gnu/kamailio/modules
  sed -e "s#@ADDRESS@#$pbx_address#g; s#@MODULES@#$modules#; s#@BOX_SECRET@#$box_secret#; s#@CALLER_SECRET@#$caller_secret#" \
    scripts/airgap/pbx.cfg > "$out/pbx.cfg"
  in_pbx kamailio -f "$out/pbx.cfg" -DD -E -m 64 -M 8 -w "$out" -Y "$out" >"$out/pbx.log" 2>&1 &
  pids+=("$!")
}

set_flow() {  # as an operator does: another flow in the configuration, and `appliance apply`
  local file=/etc/appliance/appliance.toml
  sed -i -E -e "/^\[call\]/,/^\[/ s#^flow = .*#flow = \"$1\"#" \
    -e "/^\[call\]/,/^\[/ s#^\#? ?accounts = .*#accounts = \"$shipped/$1/accounts.example.yaml\"#" "$root$file"
  if [ "$1" = status ] && ! grep -q '^\[sources.mcp.people\]' "$root$file"; then
    printf '\n[sources.mcp.people]\ncommand = ["/opt/appliance/current/bin/python", "-m", "appliance.samples.people"]\n' \
      >> "$root$file"
    inside appliance docs add --config "$file" "$shipped/../samples/documents"
  fi
  inside appliance apply
}

ready() {  # waits until the box takes calls
  for _ in $(seq 600); do
    if inside appliance health --json 2>/dev/null | grep -q '"ready": true'; then return; fi
    sleep 0.2
  done
  inside journalctl -q --no-pager -n 50 >&2 || true
  fail "the box did not become ready; its journal is above"
}

box_secret=$($python -c 'import secrets; print(secrets.token_hex(12))')
caller_secret=$($python -c 'import secrets; print(secrets.token_hex(12))')
printf '%s\n' "$caller_secret" > "$out/caller-secret"

say "a bare Debian root, and two hosts on one wire"
bare_root
networks
start_pbx
capture "$out/proof.pcapng"
boot
cp "$bundle" "$key" "$root/root/"
say "the bundle: $(basename "$bundle"), $(du -m "$bundle" | cut -f1) MB"
began=$(date +%s.%N)
inside sh -c "cd /root && mkdir bundle && tar -C bundle --strip-components=1 -xf $(basename "$bundle")" || fail "the bundle cannot be unpacked"
inside /root/bundle/install.sh --key "/root/$(basename "$key")" >"$out/install.log" 2>&1 \
  || fail "install.sh failed: $out/install.log"
say "installed"
shipped=$(inside /opt/appliance/current/bin/python -c 'import appliance.flows as f; print(*f.__path__)')
sed -e "s#@PBX@#$pbx_address#; s#@ADDRESS@#$box_address#; s#@SECRET@#$box_secret#; s#@FLOWS@#$shipped#" \
  scripts/airgap/answers.toml > "$root/root/answers.toml"
inside appliance setup --answers /root/answers.toml >"$out/setup.log" 2>&1 || fail "setup failed: $out/setup.log"
ready
say "set up, registered, ready"
in_pbx $python -m appliance.testing.airgap.first_call "sip:200@$pbx_address" --address "$pbx_address" \
  --password-file "$out/caller-secret" >"$out/first_call.log" 2>&1 || fail "no call was answered: $out/first_call.log"
answered=$(date +%s.%N)
say "first call answered"

mkdir -p "$out/calls"
for flow in $flows; do
  set_flow "$flow" >"$out/calls/$flow.log" 2>&1 || fail "flow $flow: $out/calls/$flow.log"
  ready
  in_pbx $python scripts/bench_latency.py --target "sip:200@$pbx_address" --flow "$flow" --calls 1 --warm-up 0 \
    --user 300 --password-file "$out/caller-secret" --register --calls-folder "$root/var/lib/appliance/calls" \
    --json "$out/calls/$flow.json" >>"$out/calls/$flow.log" 2>&1 || true   # the report judges the call
  say "a call with $flow"
done

counters > "$out/counters.json"
end_capture
inside ss -Htulpn > "$out/sockets.txt"
inside journalctl -q --no-pager -o short-iso > "$out/journal.log"

say "a look-up and a connection on purpose: would they be seen?"
capture "$out/control.pcapng"
inside timeout 4 getent hosts control.invalid || true
inside timeout 4 bash -c 'exec 3<>/dev/tcp/198.51.100.7/443' 2>/dev/null || true
end_capture
counters > "$out/control_counters.json"

$python -m appliance.testing.airgap.report --folder "$out" --box "$box_address" --pbx "$pbx_address" \
  --flows "$flows" --bundle "$bundle" --seconds "$(echo "$began $answered" | awk '{ printf "%.1f", $2 - $1 }')"
