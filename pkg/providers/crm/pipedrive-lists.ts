import { z } from 'zod';
import { isForGood } from '../call-error.ts';
import { timeOf } from './crm-http.ts';
import {
  type CrmList,
  type CrmLists,
  type CrmPage,
  type CrmPerson,
  type CrmReading,
  PAGE_PEOPLE,
} from './crm-lists.ts';
import type { CrmAccess } from './crm-provider.ts';
import { askPipedrive, oneOf, pageOf } from './pipedrive-http.ts';

const STATUS = 'marketing_status';
const UNSUBSCRIBED = 'unsubscribed';
/** A field that a company made is called by 40 hexadecimal digits. */
const CUSTOM = /^[0-9a-f]{40}$/;
/** Custom fields that one request may ask for. */
const MOST_CUSTOM = 15;

const filterShape = z.object({
  id: z.number(),
  name: z.string(),
  type: z.string(),
  active_flag: z.boolean().optional(),
});
const filtersShape = oneOf(z.array(filterShape));
const entry = z.object({ value: z.string(), primary: z.boolean().default(false) });
const personShape = z.object({
  id: z.number(),
  name: z.string().nullish(),
  first_name: z.string().nullish(),
  last_name: z.string().nullish(),
  job_title: z.string().nullish(),
  org_id: z.number().nullish(),
  owner_id: z.number().nullish(),
  update_time: z.string().nullish(),
  emails: z.array(entry).nullish(),
  phones: z.array(entry).nullish(),
  [STATUS]: z.string().nullish(),
  label_ids: z.array(z.number()).nullish(),
  custom_fields: z.record(z.string(), z.unknown()).nullish(),
});
type Person = z.output<typeof personShape>;
const organizationShape = z.object({ id: z.number(), name: z.string().nullish() });

/** Lists of Pipedrive are its filters of people; the people come by `api/v2/persons`. */
export const pipedriveLists: CrmLists = {
  fields: {
    first_name: 'firstName',
    last_name: 'lastName',
    name: 'fullName',
    email: 'email',
    phone: 'phone',
    job_title: 'title',
    org_name: 'company',
  },
  // Its state of marketing stands for consent, which most people there have never given.
  optOuts: {},
  owner: 'owner_id',
  stage: 'label_ids',
  async list(access, { query, limit, cursor, signal }) {
    const word = query.toLowerCase();
    const all = await filters(access, signal);
    const after = Number(cursor ?? 0);
    const rest = all.filter((one) => one.name.toLowerCase().includes(word) && Number(one.id) > after);
    const page = rest.slice(0, limit);
    return { lists: page, cursor: page.length < rest.length ? (page.at(-1)?.id ?? null) : null };
  },
  async find(access, listId, signal) {
    return (await filters(access, signal)).find((one) => one.id === listId) ?? null;
  },
  page: (access, listId, reading) => persons(access, { filter_id: listId }, reading),
  async read(access, ids, reading) {
    if (ids.length === 0) return [];
    return (await persons(access, { ids: ids.join(',') }, { ...reading, cursor: null })).people;
  },
  async update(access, id, properties, signal) {
    const path = `api/v2/persons/${encodeURIComponent(id)}`;
    await askPipedrive(access, { method: 'PATCH', path, body: bodyOf(properties) }, { signal }, z.object({}));
  },
  async exclude(access, { id }, signal) {
    const path = `api/v2/persons/${encodeURIComponent(id)}`;
    await askPipedrive(access, { method: 'PATCH', path, body: { [STATUS]: UNSUBSCRIBED } }, { signal }, z.object({}));
  },
};

async function filters(access: CrmAccess, signal: AbortSignal): Promise<CrmList[]> {
  const request = { method: 'GET', path: 'v1/filters?type=people' } as const;
  const { data } = await askPipedrive(access, request, { signal }, filtersShape);
  const live = data.filter((one) => one.type === 'people' && one.active_flag !== false).toSorted((a, b) => a.id - b.id);
  return live.map(({ id, name }) => ({ id: String(id), name, kind: 'filter', size: null }));
}

async function persons(
  access: CrmAccess,
  which: Readonly<Record<string, string>>,
  { cursor, properties, signal }: CrmReading,
): Promise<CrmPage> {
  const custom = [...new Set(properties.filter((name) => CUSTOM.test(name)))];
  const query = new URLSearchParams({ ...which, limit: String(PAGE_PEOPLE), sort_by: 'id', sort_direction: 'asc' });
  if (custom.length > 0) query.set('custom_fields', custom.slice(0, MOST_CUSTOM).join(','));
  if (cursor !== null) query.set('cursor', cursor);
  const ask = (path: URLSearchParams) =>
    askPipedrive(access, { method: 'GET', path: `api/v2/persons?${path}` }, { signal }, pageOf(personShape));
  // Companies without its marketing app have no such field, and the whole request is refused.
  const { data, additional_data } = await ask(new URLSearchParams([...query, ['include_fields', STATUS]])).catch(
    (error: unknown) => {
      if (isForGood(error)) return ask(query);
      throw error;
    },
  );
  // It answers so many custom fields at once: the others of the same people are asked for by their ids.
  const more = new Map<number, Record<string, unknown>>();
  for (let from = MOST_CUSTOM; from < custom.length && data.length > 0; from += MOST_CUSTOM) {
    const rest = { ids: data.map(({ id }) => id).join(','), limit: String(PAGE_PEOPLE) };
    const fields = custom.slice(from, from + MOST_CUSTOM).join(',');
    const answer = await ask(new URLSearchParams({ ...rest, custom_fields: fields }));
    for (const one of answer.data) more.set(one.id, { ...more.get(one.id), ...one.custom_fields });
  }
  const whole = data.map((one) => ({ ...one, custom_fields: { ...one.custom_fields, ...more.get(one.id) } }));
  const names = await organizations(access, data, signal);
  return { people: whole.map((one) => personOf(one, names)), cursor: additional_data?.next_cursor ?? null };
}

async function organizations(
  access: CrmAccess,
  people: readonly Person[],
  signal: AbortSignal,
): Promise<ReadonlyMap<number, string>> {
  const ids = [...new Set(people.flatMap((one) => one.org_id ?? []))];
  if (ids.length === 0) return new Map();
  const path = `api/v2/organizations?${new URLSearchParams({ ids: ids.join(','), limit: String(PAGE_PEOPLE) })}`;
  const { data } = await askPipedrive(access, { method: 'GET', path }, { signal }, pageOf(organizationShape));
  return new Map(data.map(({ id, name }) => [id, name ?? '']));
}

function personOf(person: Person, organizationNames: ReadonlyMap<number, string>): CrmPerson {
  const primary = (entries: Person['emails']) => (entries?.find((one) => one.primary) ?? entries?.[0])?.value;
  const given: Record<string, unknown> = {
    name: person.name,
    first_name: person.first_name,
    last_name: person.last_name,
    email: primary(person.emails),
    phone: primary(person.phones),
    job_title: person.job_title,
    org_name: organizationNames.get(person.org_id ?? 0),
    owner_id: person.owner_id,
    label_ids: person.label_ids?.join(','),
    ...person.custom_fields,
  };
  const known = Object.entries(given).flatMap(([name, value]) => {
    const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
    return text === '' ? [] : [[name, text] as const];
  });
  return {
    id: String(person.id),
    aliases: [],
    properties: Object.fromEntries(known),
    excluded: person[STATUS] === UNSUBSCRIBED,
    changedAt: timeOf(person.update_time),
  };
}

/** Properties as they are written: addresses are lists, what a company made stands apart. */
export function bodyOf(properties: Readonly<Record<string, string>>): object {
  const custom: Record<string, string> = {};
  const body: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(properties)) {
    if (CUSTOM.test(name)) custom[name] = value;
    else if (name === 'email') body['emails'] = [{ value, primary: true, label: 'work' }];
    else if (name === 'phone') body['phones'] = [{ value, primary: true, label: 'work' }];
    else body[name] = /_id$/.test(name) ? Number(value) : value;
  }
  return Object.keys(custom).length > 0 ? { ...body, custom_fields: custom } : body;
}
