import { z } from 'zod';
import { type Call, Refusal, type Reply } from '../http.ts';
import type { World } from '../world.ts';
import { change, keep, kept, note } from './book.ts';
import { hubspotLists } from './hubspot-lists.ts';
import type { StoredObject } from './hubspot-object.ts';
import { hubspotPreferences } from './hubspot-preferences.ts';

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
/** Contacts that one batch reads at most. */
const MOST_INPUTS = 100;
const batchBody = z.object({
  inputs: z.array(z.object({ id: z.string() })).max(MOST_INPUTS),
  properties: z.array(z.string()).default([]),
});
const mergeBody = z.object({ primaryObjectId: z.string(), objectIdToMerge: z.string() });

type Stored = StoredObject;
const KINDS = ['contacts', 'leads', 'deals', 'tasks'];
const MERGED = 'hs_merged_object_ids';

/** `/crm/v3/objects/{kind}` (search, create, update; contacts also in batches and merged), `/crm/v3/lists`, preferences. */
export function hubspot(world: World, call: Call): Reply {
  const room = call.path.slice(2, 5).join('/');
  if (room === 'crm/v3/lists') return hubspotLists(world, call);
  if (room.startsWith('communication-preferences/v3')) return hubspotPreferences(world, call);
  const [kind = '', id, deed] = call.path.slice(5);
  if (!KINDS.includes(kind)) throw new Refusal(404, 'resource_not_found', 'no such object type');
  if (call.method === 'POST' && id === 'search') return search(world, call, kind);
  if (call.method === 'POST' && id === 'batch' && deed === 'read') return readBatch(world, call, kind);
  if (call.method === 'POST' && id === 'batch' && deed === 'create') return createBatch(world, call, kind);
  if (call.method === 'POST' && id === 'merge') return merge(world, call, kind);
  if (call.method === 'POST' && id === undefined) return create(world, call, kind);
  if (call.method === 'PATCH' && id !== undefined) return update(world, call, kind, Number(id));
  throw new Refusal(405, 'method_not_allowed', 'not possible here');
}

function search(world: World, call: Call, kind: string): Reply {
  const { filterGroups, properties: wanted, limit } = searchBody.parse(call.body);
  const filters = filterGroups.flatMap((group) => group.filters);
  const matches = kept<Stored>(world.store, 'hubspot', kind).filter(
    ({ properties, mergedInto }) =>
      mergedInto === undefined &&
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

/** By any id that an object ever had. */
function objectOf(objects: readonly (Stored & { id: number })[], id: string): (Stored & { id: number }) | undefined {
  const found = objects.find((one) => String(one.id) === id);
  return found?.mergedInto === undefined ? found : objectOf(objects, found.mergedInto);
}

function readBatch(world: World, call: Call, kind: string): Reply {
  const { inputs, properties: wanted } = batchBody.parse(call.body);
  const objects = kept<Stored>(world.store, 'hubspot', kind);
  const found = new Map(inputs.flatMap(({ id }) => objectOf(objects, id) ?? []).map((one) => [one.id, one]));
  const results = [...found.values()].map((one) => shown(one, wanted));
  const time = new Date(world.clock.now()).toISOString();
  return { status: 200, body: { status: 'COMPLETE', results, startedAt: time, completedAt: time } };
}

function shown({ id, properties, at = 0 }: Stored & { id: number }, wanted: readonly string[]): object {
  const names = wanted.length > 0 ? wanted : DEFAULT_PROPERTIES;
  const time = new Date(at).toISOString();
  const told = names.map((name) => [name, properties[name] ?? null]);
  return { id: String(id), properties: Object.fromEntries(told), createdAt: time, updatedAt: time, archived: false };
}

/** The primary one stays, with what the other knew besides; the other's id leads to it. */
function merge(world: World, call: Call, kind: string): Reply {
  const { primaryObjectId, objectIdToMerge } = mergeBody.parse(call.body);
  const objects = kept<Stored>(world.store, 'hubspot', kind);
  const [primary, other] = [objectOf(objects, primaryObjectId), objectOf(objects, objectIdToMerge)];
  if (!primary || !other) throw new Refusal(404, 'resource_not_found', 'no such object');
  const merged = [primary.properties[MERGED], other.properties[MERGED], String(other.id)].filter(Boolean).join(';');
  const properties = { ...other.properties, ...primary.properties, [MERGED]: merged };
  const { id, ...stored } = primary;
  const { id: otherId, ...gone } = other;
  change(world.store, id, { ...stored, properties, at: world.clock.now() });
  change(world.store, otherId, { ...gone, mergedInto: String(id) });
  return { status: 200, body: shown({ ...primary, properties, at: world.clock.now() }, []) };
}

function createBatch(world: World, call: Call, kind: string): Reply {
  const { inputs } = z.object({ inputs: z.array(writeBody).max(MOST_INPUTS) }).parse(call.body);
  const mails = new Set(kept<Stored>(world.store, 'hubspot', kind).map((one) => one.properties['email']));
  const twice = inputs.find(({ properties }) => properties['email'] && mails.has(properties['email']));
  if (twice) throw new Refusal(409, 'conflict', `Contact already exists: ${twice.properties['email']}`);
  const at = world.clock.now();
  const results = inputs.map(({ properties, associations = [] }) => {
    const made = { properties, associated: associations.map((one) => one.to.id), at };
    return shown({ ...made, id: keep(world.store, 'hubspot', kind, made) }, Object.keys(properties));
  });
  const time = new Date(at).toISOString();
  return { status: 201, body: { status: 'COMPLETE', results, startedAt: time, completedAt: time } };
}

function create(world: World, call: Call, kind: string): Reply {
  const { properties, associations = [] } = writeBody.parse(call.body);
  const same = kept<Stored>(world.store, 'hubspot', kind).find(
    (one) => kind === 'contacts' && properties['email'] && one.properties['email'] === properties['email'],
  );
  if (same) throw new Refusal(409, 'conflict', `Contact already exists. Existing ID: ${same.id}`);
  const id = keep(world.store, 'hubspot', kind, {
    properties,
    associated: associations.map((one) => one.to.id),
    at: world.clock.now(),
  });
  noteWrite(world, call, `create ${kind}`, properties);
  const time = new Date(world.clock.now()).toISOString();
  return { status: 201, body: { id: String(id), properties, createdAt: time, updatedAt: time, archived: false } };
}

function update(world: World, call: Call, kind: string, id: number): Reply {
  const { properties } = writeBody.parse(call.body);
  const stored = kept<Stored>(world.store, 'hubspot', kind).find((one) => one.id === id);
  if (!stored) throw new Refusal(404, 'resource_not_found', 'no such object');
  const next = { ...stored.properties, ...properties };
  const { id: _id, ...rest } = stored;
  change(world.store, id, { ...rest, properties: next, at: world.clock.now() });
  noteWrite(world, call, `update ${kind}`, next);
  return { status: 200, body: { id: String(id), properties: next } };
}

function noteWrite(world: World, call: Call, action: string, properties: Record<string, string>): void {
  const about =
    properties['email'] ?? properties['website'] ?? properties['dealname'] ?? properties['hs_task_subject'] ?? '';
  const { idempotencyKey, body } = call;
  note(world.store, { at: world.clock.now(), service: 'hubspot', action, about, idempotencyKey, headers: {}, body });
}
