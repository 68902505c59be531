import { z } from 'zod';
import { type Call, Refusal, type Reply } from '../http.ts';
import type { World } from '../world.ts';
import { change, keep, kept } from './book.ts';
import type { StoredObject } from './hubspot-object.ts';

/** `PublicObjectList` of HubSpot's client, as far as it is told here. */
interface StoredList {
  name: string;
  objectTypeId: string;
  processingType: string;
  members: string[];
  at: number;
}
type Listed = StoredList & { id: number };

const createBody = z.object({
  name: z.string().min(1),
  objectTypeId: z.string(),
  processingType: z.enum(['MANUAL', 'DYNAMIC', 'SNAPSHOT']),
});
const searchBody = z.object({
  query: z.string().default(''),
  count: z.int().min(1).max(500).default(20),
  offset: z.int().min(0).default(0),
  additionalProperties: z.array(z.string()).default([]),
});
/** Members of one answer, at most and without being asked. */
const MOST_MEMBERS = 250;
const USUAL_MEMBERS = 100;
const limitOf = z.coerce.number().int().min(1).max(MOST_MEMBERS).default(USUAL_MEMBERS);

/** `/crm/v3/lists`: create, search, read; memberships in the order of their ids, a page at a time. */
export function hubspotLists(world: World, call: Call): Reply {
  const [id = '', part = '', deed = ''] = call.path.slice(5);
  if (call.method === 'POST' && id === '') return create(world, call);
  if (call.method === 'POST' && id === 'search') return search(world, call);
  const list = kept<StoredList>(world.store, 'hubspot', 'list').find((one) => String(one.id) === id);
  if (!list) throw new Refusal(404, 'object_not_found', `List does not exist with ID ${id}.`);
  if (call.method === 'GET' && part === '') return { status: 200, body: { list: shown(list) } };
  if (part !== 'memberships') throw new Refusal(405, 'method_not_allowed', 'not possible here');
  if (call.method === 'GET') return memberships(call, list);
  if (call.method === 'PUT') return changeMembers(world, call, list, deed);
  throw new Refusal(405, 'method_not_allowed', 'not possible here');
}

function create(world: World, call: Call): Reply {
  const made = { ...createBody.parse(call.body), members: [], at: world.clock.now() };
  const id = keep(world.store, 'hubspot', 'list', made);
  return { status: 200, body: { list: shown({ ...made, id }) } };
}

function search(world: World, call: Call): Reply {
  const { query, count, offset, additionalProperties } = searchBody.parse(call.body ?? {});
  const word = query.toLowerCase();
  const all = kept<StoredList>(world.store, 'hubspot', 'list').filter((one) => one.name.toLowerCase().includes(word));
  const page = all.slice(offset, offset + count);
  const next = offset + page.length;
  const lists = page.map((one) => {
    const told = { hs_list_size: String(one.members.length), hs_list_reference_count: '0' };
    const asked = Object.entries(told).filter(([name]) => additionalProperties.includes(name));
    return { ...shown(one), additionalProperties: Object.fromEntries(asked) };
  });
  return { status: 200, body: { total: all.length, offset: next, hasMore: next < all.length, lists } };
}

function shown({ id, members: _members, at, ...list }: Listed): object {
  const time = new Date(at).toISOString();
  return {
    ...list,
    listId: String(id),
    listVersion: 1,
    processingStatus: 'COMPLETE',
    createdAt: time,
    updatedAt: time,
  };
}

function memberships(call: Call, list: Listed): Reply {
  const limit = limitOf.parse(call.query.get('limit') ?? undefined);
  const after = Number(call.query.get('after') ?? 0);
  const ids = list.members.map(Number).filter((id) => id > after);
  const page = ids.toSorted((a, b) => a - b).slice(0, limit);
  const membershipTimestamp = new Date(list.at).toISOString();
  const results = page.map((id) => ({ recordId: String(id), membershipTimestamp }));
  const next = page.length < ids.length ? { next: { after: String(page.at(-1)) } } : {};
  return { status: 200, body: { total: list.members.length, results, paging: next } };
}

function changeMembers(world: World, call: Call, list: Listed, deed: string): Reply {
  const given = z.array(z.coerce.string()).max(100_000).parse(call.body);
  const { id, ...stored } = list;
  const known = new Set(kept<StoredObject>(world.store, 'hubspot', 'contacts').map((one) => String(one.id)));
  const met = given.filter((one) => known.has(one));
  const members = new Set(list.members);
  for (const one of met) {
    if (deed === 'remove') members.delete(one);
    else members.add(one);
  }
  change(world.store, id, { ...stored, members: [...members] });
  const [added, removed] = deed === 'remove' ? [[], met] : [met, []];
  const missing = given.filter((one) => !known.has(one));
  return { status: 200, body: { recordsIdsAdded: added, recordIdsRemoved: removed, recordIdsMissing: missing } };
}
