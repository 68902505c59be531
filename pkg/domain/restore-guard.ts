/**
 * Whether a database that has started again is the one that was running: rules of the restore guard. Each keeper outside
 * the database holds a copy of the epoch; it is written after the database's, so it may be one behind and never ahead.
 */

/** What a keeper outside the database remembers. */
export interface OutsideRecord {
  epoch: number;
  systemIdentifier: string;
  timeline: number;
}

/** The database's own record, and who the running server is. */
export interface InsideRecord {
  epoch: number;
  /** Of the server that the epoch was last compared on; null before the first time. */
  systemIdentifier: string | null;
  timeline: number | null;
  server: { systemIdentifier: string; timeline: number };
  /** What the last reconciliation accepted of each keeper. */
  accepted: Readonly<Record<string, OutsideRecord | null>>;
}

/** Why sends must stop, one sentence each for people; empty when inside and outside agree. */
export function disagreements(
  inside: InsideRecord,
  outside: Readonly<Record<string, OutsideRecord | null>>,
): readonly string[] {
  return [
    ...serverChanges(inside),
    ...Object.entries(outside).flatMap(([name, record]) => keeper(inside, name, record)),
  ];
}

function serverChanges({ systemIdentifier, timeline, server }: InsideRecord): string[] {
  if (systemIdentifier === null) return [];
  if (systemIdentifier !== server.systemIdentifier) {
    return [
      `The database runs on another Postgres cluster (system identifier ${server.systemIdentifier}, it was ${systemIdentifier}).`,
    ];
  }
  if (timeline === server.timeline) return [];
  return [`Postgres runs on timeline ${server.timeline}, it was ${timeline}: it was restored or failed over.`];
}

function keeper(inside: InsideRecord, name: string, record: OutsideRecord | null): string[] {
  if (name in inside.accepted && same(inside.accepted[name] ?? null, record)) return [];
  if (record === null) {
    // The first epoch may have been taken and not have arrived outside yet.
    return inside.epoch <= 1 ? [] : [`The epoch kept in ${name} is gone while the database is at ${inside.epoch}.`];
  }
  if (record.epoch > inside.epoch) {
    return [
      `The database is older than what ran last: epoch ${inside.epoch}, ${name} says ${record.epoch}. It was restored from a backup.`,
    ];
  }
  if (inside.epoch - record.epoch > 1) {
    return [
      `What ${name} holds is older than the database: epoch ${record.epoch}, the database says ${inside.epoch}. The resources were restored from a backup.`,
    ];
  }
  if (record.systemIdentifier === inside.server.systemIdentifier && record.timeline === inside.server.timeline)
    return [];
  return serverChanges({ ...inside, systemIdentifier: record.systemIdentifier, timeline: record.timeline });
}

function same(a: OutsideRecord | null, b: OutsideRecord | null): boolean {
  if (a === null || b === null) return a === b;
  return a.epoch === b.epoch && a.systemIdentifier === b.systemIdentifier && a.timeline === b.timeline;
}
