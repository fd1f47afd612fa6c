{{/* A text of the rules with the thresholds inserted. Takes the text, the thresholds and the values with the URLs. */}}
{{- define "ape.filled" -}}
{{- $urls := index . 2 }}
{{- $text := replace "@runbookUrl@" $urls.runbookUrl (index . 0) }}
{{- $text = replace "@dashboardUrl@" (trimSuffix "/" $urls.dashboardUrl) $text }}
{{- range $name, $value := index . 1 }}
{{- $text = replace (printf "@%s@" $name) (toString $value) $text }}
{{- end }}
{{- $text }}
{{- end }}

{{/* The thresholds of one alert: the shared ones, overridden by its own, which are given by name or, for a single one, as a number. */}}
{{- define "ape.thresholds" -}}
{{- $rule := index . 1 }}
{{- $own := index . 2 }}
{{- $thresholds := deepCopy (index . 0) }}
{{- if kindIs "map" $own }}
{{- $thresholds = mergeOverwrite $thresholds $own }}
{{- else }}
{{- $_ := set $thresholds (regexFind "@[A-Za-z]+@" $rule.expr | trimAll "@") $own }}
{{- end }}
{{- toYaml $thresholds }}
{{- end }}

{{/* The groups of rules according to the values, as a list under "groups". */}}
{{- define "ape.ruleGroups" -}}
{{- $empty := dict "overrides" dict "additionalLabels" dict "disabled" list "additionalGroups" list "dashboardUrl" "" }}
{{- $values := merge (deepCopy .Values.prometheusRule) $empty }}
{{- $groups := list }}
{{- range (.Files.Get "files/rules.yaml" | fromYaml).groups }}
{{- $rules := list }}
{{- range $rule := .rules }}
{{- $name := $rule.alert | default "" }}
{{- $override := get $values.overrides $name | default dict }}
{{- $thresholds := $values.thresholds }}
{{- if hasKey $override "threshold" }}
{{- $thresholds = include "ape.thresholds" (list $values.thresholds $rule $override.threshold) | fromYaml }}
{{- end }}
{{- $_ := set $rule "expr" (include "ape.filled" (list $rule.expr $thresholds $values)) }}
{{- if $name }}
{{- $annotations := dict }}
{{- $texts := ternary $rule.annotations (omit $rule.annotations "dashboard_url") (ne $values.dashboardUrl "") }}
{{- range $key, $text := $texts }}
{{- $_ := set $annotations $key (include "ape.filled" (list $text $thresholds $values)) }}
{{- end }}
{{- $_ := set $rule "annotations" (mergeOverwrite $annotations (deepCopy ($override.annotations | default dict))) }}
{{- $severity := dict }}
{{- with $override.severity }}{{ $severity = dict "severity" . }}{{ end }}
{{- $_ := set $rule "labels" (mergeOverwrite $rule.labels (deepCopy $values.additionalLabels) $severity (deepCopy ($override.labels | default dict))) }}
{{- with $override.for }}{{ $_ := set $rule "for" . }}{{ end }}
{{- with $override.keepFiringFor }}{{ $_ := set $rule "keep_firing_for" . }}{{ end }}
{{- end }}
{{- if not (and $name (has $name $values.disabled)) }}{{ $rules = append $rules $rule }}{{ end }}
{{- end }}
{{- if $rules }}{{ $groups = append $groups (dict "name" .name "rules" $rules) }}{{ end }}
{{- end }}
{{- if $values.recording }}
{{- $groups = concat $groups (.Files.Get "files/recording.rules.yaml" | fromYaml).groups }}
{{- end }}
{{- dict "groups" (concat $groups $values.additionalGroups) | toYaml }}
{{- end }}
