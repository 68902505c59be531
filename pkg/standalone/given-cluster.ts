import { messageOf, UserError } from '../base/errors.ts';
import { KubeClient } from '../kube/client.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../kube/resources.ts';
import type { KubeRuntime } from '../kube/runtime.ts';

/** How long the given API server may take to answer at all (real ms). */
const ANSWER_MS = 10_000;

/**
 * A client of the API server that `OUTRIDER_KUBECONFIG` names, which has answered once.
 * @throws UserError naming the setting, when its file or its server is of no use
 */
export async function openGivenCluster(kubeconfig: string, runtime: KubeRuntime): Promise<KubeClient> {
  try {
    const client = KubeClient.open({ path: kubeconfig }, runtime);
    await client.find(CUSTOM_RESOURCE_DEFINITIONS, { name: 'workspaces.outrider.dev' }, { timeoutMs: ANSWER_MS });
    return client;
  } catch (error) {
    throw new UserError(
      `OUTRIDER_KUBECONFIG=${kubeconfig}: ${messageOf(error).replace(/\.$/, '')}. Name the kubeconfig of an API server that answers and lets you make definitions, or leave the setting out.`,
      'InvalidKubeconfig',
    );
  }
}
