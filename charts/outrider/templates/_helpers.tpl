{{/*
Fills in what the given values lack, or say nothing of (a key with only comments below it), from the chart's own values: Helm does not
where values come from an older release (--reuse-values) or from a parent chart. Every template begins with it.
*/}}
{{- define "outrider.init" -}}
{{- include "outrider.fill" (dict "into" .Values "defaults" (.Files.Get "files/defaults.yaml" | fromYaml)) -}}
{{- end -}}

{{- define "outrider.fill" -}}
{{- $into := .into -}}
{{- range $key, $default := .defaults -}}
{{- if or (not (hasKey $into $key)) (kindIs "invalid" (index $into $key)) -}}
{{- $_ := set $into $key $default -}}
{{- else if and (kindIs "map" $default) (kindIs "map" (index $into $key)) -}}
{{- include "outrider.fill" (dict "into" (index $into $key) "defaults" $default) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "outrider.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "outrider.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := include "outrider.name" . -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
Labels of everything; call with (dict "root" $ "component" "operator"), and with "more" where an object has further ones. Those that are
given win, and each key stands once; what selects pods stays as it is.
*/}}
{{- define "outrider.labels" -}}
{{- $labels := dict "helm.sh/chart" (printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" | trunc 63) -}}
{{- $_ := set $labels "app.kubernetes.io/version" .root.Chart.AppVersion -}}
{{- $_ := set $labels "app.kubernetes.io/managed-by" .root.Release.Service -}}
{{- $_ := set $labels "app.kubernetes.io/part-of" "outrider" -}}
{{- range $given := list .root.Values.commonLabels .more (include "outrider.selector" . | fromYaml) -}}
{{- range $key, $value := $given }}{{ $_ := set $labels $key (toString $value) }}{{ end -}}
{{- end -}}
{{- toYaml $labels -}}
{{- end -}}

{{- define "outrider.selector" -}}
app.kubernetes.io/name: {{ include "outrider.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "outrider.image" -}}
{{- $registry := default .Values.image.registry .Values.global.imageRegistry -}}
{{- $name := ternary .Values.image.repository (printf "%s/%s" $registry .Values.image.repository) (empty $registry) -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" $name .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" $name (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}
{{- end -}}

{{- define "outrider.pullSecrets" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
{{- range . }}
  - name: {{ . }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "outrider.databaseSecret" -}}
{{- if .Values.database.existingSecret -}}
{{- .Values.database.existingSecret -}}
{{- else if .Values.dev.postgres.enabled -}}
{{- printf "%s-database" (include "outrider.fullname" .) -}}
{{- else -}}
{{- fail "Set database.existingSecret to a Secret with OWNER_DATABASE_URL, APP_DATABASE_URL and EXECUTOR_DATABASE_URL, or try the chart out with -f values-dev.yaml." -}}
{{- end -}}
{{- end -}}

{{- define "outrider.redisSecret" -}}
{{- if .Values.redis.existingSecret -}}
{{- .Values.redis.existingSecret -}}
{{- else if .Values.dev.redis.enabled -}}
{{- printf "%s-redis" (include "outrider.fullname" .) -}}
{{- end -}}
{{- end -}}

{{- define "outrider.appSecret" -}}
{{- default (printf "%s-secrets" (include "outrider.fullname" .)) .Values.secrets.existingSecret -}}
{{- end -}}

{{- define "outrider.sandboxUrl" -}}
{{- if .Values.dev.sandbox.enabled -}}
{{- printf "http://%s-sandbox.%s.svc:8080" (include "outrider.fullname" .) .Release.Namespace -}}
{{- else -}}
{{- .Values.providers.sandbox.url -}}
{{- end -}}
{{- end -}}

{{/* Ports of the providers' addresses, a JSON list: where an address names none, its scheme does. */}}
{{- define "outrider.providerPorts" -}}
{{- $ports := list -}}
{{- range list .Values.providers.unipile.url .Values.providers.ai.url .Values.providers.sandbox.url .Values.media.s3.endpoint .Values.mcpServer.console.oidc.issuer -}}
{{- if . -}}
{{- $url := urlParse . -}}
{{- $ports = append $ports (regexFind ":[0-9]+$" $url.host | trimPrefix ":" | default (ternary "80" "443" (eq $url.scheme "http")) | int) -}}
{{- end -}}
{{- end -}}
{{- without (uniq $ports) 443 | toJson -}}
{{- end -}}

{{- define "outrider.ingressService" -}}
{{- printf "%s-mcp-server-ingress.%s.svc" (include "outrider.fullname" .) .Release.Namespace -}}
{{- end -}}

{{/* Where the world reaches what comes from outside: invitations, provider webhooks. */}}
{{- define "outrider.ingressUrl" -}}
{{- if .Values.ingressUrl -}}
{{- trimSuffix "/" .Values.ingressUrl -}}
{{- else if .Values.ingress.enabled -}}
{{- printf "%s://%s" (ternary "http" "https" (empty .Values.ingress.tlsSecret)) .Values.ingress.host -}}
{{- else if and .Values.httpRoute.enabled .Values.httpRoute.hostnames -}}
{{- printf "https://%s" (first .Values.httpRoute.hostnames) -}}
{{- else -}}
{{- printf "http://%s" (include "outrider.ingressService" .) -}}
{{- end -}}
{{- end -}}

{{/* Address under which people reach the console's host; empty: nobody told. */}}
{{- define "outrider.consoleUrl" -}}
{{- if .Values.mcpServer.console.url -}}
{{- trimSuffix "/" .Values.mcpServer.console.url -}}
{{- else if .Values.ingress.enabled -}}
{{- printf "%s://%s" (ternary "http" "https" (empty .Values.ingress.tlsSecret)) .Values.ingress.host -}}
{{- else if and .Values.httpRoute.enabled .Values.httpRoute.hostnames -}}
{{- printf "https://%s" (first .Values.httpRoute.hostnames) -}}
{{- end -}}
{{- end -}}

{{/* Whether there is a Secret with the claim link: not where the release draws none of its secrets, so that each rendering is the same. */}}
{{- define "outrider.hasClaim" -}}
{{- if and .Values.mcpServer.console.claim (not .Values.secrets.existingSecret) -}}true{{- end -}}
{{- end -}}

{{- define "outrider.claimSecret" -}}
{{- printf "%s-console-claim" (include "outrider.fullname" .) -}}
{{- end -}}

{{/* Restricted security standard, for the pod and for its containers. */}}
{{- define "outrider.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "outrider.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{/* Placement of a workload; call with its values. */}}
{{- define "outrider.placement" -}}
{{- with .priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity: {{ toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Spread over nodes unless told otherwise; call with (dict "root" $ "component" … "values" …). */}}
{{- define "outrider.spread" -}}
topologySpreadConstraints:
{{- if .values.topologySpreadConstraints }}
{{ toYaml .values.topologySpreadConstraints | indent 2 }}
{{- else }}
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "outrider.selector" . | nindent 8 }}
{{- end }}
{{- end -}}

{{/* Waits until the schema is the program's own: no pod works on an older one. */}}
{{- define "outrider.schemaContainer" -}}
- name: schema
  image: {{ include "outrider.image" . }}
  imagePullPolicy: {{ .Values.image.pullPolicy }}
  args: [cmd/outrider/main.mjs, schema, --wait, "300"]
  env:
    - name: DATABASE_URL
      valueFrom: { secretKeyRef: { name: {{ include "outrider.databaseSecret" . }}, key: APP_DATABASE_URL } }
  resources: {{- toYaml .Values.migrations.resources | nindent 4 }}
  securityContext: {{- include "outrider.containerSecurity" . | nindent 4 }}
{{- end -}}

{{- define "outrider.tmpMount" -}}
- { name: tmp, mountPath: /tmp }
{{- end -}}

{{- define "outrider.tmpVolume" -}}
- { name: tmp, emptyDir: { sizeLimit: 64Mi } }
{{- end -}}

{{/* User namespaces where they are asked for. */}}
{{- define "outrider.hostUsers" -}}
{{- if not (kindIs "invalid" .Values.hostUsers) }}
hostUsers: {{ .Values.hostUsers }}
{{- end }}
{{- end -}}

{{/* Hash of the Secrets that are not the chart's own, so that a change of theirs starts pods anew at the next upgrade; empty where there are none to be read. */}}
{{- define "outrider.secretsHash" -}}
{{- $found := list -}}
{{- $v := .Values -}}
{{- range $name := list $v.database.existingSecret $v.redis.existingSecret $v.secrets.existingSecret $v.providers.unipile.existingSecret $v.providers.ai.existingSecret $v.providers.enrichment.peopleDataLabsSecret $v.providers.enrichment.apolloSecret $v.providers.enrichment.dropcontactSecret $v.providers.enrichment.hunterSecret $v.media.s3.existingSecret -}}
{{- if $name -}}
{{- with (lookup "v1" "Secret" $.Release.Namespace $name).data -}}{{- $found = append $found (toJson .) -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- /* The Secret of the chart itself stays the same but for a rotation of its key. */ -}}
{{- if not $v.secrets.existingSecret -}}
{{- with (lookup "v1" "Secret" $.Release.Namespace (include "outrider.appSecret" .)).data -}}
{{- if .OUTRIDER_SECRETS_OLD_KEYS -}}{{- $found = append $found (printf "%s %s" .OUTRIDER_SECRETS_KEY .OUTRIDER_SECRETS_OLD_KEYS) -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- if $found -}}{{- join "," $found | sha256sum | trunc 32 -}}{{- end -}}
{{- end -}}

{{/* Annotations of a workload's pods; call with (dict "root" $ "values" …). */}}
{{- define "outrider.podAnnotations" -}}
{{- $all := deepCopy .values.podAnnotations -}}
{{- with (include "outrider.secretsHash" .root) -}}{{- $_ := set $all "checksum/secrets" . -}}{{- end -}}
{{- with $all }}
annotations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
