import { objectId } from '../../api/object.ts';
import type { KubeClient } from '../../kube/client.ts';
import { PODS } from '../../kube/resources.ts';
import type { PodIdentity } from '../../store/leases/lease-desk.ts';
import { LABELS, poolNumber, WORKSPACE_ANNOTATION } from '../names.ts';
import type { Pod } from '../workspace/pod.ts';
import type { TokenPod } from './pod-token.ts';

const TIMEOUT_MS = 5_000;

export interface PodIdentityOptions {
  client: KubeClient;
  homeNamespace: string;
  serviceAccount: string;
}

/**
 * Whom a pod works for, by what the operator wrote on it. Only pods of the home namespace under the executors' service
 * account count: there nobody but the platform makes pods. Null: not one of ours, replaced, or on its way out.
 */
export async function podIdentity(options: PodIdentityOptions, token: TokenPod): Promise<PodIdentity | null> {
  const { client, homeNamespace, serviceAccount } = options;
  if (token.namespace !== homeNamespace || token.serviceAccount !== serviceAccount) return null;
  const ref = { namespace: token.namespace, name: token.name };
  const pod = await client.find<Pod>(PODS, ref, { timeoutMs: TIMEOUT_MS });
  if (!pod || pod.metadata.uid !== token.uid || pod.metadata.deletionTimestamp) return null;
  const labels = pod.metadata.labels ?? {};
  if (labels[LABELS.component] !== 'executor' || labels[LABELS.managedBy] !== 'outrider-operator') return null;
  if (labels[LABELS.role] === 'accounts') return { podUid: token.uid, role: 'accounts' };
  if (labels[LABELS.role] === 'pool') {
    return poolNumber(token.name) === undefined ? null : { podUid: token.uid, role: 'pool', member: token.name };
  }
  const [namespace, name] = (pod.metadata.annotations?.[WORKSPACE_ANNOTATION] ?? '').split('/');
  if (!namespace || !name) return null;
  return { podUid: token.uid, role: 'workspace', workspaceId: objectId(namespace, name, homeNamespace) };
}
