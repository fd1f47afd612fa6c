{{/* Name of the file with an organization's key: readable, and different for each name. */}}
{{- define "ape.keyFile" -}}
{{- printf "org-%s-%s" (regexReplaceAll "[^A-Za-z0-9]+" . "-" | trimAll "-" | trunc 40) (sha256sum . | trunc 8) }}
{{- end }}

{{- define "ape.createdSecret" -}}
{{ include "ape.fullname" . }}-keys
{{- end }}

{{/* Content of the chart's own Secret, as a map under "data". */}}
{{- define "ape.created" -}}
{{- $data := dict }}
{{- if not .Values.demo }}
{{- range .Values.organizations }}
{{- if .apiKey.value }}{{ $_ := set $data (include "ape.keyFile" .name) .apiKey.value }}{{ end }}
{{- end }}
{{- end }}
{{- if .Values.hooks.enabled }}{{ with .Values.hooks.token.value }}{{ $_ := set $data "hooks-token" . }}{{ end }}{{ end }}
{{- with .Values.users.hashKey.value }}{{ $_ := set $data "users-hash-key" . }}{{ end }}
{{- dict "data" $data | toYaml }}
{{- end }}

{{/* The sources of the volume with all keys, as a list under "sources". */}}
{{- define "ape.keySources" -}}
{{- $sources := list }}
{{- $created := list }}
{{- range $name, $_ := (include "ape.created" . | fromYaml).data }}
{{- $created = append $created (dict "key" $name "path" $name) }}
{{- end }}
{{- if $created }}
{{- $sources = append $sources (dict "secret" (dict "name" (include "ape.createdSecret" .) "items" $created)) }}
{{- end }}
{{- if not .Values.demo }}
{{- range .Values.organizations }}
{{- if .apiKey.secretName }}
{{- $item := dict "key" (.apiKey.secretKey | default "api-key") "path" (include "ape.keyFile" .name) }}
{{- $sources = append $sources (dict "secret" (dict "name" .apiKey.secretName "items" (list $item))) }}
{{- end }}
{{- end }}
{{- end }}
{{- with .Values.hooks }}
{{- if and .enabled .token.secretName }}
{{- $item := dict "key" .token.secretKey "path" "hooks-token" }}
{{- $sources = append $sources (dict "secret" (dict "name" .token.secretName "items" (list $item))) }}
{{- end }}
{{- end }}
{{- with .Values.storage.url }}
{{- if .secretName }}
{{- $item := dict "key" .secretKey "path" "storage-url" }}
{{- $sources = append $sources (dict "secret" (dict "name" .secretName "items" (list $item))) }}
{{- end }}
{{- end }}
{{- with .Values.users.hashKey }}
{{- if .secretName }}
{{- $item := dict "key" .secretKey "path" "users-hash-key" }}
{{- $sources = append $sources (dict "secret" (dict "name" .secretName "items" (list $item))) }}
{{- end }}
{{- end }}
{{- dict "sources" $sources | toYaml }}
{{- end }}

{{/* Name of the Secret with the web configuration; empty if there is none. */}}
{{- define "ape.webSecret" -}}
{{- if .Values.web.existingSecret }}
{{- .Values.web.existingSecret }}
{{- else if or .Values.web.tls.enabled .Values.web.basicAuth.enabled }}
{{- include "ape.fullname" . }}-web
{{- end }}
{{- end }}

{{- define "ape.webFile" -}}
/etc/agent-platform-exporter/web/{{ if .Values.web.existingSecret }}{{ .Values.web.existingSecretKey }}{{ else }}web-config.yml{{ end }}
{{- end }}
