import { dateOfDay, localTime } from '../../domain/local-time.ts';
import type { Tx } from '../../postgres/database.ts';
import { lockDay, spendOfDay } from './agent-limits.ts';
import type { Deciding } from './deciding.ts';
import { queueRoom } from './signal-queue.ts';

/** What an agent may still spend on the day of its workspace. */
export interface DayRoom {
  day: string;
  /** When the batch began; credits null: no limit. */
  before: { leads: number; credits: number | null };
  /** Now. */
  leads: number;
  credits: number | null;
}

/** Locks the day of the agent: until the end of the transaction nobody else spends for it. */
export async function openDay(tx: Tx, { agent, timezone, now, leadsLeft }: Deciding): Promise<DayRoom> {
  const day = dateOfDay(localTime(now, timezone).dayNumber);
  const spent = await lockDay(tx, agent, day);
  const ofDay = Math.max(0, agent.dailyLeadLimit - spent.leads);
  const ofRun = leadsLeft === null ? ofDay : Math.min(ofDay, leadsLeft);
  const leads = agent.workflowId === null ? Math.min(ofRun, await queueRoom(tx, agent.workspaceId)) : ofRun;
  const credits = agent.dailyCreditLimit === null ? null : Math.max(0, agent.dailyCreditLimit - spent.credits);
  return { day, before: { leads, credits }, leads, credits };
}

/** Spends what was enqueued, in the day's row. @throws Error when that is more than is left */
export async function spend(
  tx: Tx,
  { agent }: Deciding,
  room: DayRoom,
  spent: { leads: number; credits: number },
): Promise<void> {
  room.leads -= spent.leads;
  if (room.credits !== null) room.credits -= spent.credits;
  const limit = { leads: agent.dailyLeadLimit, credits: agent.dailyCreditLimit };
  if (spent.leads > 0) await spendOfDay(tx, agent.id, room.day, spent, limit);
}
