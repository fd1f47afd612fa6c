{{/* What a schema cannot say. */}}
{{- define "ape.checks" -}}
{{- $names := list }}
{{- range .Values.organizations }}
{{- if has .name $names }}{{ fail (printf "organizations: %q is there twice" .name) }}{{ end }}
{{- $names = append $names .name }}
{{- end }}
{{- if and .Values.demo (include "ape.sharded" .) }}{{ fail "demo: cannot have more than one replica" }}{{ end }}
{{- if and .Values.persistence.existingClaim (include "ape.sharded" .) }}
{{- fail "persistence.existingClaim: one claim cannot serve several replicas; leave it empty, and each gets its own" }}
{{- end }}
{{- with .Values.hooks }}
{{- if and .enabled (not .token.secretName) (not .token.value) }}{{ fail "hooks.enabled: needs hooks.token.secretName or hooks.token.value" }}{{ end }}
{{- if and .token.secretName .token.value }}{{ fail "hooks.token: takes secretName or value, not both" }}{{ end }}
{{- if and (not .enabled) (or .ingress.enabled .httpRoute.enabled) }}{{ fail "hooks.ingress, hooks.httpRoute: need hooks.enabled" }}{{ end }}
{{- if and .httpRoute.enabled (not .httpRoute.parentRefs) }}{{ fail "hooks.httpRoute.enabled: needs hooks.httpRoute.parentRefs" }}{{ end }}
{{- if and .ingress.enabled (not .ingress.hosts) }}{{ fail "hooks.ingress.enabled: needs hooks.ingress.hosts" }}{{ end }}
{{- end }}
{{- with .Values.users.hashKey }}
{{- if and .secretName .value }}{{ fail "users.hashKey: takes secretName or value, not both" }}{{ end }}
{{- end }}
{{- if and .Values.users.teams.secretName .Values.config.teams }}{{ fail "users.teams.secretName: config.teams names another file" }}{{ end }}
{{- with .Values.web }}
{{- if not .existingSecret }}
{{- if and .tls.enabled (not .tls.secretName) }}{{ fail "web.tls.enabled: needs web.tls.secretName" }}{{ end }}
{{- if and .basicAuth.enabled (not .basicAuth.users) }}{{ fail "web.basicAuth.enabled: needs web.basicAuth.users" }}{{ end }}
{{- end }}
{{- if and .tls.enabled (not .tls.secretName) (or $.Values.serviceMonitor.enabled $.Values.podMonitor.enabled) (not $.Values.serviceMonitor.tlsConfig) }}
{{- fail "web.tls.enabled: Prometheus needs serviceMonitor.tlsConfig or web.tls.secretName" }}
{{- end }}
{{- if and .basicAuth.enabled (or $.Values.serviceMonitor.enabled $.Values.podMonitor.enabled) (not $.Values.serviceMonitor.basicAuth) }}
{{- fail "web.basicAuth.enabled: Prometheus needs serviceMonitor.basicAuth" }}
{{- end }}
{{- end }}
{{- if and .Values.grafanaDashboards.enabled (not .Values.dashboards.enabled) }}{{ fail "grafanaDashboards.enabled: needs dashboards.enabled" }}{{ end }}
{{- end }}
