import { randomUUID } from 'node:crypto';
import { FakeNetwork } from './fake-network.ts';
import { addAccount, addCampaign, addLead, addWorkflow, addWorkspace, type GraphInput } from './fixtures.ts';
import { type Bench, type EngineHandle, openEngine, passTime, query } from './harness.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
export const NO_GAP = { contactPolicy: { minDaysBetweenTouches: 0 } };

export const message = (text = 'Hello {{lead:firstName}}'): GraphInput['nodes'][number] => ({
  nodeType: 'network:message',
  config: { textMode: 'static', text },
});
/** Nodes one after the other. */
export const chain = (...nodes: GraphInput['nodes']): GraphInput => ({
  nodes,
  edges: nodes.slice(1).map((_node, index) => ({ sourceIndex: index, targetIndex: index + 1 })),
});

/** A profile is visited, then the run waits for a day. */
export const viewThenWait = chain(
  { nodeType: 'network:profile_view' },
  { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: DAY } },
);

export interface Place {
  ws: string;
  camp: string;
  flow: string;
  account: string;
  network: FakeNetwork;
  handle: EngineHandle;
}

export interface RunView {
  id: string;
  state: string;
  wait_reason: string | null;
  due_at: number | null;
  node_id: string;
  end_reason: string | null;
  facts: Record<string, unknown>;
  person_id: string;
  send_id: string | null;
  account_id: string | null;
}

export async function place(
  bench: Bench,
  graph: GraphInput,
  settings: object = NO_GAP,
  hours?: object,
): Promise<Place> {
  const network = new FakeNetwork();
  const ws = await addWorkspace(bench.app);
  const camp = await addCampaign(bench.app, ws, {
    businessHours: { days: [1, 2, 3, 4, 5, 6, 7], startHour: 0, endHour: 24, timezoneMode: 'account' },
    ...settings,
  });
  const account = await addAccount(bench.app, [ws], hours ? { hours } : {});
  const flow = await addWorkflow(bench.app, ws, camp, graph);
  return { ws, camp, flow, account, network, handle: await openEngine(bench, ws, network) };
}

export async function lead(bench: Bench, at: Place, connected = true): Promise<{ leadId: string; publicId: string }> {
  const publicId = `p-${randomUUID().slice(0, 8)}`;
  if (connected) at.network.connected.add(publicId);
  return { leadId: await addLead(bench.app, at.ws, { profileId: publicId }), publicId };
}

export const runOf = async (bench: Bench, leadId: string): Promise<RunView> => {
  const [row] = await query<RunView>(bench, 'select * from run where lead_id = $1 order by started_at desc limit 1', [
    leadId,
  ]);
  if (!row) throw new Error('no run');
  return row;
};
export const sendsOf = (
  bench: Bench,
  ws: string,
): Promise<
  { state: string; outcome: string | null; dead_letter_state: string | null; evidence: { what: string }[] }[]
> => query(bench, 'select * from send where workspace_id = $1 order by claimed_at', [ws]);

/** Lets an hour pass, in which what was proven not done is tried again. */
export const retryLater = (bench: Bench, handle: EngineHandle): Promise<void> =>
  passTime(bench, handle, HOUR, 10 * MINUTE);
