{{- define "ape.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "ape.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" }}
{{- else }}
{{- $name := include "ape.name" . }}
{{- if contains $name .Release.Name }}
{{- .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 50 | trimSuffix "-" }}
{{- end }}
{{- end }}
{{- end }}

{{/* Namespace of the objects that do not have their own. */}}
{{- define "ape.namespace" -}}
{{- default .Release.Namespace .Values.namespaceOverride }}
{{- end }}

{{- define "ape.selectorLabels" -}}
app.kubernetes.io/name: {{ include "ape.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{- define "ape.ownLabels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{ include "ape.selectorLabels" . }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | replace "+" "_" | trunc 63 | trimAll "-_." | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{/* Each label once: the chart's own take precedence, because selectors need them, then those given. Takes the root and labels. */}}
{{- define "ape.mergedLabels" -}}
{{- $root := index . 0 }}
{{- toYaml (merge (include "ape.ownLabels" $root | fromYaml) (index . 1 | default dict) ($root.Values.commonLabels | default dict)) }}
{{- end }}

{{- define "ape.labels" -}}
{{ include "ape.mergedLabels" (list . dict) }}
{{- end }}

{{- define "ape.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "ape.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "ape.image" -}}
{{- $image := .Values.image }}
{{- $repository := $image.repository }}
{{- with .Values.global.imageRegistry | default $image.registry }}{{ $repository = printf "%s/%s" . $image.repository }}{{ end }}
{{- if $image.digest }}
{{- printf "%s@%s" $repository $image.digest }}
{{- else }}
{{- printf "%s:%s" $repository ($image.tag | default .Chart.AppVersion) }}
{{- end }}
{{- end }}

{{/* The pull Secrets of this chart and of all charts, as a list under "secrets". */}}
{{- define "ape.pullSecrets" -}}
{{- $secrets := list }}
{{- range concat (.Values.global.imagePullSecrets | default list) (.Values.imagePullSecrets | default list) }}
{{- $secrets = append $secrets (ternary (dict "name" .) . (kindIs "string" .)) }}
{{- end }}
{{- dict "secrets" (uniq $secrets) | toYaml }}
{{- end }}

{{/* "true" if several pods split the organizations, each with a store of its own, otherwise empty. */}}
{{- define "ape.sharded" -}}
{{- if and (gt (int .Values.replicas) 1) (not .Values.storage.url.secretName) }}true{{ end }}
{{- end }}

{{/* An object as YAML, merged with extra members, if any. Takes the object's text, the members and the name of their value. */}}
{{- define "ape.overlaid" -}}
{{- $own := index . 0 | fromYaml }}
{{- if hasKey $own "Error" }}{{ fail (printf "%s: %s" (index . 2) $own.Error) }}{{ end }}
{{- $merged := mustMergeOverwrite $own (deepCopy (index . 1 | default dict)) }}
{{- with $merged.scrapeTimeout }}
{{- $interval := $merged.interval | default $merged.scrapeInterval }}
{{- if gt (int64 (include "ape.milliseconds" .)) (int64 (include "ape.milliseconds" $interval)) }}
{{- fail (printf "serviceMonitor.scrapeTimeout: %s is above the interval of %s, which Prometheus refuses (merged with %s)" . $interval (index $ 2)) }}
{{- end }}
{{- end }}
{{- toYaml $merged }}
{{- end }}

{{/* Takes a duration in Prometheus' format. */}}
{{- define "ape.milliseconds" -}}
{{- $units := dict "ms" 1 "s" 1000 "m" 60000 "h" 3600000 "d" 86400000 "w" 604800000 "y" 31536000000 }}
{{- $sum := 0 }}
{{- range regexFindAll "[0-9]+[a-z]+" (toString .) -1 }}
{{- $sum = add $sum (mul (regexFind "[0-9]+" .) (get $units (regexFind "[a-z]+" .))) }}
{{- end }}
{{- $sum }}
{{- end }}

{{/* Name of the port, which is the scheme. */}}
{{- define "ape.scheme" -}}
{{- if .Values.web.tls.enabled }}https{{ else }}http{{ end }}
{{- end }}
