import type { PodIdentity } from '../../store/leases/lease-desk.ts';
import { type AgentPod, plainEnv } from './pod-shape.ts';

/** The owner that the API server knows under a Pod's owner reference. */
export interface KnownWorkspace {
  uid: string;
  /** Opaque workspace id. */
  id: string;
}

/** Whether the agent runs a Pod, and as whom; a refusal says why in one sentence. */
export type Admission = { identity: PodIdentity } | { refused: string };

/**
 * The agent runs nothing but `cmd/executor`, for Pods that stand for a Workspace that exists (or for account sync or
 * the pool in the home namespace). Pure, so that the refusals can be tested as a table.
 */
export function admit(pod: AgentPod, owner: KnownWorkspace | undefined, homeNamespace: string): Admission {
  if (pod.spec.containers.length !== 1) return { refused: 'an executor Pod has exactly one container' };
  const foreign = pod.spec.containers[0]?.env.find((entry) => !isAllowedEnv(entry.name));
  if (foreign)
    return { refused: `environment variable ${foreign.name.slice(0, 60)} is not on the list of this node agent` };
  if (pod.metadata.name === 'ex-accounts') {
    if (pod.metadata.namespace !== homeNamespace) return { refused: 'account sync runs in the home namespace only' };
    if (plainEnv(pod, 'OUTRIDER_ROLE') !== 'accounts') return { refused: 'ex-accounts needs OUTRIDER_ROLE=accounts' };
    return { identity: { podUid: pod.metadata.uid, role: 'accounts' } };
  }
  if (isOfPool(pod)) {
    if (pod.metadata.namespace !== homeNamespace) return { refused: 'the pool runs in the home namespace only' };
    if (plainEnv(pod, 'OUTRIDER_ROLE') !== 'pool') return { refused: 'a Pod of the pool needs OUTRIDER_ROLE=pool' };
    return { identity: { podUid: pod.metadata.uid, role: 'pool', member: pod.metadata.name } };
  }
  const uid = workspaceUidOf(pod, homeNamespace);
  if (!uid) return { refused: 'the Pod has no Workspace as its controller' };
  if (!owner || owner.uid !== uid) return { refused: 'the Workspace that owns the Pod does not exist' };
  if (plainEnv(pod, 'OUTRIDER_WORKSPACE') !== owner.id)
    return { refused: 'OUTRIDER_WORKSPACE is not the owning Workspace' };
  return { identity: { podUid: pod.metadata.uid, role: 'workspace', workspaceId: owner.id } };
}

function isOfPool({ metadata }: AgentPod): boolean {
  return /^ex-pool-(0|[1-9]\d{0,3})$/.test(metadata.name);
}

/**
 * Uid of the Workspace that a Pod stands for: its controller, or, in the home namespace (where only the platform makes
 * Pods), the Workspace of another namespace that the operator wrote on it, which no owner reference can name.
 */
function workspaceUidOf(pod: AgentPod, homeNamespace: string): string | undefined {
  const { ownerReferences, namespace, labels } = pod.metadata;
  const reference = ownerReferences.find((entry) => entry.kind === 'Workspace' && entry.controller === true);
  if (reference) return reference.apiVersion.startsWith('outrider.dev/') ? reference.uid : undefined;
  return namespace === homeNamespace ? labels['outrider.dev/workspace-uid'] : undefined;
}

const ALLOWED = new Set([
  'DATABASE_URL',
  'POOL_CONNECTIONS',
  'POD_NAME',
  'POD_UID',
  'POD_NAMESPACE',
  'METRICS_PORT',
  'LOG_LEVEL',
  'NODE_ENV',
]);

/** Names that may reach an executor: a list, so that nothing of the host's environment leaks in. Its user is ours to choose. */
export function isAllowedEnv(name: string): boolean {
  if (name === 'OUTRIDER_RUN_AS') return false;
  return (
    ALLOWED.has(name) || /^(OUTRIDER|SANDBOX|UNIPILE|INGRESS|PUBLIC_INGRESS|AI|ENRICHMENT|MEDIA)_[A-Z0-9_]+$/.test(name)
  );
}
