{{/* Checks that a schema cannot express. */}}
{{- define "ape.checks" -}}
{{- $names := list }}
{{- range .Values.organizations }}
{{- if has .name $names }}{{ fail (printf "organizations: %q is listed twice" .name) }}{{ end }}
{{- $names = append $names .name }}
{{- end }}
{{- if and .Values.demo (gt (int .Values.replicas) 1) }}{{ fail "demo: cannot have more than one replica" }}{{ end }}
{{- if and .Values.persistence.existingClaim (include "ape.sharded" .) }}
{{- fail "persistence.existingClaim: one claim cannot serve several replicas; leave it empty, and each gets its own" }}
{{- end }}
{{- if .Values.storage.url.secretName }}
{{- if .Values.demo }}{{ fail "storage.url.secretName: demo stores nothing" }}{{ end }}
{{- if .Values.persistence.enabled }}{{ fail "storage.url.secretName: takes no volume; leave persistence.enabled false" }}{{ end }}
{{- end }}
{{- with .Values.hooks }}
{{- if and .enabled (not .token.secretName) (not .token.value) }}{{ fail "hooks.enabled: needs hooks.token.secretName or hooks.token.value" }}{{ end }}
{{- if and .token.secretName .token.value }}{{ fail "hooks.token: takes secretName or value, not both" }}{{ end }}
{{- if and (not .enabled) (or .ingress.enabled .httpRoute.enabled) }}{{ fail "hooks.ingress, hooks.httpRoute: need hooks.enabled" }}{{ end }}
{{- if and .httpRoute.enabled (not .httpRoute.parentRefs) }}{{ fail "hooks.httpRoute.enabled: needs hooks.httpRoute.parentRefs" }}{{ end }}
{{- if and .ingress.enabled (not .ingress.hosts) }}{{ fail "hooks.ingress.enabled: needs hooks.ingress.hosts" }}{{ end }}
{{- end }}
{{- with .Values.ingress }}
{{- if and .enabled (not .hosts) }}{{ fail "ingress.enabled: needs ingress.hosts" }}{{ end }}
{{- if and .enabled (include "ape.sharded" $) }}
{{- fail "ingress.enabled: the page of a pod shows its own organizations only; use one replica, or storage.url" }}
{{- end }}
{{- end }}
{{- with .Values.users.hashKey }}
{{- if and .secretName .value }}{{ fail "users.hashKey: takes secretName or value, not both" }}{{ end }}
{{- end }}
{{- if and .Values.users.teams.secretName (.Values.config | default dict).teams }}{{ fail "users.teams.secretName: config.teams names another file" }}{{ end }}
{{- with .Values.web }}
{{- if not .existingSecret }}
{{- if and .tls.enabled (not .tls.secretName) }}{{ fail "web.tls.enabled: needs web.tls.secretName" }}{{ end }}
{{- if and .basicAuth.enabled (not .basicAuth.users) }}{{ fail "web.basicAuth.enabled: needs web.basicAuth.users" }}{{ end }}
{{- end }}
{{- if and .tls.enabled (not .tls.secretName) (include "ape.scraped" $) (not $.Values.serviceMonitor.tlsConfig) }}
{{- fail "web.tls.enabled: Prometheus needs serviceMonitor.tlsConfig or web.tls.secretName" }}
{{- end }}
{{- if and .tls.enabled .tls.clientCaKey (include "ape.scraped" $) (not $.Values.serviceMonitor.tlsConfig) (not $.Values.serviceMonitor.extraEndpoint) (not $.Values.podMonitor.extraEndpoint) }}
{{- fail "web.tls.clientCaKey: Prometheus needs a client certificate, in serviceMonitor.tlsConfig" }}
{{- end }}
{{- if and .basicAuth.enabled (include "ape.scraped" $) (not $.Values.serviceMonitor.basicAuth) }}
{{- fail "web.basicAuth.enabled: Prometheus needs serviceMonitor.basicAuth" }}
{{- end }}
{{- end }}
{{- if not .Values.enabled }}{{ fail "enabled: only for the condition of a parent chart" }}{{ end }}
{{- if and (or .Values.probe.enabled .Values.scrapeConfig.enabled) (not .Values.organizations) }}
{{- fail "probe.enabled, scrapeConfig.enabled: need organizations, which are the targets" }}
{{- end }}
{{- if and (or .Values.probe.enabled .Values.scrapeConfig.enabled) (include "ape.sharded" .) }}
{{- fail "probe.enabled, scrapeConfig.enabled: a pod answers for its own organizations only, so they need one replica; with more use serviceMonitor or podMonitor" }}
{{- end }}
{{- include "ape.needsApi" (list . "serviceMonitor.enabled" .Values.serviceMonitor.enabled "monitoring.coreos.com/v1") }}
{{- include "ape.needsApi" (list . "podMonitor.enabled" .Values.podMonitor.enabled "monitoring.coreos.com/v1") }}
{{- include "ape.needsApi" (list . "probe.enabled" .Values.probe.enabled "monitoring.coreos.com/v1") }}
{{- include "ape.needsApi" (list . "scrapeConfig.enabled" .Values.scrapeConfig.enabled "monitoring.coreos.com/v1alpha1") }}
{{- include "ape.needsApi" (list . "prometheusRule.enabled" .Values.prometheusRule.enabled "monitoring.coreos.com/v1") }}
{{- include "ape.needsApi" (list . "grafanaDashboards.enabled" .Values.grafanaDashboards.enabled "grafana.integreatly.org/v1beta1") }}
{{- include "ape.needsApi" (list . "hooks.httpRoute.enabled" .Values.hooks.httpRoute.enabled "gateway.networking.k8s.io/v1") }}
{{- if not (or .Values.demo .Values.organizations .Values.extraEnv .Values.extraEnvFrom .Values.extraArgs) }}
{{- fail "organizations: empty, so there is nothing to poll. Add one (helm/README.md has an example), let extraEnv, extraEnvFrom or extraArgs configure one, or try the demo: --set demo=true" }}
{{- end }}
{{- if and .Values.prometheusRule.enabled (include "ape.scraped" .) }}
{{- $intervals := dict
  "serviceMonitor.interval" .Values.serviceMonitor.interval
  "serviceMonitor.extraEndpoint.interval" (.Values.serviceMonitor.extraEndpoint | default dict).interval
  "podMonitor.extraEndpoint.interval" (.Values.podMonitor.extraEndpoint | default dict).interval
  "probe.extraSpec.interval" (.Values.probe.extraSpec | default dict).interval
  "scrapeConfig.extraSpec.scrapeInterval" (.Values.scrapeConfig.extraSpec | default dict).scrapeInterval }}
{{- range $key, $interval := $intervals }}
{{- if gt (include "ape.milliseconds" ($interval | default "0s") | int64) 900000 }}
{{- fail (printf "%s: more than 15m, for which the alerts of prometheusRule hold; scrape more often, or leave prometheusRule.enabled false" $key) }}
{{- end }}
{{- end }}
{{- end }}
{{- if and .Values.grafanaDashboards.enabled (not .Values.dashboards.enabled) }}{{ fail "grafanaDashboards.enabled: needs dashboards.enabled" }}{{ end }}
{{- end }}

{{/* "true" if any kind of monitor is created, otherwise empty. */}}
{{- define "ape.scraped" -}}
{{- if or .Values.serviceMonitor.enabled .Values.podMonitor.enabled .Values.probe.enabled .Values.scrapeConfig.enabled }}true{{ end }}
{{- end }}

{{/* Fails on objects of unknown kinds instead of silently omitting them. Takes the root, the value's name, the value and the API. */}}
{{- define "ape.needsApi" -}}
{{- $root := index . 0 }}
{{- if and (index . 2) (not $root.Values.trustCRDs) (not ($root.Capabilities.APIVersions.Has (index . 3))) }}
{{- fail (printf "%s: this cluster does not know %s. Install its operator's CRDs first; or set trustCRDs=true if they are installed at the same time; helm template needs --api-versions %s" (index . 1) (index . 3) (index . 3)) }}
{{- end }}
{{- end }}
