import { z } from 'zod';
import { type Call, Refusal, type Reply } from '../http.ts';
import type { World } from '../world.ts';
import { change, keep, kept, note } from './book.ts';

const searchBody = z.object({
  filterGroups: z.array(
    z.object({
      filters: z.array(
        z.object({ propertyName: z.string(), operator: z.enum(['EQ', 'CONTAINS_TOKEN']), value: z.string() }),
      ),
    }),
  ),
  properties: z.array(z.string()).default([]),
  limit: z.number().default(10),
});
/** What a search tells without being asked for it. */
const DEFAULT_PROPERTIES = ['email', 'firstname', 'lastname'];
const writeBody = z.object({
  properties: z.record(z.string(), z.string()),
  associations: z.array(z.object({ to: z.object({ id: z.string() }) })).optional(),
});
interface Stored {
  properties: Record<string, string>;
  associated: string[];
}
const KINDS = ['contacts', 'leads', 'deals', 'tasks'];

/** `/crm/v3/objects/{kind}`: search, create, update. */
export function hubspot(world: World, call: Call): Reply {
  const [kind = '', id] = call.path.slice(5);
  if (!KINDS.includes(kind)) throw new Refusal(404, 'resource_not_found', 'no such object type');
  if (call.method === 'POST' && id === 'search') return search(world, call, kind);
  if (call.method === 'POST' && id === undefined) return create(world, call, kind);
  if (call.method === 'PATCH' && id !== undefined) return update(world, call, kind, Number(id));
  throw new Refusal(405, 'method_not_allowed', 'not possible here');
}

function search(world: World, call: Call, kind: string): Reply {
  const { filterGroups, properties: wanted, limit } = searchBody.parse(call.body);
  const filters = filterGroups.flatMap((group) => group.filters);
  const matches = kept<Stored>(world.store, 'hubspot', kind).filter(({ properties }) =>
    filters.every(({ propertyName, operator, value }) => {
      const own = properties[propertyName] ?? '';
      return operator === 'EQ' ? own === value : own.split(/\s+/).includes(value);
    }),
  );
  const shown = wanted.length > 0 ? wanted : DEFAULT_PROPERTIES;
  const results = matches.slice(0, limit).map((one) => ({
    id: String(one.id),
    properties: Object.fromEntries(shown.map((name) => [name, one.properties[name] ?? null])),
  }));
  return { status: 200, body: { total: matches.length, results } };
}

function create(world: World, call: Call, kind: string): Reply {
  const { properties, associations = [] } = writeBody.parse(call.body);
  const same = kept<Stored>(world.store, 'hubspot', kind).find(
    (one) => kind === 'contacts' && properties['email'] && one.properties['email'] === properties['email'],
  );
  if (same) throw new Refusal(409, 'conflict', `Contact already exists. Existing ID: ${same.id}`);
  const id = keep(world.store, 'hubspot', kind, { properties, associated: associations.map((one) => one.to.id) });
  noteWrite(world, call, `create ${kind}`, properties);
  return { status: 201, body: { id: String(id), properties } };
}

function update(world: World, call: Call, kind: string, id: number): Reply {
  const { properties } = writeBody.parse(call.body);
  const stored = kept<Stored>(world.store, 'hubspot', kind).find((one) => one.id === id);
  if (!stored) throw new Refusal(404, 'resource_not_found', 'no such object');
  const next = { ...stored.properties, ...properties };
  change(world.store, id, { properties: next, associated: stored.associated });
  noteWrite(world, call, `update ${kind}`, next);
  return { status: 200, body: { id: String(id), properties: next } };
}

function noteWrite(world: World, call: Call, action: string, properties: Record<string, string>): void {
  const about =
    properties['email'] ?? properties['website'] ?? properties['dealname'] ?? properties['hs_task_subject'] ?? '';
  const { idempotencyKey, body } = call;
  note(world.store, { at: world.clock.now(), service: 'hubspot', action, about, idempotencyKey, headers: {}, body });
}
