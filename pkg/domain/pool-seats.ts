import { hashFloat } from './random.ts';

/** A member serves at most so much more than its even share; nearer to it more would move whenever a member comes or goes. */
const SLACK = 1.25;

/** Workspaces that one of `members` serves at most, where there are `workspaces` in all. */
export function mostSeats(workspaces: number, members: number): number {
  return members === 0 ? 0 : Math.ceil((workspaces * SLACK) / members);
}

/** Members in the order in which a workspace wants them: the same in every process, and independent of the other workspaces. */
export function membersByWish(workspaceId: string, members: readonly string[]): string[] {
  return members
    .map((member) => ({ member, score: hashFloat('seat', workspaceId, member) }))
    .sort((a, b) => b.score - a.score || (a.member < b.member ? -1 : 1))
    .map(({ member }) => member);
}

export interface SeatingFacts {
  /** Members that can serve. */
  members: readonly string[];
  /** The member that serves each workspace now. */
  seats: ReadonlyMap<string, string>;
  /** Workspaces that have no seat and are to get one. */
  wanting?: readonly string[];
  /** Members that stay away for a moment: who sits there waits for them, and nobody is sent there. */
  pausing?: readonly string[];
}

/**
 * Who gets which seat: rendezvous hashing with bounded load. Only what has to move is in the answer: workspaces without a seat, those of
 * members that are gone, and of a member with more than its bound those that want it least. Nobody moves back to a member that
 * they would like better. Pure: asked again with its own answer in force, it moves nobody.
 */
export function planSeats({ members, seats, wanting = [], pausing = [] }: SeatingFacts): Map<string, string> {
  const moves = new Map<string, string>();
  const serving = members.filter((member) => !pausing.includes(member));
  if (serving.length === 0) return moves;
  const newcomers = [...new Set(wanting)].filter((id) => !seats.has(id));
  const waiting = new Set(pausing);
  const sitting = [...seats].filter(([, member]) => !waiting.has(member));
  const most = mostSeats(sitting.length + newcomers.length, serving.length);
  const kept = new Map(serving.map((member) => [member, [] as string[]]));
  const homeless = [...newcomers];
  for (const [id, member] of sitting) (kept.get(member) ?? homeless).push(id);
  for (const [member, own] of kept) homeless.push(...shed(member, own, most));
  for (const id of homeless.sort()) {
    const wished = membersByWish(id, serving);
    const chosen = wished.find((member) => (kept.get(member)?.length ?? 0) < most) ?? wished[0];
    if (chosen === undefined) continue;
    kept.get(chosen)?.push(id);
    moves.set(id, chosen);
  }
  return moves;
}

/** Takes those that want their member least from it until it has no more than its bound. */
function shed(member: string, own: string[], most: number): string[] {
  if (own.length <= most) return [];
  own.sort((a, b) => hashFloat('seat', b, member) - hashFloat('seat', a, member) || (a < b ? -1 : 1));
  return own.splice(most);
}
