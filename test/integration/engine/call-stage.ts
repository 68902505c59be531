import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Noted } from '../../../cmd/sandbox/outside/book.ts';
import { type Sandbox, startSandbox } from '../../../cmd/sandbox/sandbox.ts';
import { Sealer } from '../../../pkg/base/sealer.ts';
import { type Outside, type OutsideSettings, openOutside } from '../../../pkg/engine/calls/outside.ts';
import type { FaultHook } from '../../../pkg/engine/fault-points.ts';
import type { KnownFor } from '../../../pkg/engine/lookups/known-for.ts';
import { sandboxControl } from '../../tools/sandbox-control.ts';
import { FakeNetwork } from './fake-network.ts';
import { addAccount, addCampaign, addLead, addWorkflow, addWorkspace, type GraphInput } from './fixtures.ts';
import { type Bench, change, type EngineHandle, enrol, openBench, openEngine, query } from './harness.ts';

const KEY = 'sandbox-key-of-calls';
const SECRET = 'a signing secret of the test';
const INSTALLATION = 'an installation key of at least 32 characters';

export interface CallView {
  state: string;
  outcome: string | null;
  once_key: string | null;
  credits: number;
  tries: number;
  error: string | null;
  not_found: number;
}

interface EngineOptions {
  faults?: FaultHook;
  settings?: OutsideSettings;
  unknownFor?: KnownFor;
}

/** A workspace with everything that call nodes reach, simulated behind the real wire formats. */
export interface CallStage {
  bench: Bench;
  sandbox: Sandbox;
  ws: string;
  camp: string;
  account: string;
  network: FakeNetwork;
  /** Integrations by kind: a CRM, an outreach platform, a webhook. */
  integrations: { crm: string; outreach: string; webhook: string };
  signingSecret: string;
  /** Key of all simulated services. */
  key: string;
  engine(options?: EngineOptions): Promise<EngineHandle>;
  /** Address of a simulated service. */
  service(name: string): string;
  control<T>(path: string, body?: object): Promise<T>;
  /** What a service received. */
  received(service: string): Promise<Noted[]>;
  lead(fields?: object): Promise<string>;
  flow(graph: GraphInput): Promise<string>;
  enrol(flow: string, leadId: string): Promise<void>;
  outcomes(leadId: string): Promise<{ node: string; outcome: string; data: Record<string, unknown> }[]>;
  calls(leadId: string): Promise<CallView[]>;
  credits(): Promise<{ balance: number; held: number }>;
  stop(): Promise<void>;
}

export async function openCallStage(): Promise<CallStage> {
  const bench = await openBench();
  const home = await mkdtemp(join(tmpdir(), 'outrider-calls-'));
  const sandbox = await startSandbox({ clock: bench.clock, home, seed: 'calls', apiKey: KEY });
  const ws = await addWorkspace(bench.app);
  const hours = { days: [1, 2, 3, 4, 5, 6, 7], startHour: 0, endHour: 24, timezoneMode: 'account' };
  const camp = await addCampaign(bench.app, ws, { businessHours: hours, contactPolicy: { minDaysBetweenTouches: 0 } });
  const sealer = new Sealer(INSTALLATION);
  const service = (name: string): string => `${sandbox.url}/outside/${name}`;
  const connect = async (kind: string, provider: string, url: string, credentials: object): Promise<string> => {
    const id = `int-${randomUUID().slice(0, 8)}`;
    const sealed = sealer.seal(JSON.stringify(credentials), `integration:${id}`);
    await change(
      bench,
      `insert into integration (id, workspace_id, provider, kind, url, sealed, created_at) values ($1, $2, $3, $4, $5, $6, 1)`,
      [id, ws, provider, kind, url, sealed],
    );
    return id;
  };
  const calendar = `cal-${randomUUID().slice(0, 8)}`;
  await change(
    bench,
    `insert into calendar_account (id, workspace_id, url, sealed, timezone, created_at) values ($1, $2, $3, $4, 'Europe/Berlin', 1)`,
    [
      calendar,
      ws,
      service('caldav'),
      sealer.seal(JSON.stringify({ username: 'ada', password: KEY }), `calendar:${calendar}`),
    ],
  );
  await grant(bench, ws, 1_000);
  const network = new FakeNetwork();
  const outside = (settings: OutsideSettings): Outside =>
    openOutside(
      {
        SANDBOX_URL: sandbox.url,
        ENRICHMENT_PDL_URL: service('pdl'),
        ENRICHMENT_PDL_KEY: KEY,
        ENRICHMENT_HUNTER_URL: service('hunter'),
        ENRICHMENT_HUNTER_KEY: KEY,
        AI_API_KEY: KEY,
        ...settings,
      },
      sealer,
    );
  return {
    bench,
    sandbox,
    ws,
    camp,
    account: await addAccount(bench.app, [ws]),
    network,
    integrations: {
      crm: await connect('crm', 'hubspot', service('hubspot'), { token: KEY }),
      outreach: await connect('outreach', 'instantly', service('instantly'), { token: KEY }),
      webhook: await connect('webhook', 'webhook', `${service('hook')}/signed`, { signingSecret: SECRET }),
    },
    signingSecret: SECRET,
    key: KEY,
    engine: ({ settings = {}, ...rest } = {}) =>
      openEngine(bench, ws, network, { outside: outside(settings), ...rest }),
    service,
    control: (path, body) => sandboxControl(sandbox.url, path, body),
    received: async (name) =>
      (await sandboxControl<Noted[]>(sandbox.url, 'outside')).filter((one) => one.service === name),
    lead: (fields = {}) => addPerson(bench, ws, fields),
    flow: (graph) => addWorkflow(bench.app, ws, camp, graph),
    enrol: async (flow, leadId) => {
      const [answer] = await enrol(bench, ws, flow, [leadId]);
      if (answer?.skipped !== null) throw new Error(`not enrolled: ${answer?.skipped}`);
    },
    outcomes: (leadId) =>
      query(
        bench,
        `select e.node_id as node, e.data ->> 'outcome' as outcome, e.data from run_event e join run r on r.id = e.run_id
         where r.lead_id = $1 and e.kind = 'run.step_done' order by e.seq`,
        [leadId],
      ),
    calls: (leadId) =>
      query(
        bench,
        'select state, outcome, once_key, credits, tries, error, not_found from node_call where lead_id = $1 order by claimed_at, id',
        [leadId],
      ),
    credits: async () => {
      const [row] = await query<{ balance: number; held: number }>(
        bench,
        'select balance, held from credit_balance where workspace_id = $1',
        [ws],
      );
      return row ?? { balance: 0, held: 0 };
    },
    async stop() {
      await bench.close();
      await sandbox.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

export async function grant(bench: Bench, ws: string, amount: number): Promise<void> {
  await query(bench, `select app.move_credits($1, $2, $3, $4, 1, 'test', null, 'test')`, [
    ws,
    amount > 0 ? 'grant' : 'adjust',
    amount,
    randomUUID(),
  ]);
}

let people = 0;

async function addPerson(bench: Bench, ws: string, fields: object): Promise<string> {
  const id = await addLead(bench.app, ws, {});
  const n = ++people;
  const given = {
    title: 'Head of Logistics',
    industry: 'Logistics',
    company: `Acme ${n}`,
    email: `ada${n}@acme.example`,
    ...fields,
  };
  await change(
    bench,
    `update lead set title = x.title, industry = x.industry, company = x.company, email = x.email,
       full_name = coalesce(x.full_name, lead.full_name), provenance = coalesce(x.provenance, lead.provenance), phone = x.phone
     from jsonb_to_record($2::jsonb) as x (title text, industry text, company text, email text, full_name text, provenance jsonb, phone text) where id = $1`,
    [id, JSON.stringify(given)],
  );
  return id;
}
