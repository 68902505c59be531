import { createHash } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { type Clock, sleepReal } from '../base/clock.ts';
import { systemIds } from '../base/ids.ts';
import { ALL_SCOPES, TENANT_SCOPES } from '../domain/scopes.ts';
import type { Database } from '../postgres/database.ts';
import { createApiKey } from '../store/tenancy/api-keys.ts';
import { ensurePlatformAdmin } from '../store/tenancy/platform-admin.ts';
import { DemoClient } from './demo/demo-client.ts';

const storedSchema = z.object({
  userId: z.string(),
  userKey: z.string(),
  workspaceId: z.string(),
  workspaceKey: z.string(),
});

/** Who a new home belongs to: a user who is platform admin, a workspace, and a key for each. */
export type Bootstrap = z.infer<typeof storedSchema>;

const OWNER_EMAIL = 'owner@outrider.example';

/** Accounts of the simulated network that the demo workspace sends through. */
const ACCOUNTS = [
  { displayName: 'Ada Brandt', externalId: 'acc-ada-brandt', timezone: 'Europe/Berlin' },
  { displayName: 'Ben Okafor', externalId: 'acc-ben-okafor', timezone: 'Europe/London' },
] as const;

export interface BootstrapOptions {
  file: string;
  db: Database;
  clock: Clock;
  mcpUrl: string;
}

/**
 * Makes the bootstrap user, the demo workspace, its accounts and keys on the first start, through the public tools
 * as far as they go; later starts read what the first one made.
 */
export async function bootstrap(options: BootstrapOptions): Promise<Bootstrap> {
  const text = await readFile(options.file, 'utf8').catch(() => undefined);
  const stored = text === undefined ? undefined : storedSchema.parse(JSON.parse(text));
  if (stored && (await isLive(options.db, stored.userKey))) return stored;
  const made = await make(options, stored);
  await writeFile(`${options.file}.new`, JSON.stringify(made), { mode: 0o600 });
  await rename(`${options.file}.new`, options.file);
  return made;
}

async function make(options: BootstrapOptions, stored: Bootstrap | undefined): Promise<Bootstrap> {
  const { userId, userKey } = await ensureUser(options);
  if (stored) return { ...stored, userId, userKey };
  const admin = await DemoClient.withKey(options.mcpUrl, userKey);
  try {
    const { workspaceId } = await retry(() =>
      admin.call<{ workspaceId: string }>('svc_admin_create_workspace', {
        name: 'Demo agency',
        ownerEmail: OWNER_EMAIL,
        ownerName: 'Olivia Owner',
        initialCredits: 1_000,
        idempotencyKey: 'bootstrap-workspace',
      }),
    );
    for (const account of ACCOUNTS) {
      const { accountId } = await admin.call<{ accountId: string }>('svc_admin_link_account', {
        action: 'register',
        accountKind: 'network',
        tier: 'premium',
        ...account,
      });
      await admin.call('svc_admin_link_account', { action: 'link', accountKind: 'network', accountId, workspaceId });
    }
    const workspaceKey = await makeWorkspaceKey(options, workspaceId, userId);
    return { userId, userKey, workspaceId, workspaceKey };
  } finally {
    await admin.close();
  }
}

async function ensureUser(options: BootstrapOptions): Promise<{ userId: string; userKey: string }> {
  const now = options.clock.now();
  return options.db.tx({ kind: 'platform' }, async (tx) => {
    const admin = { id: systemIds.uuid(), email: OWNER_EMAIL, name: 'Olivia Owner', now };
    const userId = await ensurePlatformAdmin(tx, admin);
    const key = await createApiKey(tx, {
      id: systemIds.uuid(),
      keyType: 'user',
      userId,
      workspaceId: null,
      name: 'bootstrap',
      scopes: [...ALL_SCOPES],
      createdBy: userId,
      now,
    });
    return { userId, userKey: key.plaintext };
  });
}

async function makeWorkspaceKey(options: BootstrapOptions, workspaceId: string, userId: string): Promise<string> {
  const key = await options.db.tx({ kind: 'platform' }, (tx) =>
    createApiKey(tx, {
      id: systemIds.uuid(),
      keyType: 'workspace',
      userId: null,
      workspaceId,
      name: 'demo workspace',
      scopes: TENANT_SCOPES,
      createdBy: userId,
      now: options.clock.now(),
    }),
  );
  return key.plaintext;
}

async function isLive(db: Database, plaintext: string): Promise<boolean> {
  const hash = createHash('sha256').update(plaintext).digest();
  const row = await db.tx({ kind: 'platform' }, (tx) =>
    tx.row('select 1 from api_key where key_hash = $1 and revoked_at is null', [hash]),
  );
  return row !== undefined;
}

/** The Kubernetes side may need a moment after its start; the call is idempotent. */
async function retry<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (attempt >= 10) throw error;
      await sleepReal(200 * attempt);
    }
  }
}
