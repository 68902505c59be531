import type { Command } from 'commander';
import { idOf } from '../../pkg/api/object.ts';
import type { KindName } from '../../pkg/api/specs.ts';
import { createLogger } from '../../pkg/base/log.ts';
import { KubeClient } from '../../pkg/kube/client.ts';
import { ownRuntime } from '../../pkg/kube/own-runtime.ts';
import { requireTakenUp } from '../../pkg/store/resources/projection.ts';
import type { OutriderObject } from '../../pkg/tools/resources/kinds.ts';
import { releaseFields } from '../../pkg/tools/resources/release-field.ts';
import { connection } from './home-client.ts';
import { onPlatform } from './installation.ts';
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
      const of = kindOf(kind);
      try {
        const released = await releaseFields(client, of, { namespace, name }, fields, takenUp(of, kubeconfig));
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

/**
 * As each tool does it: an object whose rows another one of its name has is the operator's to take up, before anything is changed.
 * Undefined: of a cluster of which this command knows no database; then the status of the object tells.
 */
function takenUp(
  kind: KindName,
  kubeconfig: string | undefined,
): ((object: OutriderObject) => Promise<void>) | undefined {
  const { DATABASE_URL, OWNER_DATABASE_URL } = process.env;
  if (kubeconfig !== undefined && DATABASE_URL === undefined && OWNER_DATABASE_URL === undefined) return undefined;
  return (object) =>
    onPlatform(({ db, homeNamespace }) =>
      db.tx({ kind: 'platform' }, (tx) => requireTakenUp(tx, kind, idOf(object, homeNamespace), object)),
    );
}

async function open(kubeconfig: string | undefined): Promise<KubeClient> {
  const path = kubeconfig ?? (await connection()).kubeconfig;
  return KubeClient.open({ path }, ownRuntime(createLogger('release-field')), { userAgent: 'outrider-release-field' });
}
