import { type BudgetAction, isContact } from './actions.ts';
import type { BusinessHours } from './business-hours.ts';
import { AccountForecast, type Binding, type ForecastAccount } from './forecast-account.ts';

/** A node as the simulation sees it: what it spends, and which share goes where after how many days. */
export interface FlowNode {
  /** Budgets of one pass, the action itself first; empty for nodes that act on nobody. */
  spends: readonly BudgetAction[];
  branches: readonly FlowBranch[];
  /** A lead leaves no earlier than this (epoch ms), or null. */
  notBefore: number | null;
  /** One pass makes one review item. */
  makesReviewItem: boolean;
  /** Credits of one pass. */
  credits: number;
}

export interface FlowBranch {
  /** Shares of a node add up to 1. */
  share: number;
  /** Whole days that such leads stay. */
  days: number;
  /** Position of the next node, null ends the run. */
  to: number | null;
}

/** Where leads come in. */
export interface FlowSource {
  to: number;
  /** Null enrols everybody on the first day. */
  maxPerDay: number | null;
}

export interface ForecastInput {
  nodes: readonly FlowNode[];
  sources: readonly FlowSource[];
  accounts: readonly ForecastAccount[];
  /** Hours of the campaign; they are read in the account's zone, because the leads to come are not known. */
  campaignHours: BusinessHours | null;
  leads: number;
  /** Days between two touches of a person. Source: catalog `contactPolicy.minDaysBetweenTouches`. */
  touchDays: number;
  /** Epoch ms, product time. */
  startAt: number;
  horizonDays: number;
}

/** Catalog record Forecast. Dates are those of the first account. */
export interface Forecast {
  perDay: { date: string; enrolled: number; actionsByKind: Record<string, number> }[];
  /** What made most leads wait on open days; `pacing` when the gaps between actions did. */
  bottleneck: { networkAccountId: string; action: Binding } | null;
  /** Null when it does not end within the horizon. */
  finishesOn: string | null;
  credits: { expected: number; worst: number };
  reviewItems: number;
}

const DAY_MS = 86_400_000;

/** Positions so that every node comes after those that lead to it. The graph has no cycle. */
function topological(nodes: readonly FlowNode[]): readonly number[] {
  const order: number[] = [];
  const seen = new Set<number>();
  const visit = (at: number): void => {
    if (seen.has(at)) return;
    seen.add(at);
    for (const branch of nodes[at]?.branches ?? []) if (branch.to !== null) visit(branch.to);
    order.push(at);
  };
  nodes.forEach((_node, at) => {
    visit(at);
  });
  return order.reverse();
}

/** Leads by the day on which they were touched last; `UNTOUCHED` has those for whom it does not matter any more. */
type Crowd = Map<number, number>;
const UNTOUCHED = Number.NEGATIVE_INFINITY;

function join(crowd: Crowd, touched: number, count: number): void {
  crowd.set(touched, (crowd.get(touched) ?? 0) + count);
}

function sizeOf(crowd: Crowd): number {
  return [...crowd.values()].reduce((sum, count) => sum + count, 0);
}

/** Leads of one node: who stands there, who comes on which day, and how many took each branch so far. */
interface Station {
  standing: Crowd;
  arrivals: Map<number, Crowd>;
  passed: number;
  taken: number[];
}

class Simulation {
  readonly #input: ForecastInput;
  readonly #stations: Station[];
  readonly #accounts: readonly AccountForecast[];
  readonly #blocked = new Map<string, { networkAccountId: string; action: Binding; count: number }>();
  readonly #order: readonly number[];
  #unenrolled: number;
  #alive: number;
  /** Day -> runs that end on it. */
  readonly #ends = new Map<number, number>();
  reviewItems = 0;
  credits = 0;

  constructor(input: ForecastInput) {
    this.#input = input;
    this.#unenrolled = input.leads;
    this.#alive = input.leads;
    this.#order = topological(input.nodes);
    this.#stations = input.nodes.map((node) => ({
      standing: new Map(),
      arrivals: new Map(),
      passed: 0,
      taken: node.branches.map(() => 0),
    }));
    this.#accounts = input.accounts.map((account) => new AccountForecast(account, input.campaignHours, input.startAt));
  }

  #enrol(day: number): number {
    let enrolled = 0;
    for (const source of this.#input.sources) {
      const count = Math.min(this.#unenrolled, source.maxPerDay ?? this.#unenrolled);
      this.#arrive(source.to, day, count, UNTOUCHED);
      this.#unenrolled -= count;
      enrolled += count;
    }
    return enrolled;
  }

  #arrive(to: number | null, day: number, count: number, touched: number): void {
    if (count === 0) return;
    if (to === null) {
      this.#ends.set(day, (this.#ends.get(day) ?? 0) + count);
      return;
    }
    const arrivals = this.#stations[to]?.arrivals;
    const crowd: Crowd = arrivals?.get(day) ?? new Map();
    join(crowd, touched, count);
    arrivals?.set(day, crowd);
  }

  /** Units that the accounts grant today, one account after the other. */
  #grant(node: FlowNode, wanted: number): number {
    let left = wanted;
    const binding: { networkAccountId: string; action: Binding }[] = [];
    for (const account of this.#accounts) {
      if (left === 0) break;
      const { granted, bound } = account.take(node.spends, left);
      left -= granted;
      if (bound) binding.push({ networkAccountId: account.networkAccountId, action: bound });
    }
    // Where another account takes over nobody waits.
    for (const bound of left > 0 ? binding : []) {
      const key = `${bound.networkAccountId}/${bound.action}`;
      this.#blocked.set(key, { ...bound, count: (this.#blocked.get(key)?.count ?? 0) + left });
    }
    return wanted - left;
  }

  /** Moves leads on; the rounding of shares is carried from day to day, so that all leads end up somewhere. */
  #pass(at: number, day: number, count: number, touched: number): void {
    const node = this.#input.nodes[at];
    const station = this.#stations[at];
    if (!node || !station || count === 0) return;
    station.passed += count;
    if (node.makesReviewItem) this.reviewItems += count;
    this.credits += node.credits * count;
    let shares = 0;
    let before = 0;
    node.branches.forEach((branch, index) => {
      shares += branch.share;
      const upTo = Math.round(station.passed * Math.min(1, shares) - 1e-9);
      const taken = station.taken[index] ?? 0;
      const now = Math.max(taken, upTo - before);
      before += now;
      station.taken[index] = now;
      this.#arrive(branch.to, day + branch.days, now - taken, touched);
    });
    if (node.branches.length === 0) this.#arrive(null, day, count, touched);
  }

  /** Those who may be touched on a day. */
  #rested(crowd: Crowd, day: number): Crowd {
    return new Map([...crowd].filter(([touched]) => touched + this.#input.touchDays <= day));
  }

  /** Moves `count` leads of those who were able on, whose touch is longest ago first. */
  #leave(at: number, day: number, able: Crowd, count: number, touches: boolean): void {
    const standing = this.#stations[at]?.standing;
    let left = count;
    for (const [touched, there] of [...able].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const moved = Math.min(left, there);
      if (moved === 0) return;
      left -= moved;
      if (moved === there) standing?.delete(touched);
      else standing?.set(touched, there - moved);
      const rested = touched + this.#input.touchDays <= day;
      this.#pass(at, day, moved, touches ? day : rested ? UNTOUCHED : touched);
    }
  }

  /** Lets those who can pass a node on a day do so. */
  #visit(at: number, day: number): { kind?: BudgetAction | undefined; moved: number } {
    const node = this.#input.nodes[at];
    const station = this.#stations[at];
    if (!node || !station) return { moved: 0 };
    for (const [touched, count] of station.arrivals.get(day) ?? []) join(station.standing, touched, count);
    station.arrivals.delete(day);
    if (node.notBefore !== null && this.#input.startAt + (day + 1) * DAY_MS <= node.notBefore) return { moved: 0 };
    const kind = node.spends[0];
    const touches = kind !== undefined && isContact(kind);
    const able = touches ? this.#rested(station.standing, day) : station.standing;
    const moved = kind ? this.#grant(node, sizeOf(able)) : sizeOf(able);
    this.#leave(at, day, able, moved, touches);
    return { kind, moved };
  }

  /** One day; returns enrolled leads and actions by kind. */
  day(day: number): { enrolled: number; actionsByKind: Record<string, number> } {
    for (const account of this.#accounts) account.startDay(day);
    const enrolled = this.#enrol(day);
    const actionsByKind: Record<string, number> = {};
    for (const at of this.#order) {
      const { kind, moved } = this.#visit(at, day);
      if (kind && moved > 0) actionsByKind[kind] = (actionsByKind[kind] ?? 0) + moved;
    }
    this.#alive -= this.#ends.get(day) ?? 0;
    return { enrolled, actionsByKind };
  }

  get finished(): boolean {
    return this.#alive <= 0;
  }

  get bottleneck(): Forecast['bottleneck'] {
    const worst = [...this.#blocked.values()].sort((a, b) => b.count - a.count)[0];
    return worst ? { networkAccountId: worst.networkAccountId, action: worst.action } : null;
  }

  dateOf(day: number): string {
    return this.#accounts[0]?.date ?? new Date(this.#input.startAt + day * DAY_MS).toISOString().slice(0, 10);
  }
}

/**
 * What a workflow would do day by day under the real limits, ramp-up, hours and mean gaps. A deterministic flow of
 * whole leads, not a drawing of lots; nothing is stored or sent.
 */
export function forecast(input: ForecastInput): Forecast {
  const simulation = new Simulation(input);
  const perDay: Forecast['perDay'] = [];
  let finishesOn: string | null = null;
  for (let day = 0; day < input.horizonDays && finishesOn === null; day++) {
    const done = simulation.day(day);
    perDay.push({ date: simulation.dateOf(day), ...done });
    if (simulation.finished) finishesOn = simulation.dateOf(day);
  }
  const perLead = input.nodes.reduce((sum, node) => sum + node.credits, 0);
  return {
    perDay,
    bottleneck: simulation.bottleneck,
    finishesOn,
    credits: { expected: simulation.credits, worst: perLead * input.leads },
    reviewItems: simulation.reviewItems,
  };
}
