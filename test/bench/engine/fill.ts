import pg from 'pg';
import { ACCOUNTS, DAY_MS, MET, placeInTurn, type Shape, SPACING_MS, START, TURN } from './settings.ts';

const NODES = 180;

/** The ids of a filled workspace. */
export interface Filled {
  workspaceId: string;
  runs: number;
  shape: Shape;
  spacingMs: number;
}

/** How a workspace is filled. */
export interface Plan {
  workspaceId: string;
  /** How many accounts share the runs. */
  accounts: number;
  /** The workspace, filled before, whose accounts they are. */
  accountsOf: string;
  /** When the first run is due (epoch ms), and how long after it each next one (ms). */
  from: number;
  spacingMs: number;
  /** How long each wait of the graph lasts (ms). */
  waitMs: number;
}

/** A workspace with `runs` waiting runs of one shape, each with a lead, a person and one of the accounts. `settle`: vacuums after it; `met`: runs have gone round for long. */
export async function fill(
  superuserUrl: string,
  shape: Shape,
  runs: number,
  plan: Partial<Plan> = {},
  { settle = true, met = false } = {},
): Promise<Filled> {
  const { workspaceId = `bench-${shape}-${runs}`, spacingMs = SPACING_MS } = plan;
  const full: Plan = {
    workspaceId,
    accounts: ACCOUNTS,
    accountsOf: workspaceId,
    from: START,
    spacingMs,
    waitMs: runs * spacingMs,
    ...plan,
  };
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    await client.query('set search_path = outrider, app, public');
    await client.query('set session_replication_role = origin');
    for (const statement of statements(shape, runs, full)) await client.query(statement);
    if (met) for (const statement of firstSteps(full)) await client.query(statement);
    if (settle) await settled(client);
  } finally {
    await client.end();
  }
  return { workspaceId, runs, shape, spacingMs: full.spacingMs };
}

/** As after a while. Empty tables are not counted, as autovacuum never does: plans that are made for known-empty tables suit no other. */
async function settled(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ tables: string }>(
    `select string_agg(oid::regclass::text, ', ') as tables from pg_class
     where relnamespace = 'outrider'::regnamespace and relkind = 'r' and pg_relation_size(oid) > 0`,
  );
  await client.query(`vacuum analyze ${rows[0]?.tables}`);
  await client.query('checkpoint');
}

/** Rows of the tenant, then of the runs. Ids of records rise with time, as the product's do. */
function statements(shape: Shape, runs: number, plan: Plan): string[] {
  const { workspaceId: ws, accounts, accountsOf, from, spacingMs, waitMs } = plan;
  const q = pg.escapeLiteral;
  const hours = q(JSON.stringify({ days: [1, 2, 3, 4, 5, 6, 7], startHour: 0, endHour: 24, timezoneMode: 'account' }));
  const settings = q(
    JSON.stringify({
      contactPolicy: { minDaysBetweenTouches: 0, maxLeadsPerCompanyPerDay: 0 },
      businessHours: { days: [1, 2, 3, 4, 5, 6, 7], startHour: 0, endHour: 24, timezoneMode: 'account' },
    }),
  );
  const id = (kind: string): string => `md5(${q(`${ws}/${kind}/`)} || g)::uuid`;
  return [
    `insert into workspace (id, uid, name, created_at, updated_at) values (${q(ws)}, ${q(ws)}, 'Bench', ${START}, ${START})`,
    `insert into campaign (id, workspace_id, uid, title, state, settings, created_at, updated_at)
     values (${q(ws)}, ${q(ws)}, ${q(ws)}, 'Bench', 'active', ${settings}, ${START}, ${START})`,
    `insert into workflow (id, workspace_id, campaign_id, uid, name, enabled, graph_version, node_count, created_at, updated_at)
     values (${q(ws)}, ${q(ws)}, ${q(ws)}, ${q(ws)}, 'Bench', true, 1, ${NODES}, ${START}, ${START})`,
    `insert into workflow_graph (workspace_id, workflow_id, version, graph, node_types_version, created_at)
     values (${q(ws)}, ${q(ws)}, 1, ${q(JSON.stringify(graph(shape, waitMs)))}, '1.0.0', ${START})`,
    `insert into network_account (id, external_id, display_name, tier, status_since, limits, pacing, ramp_enabled, business_hours, created_at)
     select ${q(ws)} || '-' || g, ${q(ws)} || '-' || g, 'Sender', 'sales', 1, '{}', '{"maxGapSeconds": 0}', false, ${hours}, ${START} from generate_series(0, ${accounts - 1}) g
     where ${accountsOf === ws}`,
    `insert into account_link (account_id, workspace_id, share, linked_at) select ${q(accountsOf)} || '-' || g, ${q(ws)}, 0, 1 from generate_series(0, ${accounts - 1}) g`,
    `insert into person (id, created_at) select ${id('person')}, ${START} from generate_series(1, ${runs}) g`,
    `insert into lead (id, workspace_id, person_id, first_name, last_name, full_name, profile_id, created_at, updated_at)
     select ${id('lead')}, ${q(ws)}, ${id('person')}, 'Ada', 'Test', 'Ada Test', 'p-' || g, ${START}, ${START} from generate_series(1, ${runs}) g`,
    `insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, person_id, graph_version, node_id, state, wait_reason, due_at, entered_at, account_id, started_at)
     select uuidv7(), ${q(ws)}, ${q(ws)}, ${q(ws)}, ${id('lead')}, ${id('person')}, 1, 'n' || (1 + ${placeInTurn(shape)}), 'waiting', 'duration',
       ${from} + g * ${spacingMs}::bigint, ${from - 400 * DAY_MS}, ${q(accountsOf)} || '-' || (g % ${accounts}), ${START} from generate_series(1, ${runs}) g`,
  ];
}

/** What the first step with a person leaves behind, for those who are met already. */
function firstSteps({ workspaceId: ws, from, spacingMs }: Plan): string[] {
  const of = `from (select r.*, (r.due_at - ${from}) / ${spacingMs} as g from run r where r.workspace_id = ${pg.escapeLiteral(ws)}) r`;
  return [
    `insert into contact_claim (scope_key, person_id, workspace_id, run_id, taken_at)
     select app.scope_key(c.settings, c.id, r.workspace_id, w.agency_id, ''), r.person_id, r.workspace_id, r.id, ${START}
     ${of} join campaign c on c.id = r.campaign_id join workspace w on w.id = r.workspace_id where ${MET}`,
    `insert into relation (account_id, person_id, provider_id, state) select r.account_id, r.person_id, 'ACop-' || g, 'none' ${of} where ${MET}`,
  ];
}

/** A chain that repeats the shape's turn; every wait lasts until all other runs had their turn. */
function graph(shape: Shape, waitMs: number): object {
  const turn = TURN[shape];
  const nodes: { nodeId: string; nodeType: string; label: string; config: object }[] = [
    { nodeId: 'n0', nodeType: 'source:manual', label: 'n0', config: {} },
  ];
  for (let index = 1; index < NODES; index++) {
    const wait = turn[(index - 1) % turn.length] === 'wait';
    nodes.push({
      nodeId: `n${index}`,
      nodeType: wait ? 'flow:wait' : 'network:profile_view',
      label: `n${index}`,
      config: wait ? { waitType: 'duration', durationMs: waitMs } : {},
    });
  }
  const edges = nodes.slice(1).map((_node, index) => ({ sourceIndex: index, targetIndex: index + 1 }));
  return { nodes, edges };
}
