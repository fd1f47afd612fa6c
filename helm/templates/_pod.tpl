{{/* The pod's labels, annotations and specification, the same for a Deployment and a StatefulSet. */}}
{{- define "ape.podTemplate" -}}
metadata:
  labels:
    {{- include "ape.mergedLabels" (list . .Values.podLabels) | nindent 4 }}
  annotations:
    {{- toYaml (merge (dict "checksum/config" (include "ape.config" . | sha256sum)) (.Values.podAnnotations | default dict)) | nindent 4 }}
spec:
  {{- include "ape.overlaid" (list (include "ape.podSpec" .) .Values.extraPodSpec "extraPodSpec") | nindent 2 }}
{{- end }}

{{- define "ape.podSpec" -}}
{{- $keys := (include "ape.keySources" . | fromYaml).sources }}
{{- $webSecret := include "ape.webSecret" . }}
serviceAccountName: {{ include "ape.serviceAccountName" . | quote }}
automountServiceAccountToken: false
# Variables that Kubernetes derives from Services would have the prefix of the exporter's options.
enableServiceLinks: false
{{- with (include "ape.pullSecrets" . | fromYaml).secrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- with .Values.runtimeClassName }}
runtimeClassName: {{ . | quote }}
{{- end }}
{{- with .Values.hostAliases }}
hostAliases:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.dnsPolicy }}
dnsPolicy: {{ . }}
{{- end }}
{{- with .Values.dnsConfig }}
dnsConfig:
  {{- toYaml . | nindent 2 }}
{{- end }}
terminationGracePeriodSeconds: {{ .Values.terminationGracePeriodSeconds }}
securityContext:
  {{- toYaml .Values.podSecurityContext | nindent 2 }}
{{- with .Values.initContainers }}
initContainers:
  {{- toYaml . | nindent 2 }}
{{- end }}
containers:
  - {{ include "ape.overlaid" (list (include "ape.container" .) .Values.extraContainerSpec "extraContainerSpec") | nindent 4 | trim }}
  {{- with .Values.extraContainers }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
volumes:
  - name: config
    configMap:
      name: {{ include "ape.fullname" . }}
  {{- if not .Values.persistence.enabled }}
  - name: data
    emptyDir:
      sizeLimit: {{ .Values.persistence.emptyDirSizeLimit | quote }}
  {{- else if not (include "ape.sharded" .) }}
  - name: data
    persistentVolumeClaim:
      claimName: {{ .Values.persistence.existingClaim | default (include "ape.fullname" .) | quote }}
  {{- end }}
  {{- if $keys }}
  - name: keys
    projected:
      defaultMode: 0440
      sources:
        {{- toYaml $keys | nindent 8 }}
  {{- end }}
  {{- if $webSecret }}
  - name: web
    secret:
      secretName: {{ $webSecret | quote }}
      defaultMode: 0440
  {{- end }}
  {{- with .Values.web.tls.secretName }}
  - name: tls
    secret:
      secretName: {{ . | quote }}
      defaultMode: 0440
  {{- end }}
  {{- with .Values.users.teams.secretName }}
  - name: teams
    secret:
      secretName: {{ . | quote }}
      defaultMode: 0440
  {{- end }}
  {{- with .Values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- range . }}
  {{- $own := dict "labelSelector" (dict "matchLabels" (include "ape.selectorLabels" $ | fromYaml)) }}
  - {{ merge (deepCopy .) $own | toYaml | nindent 4 | trim }}
  {{- end }}
{{- end }}
{{- end }}

{{- define "ape.container" -}}
{{- $keys := (include "ape.keySources" . | fromYaml).sources }}
{{- $webSecret := include "ape.webSecret" . }}
name: exporter
image: {{ include "ape.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
args:
  {{- include "ape.args" . | nindent 2 }}
{{- $env := include "ape.env" . }}
{{- if $env }}
env:
  {{- $env | nindent 2 }}
{{- end }}
{{- with .Values.extraEnvFrom }}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end }}
ports:
  - name: {{ include "ape.scheme" . }}
    containerPort: {{ .Values.web.port }}
    protocol: TCP
{{- include "ape.probes" . | nindent 0 }}
{{- with .Values.lifecycle }}
lifecycle:
  {{- toYaml . | nindent 2 }}
{{- end }}
resources:
  {{- toYaml .Values.resources | nindent 2 }}
securityContext:
  {{- toYaml .Values.securityContext | nindent 2 }}
volumeMounts:
  - name: config
    mountPath: /etc/agent-platform-exporter/config
    readOnly: true
  - name: data
    mountPath: /var/lib/agent-platform-exporter
  {{- if $keys }}
  - name: keys
    mountPath: /run/secrets/agent-platform-exporter
    readOnly: true
  {{- end }}
  {{- if $webSecret }}
  - name: web
    mountPath: /etc/agent-platform-exporter/web
    readOnly: true
  {{- end }}
  {{- if .Values.web.tls.secretName }}
  - name: tls
    mountPath: /etc/agent-platform-exporter/tls
    readOnly: true
  {{- end }}
  {{- if .Values.users.teams.secretName }}
  - name: teams
    mountPath: /etc/agent-platform-exporter/teams
    readOnly: true
  {{- end }}
  {{- with .Values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
