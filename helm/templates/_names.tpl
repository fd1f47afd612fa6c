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
app.kubernetes.io/name: {{ include "ape.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "ape.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{ include "ape.selectorLabels" . }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | replace "+" "_" | trunc 63 | trimAll "-_." | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
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
{{- range concat (.Values.global.imagePullSecrets | default list) .Values.imagePullSecrets }}
{{- $secrets = append $secrets (ternary (dict "name" .) . (kindIs "string" .)) }}
{{- end }}
{{- dict "secrets" (uniq $secrets) | toYaml }}
{{- end }}

{{/* "true" if several pods split the organizations, each with a store of its own, otherwise empty. */}}
{{- define "ape.sharded" -}}
{{- if and (gt (int .Values.replicas) 1) (not .Values.storage.url.secretName) }}true{{ end }}
{{- end }}

{{/* An object as YAML, merged with extra members. Takes the object's text, the members and the name of their value. */}}
{{- define "ape.overlaid" -}}
{{- $own := index . 0 | fromYaml }}
{{- if hasKey $own "Error" }}{{ fail (printf "%s: %s" (index . 2) $own.Error) }}{{ end }}
{{- toYaml (mustMergeOverwrite $own (deepCopy (index . 1))) }}
{{- end }}

{{/* Name of the port, which is the scheme. */}}
{{- define "ape.scheme" -}}
{{- if .Values.web.tls.enabled }}https{{ else }}http{{ end }}
{{- end }}
