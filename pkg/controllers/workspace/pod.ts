import { createHash } from 'node:crypto';
import type { WorkspaceSpec } from '../../api/specs.ts';
import { canonicalJson } from '../../base/json.ts';
import type { KubeObject, OwnerReference } from '../../kube/types.ts';
import type { ExecutorSettings } from '../context.ts';
import { LABELS, TEMPLATE_ANNOTATION, WORKSPACE_ANNOTATION } from '../names.ts';

/** A Pod as far as we make and read it. */
export interface Pod extends KubeObject {
  spec?: { nodeName?: string } & Record<string, unknown>;
  status?: { phase?: string; reason?: string; message?: string };
}

/** Whom a Pod works for. */
export type PodDuty =
  | {
      role: 'workspace';
      id: string;
      key: string;
      uid: string;
      owner: OwnerReference | undefined;
      executor: WorkspaceSpec['executor'];
    }
  | { role: 'accounts' };

/** Time for finishing or checkpointing the batch and giving the claim back. */
const GRACE_SECONDS = 60;
const RESOURCES = { requests: { cpu: '50m', memory: '96Mi' }, limits: { memory: '256Mi' } };

/**
 * The Pod of an executor, as plain data. It has no Kubernetes credentials and runs under the restricted security
 * standard; its database login comes by reference to a Secret and never stands here.
 */
export function executorPod(name: string, namespace: string, duty: PodDuty, settings: ExecutorSettings): Pod {
  const spec = podSpec(duty, settings);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      labels: {
        [LABELS.name]: 'outrider',
        [LABELS.component]: 'executor',
        [LABELS.managedBy]: 'outrider-operator',
        [LABELS.role]: duty.role,
        ...(duty.role === 'workspace' ? { [LABELS.workspaceUid]: duty.uid } : {}),
      },
      annotations: {
        [TEMPLATE_ANNOTATION]: templateHash(duty, settings),
        ...(duty.role === 'workspace' ? { [WORKSPACE_ANNOTATION]: duty.key } : {}),
      },
      ...(duty.role === 'workspace' && duty.owner ? { ownerReferences: [duty.owner] } : {}),
    },
    spec,
  };
}

/** Changes exactly when a Pod made now would differ from one made before. */
export function templateHash(duty: PodDuty, settings: ExecutorSettings): string {
  return createHash('sha256')
    .update(canonicalJson(podSpec(duty, settings)))
    .digest('hex')
    .slice(0, 16);
}

function podSpec(duty: PodDuty, settings: ExecutorSettings): Record<string, unknown> {
  const { resources, nodeSelector, tolerations, priorityClassName } = schedulingOf(duty);
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
    ...(nodeSelector ? { nodeSelector } : {}),
    ...(tolerations ? { tolerations } : {}),
    ...(priorityClassName ? { priorityClassName } : {}),
    containers: [
      {
        name: 'executor',
        image: settings.image,
        command: ['node', 'cmd/executor/main.ts'],
        env: environment(duty, settings),
        resources: { ...RESOURCES, ...resources },
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
      },
    ],
    volumes: [{ name: 'tmp', emptyDir: { sizeLimit: '64Mi' } }],
  };
}

function schedulingOf(duty: PodDuty): Partial<WorkspaceSpec['executor']> {
  return duty.role === 'workspace' ? duty.executor : {};
}

function environment(duty: PodDuty, settings: ExecutorSettings): object[] {
  const plain = Object.entries(settings.env).sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    duty.role === 'workspace'
      ? { name: 'OUTRIDER_WORKSPACE', value: duty.id }
      : { name: 'OUTRIDER_ROLE', value: 'accounts' },
    { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    { name: 'POD_UID', valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } },
    { name: 'DATABASE_URL', valueFrom: { secretKeyRef: { name: settings.databaseSecret, key: 'DATABASE_URL' } } },
    ...plain.map(([name, value]) => ({ name, value })),
  ];
}
