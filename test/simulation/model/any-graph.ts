import fc from 'fast-check';
import { CATALOG } from '../../contract/catalog.ts';
import type { GraphInput } from '../../fixtures/engine/rows.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Arms of the splits that are drawn; the catalog can not name them. */
const ARMS = ['a', 'b', 'c'];

/** Outcomes of each node type as the catalog has them, the default first; those of a split are its arms. A new type is drawn by itself. */
export const OUTCOMES: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  CATALOG.nodeTypes
    .filter(({ nodeType }) => nodeType !== 'source:entry')
    .map(({ nodeType, outcomes, defaultOutcome }) => [
      nodeType,
      nodeType === 'flow:split'
        ? ARMS
        : [...outcomes.filter((one) => one === defaultOutcome), ...outcomes.filter((one) => one !== defaultOutcome)],
    ]),
);

/** The outcome that an edge without a branch takes. */
export const DEFAULT_OUTCOME: Readonly<Record<string, string | null>> = Object.fromEntries(
  CATALOG.nodeTypes.map(({ nodeType, defaultOutcome }) => [nodeType, defaultOutcome ?? null]),
);

const SOURCES = ['', 'source:manual', 'source:lead_list', 'source:campaign_pool', 'source:signal_agent'] as const;
const TYPES = Object.keys(OUTCOMES).filter((type) => !type.startsWith('source:'));
/** Drawn more often than the others: they reach people, or wait for them. */
const OFTEN = [
  'network:connection_request',
  'network:wait_connection',
  'network:message',
  'network:wait_reply',
  'network:message',
  'mail:send',
  'mail:wait_reply',
  'flow:wait',
  'flow:review',
];

/** What a node is drawn from; numbers are taken modulo what there is to choose from, so that every draw is a valid graph. */
export interface Gene {
  type: string;
  /** From which earlier node it is reached, and by which outcome of it. */
  parent: number;
  outcome: number;
  /** Decides the config. */
  pick: number;
  /** From which other node it is reached as well; 0: from none. */
  join: number;
  /** Whether all outcomes of the node before lead here that lead nowhere else. */
  anyhow: boolean;
}

export interface GraphPlan {
  source: (typeof SOURCES)[number];
  genes: readonly Gene[];
}

const small = fc.nat({ max: 999 });
/** A chain mostly: the newest node's default outcome. */
const mostlyZero = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: small });
const gene: fc.Arbitrary<Gene> = fc.record({
  type: fc.oneof(fc.constantFrom(...OFTEN), fc.constantFrom(...TYPES)),
  parent: mostlyZero,
  outcome: mostlyZero,
  pick: small,
  join: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: small }),
  anyhow: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, fc.boolean()),
});

export const anyGraph = (most: number): fc.Arbitrary<GraphPlan> =>
  fc.record({
    source: fc.oneof({ weight: 3, arbitrary: fc.constant('' as const) }, fc.constantFrom(...SOURCES)),
    genes: fc.array(gene, { minLength: Math.min(most, 5), maxLength: most, size: 'max' }),
  });

/** A graph that begins with a connection request and ends with a message, whatever comes in between. */
export function reaching({ source, genes }: GraphPlan): GraphPlan {
  const step = (type: string): Gene => ({ type, parent: 0, outcome: 0, pick: 0, join: 0, anyhow: true });
  return { source, genes: [step('network:connection_request'), ...genes, step('network:message')] };
}

/** Records that configs name. */
export interface Means {
  leadList: string;
  crm: string;
  outreach: string;
  webhook: string;
  member: string;
  /** Whom hand-offs go to; null: there is no other workflow. */
  next: string | null;
  /** Epoch ms of the beginning. */
  start: number;
}

type Node = GraphInput['nodes'][number] & { nodeId: string; label: string };

interface Placed {
  node: Node;
  free: string[];
  /** Labels of ai:craft nodes on the way to it. */
  crafts: readonly string[];
}

const pickOf = <T>(all: readonly T[], pick: number, fallback: T): T => all[pick % all.length] ?? fallback;

/** Builds the graph: a tree along `parent`, with joins, and an end for the arms that nobody took. */
export function graphOf(plan: GraphPlan, means: Means, tag: string): GraphInput {
  const building = new Building(means, tag);
  if (plan.source) building.put({ ...ENDING, type: plan.source }, 'source', []);
  building.begin();
  for (const [index, gene] of plan.genes.entries()) building.grow(gene, `n${index}`);
  building.closeArms();
  return building.graph;
}

const ENDING: Gene = { type: 'flow:end', parent: 0, outcome: 0, pick: 1, join: 0, anyhow: false };

/** A graph that grows node by node. */
class Building {
  readonly #placed: Placed[] = [];
  readonly #edges: GraphInput['edges'] = [];
  readonly #means: Means;
  readonly #tag: string;
  #first = 0;

  constructor(means: Means, tag: string) {
    this.#means = means;
    this.#tag = tag;
  }

  get graph(): GraphInput {
    return { nodes: this.#placed.map(({ node }) => node), edges: this.#edges };
  }

  /** What is placed from here on is no source. */
  begin(): void {
    this.#first = this.#placed.length;
  }

  put(gene: Gene, nodeId: string, crafts: readonly string[]): number {
    const config = configOf(gene, { nodeId, crafts, means: this.#means, tag: this.#tag });
    const outcomes = gene.type === 'flow:split' ? armsOf(gene.pick) : (OUTCOMES[gene.type] ?? []);
    const known = gene.type === 'ai:craft' ? [...crafts, nodeId] : crafts;
    this.#placed.push({
      node: { nodeId, nodeType: gene.type, label: nodeId, config },
      free: [...outcomes],
      crafts: known,
    });
    return this.#placed.length - 1;
  }

  /** Places a node where its gene wants it, if there is such a place. */
  grow(given: Gene, nodeId: string): void {
    const isFirst = this.#placed.length === this.#first;
    const gene = isFirst && (OUTCOMES[given.type] ?? []).length === 0 ? { ...given, type: 'flow:join' } : given;
    if (gene.type === 'flow:handoff' && this.#means.next === null) return;
    const from = parentOf(this.#placed, gene);
    if (this.#placed.length > 0 && from === null) return;
    const at = this.put(gene, nodeId, from ? (this.#placed[from.at]?.crafts ?? []) : []);
    if (from) this.#lead(from, at, gene);
    if (gene.type === 'flow:review') this.#shown(gene, nodeId, at);
  }

  #link(from: number, outcome: string, to: number): void {
    const source = this.#placed[from];
    if (!source) return;
    source.free = source.free.filter((one) => one !== outcome);
    this.#edges.push({ sourceIndex: from, targetIndex: to, branch: outcome });
  }

  #lead(from: { at: number; outcome: string }, at: number, gene: Gene): void {
    this.#link(from.at, from.outcome, at);
    if (gene.anyhow) for (const outcome of this.#placed[from.at]?.free ?? []) this.#link(from.at, outcome, at);
    if (gene.join === 0 || at <= this.#first + 1) return;
    const others = this.#placed.flatMap(({ free, node }, index) =>
      index < at && free.length > 0 && !node.nodeType.startsWith('source:') ? [{ index, free }] : [],
    );
    const other = others[gene.join % Math.max(1, others.length)];
    const outcome = other?.free[gene.join % other.free.length];
    if (other && outcome !== undefined) this.#link(other.index, outcome, at);
  }

  /** A review shows the draft of the send behind it. */
  #shown(gene: Gene, nodeId: string, at: number): void {
    const type = gene.pick % 4 === 0 ? 'mail:send' : 'network:message';
    const send = this.put({ ...gene, type }, `${nodeId}s`, this.#placed[at]?.crafts ?? []);
    this.#link(at, 'approved', send);
  }

  /** Arms of a split need an edge each, and a source feeds somebody. */
  closeArms(): void {
    const open = this.#placed.flatMap(({ node, free }, at) =>
      node.nodeType === 'flow:split' || node.nodeType.startsWith('source:')
        ? free.map((outcome) => ({ at, outcome }))
        : [],
    );
    if (open.length === 0) return;
    const end = this.put(ENDING, 'end', []);
    for (const { at, outcome } of open) this.#link(at, outcome, end);
  }
}

/** The earlier node and the outcome of it that leads here: newest first, default first. */
function parentOf(placed: readonly Placed[], gene: Gene): { at: number; outcome: string } | null {
  const open = placed.flatMap(({ free }, at) => (free.length > 0 ? [{ at, free }] : [])).reverse();
  const chosen = open[gene.parent % Math.max(1, open.length)];
  const outcome = chosen?.free[gene.outcome % chosen.free.length];
  return chosen && outcome !== undefined ? { at: chosen.at, outcome } : null;
}

const armsOf = (pick: number): string[] => ['a', 'b', 'c'].slice(0, 2 + (pick % 2));

/** Texts name their workflow and node, so that nobody may get one twice. */
function textOf(pick: number, nodeId: string, crafts: readonly string[], tag: string): object {
  const craft = crafts.at(-1);
  if (craft && pick % 3 === 0) return { textMode: 'craft', text: `${tag} ${nodeId} {{craft:${craft}}}` };
  const rest = pickOf(
    ['{{lead:firstName}}', '{{lead:title}}', '{{lead:company|your team}}', '{{sender:firstName|us}}'],
    pick,
    '',
  );
  return { textMode: 'static', text: `${tag} ${nodeId} ${rest}` };
}

const RULES = [
  { field: 'lead.title', op: 'exists' },
  { field: 'run.connected', op: 'eq', value: true },
  { field: 'run.replied', op: 'eq', value: true },
  { field: 'lead.email', op: 'exists' },
  { field: 'score.total', op: 'gte', value: 50 },
  { field: 'run.daysSinceLastTouch', op: 'gte', value: 1 },
  { field: 'account.tier', op: 'eq', value: 'sales' },
  { field: 'lead.tags', op: 'contains', value: 'hot' },
  { field: 'run.replyClass', op: 'eq', value: 'positive' },
];

function waitOf(pick: number, start: number): object {
  const jitterMs = pick % 4 === 0 ? 3 * HOUR : 0;
  const durationMs = pickOf([0, HOUR, DAY, 3 * DAY, 7 * DAY], pick, HOUR);
  if (pick % 5 === 1)
    return { waitType: 'until', untilTime: new Date(start + (pick % 9) * DAY).toISOString(), jitterMs };
  if (pick % 5 === 2)
    return {
      waitType: 'business_hours',
      startHour: 8,
      endHour: 17,
      timezoneMode: pick % 2 ? 'lead' : 'account',
      jitterMs,
    };
  return { waitType: 'duration', durationMs, jitterMs };
}

/** What a config is made for. */
interface Place {
  nodeId: string;
  crafts: readonly string[];
  means: Means;
  tag: string;
}

const timeout = (pick: number): object => ({ timeoutMs: pickOf([0, 2 * HOUR, DAY, 5 * DAY], pick, DAY) });
const textAt = (pick: number, { nodeId, crafts, tag }: Place): object => textOf(pick, nodeId, crafts, tag);

/** Types without an entry have no config. */
const CONFIGS: Readonly<Record<string, (pick: number, place: Place) => object>> = {
  'source:campaign_pool': () => ({ scoreMin: 0, maxPerDay: 3 }),
  'source:lead_list': (_pick, { means }) => ({ leadListId: means.leadList, maxPerDay: 2 }),
  'flow:wait': (pick, { means }) => waitOf(pick, means.start),
  'flow:condition': (pick) => ({
    match: pick % 2 ? 'all' : 'any',
    rules: [RULES[pick % RULES.length], ...(pick % 3 ? [] : [RULES[1]])],
  }),
  'flow:split': (pick) => ({
    branches: armsOf(pick).map((name, index) => ({ name, weight: index === 0 ? 1 : (pick + index) % 3 })),
  }),
  'flow:review': (pick, { means }) => ({
    expiresAfterMs: pickOf([HOUR, DAY, 3 * DAY], pick, DAY),
    onExpire: pickOf(['stop', 'skip', 'reject'], pick, 'stop'),
    ...(pick % 2 ? { reviewerIds: [means.member] } : {}),
  }),
  'flow:handoff': (_pick, { means }) => ({ workflowId: means.next }),
  'flow:end': (pick, { nodeId }) => (pick % 2 ? {} : { reason: `over at ${nodeId}` }),
  'network:follow': (pick) => (pick % 2 ? {} : { target: 'company' }),
  'network:like_post': () => ({ maxPostAgeDays: 30 }),
  'network:comment_post': (_pick, { tag, nodeId }) => ({
    textMode: 'static',
    text: `${tag} ${nodeId} {{lead:firstName}}`,
  }),
  'network:connection_request': (pick, { tag, nodeId }) =>
    pick % 2 ? {} : { noteMode: 'static', noteTemplate: `${tag} ${nodeId} {{lead:firstName|you}}` },
  'network:wait_connection': timeout,
  'network:wait_reply': timeout,
  'mail:wait_reply': timeout,
  'network:message': textAt,
  'network:inmail': (pick, place) => ({
    subject: `${place.tag} ${place.nodeId}`,
    ...textAt(pick, place),
    openProfilesOnly: pick % 2 === 0,
  }),
  'network:withdraw_request': (pick) => ({ olderThanDays: pickOf([0, 3, 10], pick, 3) }),
  'mail:send': (pick, place) => ({
    subject: `${place.tag} ${place.nodeId}`,
    ...textAt(pick, place),
    ...(pick % 3 === 1 ? { threadMode: 'new' } : {}),
  }),
  'ai:craft': (pick) => ({ channel: 'message', requireFacts: pick % 3 }),
  'lead:enrich': (pick) => ({
    fields: pickOf([['email'], ['profile', 'phone'], ['email', 'email_verification']], pick, ['email']),
  }),
  'lead:tag': (pick) => ({ add: ['hot'], remove: pick % 2 ? ['cold'] : [] }),
  'lead:score': (pick) => (pick % 2 ? {} : { scoreMin: pick % 100 }),
  'lead:add_to_list': (_pick, { means }) => ({ leadListId: means.leadList }),
  'lead:exclude': (pick) => ({ appliesTo: pick % 2 ? 'signals' : 'all_outreach' }),
  'crm:push': (pick, { means }) => ({
    integrationId: means.crm,
    object: pick % 2 ? 'contact' : 'task',
    fields: pick % 3 ? {} : { jobtitle: '{{lead:title}}' },
  }),
  'outreach:push': (_pick, { means }) => ({ integrationId: means.outreach, externalCampaignId: 'other' }),
  'webhook:call': (pick, { means }) => ({ integrationId: means.webhook, waitForResponse: pick % 2 === 0 }),
  'notify:member': (_pick, { means, tag, nodeId }) => ({
    memberIds: [means.member],
    text: `${tag} ${nodeId} {{lead:title}}`,
  }),
};

const configOf = ({ type, pick }: Gene, place: Place): object => CONFIGS[type]?.(pick, place) ?? {};

/** Another version of a graph: without one of its nodes, or with a wait more, and the others as they were. */
export function edited(plan: GraphPlan, pick: number): GraphPlan {
  const wait: Gene = { type: pick % 2 ? 'flow:wait' : 'lead:tag', parent: 0, outcome: 0, pick, join: 0, anyhow: false };
  const place = pick % plan.genes.length;
  if (pick % 3 === 0 && plan.genes.length > 1)
    return {
      ...plan,
      genes: plan.genes.map((gene, index) => (index === place ? { ...gene, type: 'flow:join' } : gene)),
    };
  if (pick % 3 === 1)
    return {
      ...plan,
      genes: plan.genes.map((gene, index) => (index === place ? { ...gene, pick: gene.pick + 1 } : gene)),
    };
  return { ...plan, genes: [...plan.genes, wait] };
}
