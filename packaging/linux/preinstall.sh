#!/bin/sh
set -e
if ! getent passwd agent-platform-exporter >/dev/null; then
  useradd --system --user-group --no-create-home --home-dir /var/lib/agent-platform-exporter \
    --shell /usr/sbin/nologin agent-platform-exporter
fi
