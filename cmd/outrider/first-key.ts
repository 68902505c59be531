import type { Command } from 'commander';
import { z } from 'zod';
import { SystemClock } from '../../pkg/base/clock.ts';
import { parseEnv } from '../../pkg/base/config.ts';
import { systemIds } from '../../pkg/base/ids.ts';
import { ALL_SCOPES } from '../../pkg/domain/scopes.ts';
import { Database } from '../../pkg/postgres/database.ts';
import { isClaimed, makeClaim } from '../../pkg/store/console/claims.ts';
import { registerApiKey } from '../../pkg/store/tenancy/api-keys.ts';
import { ensurePlatformAdmin } from '../../pkg/store/tenancy/platform-admin.ts';

const settings = z.object({
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }),
  FIRST_KEY: z.string().regex(/^csu_[0-9a-f]{32}$/, 'must be csu_ and 32 hex characters'),
  FIRST_USER_EMAIL: z.email(),
  /** Of the link by which the first admin of the console signs in. */
  CLAIM_TOKEN: z
    .string()
    .regex(/^[\w-]{43}$/, 'must be 43 characters of base64url')
    .optional(),
});

/** `outrider first-key`: the platform admin of a new installation and the key that was made for them; idempotent. */
export function addFirstKeyCommand(program: Command): void {
  program
    .command('first-key')
    .description(
      'register FIRST_KEY for the platform admin FIRST_USER_EMAIL of a new installation, and CLAIM_TOKEN for the console',
    )
    .action(async () => {
      const env = parseEnv(settings, process.env);
      const db = new Database({ url: env.DATABASE_URL, max: 1, applicationName: 'outrider-first-key' });
      try {
        console.log(await register(db, env));
      } finally {
        await db.close();
      }
    });
}

async function register(db: Database, env: z.infer<typeof settings>): Promise<string> {
  const now = new SystemClock().now();
  return db.tx({ kind: 'platform' }, async (tx) => {
    const admin = { id: systemIds.uuid(), email: env.FIRST_USER_EMAIL, name: 'Platform admin', now };
    const userId = await ensurePlatformAdmin(tx, admin);
    if (env.CLAIM_TOKEN !== undefined && !(await isClaimed(tx)))
      await makeClaim(tx, { id: systemIds.uuid(), token: env.CLAIM_TOKEN });
    const made = await registerApiKey(tx, env.FIRST_KEY, {
      id: systemIds.uuid(),
      keyType: 'user',
      userId,
      workspaceId: null,
      name: 'first key',
      scopes: [...ALL_SCOPES],
      createdBy: userId,
      now,
    });
    return made ? `The first key belongs to ${env.FIRST_USER_EMAIL}.` : 'The first key was registered before.';
  });
}
