{{- define "lookout.serviceAccountName" -}}
{{- if .Values.serviceAccount.name }}{{ .Values.serviceAccount.name }}
{{- else if .Values.serviceAccount.create }}{{ .Release.Name }}
{{- else }}{{ fail "serviceAccount.name is empty: name the existing service account, or set serviceAccount.create=true" }}
{{- end }}
{{- end }}

{{- define "lookout.selector" -}}
app.kubernetes.io/name: lookout
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{- define "lookout.metadata" -}}
name: {{ .Release.Name | quote }}
namespace: {{ .Release.Namespace | quote }}
labels:
  {{- include "lookout.selector" . | nindent 2 }}
  app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end }}

{{- define "lookout.image" -}}
{{- with .Values.image }}
{{- if .digest }}{{ .repository }}@{{ .digest }}
{{- else }}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end }}
{{- end }}
{{- end }}

{{- define "lookout.configuration" -}}
{{- range $key, $value := pick .Values.config "listen" "dataDir" }}
{{- fail (printf "config.%s can't be set: the chart sets it; remove it from config" $key) }}
{{- end }}
{{- $clusters := .Values.config.clusters | default list }}
{{- with .Values.cluster }}
{{- if .enabled }}
{{- $clusters = prepend $clusters (merge (dict "name" .name "inCluster" true) .settings) }}
{{- end }}
{{- end }}
{{- if not $clusters }}
{{- fail "Lookout has no cluster: set cluster.enabled=true, or name clusters in config.clusters" }}
{{- end }}
{{- toYaml (merge (dict "clusters" $clusters "listen" "0.0.0.0:4040") .Values.config) }}
{{- end }}
