{{/* The exporter's configuration file, without any key. */}}
{{- define "ape.config" -}}
{{- $config := deepCopy (.Values.config | default dict) }}
{{- /* The only fraction, which `helm --set` passes as text. */}}
{{- with $config.api }}{{ with .requests_per_second }}{{ $_ := set $config.api "requests_per_second" (float64 .) }}{{ end }}{{ end }}
{{- if .Values.users.teams.secretName }}
{{- $_ := set $config "teams" (dict "file" (printf "/etc/agent-platform-exporter/teams/%s" .Values.users.teams.secretKey)) }}
{{- end }}
{{- if and .Values.organizations (not .Values.demo) }}
{{- $orgs := list }}
{{- range $given := .Values.organizations }}
{{- $file := .apiKey.file | default (printf "/run/secrets/agent-platform-exporter/%s" (include "ape.keyFile" .name)) }}
{{- $org := dict "name" .name "api_key_file" $file }}
{{- range $value := list "platform" "account" "kind" "orgId" "linkHosts" "baseUrl" "appUrl" "seats" }}
{{- with get $given $value }}{{ $_ := set $org (snakecase $value) . }}{{ end }}
{{- end }}
{{- with .budget }}
{{- $budget := dict }}
{{- with .creditsPerMonth }}{{ $_ := set $budget "credits_per_month" (float64 .) }}{{ end }}
{{- with .amount }}{{ $_ := set $budget "amount" (float64 .) }}{{ end }}
{{- with .currency }}{{ $_ := set $budget "currency" . }}{{ end }}
{{- $_ := set $org "budget" $budget }}
{{- end }}
{{- with .prices }}
{{- $prices := list }}
{{- range . }}
{{- $prices = append $prices (dict "from" .from "currency" .currency "per_million_credits" (float64 .perMillionCredits)) }}
{{- end }}
{{- $_ := set $org "prices" $prices }}
{{- end }}
{{- with .billing }}{{ $_ := set $org "billing" (dict "period_starts" .periodStarts) }}{{ end }}
{{- with .calendar }}
{{- $calendar := dict }}
{{- with .country }}{{ $_ := set $calendar "country" . }}{{ end }}
{{- with .daysOff }}{{ $_ := set $calendar "days_off" . }}{{ end }}
{{- $_ := set $org "calendar" $calendar }}
{{- end }}
{{- $orgs = append $orgs $org }}
{{- end }}
{{- $_ := set $config "orgs" $orgs }}
{{- end }}
{{- toYaml $config }}
{{- end }}

{{- define "ape.args" -}}
- {{ if .Values.demo }}demo{{ else }}serve{{ end }}
- --config.file=/etc/agent-platform-exporter/config/config.yml
{{- if and (not .Values.demo) (not .Values.storage.url.secretName) }}
- --storage.path=/var/lib/agent-platform-exporter/history.db
{{- end }}
{{- if include "ape.sharded" . }}
# Kubernetes inserts the pod's index.
- --shard=$(POD_INDEX)
- --total-shards={{ .Values.replicas }}
{{- end }}
- --web.listen-address=:{{ .Values.web.port }}
- {{ printf "--web.telemetry-path=%s" .Values.web.telemetryPath | quote }}
{{- if .Values.web.enableLifecycle }}
- --web.enable-lifecycle
{{- end }}
{{- if include "ape.webSecret" . }}
- {{ printf "--web.config.file=%s" (include "ape.webFile" .) | quote }}
# The kubelet has no password; the health pages reveal nothing but the state.
- --web.open-health
{{- end }}
{{- with .Values.extraArgs }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "ape.env" -}}
{{- if include "ape.sharded" . }}
- name: POD_INDEX
  valueFrom:
    fieldRef:
      fieldPath: metadata.labels['apps.kubernetes.io/pod-index']
{{- end }}
{{- if .Values.storage.url.secretName }}
# The image sets a path.
- name: AGENT_PLATFORM_STORAGE_PATH
  value: ''
- name: AGENT_PLATFORM_STORAGE_URL_FILE
  value: /run/secrets/agent-platform-exporter/storage-url
{{- end }}
{{- if .Values.hooks.enabled }}
- name: AGENT_PLATFORM_HOOKS_TOKEN_FILE
  value: /run/secrets/agent-platform-exporter/hooks-token
{{- end }}
{{- if or .Values.users.hashKey.secretName .Values.users.hashKey.value }}
- name: AGENT_PLATFORM_USERS_HASH_KEY_FILE
  value: /run/secrets/agent-platform-exporter/users-hash-key
{{- end }}
{{- range .Values.extraEnv }}
{{- $variable := deepCopy . }}
{{- if not (has (kindOf .value) (list "string" "invalid")) }}{{ $_ := set $variable "value" (toJson .value) }}{{ end }}
- {{ toYaml $variable | nindent 2 | trim }}
{{- end }}
{{- end }}

{{- define "ape.probes" -}}
{{- $root := . }}
{{- range $name, $path := dict "livenessProbe" "/-/healthy" "readinessProbe" "/-/ready" "startupProbe" "/-/healthy" }}
{{- with get $root.Values $name }}
{{ $name }}:
  {{- if not (or .httpGet .exec .tcpSocket .grpc) }}
  {{- include "ape.probe" (list $root $path) | nindent 2 }}
  {{- end }}
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}

{{/* The kubelet has no client certificate: if one is required, the exporter checks itself. */}}
{{- define "ape.probe" -}}
{{- $root := index . 0 }}
{{- $path := index . 1 }}
{{- if and $root.Values.web.tls.enabled $root.Values.web.tls.clientCaKey -}}
exec:
  command:
    - /usr/local/bin/node
    - /app/bin/agent-platform-exporter.js
    - healthcheck
    - --web.listen-address=:{{ $root.Values.web.port }}
    - --web.config.file={{ include "ape.webFile" $root }}
{{- else -}}
httpGet:
  path: {{ $path }}
  port: {{ include "ape.scheme" $root }}
  {{- if $root.Values.web.tls.enabled }}
  scheme: HTTPS
  {{- end }}
{{- end }}
{{- end }}
