{{/* An Ingress for nothing but exact paths of a Service, whose name it has. Takes the root, its values, the name and the paths. */}}
{{- define "ape.ingress" -}}
{{- $root := index . 0 }}
{{- $values := index . 1 }}
{{- $name := index . 2 }}
{{- $paths := slice . 3 }}
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: {{ $name }}
  namespace: {{ include "ape.namespace" $root }}
  labels:
    {{- include "ape.labels" $root | nindent 4 }}
  {{- with $values.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- with $values.className }}
  ingressClassName: {{ . | quote }}
  {{- end }}
  {{- with $values.tlsSecretName }}
  tls:
    - secretName: {{ . | quote }}
      hosts:
        {{- toYaml $values.hosts | nindent 8 }}
  {{- end }}
  rules:
    {{- range $values.hosts }}
    - host: {{ . | quote }}
      http:
        paths:
          {{- range $paths }}
          - path: {{ . }}
            pathType: Exact
            backend:
              service:
                name: {{ $name }}
                port:
                  name: {{ include "ape.scheme" $root }}
          {{- end }}
    {{- end }}
{{- end }}
