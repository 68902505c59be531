import { z } from 'zod';
import { SystemClock } from '../../pkg/base/clock.ts';
import { parseEnv } from '../../pkg/base/config.ts';
import { openProductClock } from '../../pkg/base/product-clock.ts';
import { Database } from '../../pkg/postgres/database.ts';
import { connection, control } from './home-client.ts';

/** Where the command line works on the database itself. Outside standalone everything comes by environment. */
export const installationEnv = z.object({
  OWNER_DATABASE_URL: z.string().min(1).optional(),
  OUTRIDER_CLOCK: z.string().min(1).optional(),
});

/** The same for commands that need no more than the programs of the platform: in a pod of the operator its own database serves. */
const platformEnv = installationEnv.extend({
  DATABASE_URL: z.string().min(1).optional(),
  /** The release's own, whose objects have their bare name as id. */
  OUTRIDER_NAMESPACE: z.string().min(1).default('outrider'),
});

/** The installation, and the namespace of its own. */
export interface PlatformPlace extends Installation {
  homeNamespace: string;
}

/** Opens the platform's place for a piece of work. @throws UserError when nothing runs there */
export async function onPlatform<T>(work: (place: PlatformPlace) => Promise<T>): Promise<T> {
  const { DATABASE_URL: own, OUTRIDER_NAMESPACE: homeNamespace, ...env } = parseEnv(platformEnv, process.env);
  const owned = { ...env, OWNER_DATABASE_URL: env.OWNER_DATABASE_URL ?? own };
  return onInstallation((installation) => work({ ...installation, homeNamespace }), owned);
}

/**
 * Opens the installation of OWNER_DATABASE_URL, else that of the running home, for a piece of work.
 * @throws UserError when nothing runs there
 */
export async function onInstallation<T>(
  work: (installation: Installation) => Promise<T>,
  env: z.infer<typeof installationEnv> = parseEnv(installationEnv, process.env),
): Promise<T> {
  const { close, ...installation } = await openInstallation(env);
  try {
    return await work(installation);
  } finally {
    await close();
  }
}

/** The schema owner's connection, and product time. */
export interface Installation {
  db: Database;
  /** Product time, epoch ms. */
  now(): number;
  /** The sandbox of the running home. */
  sandboxUrl: string | undefined;
}

/** A comparison or a look at large tables takes its time. */
const STATEMENT_TIMEOUT_MS = 120_000;
const clockState = z.object({ product: z.number() });

async function openInstallation(
  env: z.infer<typeof installationEnv>,
): Promise<Installation & { close: () => Promise<void> }> {
  const home = env.OWNER_DATABASE_URL === undefined ? await connection() : undefined;
  const ahead = home ? await productAhead() : 0;
  const clock = await openProductClock(env.OUTRIDER_CLOCK);
  const db = new Database({
    url: env.OWNER_DATABASE_URL ?? home?.databaseUrl ?? '',
    max: 1,
    applicationName: 'outrider-cli',
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
  return {
    db,
    now: () => clock.now() + ahead,
    sandboxUrl: home?.sandboxUrl,
    async close() {
      clock.close();
      await db.close();
    },
  };
}

/** Product time minus real time of the running home (ms). */
async function productAhead(): Promise<number> {
  const { product } = clockState.parse(await control('GET', '/clock'));
  return product - new SystemClock().now();
}
