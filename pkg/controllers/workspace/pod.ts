import { createHash } from 'node:crypto';
import type { WorkspaceSpec } from '../../api/specs.ts';
import { canonicalJson } from '../../base/json.ts';
import type { KubeObject, OwnerReference } from '../../kube/types.ts';
import type { ExecutorSettings, SecretKey } from '../context.ts';
import { EXECUTOR_AUDIENCE } from '../leases/pod-token.ts';
import { LABELS, TEMPLATE_ANNOTATION, WORKSPACE_ANNOTATION } from '../names.ts';
import { executorResources } from './resources.ts';

/** A Pod as far as we make and read it. */
export interface Pod extends KubeObject {
  spec?: { nodeName?: string } & Record<string, unknown>;
  status?: {
    phase?: string;
    reason?: string;
    message?: string;
    conditions?: { type: string; status: string; reason?: string; message?: string }[];
    containerStatuses?: {
      restartCount?: number;
      state?: { waiting?: { reason?: string; message?: string } };
      lastState?: { terminated?: { reason?: string; exitCode?: number } };
    }[];
  };
}

/** Whom a Pod works for. */
export type PodRole =
  | {
      role: 'workspace';
      id: string;
      key: string;
      uid: string;
      owner: OwnerReference | undefined;
      executor: WorkspaceSpec['executor'];
    }
  | { role: 'accounts' }
  | { role: 'pool' };

/** Where an executor serves its metrics in a cluster; the network policies and the PodMonitor name it too. */
const METRICS_PORT = 9_092;

/** Time for finishing or checkpointing the batch and giving the claim back. */
const GRACE_SECONDS = 60;

/**
 * The Pod of an executor, as plain data. It has no Kubernetes credentials and runs under the restricted security
 * standard; its database login comes by reference to a Secret and never stands here.
 */
export function executorPod(name: string, namespace: string, role: PodRole, settings: ExecutorSettings): Pod {
  const spec = podSpec(role, settings);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      labels: {
        ...settings.pod?.labels,
        [LABELS.name]: 'outrider',
        [LABELS.component]: 'executor',
        [LABELS.managedBy]: 'outrider-operator',
        [LABELS.role]: role.role,
        ...(role.role === 'workspace' ? { [LABELS.workspaceUid]: role.uid } : {}),
      },
      annotations: {
        ...settings.pod?.annotations,
        [TEMPLATE_ANNOTATION]: templateHash(role, settings),
        ...(role.role === 'workspace' ? { [WORKSPACE_ANNOTATION]: role.key } : {}),
      },
      ...(role.role === 'workspace' && role.owner ? { ownerReferences: [role.owner] } : {}),
    },
    spec,
  };
}

/** Changes exactly when a Pod made now would differ from one made before. */
export function templateHash(role: PodRole, settings: ExecutorSettings): string {
  const { labels, annotations } = settings.pod ?? {};
  const marks = { ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) };
  return createHash('sha256')
    .update(canonicalJson({ ...podSpec(role, settings), ...marks }))
    .digest('hex')
    .slice(0, 16);
}

function podSpec(role: PodRole, settings: ExecutorSettings): Record<string, unknown> {
  const { pod } = settings;
  return {
    restartPolicy: 'Always',
    serviceAccountName: settings.serviceAccount,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: GRACE_SECONDS,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 65_532,
      runAsGroup: 65_532,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    ...placement(role, settings),
    ...(settings.imagePullSecrets?.length
      ? { imagePullSecrets: settings.imagePullSecrets.map((secret) => ({ name: secret })) }
      : {}),
    containers: [
      {
        name: 'executor',
        image: settings.image,
        ...(settings.imagePullPolicy ? { imagePullPolicy: settings.imagePullPolicy } : {}),
        command: [...commandOf(role, settings)],
        env: environment(role, settings),
        resources: resourcesOf(role, settings),
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        ...probes(settings),
        volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }, ...tokenMount(settings), ...(pod?.volumeMounts ?? [])],
      },
    ],
    volumes: [{ name: 'tmp', emptyDir: { sizeLimit: '64Mi' } }, ...tokenVolume(settings), ...(pod?.volumes ?? [])],
  };
}

function commandOf(role: PodRole, { command, pool }: ExecutorSettings): readonly string[] {
  return (role.role === 'pool' ? pool?.command : undefined) ?? command;
}

/** What a pod of the pool is promised where the platform says nothing: a base, and 2 MB for each of some hundred workspaces. */
const POOL_RESOURCES = { requests: { cpu: '250m', memory: '256Mi' }, limits: { memory: '1Gi' } };

function resourcesOf(role: PodRole, { pool }: ExecutorSettings): object {
  if (role.role !== 'pool') return executorResources(schedulingOf(role).resources);
  const { requests, limits } = pool?.resources ?? {};
  return executorResources({
    requests: { ...POOL_RESOURCES.requests, ...requests },
    limits: { ...POOL_RESOURCES.limits, ...limits },
  });
}

/** Where the pod may run: what its Workspace says, else what the platform says; tolerations of both. */
function placement(role: PodRole, { pod = {} }: ExecutorSettings): object {
  const own = schedulingOf(role);
  const tolerations = [...(pod.tolerations ?? []), ...(own.tolerations ?? [])];
  const wanted = {
    nodeSelector: pod.nodeSelector || own.nodeSelector ? { ...pod.nodeSelector, ...own.nodeSelector } : undefined,
    tolerations: tolerations.length > 0 ? tolerations : undefined,
    priorityClassName: own.priorityClassName ?? pod.priorityClassName,
    affinity: pod.affinity,
    topologySpreadConstraints: pod.topologySpreadConstraints,
    hostUsers: pod.hostUsers,
  };
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
}

/** Lifetime of the pod-bound token, s; the kubelet renews it. */
const TOKEN_SECONDS = 3_600;
const TOKEN_FOLDER = '/var/run/secrets/outrider';

/** The token proves which pod asks for a claim; its audience makes it worthless at the API server. */
function tokenVolume({ leaseUrl }: ExecutorSettings): object[] {
  if (leaseUrl === undefined) return [];
  const serviceAccountToken = { audience: EXECUTOR_AUDIENCE, expirationSeconds: TOKEN_SECONDS, path: 'token' };
  return [{ name: 'claim-token', projected: { defaultMode: 0o440, sources: [{ serviceAccountToken }] } }];
}

function tokenMount({ leaseUrl }: ExecutorSettings): object[] {
  return leaseUrl === undefined ? [] : [{ name: 'claim-token', mountPath: TOKEN_FOLDER, readOnly: true }];
}

/** In a cluster the kubelet asks whether the process still lives; the node agent sees it end. */
function probes({ leaseUrl }: ExecutorSettings): object {
  if (leaseUrl === undefined) return {};
  const httpGet = { path: '/livez', port: 'metrics' };
  return {
    ports: [{ name: 'metrics', containerPort: METRICS_PORT }],
    livenessProbe: { httpGet, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 3 },
    // On a node where many start at once it takes its time; to begin anew would only add to that.
    startupProbe: { httpGet, periodSeconds: 1, timeoutSeconds: 2, failureThreshold: 300 },
  };
}

function schedulingOf(role: PodRole): Partial<WorkspaceSpec['executor']> {
  return role.role === 'workspace' ? role.executor : {};
}

function environment(role: PodRole, settings: ExecutorSettings): object[] {
  const plain = Object.entries(settings.env).sort(([a], [b]) => (a < b ? -1 : 1));
  const inCluster = settings.leaseUrl !== undefined;
  return [
    role.role === 'workspace'
      ? { name: 'OUTRIDER_WORKSPACE', value: role.id }
      : { name: 'OUTRIDER_ROLE', value: role.role },
    ...(role.role === 'pool' && settings.pool?.connections
      ? [{ name: 'POOL_CONNECTIONS', value: String(settings.pool.connections) }]
      : []),
    { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    { name: 'POD_UID', valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } },
    fromSecret('DATABASE_URL', { name: settings.databaseSecret, key: settings.databaseSecretKey ?? 'DATABASE_URL' }),
    ...Object.entries(settings.secretEnv ?? {})
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, ref]) => fromSecret(name, ref)),
    ...(inCluster
      ? [
          { name: 'CLAIM_URL', value: settings.leaseUrl },
          { name: 'CLAIM_TOKEN_FILE', value: `${TOKEN_FOLDER}/token` },
          { name: 'METRICS_HOST', value: '0.0.0.0' },
          { name: 'METRICS_PORT', value: String(METRICS_PORT) },
        ]
      : []),
    ...plain.map(([name, value]) => ({ name, value })),
  ];
}

function fromSecret(name: string, secretKeyRef: SecretKey): object {
  return { name, valueFrom: { secretKeyRef } };
}
