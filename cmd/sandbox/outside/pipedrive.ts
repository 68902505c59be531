import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Call, Refusal, type Reply } from '../http.ts';
import type { World } from '../world.ts';
import { change, keep, kept, note } from './book.ts';

type Body = Record<string, unknown>;
type Stored = Body & { id: number };

/** Objects by version and name, with the field that a search looks at. */
const KINDS: Readonly<Record<string, string>> = {
  'api/v2/persons': 'name',
  'api/v2/organizations': 'name',
  'api/v2/deals': 'title',
  'api/v2/activities': 'subject',
  'api/v2/leads': 'title',
  'v1/leads': 'title',
};
const MOST_PAGE = 500;
const MOST_IDS = 100;
const limitOf = z.coerce.number().int().min(1).max(MOST_PAGE).default(100);

/** Pipedrive's v2 (pages by cursor) with the parts that are in v1 still: filters and the writing of leads. */
export function pipedrive(world: World, call: Call): Reply {
  const at = call.path[2] === 'api' ? 5 : 4;
  const room = call.path.slice(2, at).join('/');
  const id = call.path[at];
  if (room === 'v1/filters') return filters(world, call);
  const searched = KINDS[room];
  if (searched === undefined) throw new Refusal(404, 'not_found', 'Not found');
  const kind = room.split('/').at(-1) ?? '';
  if (call.method === 'GET' && id === 'search') return search(world, call, kind, searched);
  if (call.method === 'GET' && id === undefined) return list(world, call, kind);
  if (call.method === 'POST' && id === undefined) return create(world, call, kind, room.startsWith('v1'));
  const stored = kept<Body>(world.store, 'pipedrive', kind).find((one) => String(one['key'] ?? one.id) === id);
  if (!stored) throw new Refusal(404, 'not_found', `${kind} not found`);
  if (call.method === 'GET') return { status: 200, body: { success: true, data: shown(stored, call) } };
  if (call.method === 'PATCH') return update(world, call, kind, stored);
  throw new Refusal(405, 'method_not_allowed', 'Method not allowed');
}

/** A condition of a filter, as the interface of Pipedrive makes them. */
const conditionsBody = z.object({
  glue: z.literal('and'),
  conditions: z.array(
    z.object({
      glue: z.enum(['and', 'or']),
      conditions: z.array(
        z.object({
          object: z.string(),
          field_id: z.string(),
          operator: z.enum(['=', 'IS NOT NULL']),
          value: z.unknown(),
        }),
      ),
    }),
  ),
});
type Conditions = z.output<typeof conditionsBody>;
const filterBody = z.object({ name: z.string().min(1), type: z.string(), conditions: conditionsBody });

function filters(world: World, call: Call): Reply {
  if (call.method === 'POST') {
    const id = keep(world.store, 'pipedrive', 'filter', { ...filterBody.parse(call.body), active_flag: true });
    return { status: 200, body: { success: true, data: { id } } };
  }
  const type = call.query.get('type');
  const all = kept<Body>(world.store, 'pipedrive', 'filter').filter((one) => type === null || one['type'] === type);
  return { status: 200, body: { success: true, data: all.map(({ conditions: _conditions, ...one }) => one) } };
}

function list(world: World, call: Call, kind: string): Reply {
  const { query } = call;
  const limit = limitOf.parse(query.get('limit') ?? undefined);
  const after = Number(Buffer.from(query.get('cursor') ?? '', 'base64url').toString() || 0);
  const which = chosen(world, call, kind).filter((one) => one.id > after);
  const page = which.slice(0, limit);
  const next = page.length < which.length ? Buffer.from(String(page.at(-1)?.id)).toString('base64url') : null;
  const data = page.map((one) => shown(one, call));
  return { status: 200, body: { success: true, data, additional_data: { next_cursor: next } } };
}

/** Those of a filter; else those that are named; else all, or those of a person. */
function chosen(world: World, { query }: Call, kind: string): Stored[] {
  const all = kept<Body>(world.store, 'pipedrive', kind);
  const filterId = query.get('filter_id');
  if (filterId !== null) {
    const filter = kept<Body>(world.store, 'pipedrive', 'filter').find((one) => String(one.id) === filterId);
    if (!filter) throw new Refusal(404, 'not_found', 'Filter not found');
    return all.filter((one) => fits(one, filter['conditions'] as Conditions));
  }
  const ids = query.get('ids')?.split(',');
  if (ids && ids.length > MOST_IDS) throw new Refusal(400, 'validation', `ids must contain at most ${MOST_IDS}`);
  if (ids) return all.filter((one) => ids.includes(String(one.id)));
  const person = query.get('person_id');
  return person === null ? all : all.filter((one) => String(one['person_id']) === person);
}

function fits(person: Body, { conditions }: Conditions): boolean {
  return conditions.every((group) => {
    const each = group.conditions.map(({ field_id, operator, value }) => {
      const own = person[field_id] ?? (person['custom_fields'] as Body | undefined)?.[field_id];
      if (operator === 'IS NOT NULL') return own !== undefined && own !== null;
      return Array.isArray(own) ? own.map(String).includes(String(value)) : String(own) === String(value);
    });
    if (each.length === 0) return true;
    return group.glue === 'and' ? each.every(Boolean) : each.some(Boolean);
  });
}

/** What an answer holds: fields that are asked for only, and of custom ones those that are named. */
function shown({ marketing_status, key, ...stored }: Stored, { query }: Call): object {
  const included = (query.get('include_fields') ?? '').split(',');
  const named = query.get('custom_fields')?.split(',');
  if (named !== undefined && named.length > 15) throw new Refusal(400, 'bad_request', 'at most 15 custom_fields');
  const custom = Object.entries((stored['custom_fields'] ?? {}) as Body).filter(
    ([name]) => named?.includes(name) ?? true,
  );
  return {
    ...stored,
    ...(key === undefined ? {} : { id: key }),
    custom_fields: Object.fromEntries(custom),
    ...(included.includes('marketing_status') ? { marketing_status: marketing_status ?? 'no_consent' } : {}),
  };
}

function search(world: World, call: Call, kind: string, field: string): Reply {
  const term = (call.query.get('term') ?? '').toLowerCase();
  if (term.length < 2) throw new Refusal(400, 'validation', 'term must be at least 2 characters long');
  const exact = call.query.get('exact_match') === 'true';
  const inMails = call.query.get('fields') === 'email';
  const organizations = kept<Body>(world.store, 'pipedrive', 'organizations');
  const items = kept<Body>(world.store, 'pipedrive', kind)
    .filter((one) => {
      const texts = (inMails ? mailsOf(one) : [String(one[field] ?? '')]).map((text) => text.toLowerCase());
      return texts.some((text) => (exact ? text === term : text.includes(term)));
    })
    .slice(0, limitOf.parse(call.query.get('limit') ?? undefined))
    .map((one) => {
      const organization = organizations.find(({ id }) => id === one['org_id']);
      return {
        result_score: 1,
        item: {
          id: one['key'] ?? one.id,
          type: kind.slice(0, -1),
          [field]: one[field],
          emails: mailsOf(one),
          organization: organization ? { id: organization.id, name: organization['name'] } : null,
        },
      };
    });
  return { status: 200, body: { success: true, data: { items }, additional_data: { next_cursor: null } } };
}

function mailsOf(person: Body): string[] {
  return ((person['emails'] ?? []) as { value: string }[]).map(({ value }) => value);
}

/** A person is named; leads are known by a UUID. */
function create(world: World, call: Call, kind: string, v1: boolean): Reply {
  const given = z.record(z.string(), z.unknown()).parse(call.body);
  if (!given['name'] && !given['title'] && !given['subject'])
    throw new Refusal(400, 'validation', 'name must be given');
  const time = new Date(world.clock.now()).toISOString();
  const made = { ...given, ...(v1 ? { key: randomUUID() } : {}), add_time: time, update_time: time };
  const stored = {
    ...made,
    ...participantOf(given),
    id: keep(world.store, 'pipedrive', kind, { ...made, ...participantOf(given) }),
  };
  noteWrite(world, call, `create ${kind}`, stored);
  return { status: 201, body: { success: true, data: shown(stored, call) } };
}

/** The first participant of an activity is whom it is about. */
function participantOf(given: Body): Body {
  const [first] = (given['participants'] ?? []) as { person_id?: number }[];
  return first?.person_id === undefined ? {} : { person_id: first.person_id };
}

/** The marketing status changes once: who unsubscribed stays so. */
function update(world: World, call: Call, kind: string, { id, ...stored }: Stored): Reply {
  const given = z.record(z.string(), z.unknown()).parse(call.body);
  const status = stored['marketing_status'] === 'unsubscribed' ? { marketing_status: 'unsubscribed' } : {};
  const custom = { ...((stored['custom_fields'] ?? {}) as Body), ...((given['custom_fields'] ?? {}) as Body) };
  const next = {
    ...stored,
    ...given,
    ...status,
    custom_fields: custom,
    update_time: new Date(world.clock.now()).toISOString(),
  };
  change(world.store, id, next);
  noteWrite(world, call, `update ${kind}`, next);
  return { status: 200, body: { success: true, data: shown({ ...next, id }, call) } };
}

function noteWrite(world: World, call: Call, action: string, stored: Body): void {
  const about = mailsOf(stored)[0] ?? String(stored['title'] ?? stored['subject'] ?? stored['name'] ?? '');
  const { idempotencyKey, body } = call;
  note(world.store, { at: world.clock.now(), service: 'pipedrive', action, about, idempotencyKey, headers: {}, body });
}
