import { LAST_APPLIED, managedEntries } from '../../pkg/kube/managed-fields.ts';
import type { KubeObject } from '../../pkg/kube/types.ts';

/** Helm puts it on what it installs, and on no rendering. */
const RELEASE = 'meta.helm.sh/release-name';

/**
 * Why the Job that detaches has nothing to do; undefined: helm's uninstall made it. A rendering of the chart has the Job too, and who
 * applies it (`helm template | kubectl apply`, Kustomize, Argo CD) installs: it would stop what was just started.
 * @param job the Job itself; undefined: there is none of its name
 * @param deployment of the operator; undefined: it is gone
 */
export function notUninstalled(job: KubeObject | undefined, deployment: KubeObject | undefined): string | undefined {
  if (!job) return 'there is no such Job';
  const byKubectl = managedEntries(job).some(({ manager = '' }) => manager.startsWith('kubectl'));
  if (byKubectl || job.metadata.annotations?.[LAST_APPLIED] !== undefined) return 'kubectl made the Job';
  if (deployment && deployment.metadata.annotations?.[RELEASE] === undefined)
    return 'no release of helm installed the operator';
  return undefined;
}
