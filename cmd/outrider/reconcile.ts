import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import { SystemClock } from '../../pkg/base/clock.ts';
import { parseEnv } from '../../pkg/base/config.ts';
import { systemIds } from '../../pkg/base/ids.ts';
import { openProductClock } from '../../pkg/base/product-clock.ts';
import { type ReconcileReport, reconcile } from '../../pkg/engine/restore/reconcile.ts';
import { Database } from '../../pkg/postgres/database.ts';
import { createNetworkProviders, type NetworkProviders } from '../../pkg/providers/network/network-providers.ts';
import { connection, control, homeFolder } from './home-client.ts';
import { reconcileLines } from './reconcile-table.ts';

/** Outside standalone everything comes by environment. Only the schema's owner may write keys of persons. */
const environment = z.object({
  OWNER_DATABASE_URL: z.string().min(1).optional(),
  OUTRIDER_CLOCK: z.string().min(1).optional(),
  SANDBOX_URL: z.url().optional(),
  SANDBOX_API_KEY: z.string().optional(),
  UNIPILE_BASE_URL: z.url().optional(),
  UNIPILE_API_KEY: z.string().optional(),
});
type Environment = z.infer<typeof environment>;

const homeSecrets = z.object({ sandboxApiKey: z.string() });
const clockState = z.object({ product: z.number() });

/** A comparison reads every account and writes in one transaction each. */
const STATEMENT_TIMEOUT_MS = 120_000;

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

async function run(env: Environment, dryRun: boolean): Promise<ReconcileReport> {
  const home = env.OWNER_DATABASE_URL === undefined ? await connection() : undefined;
  const db = new Database({
    url: env.OWNER_DATABASE_URL ?? home?.databaseUrl ?? '',
    max: 1,
    applicationName: 'outrider-reconcile',
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
  const clock = await openProductClock(env.OUTRIDER_CLOCK);
  try {
    const providers = await providersOf(env, home?.sandboxUrl);
    const ahead = home ? await productAhead() : 0;
    return await reconcile({ db, providers, now: () => clock.now() + ahead, newId: systemIds.uuid, dryRun });
  } finally {
    clock.close();
    await db.close();
  }
}

async function providersOf(env: Environment, homeSandbox: string | undefined): Promise<NetworkProviders> {
  const { SANDBOX_URL, SANDBOX_API_KEY, UNIPILE_BASE_URL, UNIPILE_API_KEY } = env;
  const sandboxUrl = SANDBOX_URL ?? homeSandbox;
  const sandboxKey = SANDBOX_API_KEY ?? (homeSandbox ? await homeSandboxKey() : '');
  return createNetworkProviders({
    sandbox: sandboxUrl ? { url: sandboxUrl, apiKey: sandboxKey } : undefined,
    unipile: UNIPILE_BASE_URL && UNIPILE_API_KEY ? { url: UNIPILE_BASE_URL, apiKey: UNIPILE_API_KEY } : undefined,
  });
}

async function homeSandboxKey(): Promise<string> {
  const text = await readFile(join(homeFolder(), 'secrets.json'), 'utf8');
  return homeSecrets.parse(JSON.parse(text)).sandboxApiKey;
}

/** Product time minus real time of the running home (ms). */
async function productAhead(): Promise<number> {
  const { product } = clockState.parse(await control('GET', '/clock'));
  return product - new SystemClock().now();
}
