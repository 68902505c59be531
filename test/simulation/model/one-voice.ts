import type { LifePlayer } from './life-player.ts';
import type { ShownRun } from './run-path.ts';

/** A run of a workspace and the person it is about. */
interface Held {
  ws: string;
  name: string;
  from: number;
  to: number;
}

function heldBy(player: LifePlayer, runs: readonly ShownRun[]): Held[] {
  return runs.flatMap(({ run }) => {
    const lead = player.leads.find((one) => one.leadId === run.leadId);
    // By a name alone nobody is known to be the same.
    if (!lead || (lead.publicId === null && lead.email === null) || player.erased.has(run.leadId)) return [];
    const to = run.endedAt === null ? Number.POSITIVE_INFINITY : Date.parse(run.endedAt);
    return [{ ws: player.office.ws, name: lead.name, from: Date.parse(run.startedAt), to }];
  });
}

/** At scope agency, a person enrolled by one workspace is enrolled by no other while the run is under way. */
function enrolledByTwo(held: readonly Held[]): string[] {
  return held.flatMap((one) =>
    held
      .filter((other) => other.name === one.name && other.ws > one.ws && other.from < one.to && one.from < other.to)
      .map((other) => `${one.name} is under way in ${one.ws} and in ${other.ws}`),
  );
}

/** At scope account, an account that spoke to somebody for one workspace speaks for no other while that run is under way. */
function spokenForTwo(main: LifePlayer, held: readonly Held[]): string[] {
  const { acts } = main.network;
  const nameOf = new Map(main.leads.map((lead) => [lead.publicId, lead.name]));
  return acts.flatMap((act) => {
    const name = nameOf.get(act.publicId);
    const other = acts.find(
      (before) =>
        before.at < act.at &&
        before.by !== act.by &&
        before.account === act.account &&
        before.publicId === act.publicId &&
        held.some((one) => one.ws === before.by && one.name === name && one.from <= before.at && act.at < one.to),
    );
    return other ? [`${act.account} did ${act.kind} to ${name} for ${act.by} while ${other.by} holds them`] : [];
  });
}

/** What is wrong with who was spoken to by two workspaces. Source: catalog, contactPolicy.dedupeScope. */
export function twoVoices(players: readonly { player: LifePlayer; runs: readonly ShownRun[] }[]): string[] {
  const held = players.flatMap(({ player, runs }) => heldBy(player, runs));
  const [main] = players;
  switch (main?.player.life.neighbour) {
    case 'agency':
      return enrolledByTwo(held);
    case 'account':
      return spokenForTwo(main.player, held);
    default:
      return [];
  }
}
