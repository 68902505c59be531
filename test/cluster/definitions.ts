import type { Cluster } from './cluster.ts';

const DEFINITIONS = ['workspaces.outrider.dev', 'campaigns.outrider.dev', 'workflows.outrider.dev'];

/** Takes the definitions, which outlive their release, and all objects away: the next installation brings its own. */
export async function removeDefinitions(cluster: Cluster): Promise<void> {
  const args = ['delete', 'crd', ...DEFINITIONS, '--ignore-not-found', '--timeout=120s'];
  await cluster.kubectl(args, { timeoutMs: 150_000 });
}
