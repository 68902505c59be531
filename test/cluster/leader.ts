import type { Cluster } from './cluster.ts';
import type { Release } from './release.ts';

/** Identity of the operator that leads, as its Lease says: `<pod>_<uuid>`. */
export function leaderOf(release: Release): Promise<string> {
  return release.kubectl('get', 'lease', 'outrider-operator', '-o', 'jsonpath={.spec.holderIdentity}');
}

/** Kills the container of the leader with SIGKILL; only on a cluster of the suite's own. @returns its identity */
export async function killLeader(cluster: Cluster, release: Release): Promise<string> {
  const identity = await leaderOf(release);
  const pod = await release.get<{ status: { containerStatuses: { containerID: string }[] } }>(
    'pod',
    identity.split('_')[0] ?? '',
  );
  const id = pod.status.containerStatuses[0]?.containerID.replace('containerd://', '') ?? '';
  await cluster.node(['ctr', '-n', 'k8s.io', 'task', 'kill', '-s', 'SIGKILL', id]);
  return identity;
}
