import type { Command } from 'commander';
import { z } from 'zod';
import { parseEnv } from '../../pkg/base/config.ts';
import { systemIds } from '../../pkg/base/ids.ts';
import type { Sealer } from '../../pkg/base/sealer.ts';
import { sealingEnv } from '../../pkg/base/sealing-env.ts';
import type { MailDesk } from '../../pkg/engine/mail/mail-desk.ts';
import { type ReconcileReport, reconcile } from '../../pkg/engine/restore/reconcile.ts';
import { createMailProviders } from '../../pkg/providers/mail/mail-providers.ts';
import { createNetworkProviders } from '../../pkg/providers/network/network-providers.ts';
import { homeSecrets, knownSealer } from './home-secrets.ts';
import { installationEnv, onInstallation } from './installation.ts';
import { reconcileLines } from './reconcile-table.ts';

/** Providers come by environment, as for the executors; the sandbox of a running home is known. */
const environment = installationEnv.extend({
  SANDBOX_URL: z.url().optional(),
  SANDBOX_API_KEY: z.string().optional(),
  UNIPILE_BASE_URL: z.url().optional(),
  UNIPILE_API_KEY: z.string().optional(),
  ...sealingEnv,
});
/** A leader looks each two seconds; a new one takes its Lease within this time. */
const LOOK_WITHIN_MS = 30_000;
type Environment = z.infer<typeof environment>;

/** `outrider reconcile`: after a restore, compares with the providers, shows the differences and lets sends go on. */
export function addReconcileCommand(program: Command): void {
  program
    .command('reconcile')
    .description(
      'after a restored backup: compare with the providers, take over what the ledger lacks, lift the freeze',
    )
    .option('--dry-run', 'only show the differences')
    .action(async (options: { dryRun?: boolean }) => {
      const report = await run(parseEnv(environment, process.env), options.dryRun ?? false);
      for (const line of reconcileLines(report)) console.log(line);
      if (!report.applied || report.accounts.some((account) => account.failed !== null)) process.exitCode = 2;
    });
}

function run(env: Environment, dryRun: boolean): Promise<ReconcileReport> {
  return onInstallation(async ({ db, now, sandboxUrl }) => {
    const known = await withHome(env, sandboxUrl);
    const providers = createNetworkProviders(known);
    const mail: MailDesk = {
      providers: createMailProviders(),
      sealer: known.sealer,
      ingressUrl: undefined,
      sandbox: known.sandbox,
    };
    return reconcile({ db, providers, mail, now, newId: systemIds.uuid, lookWithinMs: LOOK_WITHIN_MS, dryRun });
  }, env);
}

interface Access {
  sandbox: { url: string; apiKey: string } | undefined;
  unipile: { url: string; apiKey: string } | undefined;
  /** Opens the passwords of mailboxes. */
  sealer: Sealer | undefined;
}

/** What the environment says, filled up with the secrets of the running home. */
async function withHome(env: Environment, homeSandbox: string | undefined): Promise<Access> {
  const { SANDBOX_URL, SANDBOX_API_KEY, UNIPILE_BASE_URL, UNIPILE_API_KEY } = env;
  const home = homeSandbox ? await homeSecrets() : undefined;
  const url = SANDBOX_URL ?? homeSandbox;
  return {
    sandbox: url ? { url, apiKey: SANDBOX_API_KEY ?? home?.sandboxApiKey ?? '' } : undefined,
    unipile: UNIPILE_BASE_URL && UNIPILE_API_KEY ? { url: UNIPILE_BASE_URL, apiKey: UNIPILE_API_KEY } : undefined,
    sealer: await knownSealer(env),
  };
}
