/** Where a run stood when nothing was due any more. */
export interface Standing {
  id: string;
  lead_id: string;
  workflow_id: string;
  state: string;
  node_id: string;
  wait_reason: string | null;
  due_at: number | null;
  ended_at: number | null;
  end_reason: string | null;
  stopped: string | null;
}

/** Waits whose end nothing brings forward but people, and what they answer; others end when room, an account or a claim is free again. */
const FIRM: ReadonlySet<string | null> = new Set(['duration', 'until_time', 'business_hours', 'review']);

const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());

/**
 * What is wrong with where a run stands when nothing is due any more.
 * @param before where it stood before; undefined: it is new
 * @param disturbed whether people, or news of the network, came in between
 */
export function wrongStanding(before: Standing | undefined, row: Standing, now: number, disturbed: boolean): string[] {
  const wrong = [
    ...(row.ended_at === null ? wrongWait(row, now) : []),
    ...(disturbed || !before ? [] : wrongMove(before, row, now)),
  ];
  if (row.ended_at !== null && !row.end_reason) wrong.push('it ended without a reason');
  const what = `${iso(now)} run ${row.id} at ${row.node_id} (${row.state}, ${row.wait_reason}, due ${iso(row.due_at)})`;
  return wrong.map((told) => `${what}: ${told}`);
}

function wrongWait({ state, stopped, wait_reason, due_at }: Standing, now: number): string[] {
  if (state === 'paused' || stopped !== null) return [];
  const wrong: string[] = [];
  if (wait_reason === null) wrong.push('it says not what it waits for');
  if (due_at !== null && due_at <= now) wrong.push('it is forgotten');
  if (due_at === null && wait_reason !== 'send_freeze') wrong.push('nothing will happen to it');
  return wrong;
}

/** Nothing happens to a run before it says, and nothing at all when it has ended. */
function wrongMove(before: Standing, row: Standing, now: number): string[] {
  if (before.ended_at !== null) return row.ended_at === before.ended_at ? [] : [`it had ended (${before.end_reason})`];
  if (!FIRM.has(before.wait_reason) || (before.due_at ?? Number.POSITIVE_INFINITY) <= now) return [];
  if (row.ended_at !== null) return [`it ended (${row.end_reason}) before its time, ${iso(before.due_at)}`];
  return row.node_id === before.node_id ? [] : [`it left ${before.node_id} before its time, ${iso(before.due_at)}`];
}
