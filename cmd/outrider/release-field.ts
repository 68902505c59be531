import type { Command } from 'commander';
import { Registry } from 'prom-client';
import { KINDS } from '../../pkg/api/kinds.ts';
import type { KindName } from '../../pkg/api/specs.ts';
import { SystemClock } from '../../pkg/base/clock.ts';
import { UserError } from '../../pkg/base/errors.ts';
import { systemIds } from '../../pkg/base/ids.ts';
import { createLogger } from '../../pkg/base/log.ts';
import { KubeClient } from '../../pkg/kube/client.ts';
import { createKubeMetrics } from '../../pkg/metrics/kube-metrics.ts';
import { releaseFields } from '../../pkg/tools/resources/release-field.ts';
import { connection } from './home-client.ts';

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

function kindOf(word: string): KindName {
  const wanted = word.toLowerCase();
  const found = Object.values(KINDS).find((kind) => [kind.singular, kind.plural, ...kind.shortNames].includes(wanted));
  if (!found) throw new UserError(`"${word}" is no kind of Outrider: workspace, campaign or workflow.`);
  return found.kind as KindName;
}

async function open(kubeconfig: string | undefined): Promise<KubeClient> {
  const path = kubeconfig ?? (await connection()).kubeconfig;
  const runtime = {
    clock: new SystemClock(),
    random: Math.random,
    ids: systemIds,
    log: createLogger('release-field'),
    metrics: createKubeMetrics(new Registry()),
  };
  return KubeClient.open({ path }, runtime, { userAgent: 'outrider-release-field' });
}
