import { profileAddress } from '../../domain/person-identity.ts';
import type { Tx } from '../../postgres/database.ts';

/** Somebody whom a list of the network showed. */
export interface SeenPerson {
  publicId: string;
  name: string;
  headline: string;
}

const MOST_NAME = 200;
const MOST_HEADLINE = 500;

/**
 * Leads of people whom a watch saw; unknown ones become leads of the pool, and who was erased is left out.
 * @param now epoch ms, product time
 * @returns lead ids by public id
 */
export async function keepSeenPeople(
  tx: Tx,
  workspaceId: string,
  people: readonly SeenPerson[],
  { now, newId }: { now: number; newId: () => string },
): Promise<ReadonlyMap<string, string>> {
  if (people.length === 0) return new Map();
  const once = new Map(people.map((person) => [person.publicId, person]));
  const rows = [...once.values()].map((person) => rowOf(person, newId()));
  const kept = await tx.rows<{ profile: string; id: string }>(
    'select profile_id as profile, lead_id as id from app.keep_seen_people($1, $2, $3)',
    [workspaceId, JSON.stringify(rows), now],
  );
  return new Map(kept.map((row) => [row.profile, row.id]));
}

function rowOf({ publicId, name, headline }: SeenPerson, id: string): object {
  const full = name.slice(0, MOST_NAME);
  const [first = '', ...rest] = full.split(/\s+/);
  return {
    id,
    profile_id: publicId,
    profile_url: profileAddress(publicId) ?? '',
    first_name: first,
    last_name: rest.join(' '),
    full_name: full,
    headline: headline.slice(0, MOST_HEADLINE),
  };
}
