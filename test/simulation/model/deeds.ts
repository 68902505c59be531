import { randomUUID } from 'node:crypto';
import { admin } from '../../tools/tool-calls.ts';
import { edited, graphOf } from './any-graph.ts';
import type { DeedKind, DeedPlan } from './any-life.ts';
import { LIMITS, type LifePlayer, type ModelLead, TIGHT, ZONES } from './life-player.ts';

const HALF_HOUR = 1_800_000;
const DAY = 86_400_000;

type Deed = (player: LifePlayer, lead: ModelLead, pick: number) => Promise<unknown>;

const asAdmin = <T>(player: LifePlayer, name: string, input: object): Promise<T> =>
  player.world.tools.call<T>(name, input, admin([{ workspaceId: player.office.ws, name: 'W', role: 'owner' }]));

async function runOf(
  player: LifePlayer,
  lead: ModelLead,
): Promise<{ runId: string; graphVersion: number; workflowId: string } | undefined> {
  const { runs } = await player.call<{
    runs: {
      runId: string;
      leadId: string;
      endedAt: string | null;
      graphVersion: number;
      workflowId: string;
      state: string;
    }[];
  }>('svc_list_workflow_runs', { leadId: lead.leadId, detail: 'full' });
  return runs.find((run) => run.endedAt === null) ?? runs.find((run) => run.state === 'failed');
}

async function control(player: LifePlayer, lead: ModelLead, action: string, more: object = {}): Promise<number> {
  const run = await runOf(player, lead);
  if (!run) return 0;
  const { changed } = await player.call<{ changed: number }>('svc_control_workflow_runs', {
    runIds: [run.runId],
    action,
    ...more,
  });
  return changed;
}

async function stop(player: LifePlayer, lead: ModelLead): Promise<void> {
  if ((await control(player, lead, 'stop')) > 0) player.barrier('stopped', lead);
}

async function move(player: LifePlayer, lead: ModelLead, pick: number): Promise<void> {
  const run = await runOf(player, lead);
  const known = player.versions.filter((one) => one.flow === run?.workflowId).at(-1)?.graph.nodes ?? [];
  const nodeId = known[pick % Math.max(1, known.length)]?.nodeId;
  if (nodeId && nodeId !== 'source') await control(player, lead, 'move', { nodeId });
}

async function enable(player: LifePlayer, enabled: boolean): Promise<void> {
  await player.call('svc_update_workflow_status', { workflowId: player.flow, enabled });
  if (enabled) player.lift('disabled');
  else player.barrier('disabled', null, { tag: `A${player.office.ws}` });
}

async function edit(player: LifePlayer, pick: number, inFlight: string): Promise<void> {
  const plan = edited(player.life.graph, pick);
  const graph = graphOf(plan, player.means, `A${player.office.ws}`);
  await player.call('svc_update_workflow', { workflowId: player.flow, graph, inFlight });
  player.versions.push({ flow: player.flow, graph });
}

async function freeze(player: LifePlayer, pick: number): Promise<void> {
  const channel = [undefined, 'network', 'mail', 'webhook'][pick % 4];
  const until = pick % 3 === 0 ? { until: new Date(player.now + 2 * DAY).toISOString() } : {};
  await asAdmin(player, 'svc_admin_set_send_freeze', {
    frozen: true,
    workspaceId: player.office.ws,
    ...(channel ? { channel } : {}),
    ...until,
    reason: 'a test',
  });
  // It stands instead of the one before.
  player.lift(`frozen ${channel}`);
  if (channel !== 'webhook' && !('until' in until))
    player.barrier(`frozen ${channel}`, null, channel ? { channel: channel as 'network' | 'mail' } : {});
}

async function release(player: LifePlayer): Promise<void> {
  for (const channel of [undefined, 'network', 'mail', 'webhook']) {
    await asAdmin(player, 'svc_admin_set_send_freeze', {
      frozen: false,
      workspaceId: player.office.ws,
      ...(channel ? { channel } : {}),
      reason: 'over',
    });
    player.lift(`frozen ${channel}`);
  }
}

/** One of the accounts, as a plan picks it. */
const accountOf = ({ office }: LifePlayer, pick: number): string =>
  office.accounts[pick % office.accounts.length] ?? '';

/** Nothing leaves through one account until `liftOf` it. */
const barAccount = (who: readonly LifePlayer[], why: string, account: string): void => {
  for (const player of who) player.barrier(`${why} ${account}`, null, { channel: 'network', account });
};
const liftOf = (who: readonly LifePlayer[], why: string, account: string): void => {
  for (const player of who) player.lift(`${why} ${account}`);
};

async function settings(player: LifePlayer, account: string, change: object): Promise<void> {
  await player.call('svc_update_network_account_settings', { networkAccountId: account, ...change });
}

async function usable(player: LifePlayer, pick: number, is: boolean): Promise<void> {
  const account = accountOf(player, pick);
  await settings(player, account, { paused: !is });
  (is ? liftOf : barAccount)(player.all, 'paused', account);
}

async function limits(player: LifePlayer, tight: boolean): Promise<void> {
  const chosen = tight ? TIGHT : player.life.tight ? TIGHT : LIMITS;
  const daily = Object.fromEntries(Object.entries(chosen).map(([action, limit]) => [action, limit.day]));
  for (const account of player.office.accounts) await settings(player, account, { dailyLimits: daily });
}

async function credits(player: LifePlayer, amount: number): Promise<void> {
  const { balance, held } = (
    await player.world.rows<{ balance: number; held: number }>(
      'select balance, held from credit_balance where workspace_id = $1',
      [player.office.ws],
    )
  )[0] ?? { balance: 0, held: 0 };
  const by = amount > 0 ? amount : -(balance - held);
  if (by === 0) return;
  await asAdmin(player, 'svc_admin_adjust_credits', {
    workspaceId: player.office.ws,
    amount: by,
    reason: 'a test',
    idempotencyKey: randomUUID(),
  });
}

async function suspend(player: LifePlayer, status: 'active' | 'suspended'): Promise<void> {
  await asAdmin(player, 'svc_admin_update_workspace', { workspaceId: player.office.ws, status, reason: 'a test' });
  if (status === 'active') player.lift('suspended');
  else player.barrier('suspended', null);
}

async function campaign(player: LifePlayer, status: 'active' | 'paused'): Promise<void> {
  await player.call('svc_update_campaign', { campaignId: player.campaignId, status });
  if (status === 'active') player.lift('campaign paused');
  else player.barrier('campaign paused', null);
}

async function link(player: LifePlayer, action: 'link' | 'unlink', pick: number): Promise<void> {
  // It ends most of a life.
  if (pick % 3 > 0) return;
  const account = accountOf(player, pick);
  await asAdmin(player, 'svc_admin_link_account', {
    action,
    accountKind: 'network',
    accountId: account,
    workspaceId: player.office.ws,
  });
  (action === 'link' ? liftOf : barAccount)([player], 'unlinked', account);
}

async function exclude(player: LifePlayer, lead: ModelLead, pick: number): Promise<void> {
  const { ws } = player.office;
  const [kind, value] = lead.publicId && pick % 2 ? ['profile', lead.publicId] : lead.email ? ['mail', lead.email] : [];
  if (!kind) return;
  await player.world.change(
    `insert into suppression (id, workspace_id, level, kind, value, source, reason, created_at) values ($1, $2, 'workspace', $3, $4, 'manual', '', $5)`,
    [randomUUID(), ws, kind, value, player.now],
  );
  player.barrier('excluded', lead);
}

async function erase(player: LifePlayer, lead: ModelLead): Promise<void> {
  await player.call('svc_erase_lead', { leadId: lead.leadId, reason: 'data_subject_request' });
  player.barrier('erased', lead);
  player.erased.add(lead.leadId);
}

async function decide(player: LifePlayer, pick: number): Promise<void> {
  const { reviewItems } = await player.call<{
    reviewItems: { reviewItemId: string; body: string; runId: string; channel: string }[];
  }>('svc_list_review_items', { detail: 'full' });
  for (const [index, { reviewItemId, body, runId, channel }] of reviewItems.entries()) {
    const way = (pick + index) % 6;
    if (way < 2) await player.call('svc_approve_review_item', { reviewItemId });
    else if (way === 2)
      await player.call('svc_edit_review_item', {
        reviewItemId,
        body: channel === 'note' ? body : `${body} (edited)`,
        approve: true,
      });
    else if (way < 6)
      await player.call('svc_reject_review_item', {
        reviewItemId,
        reason: 'no',
        ...Object.fromEntries([['then', ['skip_step', 'recraft', 'stop_lead'][way - 3]]]),
      });
    player.decided.push({ runId, body, way });
  }
}

async function decideAll(player: LifePlayer, pick: number): Promise<void> {
  const { reviewItems } = await player.call<{ reviewItems: { reviewItemId: string }[] }>('svc_list_review_items', {});
  if (reviewItems.length === 0) return;
  const reviewItemIds = reviewItems.map((item) => item.reviewItemId);
  await player.call('svc_bulk_decide_review_items', {
    reviewItemIds,
    decision: pick % 3 ? 'approve' : 'reject',
    reason: 'all',
  });
}

async function changeCampaign(player: LifePlayer, pick: number): Promise<void> {
  const reviewMode = ['off', 'ai_only', 'first_touch', 'all'][pick % 4];
  await player.call('svc_update_campaign', {
    campaignId: player.campaignId,
    reviewMode,
    contactPolicy: { stopOnReply: pick % 3 > 0, minDaysBetweenTouches: pick % 2 },
  });
  player.reviewModes.push({ at: player.now, mode: reviewMode });
}

async function deleteNext(player: LifePlayer): Promise<void> {
  await player.call('svc_update_workflow_status', { workflowId: player.next, enabled: false });
  await player.call('svc_delete_workflow', { workflowId: player.next });
}

async function restrict(player: LifePlayer, pick: number, is: boolean): Promise<void> {
  const account = accountOf(player, pick);
  const { restricted } = player.network;
  if (is) restricted.add(account);
  else restricted.delete(account);
  await player.sync();
  (is ? barAccount : liftOf)(player.all, 'restricted', account);
}

const BY_KIND: Readonly<Record<DeedKind, Deed>> = {
  enrol: async (player, lead) => {
    await player.enrol([lead]);
    player.lift('stopped', lead);
  },
  pause: (player, lead) => control(player, lead, 'pause'),
  'pause for a while': (player, lead) =>
    control(player, lead, 'pause', { resumeAt: new Date(player.now + 2 * DAY).toISOString() }),
  resume: (player, lead) => control(player, lead, 'resume'),
  stop,
  retry: (player, lead) => control(player, lead, 'retry'),
  move,
  disable: (player) => enable(player, false),
  enable: (player) => enable(player, true),
  freeze: (player, _lead, pick) => freeze(player, pick),
  release,
  'pause the account': (player, _lead, pick) => usable(player, pick, false),
  'use the account': (player, _lead, pick) => usable(player, pick, true),
  'lower limits': (player) => limits(player, true),
  'raise limits': (player) => limits(player, false),
  'move the account': (player, _lead, pick) => {
    player.zoneMoved = true;
    return player.world.change('update network_account set timezone = $2 where id = $1', [
      accountOf(player, pick),
      ZONES[pick % ZONES.length],
    ]);
  },
  'move the lead': (player, lead, pick) => {
    player.moved.add(lead.leadId);
    return player.world.change('update lead set timezone = $2 where id = $1', [
      lead.leadId,
      ZONES[pick % ZONES.length],
    ]);
  },
  'edit and finish': (player, _lead, pick) => edit(player, pick, 'finish_on_old'),
  'edit and migrate': (player, _lead, pick) => edit(player, pick, 'migrate'),
  'take credits': (player) => credits(player, -1),
  'give credits': (player) => credits(player, 5),
  erase,
  suspend: (player) => suspend(player, 'suspended'),
  restore: (player) => suspend(player, 'active'),
  'pause the campaign': (player) => campaign(player, 'paused'),
  'resume the campaign': (player) => campaign(player, 'active'),
  restrict: (player, _lead, pick) => restrict(player, pick, true),
  recover: (player, _lead, pick) => restrict(player, pick, false),
  unlink: (player, _lead, pick) => link(player, 'unlink', pick),
  link: (player, _lead, pick) => link(player, 'link', pick),
  exclude,
  decide: (player, _lead, pick) => decide(player, pick),
  'import again': (player) =>
    player.call('svc_import_leads_csv', {
      csv: player.csv((lead) => lead.publicId && `https://www.linkedin.com/in/${lead.publicId.toUpperCase()}/?x=1`),
    }),
  'write by hand': async (player, lead, pick) => {
    if (lead.publicId) player.network.writeByHand(accountOf(player, pick), lead.publicId, 'by hand');
  },
  restart: (player) => player.restart(),
  'change the campaign': (player, _lead, pick) => changeCampaign(player, pick),
  'delete the next workflow': deleteNext,
  'bulk decide': (player, _lead, pick) => decideAll(player, pick),
};

/** What a plan says, at its time; a tool may refuse it with a reason, but never fail. */
export function deedsOf(player: LifePlayer, plans: readonly DeedPlan[]): { at: number; do: () => Promise<void> }[] {
  const rounds = player.life.reviewed ? Array.from({ length: 44 }, (_, index) => index) : [];
  const reviews: DeedPlan[] = rounds.map((index) => ({ kind: 'decide', at: index * 24 + 5, who: 0, pick: index * 7 }));
  return [...plans, ...reviews].map(({ kind, at, who, pick }) => ({
    at: player.life.start + (at + 1) * HALF_HOUR,
    do: () => done(player, kind, player.leads[who % Math.max(1, player.leads.length)], pick),
  }));
}

async function done(player: LifePlayer, kind: DeedKind, lead: ModelLead | undefined, pick: number): Promise<void> {
  if (!lead) return;
  const at = new Date(player.now).toISOString();
  const before = player.decided.length;
  try {
    await BY_KIND[kind](player, lead, pick);
    if (kind === 'decide' && player.decided.length === before) return;
    player.told.push(`${at} ${kind} (${lead.name}, ${pick})`);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    player.told.push(`${at} ${kind} (${lead.name}, ${pick}) was refused: ${text}`);
    if (!text.startsWith('svc_') || text.includes('on our side')) throw error;
  }
}

/** Done to one account. */
const ACCOUNT_DEEDS: ReadonlySet<DeedKind> = new Set(['link', 'recover', 'use the account']);

/** All that holds people up is taken away, and every draft approved. */
export async function heal(player: LifePlayer): Promise<void> {
  const [lead] = player.leads;
  player.network.faults = { lost: 0, vanished: 0, unavailable: 0 };
  for (const one of player.all) one.mayCrash = false;
  player.disturbed = true;
  for (const kind of [
    'restore',
    'link',
    'recover',
    'use the account',
    'raise limits',
    'release',
    'resume the campaign',
    'enable',
    'give credits',
  ] as const) {
    // Three times its place: what picks an account comes to each of them, and no pick is one that does nothing.
    for (const place of ACCOUNT_DEEDS.has(kind) ? player.office.accounts.keys() : [0])
      await done(player, kind, lead, 3 * place);
  }
  if (player.neighbour) await credits(player.neighbour, 5);
  for (const one of player.leads) await done(player, 'resume', one, 0);
}
