import { isDeepStrictEqual } from 'node:util';
import { outOfHours, overBudget, tooNear, twice } from '../judge.ts';
import { LIMITS, type LifePlayer, type ModelLead, TIGHT, type Version } from './life-player.ts';
import { twoVoices } from './one-voice.ts';
import { type Line, pathOf, type ShownRun } from './run-path.ts';

const DAY = 86_400_000;
const REACHES: ReadonlySet<string> = new Set(['connection_request', 'message', 'inmail', 'comment']);

/** Reads all runs of the campaign as a person would. */
export async function readRuns(player: LifePlayer): Promise<ShownRun[]> {
  const { runs } = await player.call<{ runs: { runId: string }[] }>('svc_list_workflow_runs', { limit: 100 });
  return Promise.all(runs.map(({ runId }) => player.call<ShownRun>('svc_get_workflow_run', { runId })));
}

/** All that a life broke, in words; nothing: all is well. */
export async function judge(main: LifePlayer, over: boolean): Promise<string[]> {
  await main.readMails();
  const players = await Promise.all(main.all.map(async (player) => ({ player, runs: await readRuns(player) })));
  const wrong = await Promise.all(players.map(({ player, runs }) => judgeOne(player, runs, over)));
  return [...wrong.flat(), ...twoVoices(players)];
}

async function judgeOne(player: LifePlayer, runs: readonly ShownRun[], over: boolean): Promise<string[]> {
  return [
    ...runs
      .filter(({ run }) => !player.erased.has(run.leadId))
      .flatMap((run) => [...pathOf(run, player.versions).wrong, ...wrongEnd(run)]),
    ...(over ? runs.flatMap((run) => stuck(run)) : []),
    ...wrongMessages(player),
    ...unasked(player, runs),
    ...tooSoon(player),
    ...(await unapproved(player)),
    ...(await wrongFigures(player, runs)),
    ...(await wrongLists(player, runs)),
    ...(await wrongLedger(player, over)),
  ];
}

/** Who has ended has a true reason, which its history ends with. */
function wrongEnd({ run, timeline }: ShownRun): string[] {
  const wrong: string[] = [];
  const what = `run ${run.runId} (${run.state}: ${run.endReason})`;
  if (run.endedAt === null) {
    if (['completed', 'stopped', 'suppressed', 'failed'].includes(run.state))
      wrong.push(`${what} has ended at no time`);
    return wrong;
  }
  if (run.waitReason !== null || run.nextActionAt !== null) wrong.push(`${what} has ended and waits`);
  const steps = timeline.filter((line) => typeof line.data['outcome'] === 'string' && line.kind === 'run.step_done');
  const told = /^ended after (.*) \((.*)\)$/.exec(run.endReason ?? '');
  const last = steps.at(-1);
  if (told && (last?.nodeId !== told[1] || last?.data['outcome'] !== told[2]))
    wrong.push(`${what}: its last step was ${last?.nodeId} (${String(last?.data['outcome'])})`);
  if (run.state === 'failed' && !/failed|blocked for 30 days|not valid|is not in graph/.test(run.endReason ?? ''))
    wrong.push(`${what}: why did it fail`);
  if (run.endReason === 'replied' && !timeline.some((line) => line.kind === 'reply.received'))
    wrong.push(`${what}: nobody replied`);
  if (!timeline.some((line) => isEnd(line, run.endedAt ?? '')))
    wrong.push(
      `${what}: its history does not say that it ended: ${timeline
        .slice(-3)
        .map((line) => `${line.at} ${line.kind} ${JSON.stringify(line.data)}`)
        .join('; ')}`,
    );
  return wrong;
}

const isEnd = (line: Line, endedAt: string): boolean =>
  ['run.completed', 'run.failed', 'lead.erased', 'unsubscribe.received'].includes(line.kind) && line.at === endedAt;

/** Nobody waits for ever without a reason that a person can act on. */
function stuck({ run }: ShownRun): string[] {
  if (run.endedAt !== null || run.state === 'paused' || run.waitReason === 'unknown_outcome') return [];
  return [
    `run ${run.runId} stands at ${run.currentNodeId} for ever (${run.state}, ${run.waitReason}, ${run.nextActionAt})`,
  ];
}

function wrongMessages(player: LifePlayer): string[] {
  const { network, mails } = player;
  const { acts } = network;
  const texts = [...acts.filter((act) => act.text).map((act) => act.text), ...mails.map((mail) => mail.text)];
  const inmails = acts
    .filter((act) => act.kind === 'inmail' || act.kind === 'comment')
    .map((act) => `${act.publicId} ${act.text}`);
  const byMail = mails.map((mail) => `${mail.to} ${mail.text}`);
  const again = [...Map.groupBy([...inmails, ...byMail], (key) => key)]
    .filter(([, all]) => all.length > 1)
    .map(([key]) => key);
  return [
    ...twice(acts).map((key) => `twice: ${key}`),
    ...again.map((key) => `twice: ${key}`),
    ...texts.filter((text) => /\{\{|undefined|\bnull\b|\[object/.test(text)).map((text) => `a gap: ${text}`),
    // Of the accounts, no matter who acts through them; what was done to them is what was done here.
    ...(player.isGuest ? [] : [...wrongHours(player), ...wrongBudgets(player), ...askedByTwo(player)]),
    ...throughBarriers(player),
  ];
}

function wrongHours(player: LifePlayer): string[] {
  const { life, network } = player;
  if (life.hours === 'always' || player.zoneMoved) return [];
  const zone = player.zone;
  const byProfile = new Map(player.leads.map((lead) => [lead.publicId, lead]));
  const account = { timezoneMode: 'account' as const, days: [1, 2, 3, 4, 5], startHour: 9, endHour: 18 };
  return outOfHours(network.acts, (act) => {
    const lead = byProfile.get(act.publicId);
    const lone = life.hours === 'lead' && lead?.zone && !player.moved.has(lead.leadId) && meets(zone, lead.zone);
    return [[zone, account], ...(lone ? [[lead?.zone ?? zone, player.campaignHours] as [string, typeof account]] : [])];
  }).map((told) => `out of hours: ${told}`);
}

/** Whether the hours of account and lead have a minute in common, whatever the season: 9 to 18 and 8 to 20. */
const meets = (a: string, b: string): boolean =>
  !(a.startsWith('America') && b.startsWith('Asia')) && !(a.startsWith('Asia') && b.startsWith('America'));

function wrongBudgets(player: LifePlayer): string[] {
  if (player.zoneMoved) return [];
  const raised = player.life.deeds.some((deed) => deed.kind === 'raise limits' || deed.kind === 'lower limits');
  const limits = player.life.tight && !raised ? TIGHT : LIMITS;
  const bounds = { timezone: player.zone, hours: player.campaignHours, limits };
  return player.office.accounts.flatMap((account) => {
    const acts = player.network.acts.filter((act) => act.account === account);
    const near = player.life.paced ? tooNear(acts, { heavy: 120_000, light: 20_000 }) : [];
    return [
      ...overBudget(acts, bounds).map((told) => `over budget of ${account}: ${told}`),
      ...near.map((told) => `too near of ${account}: ${told}`),
    ];
  });
}

/** Who can not do anything is replaced by another; but for that, nobody is asked by two accounts of a workspace. */
const REPLACES: ReadonlySet<string> = new Set(['pause the account', 'restrict', 'unlink']);

function askedByTwo({ life, acts }: LifePlayer): string[] {
  if (life.deeds.some(({ kind }) => REPLACES.has(kind))) return [];
  const asked = Map.groupBy(
    acts.filter((act) => act.kind === 'connection_request'),
    (act) => act.publicId,
  );
  return [...asked]
    .filter(([, acts]) => new Set(acts.map((act) => act.account)).size > 1)
    .map(([publicId, acts]) => `${publicId} was asked by ${acts.map((act) => act.account).join(' and ')}`);
}

/** Nobody is reached while something stands against it. */
function throughBarriers(player: LifePlayer): string[] {
  const { acts } = player.network;
  const { ws } = player.office;
  return player.barriers.flatMap(({ why, lead, from, to, channel, account, tag = '' }) => {
    const network =
      channel === 'mail'
        ? []
        : acts
            .slice(from.act, to?.act)
            .filter((act) => (lead === null || act.publicId === lead.publicId) && act.text.startsWith(tag))
            .filter((act) => act.by === ws && (account === undefined || act.account === account));
    const mail =
      channel === 'network'
        ? []
        : player.mails
            .slice(from.mail, to?.mail)
            .filter((one) => (lead === null || one.to === lead.email) && one.text.startsWith(tag));
    return [
      ...network.map(
        (act) => `${why}: ${act.kind} ${act.text} to ${act.publicId} at ${new Date(act.at).toISOString()}`,
      ),
      ...mail.map((one) => `${why}: mail ${one.text.slice(0, 40)} to ${one.to} at ${new Date(one.at).toISOString()}`),
    ];
  });
}

/** Nobody is reached without a run that is under way. */
function unasked(player: LifePlayer, runs: readonly ShownRun[]): string[] {
  const live = (lead: ModelLead | undefined, at: number): boolean =>
    runs.some(
      ({ run }) =>
        run.leadId === lead?.leadId &&
        Date.parse(run.startedAt) <= at &&
        (run.endedAt === null || Date.parse(run.endedAt) >= at),
    );
  const { acts } = player;
  const byProfile = new Map(player.leads.map((lead) => [lead.publicId, lead]));
  const byMail = new Map(player.leads.map((lead) => [lead.email, lead]));
  return [
    ...acts
      .filter((act) => !live(byProfile.get(act.publicId), act.at))
      .map((act) => `no run wants it: ${act.kind} ${act.text} to ${act.publicId} at ${new Date(act.at).toISOString()}`),
    ...player.mails
      .filter((mail) => !live(byMail.get(mail.to), mail.at))
      .map((mail) => `no run wants it: mail to ${mail.to} at ${new Date(mail.at).toISOString()}`),
  ];
}

/** A text that was put before people; `gate`: by the campaign's review mode, not by a flow:review. */
interface ModelDraft {
  lead_id: string;
  state: string;
  body: string;
  gate: boolean;
}

/** Whether the campaign's drafts were all taken back, and it reviews less since then: nobody is asked anew. */
function asksNobody(player: LifePlayer, drafts: readonly ModelDraft[], at: number): boolean {
  const mode = player.reviewModes.findLast((one) => one.at <= at)?.mode ?? player.life.reviewMode;
  return mode !== 'all' && drafts.every(({ gate, state }) => gate && state === 'cancelled');
}

/** What was shown to a person is sent when they approved it, and its draft says so. */
async function unapproved(player: LifePlayer): Promise<string[]> {
  const items = await player.world.rows<ModelDraft>(
    'select lead_id, state, body, node_id = send_node_id as gate from review_item where workspace_id = $1',
    [player.office.ws],
  );
  const drafts = [...Map.groupBy(items, (item) => `${item.lead_id}\n${item.body}`).values()];
  return drafts.flatMap((same) => {
    const [first] = same;
    const lead = player.leads.find((one) => one.leadId === first?.lead_id);
    if (!first || !lead || first.body === '') return [];
    const left = [
      ...player.acts.filter((act) => act.publicId === lead.publicId && act.text === first.body),
      ...player.mails.filter(
        // With its footer, and not what an editor made of the same words.
        ({ to, text }) => to === lead.email && text.includes(first.body) && !text.includes(`${first.body} (edited)`),
      ),
    ];
    const sent = same.some((item) => item.state === 'sent');
    if (left.length > 0 === sent || (!sent && left.every(({ at }) => asksNobody(player, same, at)))) return [];
    if (sent) return [`the draft ${first.body} to ${lead.name} is said to have been sent`];
    return [`${first.body} was sent to ${lead.name}, its drafts are ${same.map((item) => item.state).join(', ')}`];
  });
}

/** Days between two touches of a person. */
function tooSoon(player: LifePlayer): string[] {
  const { gapDays, deeds } = player.life;
  if (gapDays === 0 || deeds.some((deed) => deed.kind === 'change the campaign')) return [];
  return player.leads.flatMap((lead) => {
    const times = [
      ...player.acts.filter((act) => REACHES.has(act.kind) && act.publicId === lead.publicId),
      ...player.mails.filter((mail) => mail.to === lead.email),
    ]
      .map((one) => one.at)
      .sort((a, b) => a - b);
    return times.flatMap((at, index) => {
      const before = times[index - 1] ?? Number.NEGATIVE_INFINITY;
      return at - before < gapDays * DAY
        ? [`${lead.name} was touched at ${new Date(before).toISOString()} and ${new Date(at).toISOString()}`]
        : [];
    });
  });
}

interface Stats {
  totals: Record<string, number>;
  nodes: { nodeId: string; standing: number; entered: number; outcomes: Record<string, number> }[];
  waiting: Record<string, number>;
}

/** Figures are what the histories say. */
async function wrongFigures(player: LifePlayer, runs: readonly ShownRun[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const flow of new Set(runs.map(({ run }) => run.workflowId))) {
    const own = runs.filter(({ run }) => run.workflowId === flow);
    const stats = await player.call<Stats>('svc_get_workflow_stats', { workflowId: flow }).catch((error: Error) => {
      if (error.message.includes('was not found')) return null;
      throw error;
    });
    if (stats && player.erased.size === 0) wrong.push(...wrongStats(flow, stats, own, player.versions));
  }
  return [...wrong, ...(await wrongFunnel(player, runs))];
}

function wrongStats(flow: string, stats: Stats, runs: readonly ShownRun[], versions: readonly Version[]): string[] {
  const wrong: string[] = [];
  const same = (what: string, shown: number, told: number): void => {
    if (shown !== told) wrong.push(`${flow}: ${what} ${shown}, the histories say ${told}`);
  };
  for (const [state, count] of Object.entries(stats.totals))
    same(`runs ${state}`, count, runs.filter(({ run }) => run.state === state).length);
  for (const [reason, count] of Object.entries(stats.waiting))
    same(
      `waiting for ${reason}`,
      count,
      runs.filter(({ run }) => run.endedAt === null && run.waitReason === reason).length,
    );
  for (const node of stats.nodes) {
    const steps = runs.flatMap(({ timeline }) =>
      timeline.filter((line) => line.nodeId === node.nodeId && typeof line.data['outcome'] === 'string'),
    );
    for (const [outcome, all] of Map.groupBy(steps, (line) => String(line.data['outcome'])))
      same(`${node.nodeId} ${outcome}`, node.outcomes[outcome] ?? 0, all.length);
    const visits = runs.reduce((sum, run) => sum + (pathOf(run, versions).visits.get(node.nodeId) ?? 0), 0);
    // Of several versions of a graph a history does not tell which way was taken.
    if (versions.filter((one) => one.flow === flow).length === 1)
      same(`entered ${node.nodeId}`, node.entered, visits + node.standing);
    same(
      `standing at ${node.nodeId}`,
      node.standing,
      runs.filter(({ run }) => run.endedAt === null && run.currentNodeId === node.nodeId).length,
    );
  }
  return wrong;
}

const distinct = (leads: Iterable<string | undefined>): number =>
  new Set([...leads].filter((one) => one !== undefined)).size;

async function wrongFunnel(player: LifePlayer, runs: readonly ShownRun[]): Promise<string[]> {
  const { funnel, creditsSpent } = await player.call<{ funnel: Record<string, number>; creditsSpent: number }>(
    'svc_get_campaign_stats',
    { campaignId: player.campaignId },
  );
  const having = (test: (line: Line) => boolean): number =>
    distinct(runs.flatMap(({ run, timeline }) => (timeline.some(test) ? [run.leadId] : [])));
  const leadOf = (match: (lead: ModelLead) => boolean): string | undefined => player.leads.find(match)?.leadId;
  const reached = [
    ...player.acts
      .filter((act) => REACHES.has(act.kind))
      .map((act) => leadOf((lead) => lead.publicId === act.publicId)),
    ...player.mails.map((mail) => leadOf((lead) => lead.email === mail.to)),
  ];
  const requested = player.acts
    .filter((act) => act.kind === 'connection_request')
    .map((act) => leadOf((lead) => lead.publicId === act.publicId));
  const expected: Record<string, number> = {
    enrolled: distinct(runs.map(({ run }) => run.leadId)),
    contacted: distinct(reached),
    requested: distinct(requested),
    accepted: having((line) => line.kind === 'connection.accepted'),
    replied: having((line) => line.kind === 'reply.received' && line.data['class'] !== 'out_of_office'),
    suppressed: distinct(runs.filter(({ run }) => run.state === 'suppressed').map(({ run }) => run.leadId)),
    bounced: having((line) => line.kind === 'mail.bounced'),
  };
  const wrong = Object.entries(expected).flatMap(([name, told]) =>
    funnel[name] === told ? [] : [`funnel: ${name} ${funnel[name]}, the histories say ${told}`],
  );
  const credits = runs
    .flatMap(({ timeline }) => timeline)
    .reduce((sum, line) => sum + (typeof line.data['credits'] === 'number' ? line.data['credits'] : 0), 0);
  if (player.erased.size > 0 ? creditsSpent < credits : creditsSpent !== credits)
    wrong.push(`credits: ${creditsSpent} spent, the histories say ${credits}`);
  return wrong;
}

/** Lists and totals say the same of a lead as its run does. */
async function wrongLists(player: LifePlayer, runs: readonly ShownRun[]): Promise<string[]> {
  const wrong: string[] = [];
  const live = runs.filter(({ run }) => run.endedAt === null && run.currentNodeId !== null);
  const places = Map.groupBy(live, ({ run }) => `${run.workflowId} ${run.currentNodeId}`);
  for (const [place, standing] of places) {
    const [workflowId, nodeId] = place.split(' ');
    const { leads } = await player.call<{
      leads: { runId: string; waitReason: string | null; nextActionAt: string | null }[];
    }>('svc_list_leads_at_node', { workflowId, nodeId });
    for (const { run } of standing) {
      const shown = leads.find((one) => one.runId === run.runId);
      if (shown?.waitReason !== run.waitReason || shown?.nextActionAt !== run.nextActionAt)
        wrong.push(
          `run ${run.runId} waits for ${run.waitReason} until ${run.nextActionAt}, its node says ${shown?.waitReason} until ${shown?.nextActionAt}`,
        );
    }
  }
  const { totals } = await player.call<{ totals: object }>('svc_get_workspace_metrics', {});
  const { funnel } = await player.call<{ funnel: object }>('svc_get_campaign_stats', { campaignId: player.campaignId });
  if (!isDeepStrictEqual({ ...totals }, { ...funnel }))
    wrong.push(`metrics ${JSON.stringify(totals)}, the campaign's ${JSON.stringify(funnel)}`);
  for (const lead of player.leads)
    if (!player.erased.has(lead.leadId)) await player.call('svc_diagnose', { target: 'lead', targetId: lead.leadId });
  return wrong;
}

/** The ledger and the network agree; nothing stays open. */
async function wrongLedger(player: LifePlayer, over: boolean): Promise<string[]> {
  const { ws } = player.office;
  const wrong: string[] = [];
  const sends = await player.world.rows<{ action: string; confirmed: number; open: number }>(
    `select action, count(*) filter (where state = 'confirmed')::int as confirmed,
       count(*) filter (where state in ('claimed', 'dispatched', 'unknown') and dead_letter_state is null and not maybe)::int as open
     from send where workspace_id = $1 group by 1`,
    [ws],
  );
  for (const { action, confirmed, open } of sends) {
    const seen = action === 'mail' ? player.mails.length : player.acts.filter((act) => act.kind === action).length;
    const harmless = !REACHES.has(action) && action !== 'mail';
    if (harmless ? confirmed > seen : confirmed !== seen)
      wrong.push(`ledger: ${confirmed} of ${action}, ${seen} were done`);
    if (open > 0 && over) wrong.push(`ledger: ${open} of ${action} are open`);
  }
  const [credit] = await player.world.rows<{ balance: number; held: number; spent: number; given: number }>(
    `select b.balance, b.held, coalesce((select sum(settled - refunded) from credit_hold h where h.workspace_id = b.workspace_id and state = 'settled'), 0)::int as spent,
       coalesce((select sum(amount) from credit_entry e where e.workspace_id = b.workspace_id and kind in ('grant', 'adjust')), 0)::int as given
     from credit_balance b where workspace_id = $1`,
    [ws],
  );
  if (credit && credit.balance !== credit.given - credit.spent)
    wrong.push(`credits: ${credit.balance} are left of ${credit.given}, ${credit.spent} were spent`);
  if (credit && over && credit.held !== 0) wrong.push(`credits: ${credit.held} are held`);
  return wrong;
}
