#!/bin/sh
set -e
[ ! -d /run/systemd/system ] || systemctl daemon-reload
# RPM has no purge, and keeps the history; so does a Debian removal that is no purge.
if [ "$1" = purge ]; then
  rm -rf /var/lib/agent-platform-exporter /etc/agent-platform-exporter
  userdel agent-platform-exporter 2>/dev/null || true
fi
