import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemIds } from '../../../pkg/base/ids.ts';
import { ALL_SCOPES } from '../../../pkg/domain/scopes.ts';
import { Database, type Tx } from '../../../pkg/postgres/database.ts';
import { createApiKey } from '../../../pkg/store/tenancy/api-keys.ts';
import { startPostgres } from '../../tools/postgres.ts';
import { startRedis, type TestRedis } from '../../tools/redis.ts';
import { type ServerProcess, startServer } from './processes.ts';

/** The server as people run it, with a database and Redis, beside the SDK's echo. */
export interface Fixture {
  server: ServerProcess;
  echo: ServerProcess;
  /** The SDK's server with all tools of the product. */
  sdk: ServerProcess;
  redis: TestRedis | undefined;
  db: Database;
  /** The least that Koa does for a request. */
  bare: ServerProcess;
  /** Plaintext of a new key of the workspace, or of one whose keys may make one call a minute. */
  newKey(limited?: boolean): Promise<string>;
  stop(): Promise<void>;
}

const PLENTY = '999999999';
const WORKSPACE = 'bench';
const LIMITED = 'limited';
/** The campaign that has content; the others are new. */
export const FILLED = 'campaign-8';
const POOL = 500;

export async function startFixture(): Promise<Fixture> {
  const postgres = await startPostgres({ fsync: 'on' });
  const redis = await startRedis();
  const folder = await mkdtemp(join(tmpdir(), 'outrider-bench-'));
  const { appUrl } = await postgres.product();
  const db = new Database({ url: appUrl, max: 2, applicationName: 'bench' });
  await seed(db);
  const server = await startServer('cmd/mcp-server/main.ts', {
    PORT: '0',
    DATABASE_URL: appUrl,
    ...(redis ? { REDIS_URL: redis.url } : {}),
    KUBECONFIG_PATH: await unusedKubeconfig(folder),
    SESSION_SECRET: 'session-secret-of-bench',
    CURSOR_SECRET: 'cursor-secret-of-bench',
    OUTRIDER_PARENT_PIPE: '1',
    ...Object.fromEntries(
      ['READ', 'WRITE', 'LLM', 'OVERALL'].map((name) => [`MCP_RATE_LIMIT_${name}_PER_MIN`, PLENTY]),
    ),
  });
  const echo = await startServer('test/bench/peers/echo.mjs', {});
  const bare = await startServer('test/bench/peers/bare-koa.mjs', {});
  const sdk = await startServer('test/bench/peers/echo.mjs', { TOOLS: 'product' });
  return {
    server,
    echo,
    sdk,
    bare,
    redis,
    db,
    newKey: (limited = false) => newKey(db, limited ? LIMITED : WORKSPACE),
    async stop() {
      await server.stop();
      await echo.stop();
      await sdk.stop();
      await bare.stop();
      await db.close();
      await redis?.stop();
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The measured calls touch no cluster. */
async function unusedKubeconfig(folder: string): Promise<string> {
  const path = join(folder, 'kubeconfig');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'none', cluster: { server: 'https://127.0.0.1:9' } }],
    users: [{ name: 'none', user: {} }],
    contexts: [{ name: 'none', context: { cluster: 'none', user: 'none' } }],
    'current-context': 'none',
  };
  await writeFile(path, JSON.stringify(config));
  return path;
}

async function seed(db: Database): Promise<void> {
  await db.tx({ kind: 'platform' }, async (tx) => {
    await tx.exec('insert into workspace (id, uid, name, created_at, updated_at) values ($1, $1, $1, 1, 1)', [
      WORKSPACE,
    ]);
    await tx.exec(
      `insert into workspace (id, uid, name, limits, created_at, updated_at) values ($1, $1, $1, '{"readPerMinute": 1}', 1, 1)`,
      [LIMITED],
    );
    await tx.exec(
      `insert into campaign (id, workspace_id, uid, title, created_at, updated_at)
       select 'campaign-' || i, $1, 'uid-' || i, 'Campaign ' || i, i, i from generate_series(1, 100) i`,
      [WORKSPACE],
    );
    await fill(tx);
  });
}

/** Lists, a workflow, an ICP, personas, phases, and leads with a score. */
async function fill(tx: Tx): Promise<void> {
  const of = [WORKSPACE, FILLED];
  const icp = systemIds.uuid();
  await tx.exec('insert into icp (id, workspace_id, campaign_id, created_at) values ($3, $1, $2, 1)', [...of, icp]);
  await tx.exec(
    `insert into workflow (id, workspace_id, campaign_id, uid, name, created_at, updated_at) values ('flow', $1, $2, 'f', 'F', 1, 1)`,
    of,
  );
  for (const rest of [
    `lead_list (id, workspace_id, campaign_id, name, type, created_at) select gen_random_uuid(), $1, $2, 'l', 'static', 1`,
    `persona (id, workspace_id, campaign_id, name, created_at, updated_at) select gen_random_uuid(), $1, $2, 'p', 1, 1`,
    `phase (id, workspace_id, campaign_id, name, phase_type, position, created_at, updated_at) select gen_random_uuid(), $1, $2, 'p', 'x', i, 1, 1`,
  ])
    await tx.exec(`insert into ${rest} from generate_series(1, 3) i`, of);
  await tx.exec(
    `with l as (insert into lead (id, workspace_id, full_name, profile_id, created_at, updated_at)
       select gen_random_uuid(), $1, 'L', 'p' || i, 1, 1 from generate_series(1, $4) i returning id)
     insert into lead_score (workspace_id, campaign_id, icp_id, lead_id, icp_score, signal_score, total, computed_at)
       select $1, $2, $3, id, 60, 0, 60, 1 from l`,
    [...of, icp, POOL],
  );
}

async function newKey(db: Database, workspaceId: string): Promise<string> {
  const made = await db.tx({ kind: 'platform' }, (tx) =>
    createApiKey(tx, {
      id: systemIds.uuid(),
      keyType: 'workspace',
      userId: null,
      workspaceId,
      name: 'bench',
      scopes: ALL_SCOPES,
      createdBy: systemIds.uuid(),
      now: 1,
    }),
  );
  return made.plaintext;
}
