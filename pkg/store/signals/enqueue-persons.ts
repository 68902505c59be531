import { decideSignal } from '../../domain/signals/decide-signal.ts';
import type { Tx } from '../../postgres/database.ts';
import { enrolLeads } from '../runs/enrol.ts';
import { freePersons, takePersons } from './agent-limits.ts';
import { type DayRoom, spend } from './day-room.ts';
import { type Deciding, QUEUED, type Undecided } from './deciding.ts';
import { queueFound } from './signal-queue.ts';

/**
 * Enqueues, in the order of their signals, who passes all checks, until the limits are reached: whom the enrolment refuses takes no
 * place of the next one. Notes at each one what became of it.
 */
export async function enqueuePersons(
  tx: Tx,
  deciding: Deciding,
  open: readonly Undecided[],
  room: DayRoom,
): Promise<void> {
  const done = new Set<Undecided>();
  const found = new Set<string>();
  for (;;) {
    noteTwins(open, done, found);
    const chosen = choose(deciding, open, done, room);
    if (chosen.length === 0) return;
    for (const one of chosen) done.add(one);
    const free = await freeOf(tx, deciding, chosen);
    const refused = await enrol(tx, deciding, free);
    await freePersons(tx, deciding.agent.workspaceId, refused.map(personOf));
    const enqueued = free.filter((one) => one.runId !== null);
    for (const one of enqueued) found.add(personOf(one));
    const credits = enqueued.reduce((sum, one) => sum + one.facts.cost, 0);
    await spend(tx, deciding, room, { leads: enqueued.length, credits });
  }
}

/** A person whom this batch enqueued already, under another id or by another signal. */
function noteTwins(open: readonly Undecided[], done: Set<Undecided>, found: ReadonlySet<string>): void {
  for (const one of open) {
    if (done.has(one) || !one.person || !found.has(personOf(one))) continue;
    one.facts.duplicate ??= 'the agent found the person before';
  }
}

/** Who is next: as many as the limits have room for, each person once. */
function choose(
  { rules }: Deciding,
  open: readonly Undecided[],
  done: ReadonlySet<Undecided>,
  room: DayRoom,
): Undecided[] {
  const chosen = new Map<string, Undecided>();
  let credits = room.credits;
  for (const one of open) {
    if (chosen.size >= room.leads) break;
    if (done.has(one) || !one.person?.personId || chosen.has(personOf(one))) continue;
    const { cost } = one.facts;
    if (credits !== null && cost > credits) continue;
    if (decideSignal(one.facts, rules).outcome !== 'enqueued') continue;
    if (credits !== null) credits -= cost;
    chosen.set(personOf(one), one);
  }
  return [...chosen.values()];
}

/** Those of the chosen whom no agent of the workspace took meanwhile. */
async function freeOf(tx: Tx, { agent, now }: Deciding, chosen: readonly Undecided[]): Promise<Undecided[]> {
  const free = await takePersons(tx, agent, chosen.map(personOf), now);
  for (const one of chosen)
    if (!free.has(personOf(one)))
      one.facts.duplicate = 'an agent of the workspace found the person in the last 90 days';
  return chosen.filter((one) => free.has(personOf(one)));
}

/** Enrols in the workflow of the agent, or queues for whichever listens to it. @returns those who were refused */
async function enrol(tx: Tx, deciding: Deciding, persons: readonly Undecided[]): Promise<Undecided[]> {
  const { agent, now } = deciding;
  if (persons.length === 0) return [];
  if (agent.workflowId === null) {
    await queueFound(tx, agent, persons.map(foundOf), now);
    for (const one of persons) one.runId = QUEUED;
    return [];
  }
  const byLead = new Map(persons.map((one) => [leadOf(one), one]));
  const answers = await enrolLeads(tx, {
    workspaceId: agent.workspaceId,
    workflowId: agent.workflowId,
    now,
    leads: [...byLead.keys()].map((leadId) => ({ leadId, runId: deciding.newId() })),
    source: 'source',
  });
  const refused = new Set(persons);
  for (const { leadId, runId, skipped } of answers) {
    const one = byLead.get(leadId);
    if (!one) continue;
    one.runId = runId;
    one.facts.refused = skipped;
    if (runId !== null) refused.delete(one);
  }
  for (const one of refused) one.facts.refused ??= 'the workflow is not there';
  return [...refused];
}

function foundOf(one: Undecided): { leadId: string; signalId: string; rule: string } {
  return { leadId: leadOf(one), signalId: one.signal.signalId, rule: one.signal.type };
}

function personOf({ person }: Undecided): string {
  return person?.personId ?? '';
}

function leadOf({ signal }: Undecided): string {
  return signal.leadId ?? '';
}
