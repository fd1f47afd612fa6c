#!/bin/sh
set -e
[ ! -d /run/systemd/system ] || systemctl daemon-reload
# RPM has no purge, so it keeps the history, like a Debian removal without purge.
if [ "$1" = purge ]; then
  rm -rf /var/lib/agent-platform-exporter /etc/agent-platform-exporter
  userdel agent-platform-exporter 2>/dev/null || true
fi
