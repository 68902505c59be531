import type { Command } from 'commander';
import { createLogger } from '../../pkg/base/log.ts';
import { KubeClient } from '../../pkg/kube/client.ts';
import { ownRuntime } from '../../pkg/kube/own-runtime.ts';
import { releaseFields } from '../../pkg/tools/resources/release-field.ts';
import { connection } from './home-client.ts';
import { kindOf } from './kind-of.ts';

interface Options {
  namespace: string;
  kubeconfig?: string;
}

/**
 * `outrider release-field`: hands a field of an object over, so that tools may change what `kubectl apply`, Argo CD, Flux or Helm
 * own. Its value stays.
 */
export function addReleaseFieldCommand(program: Command): void {
  program
    .command('release-field')
    .description('take fields of an object from the manager that owns them, so that tools may change them')
    .argument('<kind>', 'workspace, campaign or workflow')
    .argument('<name>', 'name of the object')
    .argument('<field...>', 'paths such as spec.title')
    .option('-n, --namespace <namespace>', 'namespace of the object', 'outrider')
    .option('--kubeconfig <path>', 'of the cluster; absent: the running home')
    .action(async (kind: string, name: string, fields: string[], { namespace, kubeconfig }: Options) => {
      const client = await open(kubeconfig);
      try {
        const released = await releaseFields(client, kindOf(kind), { namespace, name }, fields);
        for (const { field, managers } of released)
          console.log(
            managers.length > 0
              ? `${field}: given up by ${managers.join(', ')}. What applies a manifest that still names it takes it back.`
              : `${field}: nobody owns it.`,
          );
      } finally {
        await client.close();
      }
    });
}

async function open(kubeconfig: string | undefined): Promise<KubeClient> {
  const path = kubeconfig ?? (await connection()).kubeconfig;
  return KubeClient.open({ path }, ownRuntime(createLogger('release-field')), { userAgent: 'outrider-release-field' });
}
